/* A spool on a disk that is full: the program goes on and hears of all it told, each file that is
 * there is whole.
 *
 * Needs a disk of its own, where it may have one. */

#include "lives.h"
#include "monitor/watch/methodbeat_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SKIPPED 77
#define TOLD 8 /* as many as wait for the watcher and the writer at a time */
#define VALUE_SIZE 30000
#define PATIENCE_MS 60000

static char disk[] = "/tmp/methodbeat-full-XXXXXX";
static char spool[64];
static _Atomic(int) heard;

/* ---- Disks ---- */

static bool put_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? write(fd, text, strlen(text)) : -1;

    (void)(fd >= 0 && close(fd));
    return size == (ssize_t)strlen(text);
}

/* Mounts are this process's own from here on. */
static bool may_mount(void)
{
    char users[64];
    char groups[64];

    (void)snprintf(users, sizeof(users), "0 %u 1", (unsigned)getuid());
    (void)snprintf(groups, sizeof(groups), "0 %u 1", (unsigned)getgid());
    if (unshare(CLONE_NEWNS) != 0 &&
        (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !put_text("/proc/self/setgroups", "deny") ||
         !put_text("/proc/self/uid_map", users) || !put_text("/proc/self/gid_map", groups))) {
        return false;
    }
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static bool mount_disk(const char *size)
{
    char options[64];

    (void)snprintf(options, sizeof(options), "size=%s", size);
    return mount("tmpfs", disk, "tmpfs", 0, options) == 0;
}

/* ---- What is on it ---- */

static int issues;
static int broken; /* files that are not whole, and those that nobody needs */
static int take_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    static char text[4 * VALUE_SIZE];
    const char *name = path + walk->base;
    size_t end = strlen(name);

    broken += type == FTW_F && name[0] == '.'; /* nothing waits any more */
    if (type != FTW_F || end < 5 || strcmp(name + end - 5, ".json") != 0) {
        return 0;
    }
    FILE *file = fopen(path, "r");
    size_t size = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    (void)(file != NULL && fclose(file));
    text[size] = '\0';
    broken += name[0] == '.' || size < 3 || strcmp(text + size - 2, "}\n") != 0 ||
              size != (size_t)status->st_size;
    issues += strstr(name, "-CUSTOM-") != NULL;
    return 0;
}

static void look(void)
{
    issues = broken = 0;
    (void)nftw(spool, take_file, 16, FTW_PHYS);
}

/* ---- A program ---- */

static void hear(void *context, const struct watch_issue *issue)
{
    (void)context;
    (void)issue;
    atomic_fetch_add(&heard, 1);
}

static bool start(void)
{
    static const struct lives_setting settings[] = {
        {"cpu_enable", "off"}, {"evil_enable", "off"},   {"stall_enable", "off"},
        {"often", ""},         {"keep", "7:32768:1000"}, {NULL, NULL}};

    (void)lives_set(settings);
    (void)watch_set("spool", spool);
    atomic_store(&heard, 0);
    return watch_listen(hear, NULL) && watch_start();
}

static bool tell_all(void)
{
    static char value[VALUE_SIZE + 1] = "\"";

    memset(value + 1, 'x', VALUE_SIZE - 2);
    value[VALUE_SIZE - 1] = '"';
    for (int i = 0; i < TOLD; i++) {
        if (!watch_report("full", NULL, value)) {
            return false;
        }
    }
    for (int waited = 0; atomic_load(&heard) < TOLD && waited < PATIENCE_MS; waited++) {
        lives_sleep_ms(1);
    }
    return atomic_load(&heard) == TOLD;
}

/* ---- The cases ---- */

static bool judge_size(const char *size, int least, int most)
{
    bool is_heard = mount_disk(size) && start() && tell_all();

    watch_stop();
    look();
    (void)printf("%s: %d issues, %d broken\n", size, issues, broken);
    return umount(disk) == 0 && is_heard && broken == 0 && issues >= least && issues <= most;
}

int main(void)
{
    if (!may_mount()) {
        (void)printf("skipped: no mounts of its own here: %s\n", strerror(errno));
        return SKIPPED;
    }
    if (mkdtemp(disk) == NULL) {
        return 1;
    }
    (void)snprintf(spool, sizeof(spool), "%s/spool", disk);
    bool is_well = judge_size("4k", 0, 0) && judge_size("64k", 0, 2) &&
                   judge_size("220k", 1, TOLD - 1) && judge_size("320k", 1, TOLD) &&
                   judge_size("4m", TOLD, TOLD);
    (void)rmdir(disk);
    return is_well ? 0 : 1;
}
