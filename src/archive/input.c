#include "archive/input.h"

#include "archive/listing.h"
#include "base/file.h"
#include "base/mapping.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
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
    input->kind = AR_INPUT_CLASS;
    input->entries = MB_NEW(&input->arena, struct ar_entry);
    if (input->entries == NULL) {
        return mb_fail_memory(err);
    }
    input->count = 1;
    input->entries[0] =
        (struct ar_entry){.name = mb_text_of(mb_last_part(input->path)), .kind = AR_ENTRY_CLASS};
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

static enum mb_status list_single(struct ar_input *input, struct mb_error *err)
{
    int fd = mb_file_open(NULL, input->path, MB_FILE_READ);
    enum mb_status status = MB_OK;

    if (fd < 0 || !mb_file_look_open(fd, input->opened)) {
        status = mb_fail_errno(err, "cannot open");
    } else if (input->opened->type == MB_FILE_REGULAR) {
        status = list_file(input, fd, (size_t)input->opened->size, err);
    } else {
        status = mb_fail(err, MB_IO, MB_NO_OFFSET, "neither a file nor a folder");
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return status;
}

static enum mb_status list_input(struct ar_input *input, struct mb_error *err)
{
    input->opened = MB_NEW(&input->arena, struct mb_file_info);
    if (input->opened == NULL) {
        return mb_fail_memory(err);
    }
    if (!mb_folder_open(&input->folder, input->path)) {
        return errno == ENOTDIR ? list_single(input, err) : mb_fail_errno(err, "cannot open");
    }
    input->kind = AR_INPUT_FOLDER;
    return mb_file_look(&input->folder, "", input->opened) ? ar_folder_list(input, err)
                                                           : mb_fail_errno(err, "cannot open");
}

static struct ar_input *create_input(const char *path, size_t path_size)
{
    struct ar_input *input = calloc(1, sizeof(*input));

    if (input != NULL) {
        input->folder = MB_NO_FOLDER;
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
    return finish_open(input, opened, list_input(opened, err), err);
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
        is_file ? list_input(opened, err) : list_packed(opened, outer, index, err);
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
    mb_folder_close(&input->folder);
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
    return input->opened != NULL && input->opened->type == MB_FILE_REGULAR &&
           input->opened->can_run;
}

struct mb_text ar_input_bytes(const struct ar_input *input)
{
    return input->file;
}

enum mb_status ar_input_check_unchanged(const struct ar_input *input, struct mb_error *err)
{
    const struct mb_file_info *then = input->opened;
    struct mb_file_info now;

    if (input->is_mapped && mb_file_look(NULL, input->path, &now) &&
        mb_file_id_is(now.id, then->id) &&
        (now.size != then->size || now.changed_ns != then->changed_ns)) {
        (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "changed while it was read");
        mb_error_in_input(err, input->path);
        return MB_IO;
    }
    return MB_OK;
}

void ar_input_drop_pages(const struct ar_input *input)
{
    if (input->is_mapped || input->is_mapped_view) {
        mb_map_drop(input->file);
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
