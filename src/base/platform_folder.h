/* Folders: listing them, changing what is in them, and locking them. As in base/platform.h, folders
 * that are NULL mean the working folder, failures are told by errno, and any thread may call. */

#ifndef BASE_PLATFORM_FOLDER_H
#define BASE_PLATFORM_FOLDER_H

#include "base/buf.h"
#include "base/error.h"
#include "base/platform.h"
#include "base/text.h"

/* An open folder. Transparent, so that it can be part of others; its fields are for base/posix and
 * base/windows. */
struct mb_folder {
    const char *path; /* as given, borrowed */
    intptr_t handle;  /* -1: closed */
    intptr_t lock;    /* -1 if none, or the folder's handle has it */
};

#define MB_NO_FOLDER ((struct mb_folder){NULL, -1, -1})

static inline bool mb_folder_is_open(const struct mb_folder *folder)
{
    return folder->handle != -1;
}

/* path is borrowed until mb_folder_close. On failure the folder is MB_NO_FOLDER. */
bool mb_folder_open(struct mb_folder *folder, const char *path);

/* The folder with the last part of path, which must not be a link, in parent: path is where it was,
 * in case that parent has another name by now. Borrows path. */
bool mb_folder_open_in(struct mb_folder *folder, const struct mb_folder *parent, const char *path);

/* With its lock; a closed one is accepted, and it is MB_NO_FOLDER then. */
void mb_folder_close(struct mb_folder *folder);

/* The open folder belongs to this process's user; always true where the system cannot say. */
bool mb_folder_is_ours(const struct mb_folder *folder);

/* --- what is in them --- */

struct mb_entry {
    const char *name; /* until the next one, or the end of the listing */
    enum mb_file_type type;
};

/* The entries of a folder, without "." and "..", in any order. name "": of the folder itself. NULL
 * on failure. End with mb_listing_end. */
struct mb_listing *mb_listing_begin(const struct mb_folder *folder, const char *name);

/* False at the end, with errno 0, or on failure. */
bool mb_listing_next(struct mb_listing *listing, struct mb_entry *entry);
void mb_listing_end(struct mb_listing *listing);

/* Names in a folder, in the order of their bytes. Zeroed memory has none. */
struct mb_names {
    char **items;
    size_t count;
};

/* Names in the folder at path that is_chosen accepts (all if NULL). On failure returns false, sets
 * errno and leaves names empty. End with mb_names_finish. */
bool mb_names_list(struct mb_names *names, const char *path, bool (*is_chosen)(const char *name));
void mb_names_finish(struct mb_names *names);

/* --- changes --- */

bool mb_folder_make(const struct mb_folder *folder, const char *name);

/* One for this user alone; the six X at the end of path become letters that are not taken. */
bool mb_folder_make_new(char *path);

/* If it is empty. */
bool mb_folder_remove(const struct mb_folder *folder, const char *name);

/* The folder itself, opened with mb_folder_open_in, with its lock. */
bool mb_folder_remove_open(struct mb_folder *folder, const struct mb_folder *parent);

/* Remove a file or link. */
bool mb_file_remove(const struct mb_folder *folder, const char *name);

/* Remove the folder at path with all in it; links are removed, not followed. False if something is
 * left, or lies more than 16 folders deep. */
bool mb_folder_remove_all(const char *path);

/* Remove the files whose names are chosen. False if one is left, or not all were seen. By system
 * calls alone where the system has them, so that handlers of signals may call it. */
bool mb_folder_remove_some(const struct mb_folder *folder, bool (*is_chosen)(const char *name));

/* Give a file the new name, which another one may have had until then: at no time it is missing,
 * nor is a part of it seen. EXDEV: only copies can go there. What is open with MB_FILE_NEW or read
 * elsewhere keeps neither from it. */
bool mb_file_rename(const struct mb_folder *from, const char *name, const struct mb_folder *to,
                    const char *new_name);

/* A second name for a file, or for a link itself. False where the file system has no such names. */
bool mb_file_link(const struct mb_folder *from, const char *name, const struct mb_folder *to,
                  const char *new_name);

/* True if a file in the open folder from could be renamed into the folder at path, which is there:
 * they are of one file system, and of one mount. False with errno if that cannot be found out. */
bool mb_folder_can_rename(const struct mb_folder *from, const char *path, bool *can_rename);

/* What mb_folder_remove_some and mb_folder_can_rename do where a system has nothing better: by a
 * listing, and by devices. For base/posix and base/windows. */
bool mb_folder_remove_listed(const struct mb_folder *folder, bool (*is_chosen)(const char *name));
bool mb_folder_has_device_of(const struct mb_folder *from, const char *path, bool *has_it);

/* --- locks between processes --- */

enum mb_lock {
    MB_LOCK_ALONE,
    MB_LOCK_SHARED, /* with others that share it */
};

enum mb_locked {
    MB_LOCKED,
    MB_LOCK_TAKEN,  /* another process has it */
    MB_LOCK_UNKNOWN /* the file system has no locks */
};

/* Lock an open folder without waiting, until it is unlocked, closed, or the process ends. The lock
 * may be a file in it, which neither listings show nor removals of the folder find in their way. */
enum mb_locked mb_folder_lock(struct mb_folder *folder, enum mb_lock lock);
void mb_folder_unlock(struct mb_folder *folder);

/* ---- Names that the file systems of other systems take for one ---- */

/* Append a key that names have in common if they differ in case alone, in letters of any script: by
 * simple case folding (Unicode 14, section 3.13). Bytes that are not UTF-8 stand for themselves. */
void mb_put_case_key(struct mb_buf *key, struct mb_text name);

/* ---- Which names of files every system takes ---- */

/* True if files can have this name on every system: no device, no character that Windows keeps for
 * itself, neither a dot nor a space at the end, and UTF-8. */
bool mb_name_is_portable(struct mb_text name);

/* On Windows, MB_IO that names input and path unless each part of the path is such a name. */
MB_MUST_CHECK enum mb_status mb_name_check_path(const char *input, struct mb_text path,
                                                struct mb_error *err);

#endif
