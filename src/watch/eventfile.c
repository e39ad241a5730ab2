#include "watch/eventfile.h"

#include "watch/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void give_up(struct watch_eventfile *file, const char *why)
{
    watch_log("no event log %s: %s", file->path, why);
    if (file->fd >= 0) {
        (void)close(file->fd);
    }
    file->fd = -1;
}

static void open_new(struct watch_eventfile *file)
{
    /* Not through a link, and no device or pipe: it is written whole again and again. */
    file->fd =
        open(file->path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    struct stat info;
    if (file->fd < 0 || fstat(file->fd, &info) != 0) {
        give_up(file, strerror(errno));
        return;
    }
    if (!S_ISREG(info.st_mode)) {
        give_up(file, "not a file");
    }
    file->id = mb_file_identify(file->fd);
    file->size = 0;
}

void watch_eventfile_open(struct watch_eventfile *file, const char *path, size_t most)
{
    *file = (struct watch_eventfile){
        .fd = -1, .path = path, .most = most > 0 ? most : WATCH_EVENTFILE_SIZE};
    if (path[0] == '\0') {
        return;
    }
    file->state = calloc(1, sizeof(*file->state));
    if (file->state == NULL) {
        give_up(file, "out of memory");
        return;
    }
    open_new(file);
}

void watch_eventfile_put(struct watch_eventfile *file, const struct mon_event *event,
                         const struct mon_names *names, const struct mon_options *options)
{
    if (file->fd >= 0) {
        mon_log_put(&file->lines, file->state, event, names, options);
    }
}

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static void rotate_file(struct watch_eventfile *file)
{
    char older[600];

    (void)close(file->fd);
    file->fd = -1;
    (void)snprintf(older, sizeof(older), "%s.1", file->path);
    if (rename(file->path, older) != 0) {
        give_up(file, strerror(errno));
        return;
    }
    *file->state = (struct mon_log){0};
    open_new(file);
}

void watch_eventfile_flush(struct watch_eventfile *file)
{
    if (file->fd < 0 || file->lines.size == 0) {
        return;
    }
    if (file->lines.failed) {
        give_up(file, "out of memory");
        return;
    }
    if (!mb_file_is(file->fd, &file->id)) { /* the number is another file's */
        file->fd = -1;
        give_up(file, "the program has closed it");
        return;
    }
    if (!write_all(file->fd, file->lines.bytes, file->lines.size)) {
        give_up(file, strerror(errno));
        return;
    }
    file->size += file->lines.size;
    mb_buf_reset(&file->lines);
    if (file->size >= file->most) {
        rotate_file(file);
    }
}

void watch_eventfile_close(struct watch_eventfile *file)
{
    watch_eventfile_flush(file);
    mb_file_close(file->fd, &file->id);
    free(file->state);
    mb_buf_finish(&file->lines);
    file->fd = -1;
    file->state = NULL;
}
