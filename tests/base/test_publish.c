#include "base/publish.h"

#include "base/file.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "/tmp/mb-publish-XXXXXX";
static char path[128];

static const char *at(const char *name)
{
    (void)snprintf(path, sizeof(path), "%s/%s", root, name);
    return path;
}

static void make_root(void)
{
    cr_assert(ne(ptr, mkdtemp(root), NULL));
}

static void remove_root(void)
{
    char command[160];

    (void)snprintf(command, sizeof(command), "rm -rf %s", root);
    cr_assert(eq(int, system(command), 0));
}

static int count_names(void)
{
    DIR *folder = opendir(root);
    int count = -2;

    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

static bool holds(const char *name, const char *text)
{
    struct mb_buf buf = {0};
    bool is_same = mb_file_read(&buf, at(name), NULL) == MB_OK &&
                   mb_text_is((struct mb_text){(char *)buf.bytes, buf.size}, text);

    mb_buf_finish(&buf);
    return is_same;
}

static enum mb_status put(struct mb_publish *publish, const char *name, const char *text)
{
    return mb_publish_write(publish, at(name), text, strlen(text), NULL);
}

Test(publish, all_appears_on_commit_and_nothing_else_stays, .init = make_root, .fini = remove_root)
{
    struct mb_publish *publish = mb_publish_create();

    cr_assert(eq(int, put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, put(publish, "x/y/b", "two"), MB_OK));
    cr_assert(eq(int, access(at("a"), F_OK), -1));
    cr_assert(eq(int, mb_publish_commit(publish, NULL), MB_OK));
    mb_publish_destroy(publish);
    cr_assert(holds("a", "one"));
    cr_assert(holds("x/y/b", "two"));
    cr_assert(eq(int, count_names(), 2));
}

Test(publish, without_commit_the_old_stays, .init = make_root, .fini = remove_root)
{
    struct mb_publish *publish = mb_publish_create();

    cr_assert(eq(int, put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, mb_publish_commit(publish, NULL), MB_OK));
    mb_publish_destroy(publish);
    publish = mb_publish_create();
    cr_assert(eq(int, put(publish, "a", "other"), MB_OK));
    cr_assert(eq(int, put(publish, "new/b", "other"), MB_OK));
    cr_assert(eq(int, mb_publish_remove(publish, at("a"), NULL), MB_OK));
    mb_publish_destroy(publish);
    cr_assert(holds("a", "one"));
    cr_assert(eq(int, count_names(), 1));
}

Test(publish, equal_bytes_are_not_written, .init = make_root, .fini = remove_root)
{
    struct mb_publish *publish = mb_publish_create();
    struct stat before;
    struct stat after;
    bool is_same = true;

    cr_assert(eq(int, put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, mb_publish_commit(publish, NULL), MB_OK));
    mb_publish_destroy(publish);
    cr_assert(eq(int, stat(at("a"), &before), 0));
    publish = mb_publish_create();
    cr_assert(eq(int, mb_publish_update(publish, at("a"), "one", 3, &is_same, NULL), MB_OK));
    cr_assert(is_same);
    cr_assert(eq(int, mb_publish_commit(publish, NULL), MB_OK));
    cr_assert(eq(int, stat(at("a"), &after), 0));
    cr_assert(eq(sz, before.st_ino, after.st_ino));
    cr_assert(eq(int, mb_publish_update(publish, at("a"), "onE", 3, &is_same, NULL), MB_OK));
    cr_assert(not(is_same));
    mb_publish_destroy(publish);
}

Test(publish, a_removal_happens_on_commit, .init = make_root, .fini = remove_root)
{
    struct mb_publish *publish = mb_publish_create();

    cr_assert(eq(int, put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, mb_publish_commit(publish, NULL), MB_OK));
    mb_publish_destroy(publish);
    publish = mb_publish_create();
    cr_assert(eq(int, mb_publish_remove(publish, at("a"), NULL), MB_OK));
    cr_assert(holds("a", "one"));
    cr_assert(eq(int, mb_publish_commit(publish, NULL), MB_OK));
    mb_publish_destroy(publish);
    cr_assert(eq(int, count_names(), 0));
}

Test(publish, only_regular_files_are_replaced, .init = make_root, .fini = remove_root)
{
    struct mb_publish *publish = mb_publish_create();
    bool is_same = true;

    cr_assert(eq(int, mkdir(at("folder"), 0700), 0));
    cr_assert(eq(int, mkfifo(at("pipe"), 0600), 0));
    cr_assert(eq(int, put(publish, "folder", "one"), MB_IO));
    cr_assert(eq(int, put(publish, "pipe", "one"), MB_IO));
    cr_assert(eq(int, mb_publish_update(publish, at("pipe"), "one", 3, &is_same, NULL), MB_IO));
    cr_assert(not(is_same));
    mb_publish_destroy(publish);
    cr_assert(eq(int, count_names(), 2));
}

Test(publish, kill_9_leaves_nothing_behind, .init = make_root, .fini = remove_root)
{
    int ready[2];
    char byte;

    cr_assert(eq(int, pipe(ready), 0));
    pid_t child = fork();
    if (child == 0) {
        struct mb_publish *publish = mb_publish_create();
        byte = put(publish, "a", "half") == MB_OK ? 'y' : 'n';
        (void)!write(ready[1], &byte, 1);
        pause();
        _exit(0);
    }
    cr_assert(eq(int, (int)read(ready[0], &byte, 1), 1));
    cr_assert(eq(chr, byte, 'y'));
    cr_assert(eq(int, count_names(), 1));
    cr_assert(eq(int, kill(child, SIGKILL), 0));
    cr_assert(eq(int, waitpid(child, NULL, 0), child));
    for (int i = 0; i < 1000 && count_names() > 0; i++) {
        usleep(10000);
    }
    cr_assert(eq(int, count_names(), 0));
}

/* Instead of the system's: kills us when renames_left is used up; below 0 it never is. */
static int renames_left = -1;

int rename(const char *old, const char *new)
{
    if (renames_left == 0) {
        (void)raise(SIGKILL);
    }
    renames_left -= renames_left > 0;
    return renameat(AT_FDCWD, old, AT_FDCWD, new);
}

static void commit_and_die(int renames)
{
    struct mb_publish *publish = mb_publish_create(); /* with a janitor that may rename all */
    bool is_ready = put(publish, "a", "new") == MB_OK && put(publish, "b", "new") == MB_OK &&
                    mb_publish_remove(publish, at("c"), NULL) == MB_OK;

    renames_left = renames;
    if (is_ready) {
        is_ready = mb_publish_commit(publish, NULL) == MB_OK;
    }
    _exit(is_ready ? 0 : 1);
}

Test(publish, kill_9_in_the_middle_of_a_commit_ends_it, .init = make_root, .fini = remove_root)
{
    for (int renames = 0; renames < 2; renames++) {
        struct mb_publish *publish = mb_publish_create();
        int state = 0;

        cr_assert(eq(int, put(publish, "a", "old"), MB_OK));
        cr_assert(eq(int, put(publish, "b", "old"), MB_OK));
        cr_assert(eq(int, put(publish, "c", "old"), MB_OK));
        cr_assert(eq(int, mb_publish_commit(publish, NULL), MB_OK));
        mb_publish_destroy(publish);
        cr_assert(eq(int, count_names(), 3));
        pid_t child = fork();
        if (child == 0) {
            commit_and_die(renames);
        }
        cr_assert(eq(int, waitpid(child, &state, 0), child));
        cr_assert(eq(int, WIFSIGNALED(state) ? WTERMSIG(state) : 0, SIGKILL));
        for (int i = 0; i < 1000 && count_names() != 2; i++) {
            usleep(10000);
        }
        cr_assert(eq(int, count_names(), 2));
        cr_assert(holds("a", "new"));
        cr_assert(holds("b", "new"));
    }
}

Test(publish, leftovers_of_dead_runs_go_those_of_live_ones_stay, .init = make_root,
     .fini = remove_root)
{
    struct mb_publish *live = mb_publish_create();

    cr_assert(eq(int, mkdir(at(".methodbeat-1-0"), 0700), 0));
    cr_assert(eq(int, put(live, "a", "one"), MB_OK));
    cr_assert(eq(int, count_names(), 1));
    struct mb_publish *other = mb_publish_create();
    cr_assert(eq(int, put(other, "b", "two"), MB_OK));
    cr_assert(eq(int, count_names(), 2));
    cr_assert(eq(int, mb_publish_commit(live, NULL), MB_OK));
    mb_publish_destroy(live);
    mb_publish_destroy(other);
    cr_assert(holds("a", "one"));
    cr_assert(eq(int, count_names(), 1));
}

Test(publish, a_place_that_cannot_be_is_named, .init = make_root, .fini = remove_root)
{
    struct mb_publish *publish = mb_publish_create();
    struct mb_error err = {0};

    cr_assert(eq(int, put(publish, "a", "one"), MB_OK));
    cr_assert(eq(int, mb_publish_commit(publish, NULL), MB_OK));
    cr_assert(eq(int, mb_publish_write(publish, at("a/b"), "x", 1, &err), MB_IO));
    cr_assert_str_eq(err.input, at("a/b"));
    cr_assert(eq(int, mb_publish_write(publish, "/proc/x", "x", 1, &err), MB_IO));
    cr_assert(eq(int, mb_publish_write(publish, root, "x", 1, &err), MB_IO));
    mb_publish_destroy(publish);
}
