#include "archive/input.h"

#include "archive/folder.h"
#include "archive/zipfile.h"
#include "base/file.h"
#include "base/mapping.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A jar of this size or less is read, not mapped: cheaper, and safe from being cut meanwhile. */
#define READ_LIMIT ((size_t)64 * 1024)

static enum mb_status map_file(struct ar_input *input, int fd, size_t size, struct mb_error *err)
{
    if (size <= READ_LIMIT) {
        MB_TRY(mb_file_read(&input->memory, input->path, err));
        input->file = (struct mb_text){(const char *)input->memory.bytes, input->memory.size};
        return MB_OK;
    }
    MB_TRY(mb_map(&input->file, fd, size, input->path, err));
    input->is_mapped = true;
    return MB_OK;
}

static enum mb_status list_class(struct ar_input *input, struct mb_error *err)
{
    const char *slash = strrchr(input->path, '/');

    input->kind = AR_INPUT_CLASS;
    input->entries = MB_NEW(&input->arena, struct ar_entry);
    if (input->entries == NULL) {
        return mb_fail_memory(err);
    }
    input->count = 1;
    input->entries[0] = (struct ar_entry){
        .name = mb_text_of(slash != NULL ? slash + 1 : input->path), .kind = AR_ENTRY_CLASS};
    return MB_OK;
}

static bool begins_with(const struct ar_input *input, const char *magic)
{
    return mb_text_starts(input->file, mb_text_of(magic));
}

/* An APK, an app bundle, or a jar that went through D8: without classes, it would seem to need no
 * work. */
static bool holds_dex_alone(const struct ar_input *input)
{
    bool has_dex = begins_with(input, "dex\n") || begins_with(input, "cdex");

    for (size_t i = 0; i < input->count; i++) {
        if (input->entries[i].kind == AR_ENTRY_CLASS) {
            return false;
        }
        has_dex = has_dex || mb_text_ends(input->entries[i].name, MB_TEXT("classes.dex"));
    }
    return has_dex;
}

static enum mb_status list_archive(struct ar_input *input, struct mb_error *err)
{
    enum mb_status status = ar_zip_list(input, err);

    if (holds_dex_alone(input)) {
        return mb_fail(err, MB_BAD_ARCHIVE, MB_NO_OFFSET,
                       "holds dex code: instrument the classes that D8 or R8 makes it of");
    }
    return status;
}

/* A file given by itself is a class by its name or its magic, otherwise an archive. */
static enum mb_status list_file(struct ar_input *input, int fd, size_t size, struct mb_error *err)
{
    MB_TRY(map_file(input, fd, size, err));
    if (mb_text_ends(mb_text_of(input->path), MB_TEXT(".class")) ||
        begins_with(input, "\xca\xfe\xba\xbe")) {
        return list_class(input, err);
    }
    return list_archive(input, err);
}

static enum mb_status list_entries(struct ar_input *input, struct mb_error *err)
{
    const struct stat *info = &input->opened;
    int fd = open(input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* no wait for a pipe's writer */

    if (fd < 0 || fstat(fd, &input->opened) != 0) {
        enum mb_status status = mb_fail_errno(err, "cannot open");
        if (fd >= 0) {
            (void)close(fd);
        }
        return status;
    }
    if (S_ISDIR(info->st_mode)) {
        input->kind = AR_INPUT_FOLDER;
        input->folder = fd;
        return ar_folder_list(input, err);
    }
    enum mb_status status = S_ISREG(info->st_mode)
                                ? list_file(input, fd, (size_t)info->st_size, err)
                                : mb_fail(err, MB_IO, MB_NO_OFFSET, "neither a file nor a folder");
    (void)close(fd);
    return status;
}

static struct ar_input *create_input(const char *path, size_t path_size)
{
    struct ar_input *input = calloc(1, sizeof(*input));

