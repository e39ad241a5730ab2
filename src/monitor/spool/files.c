#include "monitor/spool/files.h"

#include "abi/issue.h"
#include "base/file.h"
#include "monitor/spool/incident.h"

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

/* Writes and closes it; true if both succeed. */
static bool write_file(int fd, const struct mb_text parts[2])
{
    bool is_written = mb_file_put_at(fd, parts[0].data, parts[0].size, 0) &&
                      mb_file_put_at(fd, parts[1].data, parts[1].size, parts[0].size);
    int error = errno;

    if (close(fd) != 0 && is_written) {
        return false;
    }
    errno = error;
    return is_written;
}

bool spool_file_put(int folder, const char *temporary, int to_folder, const char *name,
                    const struct mb_text parts[2])
{
    (void)unlinkat(folder, temporary, 0); /* left by a killed process */
    int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return false;
    }
    if (!write_file(fd, parts) || renameat(folder, temporary, to_folder, name) != 0) {
        int error = errno;
        (void)unlinkat(folder, temporary, 0);
        errno = error;
        return false;
    }
    return true;
}

/* ---- Reading ---- */

/* NULL, with the folder closed, on failure. */
static DIR *open_entries(int folder)
{
    DIR *entries = folder >= 0 ? fdopendir(folder) : NULL;

    if (entries == NULL && folder >= 0) {
        (void)close(folder);
    }
    return entries;
}

DIR *spool_list(int folder)
{
    return open_entries(open_folder(folder, "."));
}

static int64_t day_named(const char *name)
{
    uint64_t date = 0;

    return strlen(name) == SPOOL_DATE_SIZE - 1 &&
                   mb_text_to_number(mb_text_of(name), UINT32_MAX, &date)
               ? spool_day((uint32_t)date)
               : -1;
}

/* The file of a session (monitor/spool/identity.c). */
static bool is_session(const char *name)
{
    const struct mb_text text = mb_text_of(name);

    return mb_text_starts(text, MB_TEXT(ABI_FILE_SESSION)) &&
           mb_text_ends(text, MB_TEXT(ABI_FILE_END));
}

/* Fill in what its name and the system say; false if it is not a file of the spool. */
static bool describe_file(struct spool_file *file, const char *name)
{
    struct stat status;

    file->name = name;
    if ((!spool_file_name_read(&file->parts, mb_text_of(name)) && !is_session(name)) ||
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
    DIR *entries = open_entries(folder);

    if (entries == NULL) {
        return false;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        struct spool_file file = {.folder = dirfd(entries), .day = day};
        if (describe_file(&file, entry->d_name)) {
            visit(context, &file);
        }
    }
    (void)closedir(entries);
    return true;
}

bool spool_files_visit(int folder, spool_visit *visit, void *context)
{
    DIR *entries = spool_list(folder);
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
    return unlinkat(file->folder, file->name, 0) == 0;
}

void spool_files_tidy(int folder)
{
    DIR *entries = spool_list(folder);

    if (entries == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (day_named(entry->d_name) >= 0) {
            (void)unlinkat(folder, entry->d_name, AT_REMOVEDIR); /* fails for a folder with files */
        }
    }
    (void)closedir(entries);
}
