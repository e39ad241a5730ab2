#include "cli/proc.h"

#include "base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES ((off_t)1 << 20)

void cli_proc_status(pid_t pid, const char *key, char *value, size_t size)
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

pid_t cli_proc_own_id(pid_t pid)
{
    char line[256];

    cli_proc_status(pid, "NSpid", line, sizeof(line));
    const char *last = strrchr(line, '\t');
    return last != NULL ? (pid_t)strtol(last, NULL, 10) : pid;
}

bool cli_proc_read(struct mb_buf *out, pid_t pid, const char *name)
{
    char path[64];
    struct mb_error err;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    bool is_read = mb_file_read(out, path, &err) == MB_OK;
    mb_buf_put_u1(out, '\0');
    return is_read && !out->failed;
}

bool cli_proc_read_file(struct mb_buf *out, pid_t pid, const char *path)
{
    char whole[PATH_MAX];
    struct stat info;
    struct mb_error err;
    int size = snprintf(whole, sizeof(whole), "/proc/%d/%s%s", (int)pid,
                        path[0] == '/' ? "root" : "cwd/", path);
    int fd = size < PATH_MAX ? open(whole, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    bool is_read = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
                   info.st_size <= MOST_BYTES && mb_file_read_open(out, fd, &err) == MB_OK;

    if (fd >= 0) {
        (void)close(fd);
    }
    return is_read;
}