    if (input != NULL) {
        input->folder = -1;
        input->path = mb_arena_copy(&input->arena, path, path_size);
        if (input->path == NULL) {
            free(input);
            input = NULL;
        }
    }
    return input;
}

/* Hand the input over, or close it if it could not be listed. */
static enum mb_status finish_open(struct ar_input **input, struct ar_input *opened,
                                  enum mb_status status, struct mb_error *err)
{
    if (status != MB_OK) {
        mb_error_in_input(err, opened->path);
        ar_input_close(opened);
        opened = NULL;
    }
    *input = opened;
    return status;
}

static enum mb_status open_input(struct ar_input **input, const char *path, bool passes_links,
                                 struct mb_error *err)
{
    struct ar_input *opened = create_input(path, strlen(path));

    *input = NULL;
    if (opened == NULL) {
        return mb_fail_memory(err);
    }
    opened->passes_links = passes_links;
    return finish_open(input, opened, list_entries(opened, err), err);
}

enum mb_status ar_input_open(struct ar_input **input, const char *path, struct mb_error *err)
{
    return open_input(input, path, false, err);
}

enum mb_status ar_input_open_without_links(struct ar_input **input, const char *path,
                                           struct mb_error *err)
{
    return open_input(input, path, true, err);
}

static enum mb_status list_packed(struct ar_input *input, const struct ar_input *outer,
                                  size_t index, struct mb_error *err)
{
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_STORE);

