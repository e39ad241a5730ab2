#include "jvms/process/status.h"

#include "base/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_FIELD 22 /* of /proc/PID/stat, from 1 (proc(5)) */

void proc_status(pid_t pid, const char *key, char *value, size_t size)
{
    char path[64];
    char line[512];
    size_t key_size = strlen(key);

    value[0] = '\0';
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, key, key_size) == 0 && line[key_size] == ':') {
            line[strcspn(line, "\n")] = '\0';
            (void)snprintf(value, size, "%s", line + key_size + 1);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

bool proc_user(pid_t pid, uid_t *uid, gid_t *gid)
{
    char line[128];

    proc_status(pid, "Uid", line, sizeof(line));
    bool is_known = sscanf(line, "%*u %u", uid) == 1;
    proc_status(pid, "Gid", line, sizeof(line));
    return is_known && sscanf(line, "%*u %u", gid) == 1;
}

pid_t proc_own_id(pid_t pid)
{
    char line[256];

    proc_status(pid, "NSpid", line, sizeof(line));
    const char *last = strrchr(line, '\t');
    return last != NULL ? (pid_t)strtol(last, NULL, 10) : pid;
}

void proc_own_path(pid_t pid, char *path)
{
    char link[64];
    char root[PATH_MAX];

    (void)snprintf(link, sizeof(link), "/proc/%d/root", (int)pid);
    ssize_t size = readlink(link, root, sizeof(root));
    if (size > 1 && strncmp(path, root, (size_t)size) == 0 && path[size] == '/') {
        memmove(path, path + size, strlen(path + size) + 1);
    }
}

double proc_age(pid_t pid)
{
    char path[64];
    char stat[1024];
    char uptime[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    bool is_told = mb_file_read_text(path, stat, sizeof(stat)) &&
                   mb_file_read_text("/proc/uptime", uptime, sizeof(uptime));
    char *field = is_told ? strrchr(stat, ')') : NULL; /* the end of the second field */
    for (int i = 2; i < START_FIELD && field != NULL; i++) {
        field = strchr(field + 1, ' ');
    }
    if (field == NULL) {
        return -1;
    }
    double ticks = (double)strtoull(field, NULL, 10);
    return strtod(uptime, NULL) - ticks / (double)sysconf(_SC_CLK_TCK);
}

bool proc_read(struct mb_buf *out, pid_t pid, const char *name)
{
    char path[64];
    struct mb_error err;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    bool is_read = mb_file_read(out, path, &err) == MB_OK;
    mb_buf_put_u1(out, '\0');
    return is_read && !out->failed;
}
