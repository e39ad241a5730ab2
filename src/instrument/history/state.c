#include "instrument/history/resume.h"

#include "base/file.h"
#include "base/pages.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MORE_THAN_A_READ ((size_t)128 << 10)

static const char magic[] = "mbstate3";

enum section {
    SECTION_NAMES,
    SECTION_SOURCES,
    SECTION_CLASSES,
    SECTION_METHODS,
    SECTION_ORDER,
    SECTION_GONE,
    SECTION_MAP_PATH,
    SECTION_WARNINGS,
    SECTION_COUNT,
};

struct header {
    char magic[8];
    char version[16];
    uint32_t class_size; /* sizeof: the model as this build lays it out */
    uint32_t method_size;
    uint64_t checksum; /* of all the rest, this field being 0 */
    uint64_t fingerprint;
    uint32_t end_id;
    uint32_t unused;
    struct history_stamp method_map;
    uint64_t method_map_hash;
    struct history_stamp ignore_map;
    struct history_stamp merged;
    uint64_t sizes[SECTION_COUNT]; /* each section is padded to 8 bytes */
};

static size_t pad_size(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

/* --- saving --- */

/* What follows the header is hashed block by block, so that memory never holds all of it. */
#define BLOCK_SIZE ((size_t)1 << 20)

static uint64_t start_checksum(const struct header *header)
{
    struct header copy = *header;

    copy.checksum = 0;
    return mb_text_hash((struct mb_text){(const char *)&copy, sizeof(copy)});
}

static uint64_t add_checksum(uint64_t hash, const uint8_t *block, size_t size)
{
    return history_hash_join(hash, mb_text_checksum((struct mb_text){(const char *)block, size}));
}

/* A state on its way to its file. A failure is sticky. */
struct image {
    int fd;
    struct header header;
    uint64_t blocks; /* their checksum */
    struct mb_buf block;
    size_t size; /* of all put so far */
    size_t section_start;
    enum mb_status status;
    struct mb_error *err;
};

static void flush_image(struct image *image)
{
    image->blocks = add_checksum(image->blocks, image->block.bytes, image->block.size);
    if (image->status == MB_OK) {
        image->status =
            mb_file_write_all(image->fd, image->block.bytes, image->block.size, image->err);
    }
    mb_buf_reset(&image->block);
}

static void put_bytes(void *context, const void *bytes, size_t size)
{
    struct image *image = context;
    const uint8_t *next = bytes;

    image->size += size;
    while (size > 0 && image->status == MB_OK) {
        size_t room = BLOCK_SIZE - image->block.size;
        size_t part = size < room ? size : room;
        mb_buf_put(&image->block, next, part);
        image->status = mb_buf_check(&image->block, image->err);
        next += part;
        size -= part;
        if (image->block.size == BLOCK_SIZE) {
            flush_image(image);
        }
    }
}

static void end_section(struct image *image, enum section section)
{
    static const uint8_t zeros[8] = {0};
    size_t size = image->size - image->section_start;

    image->header.sizes[section] = size;
    put_bytes(image, zeros, pad_size(size) - size);
    image->section_start = image->size;
}

bool history_is_cut_back(const struct plan_source *source)
{
    for (uint32_t i = 0; i < source->class_count; i++) {
        if (source->classes[i].is_cut_back) {
            return true;
        }
    }
    return false;
}

static void put_sources(struct image *image, const struct history_record *record)
{
    uint32_t first_class = 0;

    for (uint32_t i = 0; i < record->sources->count; i++) {
        const struct plan_source *source = &record->sources->items[i];
        struct history_source mark = {
            .path = mb_text_hash(mb_text_of(ar_input_path(source->archive))),
            .content = history_is_cut_back(source) ? 0 : source->content_hash,
            .first_class = first_class,
            .class_count = source->class_count,
            .inner_count = source->inner_count,
            .is_rewritten = source->is_rewritten,
            .output = history_stamp_output(record->publish, record->output_paths[i]),
        };
        put_bytes(image, &mark, sizeof(mark));
        first_class += source->class_count;
    }
    end_section(image, SECTION_SOURCES);
}

/* The pointer to its methods is not part of a class's image. */
static void put_classes(struct image *image, const struct history_record *record)
{
    for (uint32_t i = 0; i < record->sources->count; i++) {
        const struct plan_source *source = &record->sources->items[i];
        for (uint32_t k = 0; k < source->class_count; k++) {
            struct plan_class cls;
            memcpy(&cls, &source->classes[k], sizeof(cls)); /* with its padding */
            cls.methods = NULL;
            cls.content = NULL;
            put_bytes(image, &cls, sizeof(cls));
        }
    }
    end_section(image, SECTION_CLASSES);
    for (uint32_t i = 0; i < record->sources->count; i++) {
        const struct plan_source *source = &record->sources->items[i];
        for (uint32_t k = 0; k < source->class_count; k++) {
            put_bytes(image, source->classes[k].methods,
                      source->classes[k].method_count * sizeof(struct plan_method));
        }
    }
    end_section(image, SECTION_METHODS);
}

static void put_order(struct image *image, const struct history_record *record)
{
    struct mb_arena arena = {0};
    uint32_t *first_classes = MB_NEW_ARRAY(&arena, uint32_t, record->sources->count + 1);

    if (first_classes == NULL) {
        image->status = mb_fail_memory(image->err);
        return;
    }
    for (uint32_t i = 0; i < record->sources->count; i++) {
        first_classes[i + 1] = first_classes[i] + record->sources->items[i].class_count;
    }
    for (size_t i = 0; i < record->order->count; i++) {
        const struct plan_class *cls = record->order->classes[i];
        const struct plan_source *source = &record->sources->items[cls->source];
        uint32_t index = first_classes[cls->source] + (uint32_t)(cls - source->classes);
        put_bytes(image, &index, sizeof(index));
    }
    end_section(image, SECTION_ORDER);
    mb_arena_finish(&arena);
}

/* Lines whose ids stay taken although no method has them now. */
static void put_gone(struct image *image, const struct history_record *record)
{
    struct mb_buf lines = {0};

    for (size_t i = 0; i < record->base->count; i++) {
        const struct abi_method *method = &record->base->methods[i];
        if (method->id != ABI_MESSAGE_ID && !plan_numbering_has(record->numbering, method->id)) {
            abi_methodmap_put_line(&lines, method);
        }
    }
    if (lines.failed) {
        image->status = mb_fail_memory(image->err);
    }
    put_bytes(image, lines.bytes, lines.size);
    end_section(image, SECTION_GONE);
    mb_buf_finish(&lines);
}

static void put_all(struct image *image, const struct history_record *record)
{
    mb_intern_save(record->names, put_bytes, image);
    end_section(image, SECTION_NAMES);
    put_sources(image, record);
    put_classes(image, record);
    put_order(image, record);
    put_gone(image, record);
    put_bytes(image, record->method_map, strlen(record->method_map));
    end_section(image, SECTION_MAP_PATH);
    put_bytes(image, record->warnings->items,
              record->warnings->count * sizeof(*record->warnings->items));
    end_section(image, SECTION_WARNINGS);
    flush_image(image);
}

static struct header make_header(const struct history_record *record)
{
    struct header header = {
        .class_size = sizeof(struct plan_class),
        .method_size = sizeof(struct plan_method),
        .end_id = plan_next_id(record->numbering, record->base),
        .method_map = history_stamp_output(record->publish, record->method_map),
        .method_map_hash = record->method_map_hash,
        .ignore_map = history_stamp_output(record->publish, record->ignore_map),
        .merged = history_stamp_output(record->publish, record->merged_path),
        .fingerprint = record->fingerprint,
    };

    memcpy(header.magic, magic, sizeof(header.magic));
    memcpy(header.version, MB_VERSION, sizeof(MB_VERSION));
    return header;
}

static void write_header(struct image *image)
{
    if (image->status == MB_OK) {
        image->status =
            mb_file_write_all(image->fd, &image->header, sizeof(image->header), image->err);
    }
}

/* The header is complete only when all else is written. */
static enum mb_status write_image(struct image *image, const struct history_record *record)
{
    struct header *header = &image->header;

    *header = make_header(record);
    if (header->method_map.number == 0) { /* by which the next run finds the ids */
        image->status = mb_fail_errno(image->err, "cannot stat the method map");
    }
    write_header(image);
    put_all(image, record);
    header->checksum = history_hash_join(start_checksum(header), image->blocks);
    if (image->status == MB_OK && !mb_file_seek(image->fd, 0)) {
        image->status = mb_fail_errno(image->err, "cannot write");
    }
    write_header(image);
    if (close(image->fd) != 0 && image->status == MB_OK) {
        image->status = mb_fail_errno(image->err, "cannot close");
    }
    mb_buf_finish(&image->block);
    return image->status;
}

enum mb_status history_state_save(const struct history_record *record, struct mb_error *err)
{
    struct image image = {.fd = -1, .err = err};

    MB_TRY(pub_open(record->publish, record->path, &image.fd, err));
    enum mb_status status = write_image(&image, record);
    if (status != MB_OK) {
        mb_error_in_input(err, record->path);
    }
    return status;
}

/* --- loading --- */

/* *is_ours: the file begins as a state does. Others are not read, as they may be long. */
static enum mb_status look_at_magic(int fd, bool *is_ours, struct mb_error *err)
{
    char start[sizeof(magic) - 1];
    size_t size = 0;

    while (size < sizeof(start)) {
        ptrdiff_t got = mb_file_get_at(fd, start + size, sizeof(start) - size, size);
        if (got < 0) {
            return mb_fail_errno(err, "cannot read");
        }
        if (got == 0) {
            return MB_OK;
        }
        size += (size_t)got;
    }
    *is_ours = memcmp(start, magic, sizeof(start)) == 0;
    return MB_OK;
}

/* Into large pages: a page fault would cost more than what it reads. */
static enum mb_status read_open(struct history_state *state, int fd, struct mb_error *err)
{
    struct mb_file_info info;
    bool is_ours = false;

    if (!mb_file_look_open(fd, &info)) {
        return mb_fail_errno(err, "cannot stat");
    }
    if (info.type == MB_FILE_REGULAR) {
        MB_TRY(look_at_magic(fd, &is_ours, err));
    }
    if (!is_ours) {
        return MB_OK;
    }
    size_t room = (size_t)info.size + MORE_THAN_A_READ; /* the end is seen without moving it */
    uint8_t *bytes = mb_alloc_large(&room);
    if (bytes == NULL) {
        return mb_fail_memory(err);
    }
    state->image = (struct mb_buf){.bytes = bytes, .capacity = room};
    return mb_file_seek(fd, 0) ? mb_file_read_open(&state->image, fd, err)
                               : mb_fail_errno(err, "cannot read");
}

/* Not mapped: a file that is mapped cannot be replaced everywhere. Without an image there was no
 * state to read. */
static enum mb_status read_file(struct history_state *state, const char *path, struct mb_error *err)
{
    int fd = mb_file_open(NULL, path, MB_FILE_READ);

    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR ? MB_OK : mb_fail_errno(err, "cannot open");
    }
    enum mb_status status = read_open(state, fd, err);
    (void)close(fd);
    return status;
}

