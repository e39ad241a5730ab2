#include "bench.h"

#include "base/file.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

char bench_root[] = "/tmp/mb-publish-XXXXXX";
static char path[128];

const char *bench_at(const char *name)
{
    (void)snprintf(path, sizeof(path), "%s/%s", bench_root, name);
    return path;
}

/* Instead of the system's: the calls that change folders are counted, and one of them fails or is
 * the last thing that the process does. */
int bench_calls_left = -1;
int bench_error;
bool bench_has_mounts;
int bench_flock_error;
bool bench_ignores_case;
bool bench_keeps_old;

static bool goes_wrong(void)
{
    if (bench_calls_left != 0) {
        bench_calls_left -= bench_calls_left > 0;
        return false;
    }
    if (bench_error == 0) {
        (void)raise(SIGKILL);
    }
    bench_calls_left = -1;
    errno = bench_error;
    return true;
}

static bool leaves_mount(int old, int at)
{
    errno = EXDEV;
    return bench_has_mounts && old != at;
}

int renameat(int old, const char *from, int at, const char *to)
{
    return goes_wrong() || leaves_mount(old, at)
               ? -1
               : (int)syscall(SYS_renameat2, old, from, at, to, 0);
}

int linkat(int old, const char *from, int at, const char *to, int flags)
{
    return goes_wrong() || leaves_mount(old, at)
               ? -1
               : (int)syscall(SYS_linkat, old, from, at, to, flags);
}

int unlinkat(int at, const char *name, int flags)
{
    errno = EBUSY;
    bool is_open = bench_keeps_old && strstr(name, ".old") != NULL;
    return is_open || goes_wrong() ? -1 : (int)syscall(SYS_unlinkat, at, name, flags);
}

int mkdirat(int at, const char *name, mode_t mode)
{
    return goes_wrong() ? -1 : (int)syscall(SYS_mkdirat, at, name, mode);
}

int flock(int fd, int how)
{
    errno = bench_flock_error;
    return bench_flock_error != 0 ? -1 : (int)syscall(SYS_flock, fd, how);
}

int fstatat(int at, const char *restrict name, struct stat *restrict info, int flags)
{
    char lower[64] = ".methodbeat-";
    const size_t size = strlen(lower);

    if (bench_ignores_case && strncmp(name, ".METHODBEAT-", size) == 0) {
        (void)snprintf(lower + size, sizeof(lower) - size, "%s", name + size);
        name = lower;
    }
    return (int)syscall(SYS_newfstatat, at, name, info, flags);
}

void bench_begin(void)
{
    cr_assert(ne(ptr, mkdtemp(bench_root), NULL));
}

void bench_end(void)
{
    char command[160];

    (void)snprintf(command, sizeof(command), "rm -rf %s", bench_root);
    cr_assert(eq(int, system(command), 0));
}

bool bench_holds(const char *name, const char *text)
{
    struct mb_buf buf = {0};
    bool is_same = mb_file_read(&buf, bench_at(name), NULL) == MB_OK &&
                   mb_text_is((struct mb_text){(char *)buf.bytes, buf.size}, text);

    mb_buf_finish(&buf);
    return is_same;
}

enum mb_status bench_put(struct pub_outputs *publish, const char *name, const char *text)
{
    return pub_write(publish, bench_at(name), text, strlen(text), NULL);
}

enum mb_status bench_put_set(struct pub_outputs *publish, const char *text)
{
    MB_TRY(pub_prepare(publish, bench_root, NULL));
    MB_TRY(pub_prepare(publish, bench_at("y"), NULL));
    MB_TRY(bench_put(publish, "a", text));
    MB_TRY(bench_put(publish, "y/b", text));
    MB_TRY(bench_put(publish, "y/new/d", text));
    MB_TRY(pub_remove(publish, bench_at("y/c"), NULL));
    return pub_commit(publish, NULL);
}

void bench_write(const char *name, const char *text)
{
    FILE *file = fopen(bench_at(name), "w");

    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

void bench_make_old_set(void)
{
    bench_end();
    cr_assert(eq(int, mkdir(bench_root, 0700), 0));
    cr_assert(eq(int, mkdir(bench_at("y"), 0700), 0));
    bench_write("a", "old");
    bench_write("y/b", "old");
    bench_write("y/c", "old");
}

int bench_count(const char *name)
{
    int count = -2;
    DIR *folder = opendir(bench_at(name));

    while (folder != NULL && readdir(folder) != NULL) {
        count++;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count;
}

bool bench_is_old_set(void)
{
    return bench_holds("a", "old") && bench_holds("y/b", "old") && bench_holds("y/c", "old") &&
           bench_count("") == 2 && bench_count("y") == 2;
}

bool bench_is_new_set(void)
{
    return bench_holds("a", "new") && bench_holds("y/b", "new") && bench_holds("y/new/d", "new") &&
           bench_count("") == 2 && bench_count("y") == 2;
}

int bench_recover_in(const char *name)
{
    struct pub_outputs *publish = pub_create();
    bool is_good = pub_prepare(publish, bench_at(name), NULL) == MB_OK;

    pub_destroy(publish);
    return is_good ? 0 : 1;
}
