#include "spool/files.h"

#include "base/file.h"
#include "spool/counts.h"
#include "spool/date.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Writing ---- */

static int open_folder(int above, const char *name)
{
    return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int spool_files_open_day(int folder, int64_t day)
{
    char date[SPOOL_DATE_SIZE];

    spool_put_date(date, day);
    return open_folder(folder, date);
}

int spool_files_make_day(int folder, int64_t day)
{
    char date[SPOOL_DATE_SIZE];

    spool_put_date(date, day);
    if (mkdirat(folder, date, 0700) != 0 && errno != EEXIST) {
        return -1;
    }
    return open_folder(folder, date);
}

static void put_hidden(char text[SPOOL_NAME_SIZE + 1], const char *name)
{
    (void)snprintf(text, SPOOL_NAME_SIZE + 1, ".%s", name);
}

static bool write_all(int fd, struct mb_text bytes, bool is_synced)
{
    return mb_file_write_at(fd, bytes.data, bytes.size, 0) && (!is_synced || fdatasync(fd) == 0);
}

bool spool_file_prepare(int day_folder, const char *name, struct mb_text bytes, bool is_synced)
{
    char hidden[SPOOL_NAME_SIZE + 1];
    bool is_written;
    int error;
    int fd;

    put_hidden(hidden, name);
    (void)unlinkat(day_folder, hidden, 0); /* of a process that was killed */
    fd = openat(day_folder, hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return false;
    }
    is_written = write_all(fd, bytes, is_synced);
    error = errno;
    if (close(fd) != 0 && is_written) {
        is_written = false;
        error = errno;
    }
    if (!is_written) {
        (void)unlinkat(day_folder, hidden, 0);
        errno = error;
    }
    return is_written;
}

bool spool_file_publish(int day_folder, const char *name, bool is_synced)
{
    char hidden[SPOOL_NAME_SIZE + 1];

    put_hidden(hidden, name);
    if (renameat(day_folder, hidden, day_folder, name) != 0) {
        int error = errno;
        (void)unlinkat(day_folder, hidden, 0);
        errno = error;
        return false;
    }
    if (is_synced) {
        (void)fsync(day_folder);
    }
    return true;
}

/* ---- What is in it ---- */

/* NULL with the folder closed if it cannot be had. */
static DIR *list(int folder)
{
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;

    if (entries == NULL && folder >= 0) {
        (void)close(folder);
    }
    return entries;
}

static int64_t day_named(const char *name)
{
    uint64_t date = 0;

    return strlen(name) == SPOOL_DATE_SIZE - 1 &&
                   mb_text_to_number(mb_text_of(name), UINT32_MAX, &date)
               ? spool_day((uint32_t)date)
               : -1;
}

/* What the name and the system say of a file of ours. */
static bool describe(struct spool_file *file, const char *name)
{
    struct stat status;

    file->is_hidden = name[0] == '.';
    file->name = name + file->is_hidden;
    file->is_counts = strcmp(file->name, SPOOL_COUNTS_NAME) == 0;
    if ((!file->is_counts && !spool_file_name_read(&file->parts, mb_text_of(file->name))) ||
        fstatat(file->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode)) {
        return false;
    }
    file->size = (uint64_t)status.st_size;
    file->changed = status.st_mtime > 0 ? status.st_mtime / 86400 : 0;
    return true;
}

static bool visit_day(int folder, int64_t day, spool_visit *visit, void *context)
{
    DIR *entries = list(folder);

    if (entries == NULL) {
        return false;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        struct spool_file file = {.folder = dirfd(entries), .day = day};
        if (describe(&file, entry->d_name)) {
            visit(context, &file);
        }
    }
    (void)closedir(entries);
    return true;
}

bool spool_files_visit(int folder, spool_visit *visit, void *context)
{
    DIR *entries = list(open_folder(folder, "."));
    bool is_whole = entries != NULL;

    if (entries == NULL) {
        return false;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        int64_t day = day_named(entry->d_name);
        if (day >= 0) {
            is_whole =
                visit_day(open_folder(folder, entry->d_name), day, visit, context) && is_whole;
        }
    }
    (void)closedir(entries);
    return is_whole;
}

bool spool_file_remove(const struct spool_file *file)
{
    char hidden[SPOOL_NAME_SIZE + 1];

    put_hidden(hidden, file->name);
    return unlinkat(file->folder, file->is_hidden ? hidden : file->name, 0) == 0;
}

bool spool_file_read(const struct spool_file *file, size_t limit, struct mb_buf *out)
{
    int fd = openat(file->folder, file->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    bool is_read = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                   (uint64_t)status.st_size <= limit && mb_file_read_open(out, fd, NULL) == MB_OK;

    if (fd >= 0) {
        (void)close(fd);
    }
    return is_read;
}

void spool_files_tidy(int folder)
{
    DIR *entries = list(open_folder(folder, "."));

    if (entries == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (day_named(entry->d_name) >= 0) {
            (void)unlinkat(folder, entry->d_name, AT_REMOVEDIR); /* fails unless it is empty */
        }
    }
    (void)closedir(entries);
}
