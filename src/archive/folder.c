#include "archive/folder.h"

#include "base/interrupt.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of links can spell exponentially many paths to a few real folders. */
#define MAX_LINKED_FOLDERS 100000

/* A path below the input that is still to be read. */
struct pending {
    const char *path;
    bool is_linked; /* a link leads to it, or to a folder above */
};

/* The results of the walk, and the folders still to visit. */
struct walk {
    struct ar_input *input;
    MB_VEC(struct ar_entry) files;
    MB_VEC(struct pending) folders;
    size_t linked_count;
    struct mb_error *err;
};

static enum mb_status fail_at(const struct walk *walk, const char *what, const char *name)
{
    (void)mb_fail_errno(walk->err, what);
    mb_error_in_entry(walk->err, walk->input->path, name, strlen(name));
    return walk->err != NULL ? walk->err->status : MB_IO;
}

static char *join_path(struct mb_arena *arena, const char *folder, const char *name)
{
    size_t folder_size = strlen(folder);
    size_t name_size = strlen(name);
    char *path = mb_arena_alloc(arena, folder_size + name_size + 2);

    if (path != NULL) {
        memcpy(path, folder, folder_size);
        path[folder_size] = '/';
        memcpy(path + folder_size + (folder_size > 0), name, name_size + 1);
    }
    return path;
}

static enum mb_status add_file(struct walk *walk, const char *path)
{
    struct ar_entry entry = {.name = mb_text_of(path)};

    entry.kind = ar_entry_classify(entry.name, false);
    MB_VEC_PUSH(&walk->files, entry);
    return mb_buf_check(&walk->files.buf, walk->err);
}

/* The type of a child, or of a link's target. */
struct child {
    mode_t mode; /* 0: not a type that is read */
    bool is_link;
    struct stat target; /* of a link */
};

/* Find the target of a link: a dangling link is passed over, like a socket. */
static enum mb_status find_target(const struct walk *walk, const char *path, struct child *child)
{
    struct stat *info = &child->target;

    child->mode = 0;
    if (child->is_link && walk->input->passes_links) {
        return MB_OK;
    }
    if (fstatat(walk->input->folder, path, info, 0) != 0) {
        bool leads_nowhere = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
        return child->is_link && leads_nowhere ? MB_OK : fail_at(walk, "cannot stat", path);
    }
    child->mode = info->st_mode;
    return MB_OK;
}

static enum mb_status find_kind(const struct walk *walk, const char *path, unsigned char type,
                                struct child *child)
{
    struct stat *info = &child->target;

    *child = (struct child){.mode = type == DT_REG ? S_IFREG : S_IFDIR, .is_link = type == DT_LNK};
    if (type == DT_REG || type == DT_DIR) {
        return MB_OK;
    }
    if (type == DT_UNKNOWN) { /* the file system does not give the type */
        if (fstatat(walk->input->folder, path, info, AT_SYMLINK_NOFOLLOW) != 0) {
            return fail_at(walk, "cannot stat", path);
        }
        child->is_link = S_ISLNK(info->st_mode);
    }
    return find_target(walk, path, child);
}

/* True if the target is the folder itself or one above it on its path. */
static bool leads_back(const struct walk *walk, const char *folder, const struct stat *target)
{
    size_t size = strlen(folder);
    char path[PATH_MAX];

    for (;;) {
        struct stat info;
        (void)snprintf(path, sizeof(path), "%.*s", (int)size, folder);
        if (fstatat(walk->input->folder, size > 0 ? path : ".", &info, 0) == 0 &&
            info.st_dev == target->st_dev && info.st_ino == target->st_ino) {
            return true;
        }
        if (size == 0) {
            return false;
        }
        while (size > 0 && folder[--size] != '/') {
        }
    }
}

/* A link back to where the walk comes from is passed over: all behind it has a path without it. */
static enum mb_status add_folder(struct walk *walk, const struct pending *parent, const char *path,
                                 const struct child *child)
{
    struct pending pending = {path, parent->is_linked || child->is_link};

    if (child->is_link && leads_back(walk, parent->path, &child->target)) {
        return MB_OK;
    }
    walk->linked_count += pending.is_linked;
    if (walk->linked_count > MAX_LINKED_FOLDERS) {
        (void)mb_fail(walk->err, MB_IO, MB_NO_OFFSET, "links lead to over %d folders",
                      MAX_LINKED_FOLDERS);
        mb_error_in_entry(walk->err, walk->input->path, path, strlen(path));
        return MB_IO;
    }
    MB_VEC_PUSH(&walk->folders, pending);
    return mb_buf_check(&walk->folders.buf, walk->err);
}

