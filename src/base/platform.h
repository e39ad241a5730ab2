/* Files and their names, as each system has them: base/posix and base/windows hold the two ways.
 *
 * A path is UTF-8, of any length that the system takes, and has '/' between its folders
 * (mb_path_accept). Where a function takes a folder, name is a path from there; without a folder
 * (NULL), from the working folder. An absolute path is one from anywhere.
 *
 * What fails, fails with errno in the words of POSIX: ENOENT, ENOTDIR, EEXIST, EACCES, EXDEV,
 * ELOOP, ENAMETOOLONG, EISDIR, ENOSPC, ENOMEM, EIO. An open file is a descriptor of the C library:
 * bytes go through it as they are, no program that is started inherits it, and close, fdopen and
 * isatty take it. Any thread. */

#ifndef BASE_PLATFORM_H
#define BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mb_folder;

/* --- what is known of a file --- */

/* Of all that exists at a time, the same for one file alone, by whichever name. Zeroes: no file. */
struct mb_file_id {
    uint64_t device;
    uint64_t number;
};

static inline bool mb_file_id_is(struct mb_file_id a, struct mb_file_id b)
{
    return a.device == b.device && a.number == b.number;
}

enum mb_file_type {
    MB_FILE_UNKNOWN, /* in listings alone: look at it */
    MB_FILE_REGULAR,
    MB_FILE_FOLDER,
    MB_FILE_LINK,  /* to a path; a junction of Windows, too */
    MB_FILE_OTHER, /* a device, pipe or socket */
};

struct mb_file_info {
    enum mb_file_type type;
    struct mb_file_id id;
    uint64_t size;      /* bytes */
    int64_t changed_ns; /* its bytes, since 1970, as exactly as the file system keeps it */
    bool can_run;       /* its owner may run it */
    bool is_removed;    /* open, without a name */
};

/* Follows links. name "" is the folder itself. */
bool mb_file_look(const struct mb_folder *folder, const char *name, struct mb_file_info *info);

static inline bool mb_file_is_there(const char *path)
{
    struct mb_file_info info;

    return mb_file_look(NULL, path, &info);
}

/* A link as the last component is looked at itself. */
bool mb_file_look_at_link(const struct mb_folder *folder, const char *name,
                          struct mb_file_info *info);
bool mb_file_look_open(int fd, struct mb_file_info *info);

/* --- files --- */

enum mb_file_use {
    MB_FILE_READ,      /* without waiting for the writer of a pipe; a folder opens, or is EISDIR */
    MB_FILE_READ_WAIT, /* the same, but opening and reading wait for the writer */
    MB_FILE_READ_NAME, /* the same, but a link is ELOOP */
    MB_FILE_NEW,       /* created to write and read; EEXIST if the name is there, as a link, too */
    MB_FILE_EMPTY,     /* to write; created, or cut to nothing */
    MB_FILE_APPEND,    /* to write at its end; created; a link is ELOOP */
    MB_FILE_UPDATE,    /* to read and write; created; a link is ELOOP */
};

/* Below 0 on failure. Others may read, rename and remove the file meanwhile. */
int mb_file_open(const struct mb_folder *folder, const char *name, enum mb_file_use use);

/* read(2), through interruptions: bytes, 0 at the end; below 0 on failure, EAGAIN of a pipe that is
 * silent too. */
ptrdiff_t mb_file_get(int fd, void *bytes, size_t size);

/* The same from offset; where the descriptor stands is undefined afterwards. */
ptrdiff_t mb_file_get_at(int fd, void *bytes, size_t size, uint64_t offset);

/* All of them; false on failure. */
bool mb_file_put(int fd, const void *bytes, size_t size);
bool mb_file_put_at(int fd, const void *bytes, size_t size, uint64_t offset);

/* An empty file without a name, to write and read, gone once it is closed. Below 0 on failure. */
int mb_file_open_temporary(void);

/* Where the next bytes are read or written. */
bool mb_file_seek(int fd, uint64_t offset);
bool mb_file_cut(int fd, uint64_t size);

/* What was written has reached the disk. */
bool mb_file_sync(int fd);

/* Wait ms for bytes of a pipe, or its end. 1: they are there; 0: not yet; below 0 on failure. Where
 * a system cannot tell it is 1, and mb_file_get waits. */
int mb_file_await(int fd, int ms);

/* True if mb_file_find_data knows the holes of an open file, that is, parts never written. */
bool mb_file_tells_holes(int fd);

/* The first data at or after *start, and where the next hole begins. False with errno ENXIO if only
 * holes follow. */
bool mb_file_find_data(int fd, uint64_t *start, uint64_t *end);

/* Wait for the lock on an open file, which other processes may have; it ends with the descriptor.
 */
bool mb_file_lock(int fd);

/* Give an open file the permissions of the file at path, if there is one. Failures are ignored. */
void mb_file_take_mode(int fd, const char *path);

/* May the owner of the file at path read the open file, too? Asked only where we are root; else the
 * system lets us read what we may. */
bool mb_file_is_for_owner(int fd, const char *path);

/* Let every user who may read the open file run it. A failure is ignored. */
void mb_file_let_run(int fd);

/* --- paths --- */

/* Room for a path, with its end, where longer ones need not work. */
#define MB_PATH_SIZE 4096

/* Make an argument a path, in place: other separators of the system become '/'. */
void mb_path_accept(char *path);

/* How many bytes at the start name where an absolute path begins: "/", "C:/", "//server/share/"; 0
 * of a relative one. */
size_t mb_path_root_size(const char *path);

static inline bool mb_path_is_absolute(const char *path)
{
    return mb_path_root_size(path) > 0;
}

/* The absolute path of what is there, without links, "." and "..". Caller frees; NULL on failure.
 */
char *mb_path_real(const char *path);

/* What is between the paths of a list. */
extern const char mb_path_separator;

/* True if some names stand for devices or streams, whatever the folder (mb_name_is_portable). */
extern const bool mb_path_has_devices;

/* What has nothing to read, and takes what is written. */
extern const char mb_path_nothing[];

/* The absolute path of the working folder. Caller frees; NULL on failure. */
char *mb_path_working(void);

#endif
