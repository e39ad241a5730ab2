#include "archive/listing.h"

#include "base/interrupt.h"
#include "base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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
    enum mb_file_type type;
    bool is_link;
    struct mb_file_info target; /* of a link */
};

/* Find the target of a link: a dangling link is passed over, like a socket. */
static enum mb_status find_target(const struct walk *walk, const char *path, struct child *child)
{
    child->type = MB_FILE_OTHER;
    if (walk->input->passes_links) {
        return MB_OK;
    }
    if (!mb_file_look(&walk->input->folder, path, &child->target)) {
        bool leads_nowhere = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
        return leads_nowhere ? MB_OK : fail_at(walk, "cannot stat", path);
    }
    child->type = child->target.type;
    return MB_OK;
}

static enum mb_status find_type(const struct walk *walk, const char *path, enum mb_file_type type,
                                struct child *child)
{
    struct mb_file_info info = {.type = type};

    if (type == MB_FILE_UNKNOWN && !mb_file_look_at_link(&walk->input->folder, path, &info)) {
        return fail_at(walk, "cannot stat", path);
    }
    *child = (struct child){.type = info.type, .is_link = info.type == MB_FILE_LINK};
    return child->is_link ? find_target(walk, path, child) : MB_OK;
}

/* True if the target is the folder itself or one above it on its path. */
static enum mb_status leads_back(const struct walk *walk, const char *folder,
                                 const struct child *child, bool *is_back)
{
    size_t size = strlen(folder);
    char *path = strdup(folder);
    struct mb_file_info info;

    *is_back = false;
    if (path == NULL) {
        return mb_fail_memory(walk->err);
    }
    for (;;) {
        path[size] = '\0';
        *is_back = mb_file_look(&walk->input->folder, path, &info) &&
                   mb_file_id_is(info.id, child->target.id);
        if (*is_back || size == 0) {
            break;
        }
        while (size > 0 && path[--size] != '/') {
        }
    }
    free(path);
    return MB_OK;
}

/* A link back to a folder that the walk is in is skipped: its content has a path without the link.
 */
static enum mb_status add_folder(struct walk *walk, const struct pending *parent, const char *path,
                                 const struct child *child)
{
    struct pending pending = {path, parent->is_linked || child->is_link};
    bool is_back = false;

    if (child->is_link) {
        MB_TRY(leads_back(walk, parent->path, child, &is_back));
    }
    if (is_back) {
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
                                const struct mb_entry *entry)
{
    struct child child = {.type = MB_FILE_UNKNOWN};
    char *path = join_path(&walk->input->arena, folder->path, entry->name);

    if (path == NULL) {
        return mb_fail_memory(walk->err);
    }
    MB_TRY(find_type(walk, path, entry->type, &child));
    if (child.type == MB_FILE_REGULAR) {
        return add_file(walk, path);
    }
    /* sockets and the like are not input */
    return child.type == MB_FILE_FOLDER ? add_folder(walk, folder, path, &child) : MB_OK;
}

static enum mb_status read_folder(struct walk *walk, const struct pending *folder)
{
    struct mb_listing *listing = mb_listing_begin(&walk->input->folder, folder->path);
    enum mb_status status = MB_OK;
    struct mb_entry child;

    if (listing == NULL) {
        return fail_at(walk, "cannot open folder", folder->path);
    }
    while (status == MB_OK && mb_listing_next(listing, &child)) {
        status = add_child(walk, folder, &child);
    }
    if (status == MB_OK && errno != 0) {
        status = fail_at(walk, "cannot read folder", folder->path);
    }
    mb_listing_end(listing);
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
        ptrdiff_t got = mb_file_get(fd, content->bytes + content->size, room);
        if (got <= 0) {
            return got == 0 ? MB_OK : mb_fail_errno(err, "cannot read");
        }
        content->size += (size_t)got;
    }
}

enum mb_status ar_folder_read(const struct ar_input *input, const struct ar_entry *entry,
                              struct mb_buf *content, struct mb_error *err)
{
    int fd = mb_file_open(&input->folder, entry->name.data, MB_FILE_READ);
    enum mb_status status =
        fd >= 0 ? read_all(fd, content, err) : mb_fail_errno(err, "cannot open");

    if (fd >= 0) {
        (void)close(fd);
    }
    return status;
}