static uint64_t blocks_checksum(const struct history_state *state)
{
    uint64_t hash = 0;

    for (size_t at = sizeof(struct header);; at += BLOCK_SIZE) {
        size_t left = state->image.size - at;
        if (left < BLOCK_SIZE) {
            return add_checksum(hash, state->image.bytes + at, left);
        }
        hash = add_checksum(hash, state->image.bytes + at, BLOCK_SIZE);
    }
}

static bool is_header_good(const struct history_state *state, const struct header *header)
{
    size_t size = sizeof(*header);

    if (memcmp(header->magic, magic, sizeof(header->magic)) != 0 ||
        memcmp(header->version, MB_VERSION, sizeof(MB_VERSION)) != 0 ||
        header->class_size != sizeof(struct plan_class) ||
        header->method_size != sizeof(struct plan_method)) {
        return false;
    }
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (header->sizes[i] > state->image.size - size) {
            return false;
        }
        size += pad_size((size_t)header->sizes[i]);
        if (size > state->image.size) {
            return false;
        }
    }
    return size == state->image.size &&
           header->checksum == history_hash_join(start_checksum(header), blocks_checksum(state));
}

/* Give each class its methods, which follow those of the class before it. */
static bool attach_methods(struct history_state *state, void *bytes, size_t size)
{
    struct plan_method *methods = bytes;
    size_t left = size / sizeof(*methods);

    for (size_t i = 0; i < state->class_count; i++) {
        struct plan_class *cls = &state->classes[i];
        if (cls->method_count > left) {
            return false;
        }
        cls->methods = methods;
        methods += cls->method_count;
        left -= cls->method_count;
    }
    return left == 0;
}

