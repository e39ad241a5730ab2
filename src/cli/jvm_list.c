#include "cli/jvm_list.h"

#include "base/interrupt.h"
#include "base/text.h"

#include <dirent.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_user_name(uid_t uid, char *name, size_t size)
{
    const struct passwd *user = getpwuid(uid);

    if (user != NULL) {
        (void)snprintf(name, size, "%s", user->pw_name);
    } else {
        (void)snprintf(name, size, "%u", (unsigned)uid);
    }
}

static bool look_at(struct cli_jvm_entry *entry, pid_t pid)
{
    struct cli_foreign process;
    bool is_there = cli_foreign_open(&process, pid) && cli_jvm_look(entry, &process);

    cli_foreign_finish(&process);
    return is_there;
}

static int compare(const void *a, const void *b)
{
    pid_t first = ((const struct cli_jvm_entry *)a)->pid;
    pid_t second = ((const struct cli_jvm_entry *)b)->pid;

    return (first > second) - (first < second);
}

enum mb_status cli_jvm_list(struct mb_buf *entries, struct mb_error *err)
{
    DIR *folder = opendir("/proc");
    const struct dirent *item;
    struct cli_jvm_entry entry;

    if (folder == NULL) {
        enum mb_status status = mb_fail_errno(err, "cannot list the processes");
        mb_error_in_input(err, "/proc");
        return status;
    }
    while (!mb_is_interrupted() && (item = readdir(folder)) != NULL) {
        uint64_t pid;
        if (mb_text_to_number(mb_text_of(item->d_name), INT_MAX, &pid) &&
            look_at(&entry, (pid_t)pid)) {
            mb_buf_put(entries, &entry, sizeof(entry));
        }
    }
    (void)closedir(folder);
    MB_TRY(mb_check_interrupt(err));
    if (entries->size > 0) {
        qsort(entries->bytes, entries->size / sizeof(entry), sizeof(entry), compare);
    }
    return mb_buf_check(entries, err);
}