    if (codec == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = ar_entry_read(outer, index, codec, &input->memory, &input->file, err);
    bool is_view = outer->entries[index].method == AR_METHOD_STORE;
    input->is_mapped_view = is_view && (outer->is_mapped || outer->is_mapped_view);
    ar_codec_destroy(codec);
    return status == MB_OK ? list_archive(input, err) : status;
}

enum mb_status ar_input_open_inner(struct ar_input **input, const struct ar_input *outer,
                                   size_t index, struct mb_error *err)
{
    bool is_file = outer->kind == AR_INPUT_FOLDER;
    struct mb_text name = outer->entries[index].name;
    struct mb_buf path = {0};

    mb_buf_printf(&path, "%s%c%.*s", outer->path, is_file ? '/' : '!', (int)name.size, name.data);
    struct ar_input *opened = path.failed ? NULL : create_input((char *)path.bytes, path.size);
    mb_buf_finish(&path);
    *input = NULL;
    if (opened == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status =
        is_file ? list_entries(opened, err) : list_packed(opened, outer, index, err);
    if (status == MB_OK && opened->kind != AR_INPUT_JAR) {
        status = mb_fail(err, MB_BAD_ARCHIVE, MB_NO_OFFSET, "not an archive");
    }
    return finish_open(input, opened, status, err);
}

void ar_input_close(struct ar_input *input)
{
    if (input == NULL) {
        return;
    }
    if (input->is_mapped) {
        mb_unmap(input->file);
    }
    if (input->folder >= 0) {
        (void)close(input->folder);
    }
    mb_buf_finish(&input->memory);
    mb_arena_finish(&input->arena);
    free(input);
}

enum ar_input_kind ar_input_kind(const struct ar_input *input)
{
    return input->kind;
}

const char *ar_input_path(const struct ar_input *input)
{
    return input->path;
}

size_t ar_input_count(const struct ar_input *input)
{
    return input->count;
}

const struct ar_entry *ar_input_entry(const struct ar_input *input, size_t index)
{
    return &input->entries[index];
}

size_t ar_input_duplicate_count(const struct ar_input *input)
{
    return input->duplicate_count;
}

bool ar_input_is_executable(const struct ar_input *input)
{
    return S_ISREG(input->opened.st_mode) && (input->opened.st_mode & S_IXUSR) != 0;
}

struct mb_text ar_input_bytes(const struct ar_input *input)
{
    return input->file;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_same_state(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

enum mb_status ar_input_check_unchanged(const struct ar_input *input, struct mb_error *err)
{
    struct stat now;

    if (input->is_mapped && stat(input->path, &now) == 0 && is_same_file(&now, &input->opened) &&
        !is_same_state(&now, &input->opened)) {
        (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "changed while it was read");
        mb_error_in_input(err, input->path);
        return MB_IO;
    }
    return MB_OK;
}

/* For a part of a mapping, the pages at both ends go too: they belong to the file, and are read
 * again. */
void ar_input_drop_pages(const struct ar_input *input)
{
    uintptr_t start = (uintptr_t)input->file.data;
    uintptr_t inside = start & ((uintptr_t)sysconf(_SC_PAGESIZE) - 1);

    if (input->is_mapped || input->is_mapped_view) {
        (void)madvise((void *)(start - inside), input->file.size + inside, MADV_DONTNEED);
    }
}

static enum mb_status check_crc32(const struct ar_entry *entry, struct mb_text content,
                                  struct mb_error *err)
{
    uint32_t crc32 = ar_crc32(content);

    if (crc32 != entry->crc32) {
        return mb_fail(err, MB_BAD_ARCHIVE, (size_t)entry->offset,
                       "CRC-32 is 0x%08x, the directory says 0x%08x", crc32, entry->crc32);
    }
    return MB_OK;
}

static enum mb_status unpack_entry(const struct ar_input *input, const struct ar_entry *entry,
                                   struct ar_codec *codec, struct mb_buf *scratch,
                                   struct mb_text *content, struct mb_error *err)
{
    struct mb_text packed;

    MB_TRY(ar_zip_locate(input, entry, &packed, err));
    if (entry->method == AR_METHOD_STORE) {
        *content = packed;
    } else if (entry->method == AR_METHOD_DEFLATE) {
        size_t least_room = entry->size > 0 ? (size_t)entry->size : 1; /* not NULL for 0 bytes */
        if (!mb_buf_reserve(scratch, least_room)) {
            return mb_fail_memory(err);
        }
        uint8_t *place = mb_buf_extend(scratch, (size_t)entry->size);
        if (!ar_inflate(codec, packed, place, (size_t)entry->size)) {
            return mb_fail(err, MB_BAD_ARCHIVE, (size_t)entry->offset,
                           "compressed data is damaged or not of the size that is stated");
        }
        *content = (struct mb_text){(const char *)place, (size_t)entry->size};
    } else {
        return mb_fail(err, MB_BAD_ARCHIVE, (size_t)entry->offset,
                       "compression method %u is none that a JVM reads", entry->method);
    }
    return check_crc32(entry, *content, err);
}

static enum mb_status read_entry(const struct ar_input *input, const struct ar_entry *entry,
                                 struct ar_codec *codec, struct mb_buf *scratch,
                                 struct mb_text *content, struct mb_error *err)
{
    if (input->kind == AR_INPUT_CLASS) {
        *content = input->file;
        return MB_OK;
    }
    if (input->kind == AR_INPUT_FOLDER) {
        MB_TRY(ar_folder_read(input, entry, scratch, err));
        *content = (struct mb_text){(const char *)scratch->bytes, scratch->size};
        return MB_OK;
    }
    return unpack_entry(input, entry, codec, scratch, content, err);
}

enum mb_status ar_entry_read(const struct ar_input *input, size_t index, struct ar_codec *codec,
                             struct mb_buf *scratch, struct mb_text *content, struct mb_error *err)
{
    const struct ar_entry *entry = &input->entries[index];

    mb_buf_reset(scratch);
    enum mb_status status = read_entry(input, entry, codec, scratch, content, err);
    if (status != MB_OK && input->kind != AR_INPUT_CLASS) {
        mb_error_in_entry(err, input->path, entry->name.data, entry->name.size);
    }
    return status;
}

enum mb_status ar_entry_packed(const struct ar_input *input, size_t index, struct ar_packed *packed,
                               struct mb_error *err)
{
    const struct ar_entry *entry = &input->entries[index];
    struct mb_text data;

    MB_TRY(ar_zip_locate(input, entry, &data, err));
    *packed = (struct ar_packed){
        .bytes = (const uint8_t *)data.data,
        .packed_size = data.size,
        .size = entry->size,
        .crc32 = entry->crc32,
        .method = entry->method,
    };
    return MB_OK;
}
