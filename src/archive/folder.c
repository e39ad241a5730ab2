#include "archive/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders still to be read and files found, as paths below the input. */
struct walk {
    struct ar_input *input;
    struct mb_buf files;   /* struct ar_entry */
    struct mb_buf folders; /* char * */
    struct mb_error *err;
};

static enum mb_status fail_at(const struct walk *walk, const char *what, const char *name)
{
    (void)mb_fail_errno(walk->err, what);
    mb_error_in_entry(walk->err, walk->input->path, name, strlen(name));
    return walk->err != NULL ? walk->err->status : MB_IO;
}

static char *join(struct mb_arena *arena, const char *folder, const char *name)
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

    entry.kind = ar_classify(entry.name, false);
    mb_buf_put(&walk->files, &entry, sizeof(entry));
    return mb_buf_check(&walk->files, walk->err);
}

/* DT_UNKNOWN and links: ask what it is, or what it leads to. */
static enum mb_status find_mode(const struct walk *walk, const char *path, unsigned char type,
                                mode_t *mode)
{
    struct stat info;

    if (type == DT_REG || type == DT_DIR) {
        *mode = type == DT_REG ? S_IFREG : S_IFDIR;
        return MB_OK;
    }
    if (fstatat(walk->input->folder, path, &info, 0) != 0) {
        return fail_at(walk, "cannot stat", path);
    }
    *mode = info.st_mode;
    return MB_OK;
}

static enum mb_status add_child(struct walk *walk, const char *folder, const struct dirent *child)
{
    mode_t mode = 0;

    if (strcmp(child->d_name, ".") == 0 || strcmp(child->d_name, "..") == 0) {
        return MB_OK;
    }
    char *path = join(&walk->input->arena, folder, child->d_name);
    if (path == NULL) {
        return mb_fail_memory(walk->err);
    }
    MB_TRY(find_mode(walk, path, child->d_type, &mode));
    if (S_ISREG(mode)) {
        return add_file(walk, path);
    }
    if (S_ISDIR(mode)) { /* a loop of links ends in ELOOP */
        mb_buf_put(&walk->folders, &path, sizeof(char *));
        return mb_buf_check(&walk->folders, walk->err);
    }
    return MB_OK; /* sockets and the like are no input */
}

static enum mb_status read_folder(struct walk *walk, const char *folder)
{
    int fd = openat(walk->input->folder, folder[0] != '\0' ? folder : ".",
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;
    enum mb_status status = MB_OK;

    if (stream == NULL) {
        status = fail_at(walk, "cannot open folder", folder);
        if (fd >= 0) {
            (void)close(fd);
        }
        return status;
    }
    while (status == MB_OK) {
        errno = 0;
        const struct dirent *child = readdir(stream);
        if (child == NULL) {
            status = errno != 0 ? fail_at(walk, "cannot read folder", folder) : MB_OK;
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
    const char *folder = "";

    for (;;) {
        MB_TRY(read_folder(walk, folder));
        if (walk->folders.size == 0) {
            return MB_OK;
        }
        walk->folders.size -= sizeof(char *);
        memcpy(&folder, walk->folders.bytes + walk->folders.size, sizeof(char *));
    }
}

enum mb_status ar_folder_list(struct ar_input *input, struct mb_error *err)
{
    struct walk walk = {.input = input, .err = err};
    enum mb_status status = walk_all(&walk);

    input->count = walk.files.size / sizeof(struct ar_entry);
    if (status == MB_OK) {
        input->entries = MB_NEW_ARRAY(&input->arena, struct ar_entry, input->count);
        status = input->entries != NULL ? MB_OK : mb_fail_memory(err);
    }
    if (status == MB_OK && walk.files.bytes != NULL) {
        memcpy(input->entries, walk.files.bytes, walk.files.size);
        qsort(input->entries, input->count, sizeof(input->entries[0]), compare_entries);
    }
    mb_buf_finish(&walk.files);
    mb_buf_finish(&walk.folders);
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