static enum mb_status add_child(struct walk *walk, const struct pending *folder,
                                const struct dirent *entry)
{
    struct child child;

    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
        return MB_OK;
    }
    char *path = join_path(&walk->input->arena, folder->path, entry->d_name);
    if (path == NULL) {
        return mb_fail_memory(walk->err);
    }
    MB_TRY(find_kind(walk, path, entry->d_type, &child));
    if (S_ISREG(child.mode)) {
        return add_file(walk, path);
    }
    /* sockets and the like are not input */
    return S_ISDIR(child.mode) ? add_folder(walk, folder, path, &child) : MB_OK;
}

static enum mb_status read_folder(struct walk *walk, const struct pending *folder)
{
    int fd = openat(walk->input->folder, folder->path[0] != '\0' ? folder->path : ".",
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    enum mb_status status = MB_OK;

    if (stream == NULL) {
        status = fail_at(walk, "cannot open folder", folder->path);
        if (fd >= 0) {
            (void)close(fd);
        }
        return status;
    }
    while (status == MB_OK) {
        errno = 0;
        const struct dirent *child = readdir(stream);
        if (child == NULL) {
            status = errno != 0 ? fail_at(walk, "cannot read folder", folder->path) : MB_OK;
            break;
        }
        status = add_child(walk, folder, child);
    }
    (void)closedir(stream);
    return status;
}

static int compare_entries(const void *a, const void *b)
{
    return mb_text_compare(((const struct ar_entry *)a)->name, ((const struct ar_entry *)b)->name);
}

static enum mb_status walk_all(struct walk *walk)
{
    struct pending folder = {"", false};

    for (;;) {
        MB_TRY(mb_check_interrupt(walk->err));
        MB_TRY(read_folder(walk, &folder));
        size_t count = MB_VEC_COUNT(&walk->folders);
        if (count == 0) {
            return MB_OK;
        }
        folder = walk->folders.items[count - 1];
        MB_VEC_CUT(&walk->folders, count - 1);
    }
}

enum mb_status ar_folder_list(struct ar_input *input, struct mb_error *err)
{
    struct walk walk = {.input = input, .err = err};
    enum mb_status status = walk_all(&walk);

    input->count = MB_VEC_COUNT(&walk.files);
    if (status == MB_OK) {
        input->entries = MB_NEW_ARRAY(&input->arena, struct ar_entry, input->count);
        status = input->entries != NULL ? MB_OK : mb_fail_memory(err);
    }
    if (status == MB_OK && walk.files.items != NULL) {
        memcpy(input->entries, walk.files.items, walk.files.buf.size);
        qsort(input->entries, input->count, sizeof(input->entries[0]), compare_entries);
    }
    mb_buf_finish(&walk.files.buf);
    mb_buf_finish(&walk.folders.buf);
    return status;
}

static enum mb_status read_all(int fd, struct mb_buf *content, struct mb_error *err)
{
    static const size_t least_room = 16 * (size_t)1024;

    for (;;) {
        if (!mb_buf_reserve(content, least_room)) {
            return mb_fail_memory(err);
        }
        size_t room = content->capacity - content->size;
        ssize_t got = read(fd, content->bytes + content->size, room);
        if (got < 0 && errno != EINTR) {
            return mb_fail_errno(err, "cannot read");
        }
        content->size += got > 0 ? (size_t)got : 0;
        if (got == 0) {
            return MB_OK;
        }
    }
}

enum mb_status ar_folder_read(const struct ar_input *input, const struct ar_entry *entry,
                              struct mb_buf *content, struct mb_error *err)
{
    int fd = openat(input->folder, entry->name.data, O_RDONLY | O_CLOEXEC);
    enum mb_status status =
        fd >= 0 ? read_all(fd, content, err) : mb_fail_errno(err, "cannot open");

    if (fd >= 0) {
        (void)close(fd);
    }
    return status;
}