/* The checksum is right: this only guards against a mistake of the writer. */
static bool attach_tables(struct history_state *state, const struct header *header)
{
    void *at[SECTION_COUNT];
    uint8_t *next = state->image.bytes + sizeof(*header);

    for (size_t i = 0; i < SECTION_COUNT; i++) {
        at[i] = next;
        next += pad_size((size_t)header->sizes[i]);
    }
    state->fingerprint = header->fingerprint;
    state->end_id = header->end_id;
    state->method_map = header->method_map;
    state->method_map_hash = header->method_map_hash;
    state->ignore_map = header->ignore_map;
    state->merged = header->merged;
    state->method_map_path =
        (struct mb_text){at[SECTION_MAP_PATH], header->sizes[SECTION_MAP_PATH]};
    state->sources = at[SECTION_SOURCES];
    state->source_count = header->sizes[SECTION_SOURCES] / sizeof(*state->sources);
    state->classes = at[SECTION_CLASSES];
    state->class_count = header->sizes[SECTION_CLASSES] / sizeof(*state->classes);
    state->order = at[SECTION_ORDER];
    state->order_count = header->sizes[SECTION_ORDER] / sizeof(*state->order);
    state->gone = (struct mb_text){at[SECTION_GONE], header->sizes[SECTION_GONE]};
    state->warnings = at[SECTION_WARNINGS];
    state->warning_count = header->sizes[SECTION_WARNINGS] / sizeof(*state->warnings);
    state->names = mb_intern_load(at[SECTION_NAMES], (size_t)header->sizes[SECTION_NAMES]);
    return attach_methods(state, at[SECTION_METHODS], (size_t)header->sizes[SECTION_METHODS]);
}

static enum mb_status load_state(struct history_state *state, const char *path,
                                 struct mb_error *err)
{
    struct header header;

    MB_TRY(read_file(state, path, err));
    if (state->image.size < sizeof(header)) {
        history_state_finish(state);
        return MB_OK;
    }
    memcpy(&header, state->image.bytes, sizeof(header));
    if (!is_header_good(state, &header) || !attach_tables(state, &header)) {
        history_state_finish(state);
        return MB_OK;
    }
    return state->names != NULL ? MB_OK : mb_fail_memory(err);
}

enum mb_status history_state_load(struct history_state *state, const char *path,
                                  struct mb_error *err)
{
    *state = (struct history_state){0};
    enum mb_status status = load_state(state, path, err);
    if (status != MB_OK) {
        mb_error_in_input(err, path);
        history_state_finish(state);
    }
    return status;
}

void history_state_finish(struct history_state *state)
{
    mb_intern_destroy(state->names);
    mb_buf_finish(&state->image);
    *state = (struct history_state){0};
}
