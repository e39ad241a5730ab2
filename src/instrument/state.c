#include "instrument/state.h"

#include "base/file.h"
#include "instrument/run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = "mbstate1";

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
    struct ins_file_mark method_map;
    struct ins_file_mark ignore_map;
    struct ins_file_mark merged;
    uint64_t sizes[SECTION_COUNT]; /* each section is padded to 8 bytes */
};

static size_t padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

/* --- saving --- */

/* The file is hashed block by block behind the header, so that it never is in memory as a whole. */
#define BLOCK_SIZE ((size_t)1 << 20)

static uint64_t start_checksum(const struct header *header)
{
    struct header copy = *header;

    copy.checksum = 0;
    return mb_text_hash((struct mb_text){(const char *)&copy, sizeof(copy)});
}

static uint64_t add_checksum(uint64_t hash, const uint8_t *block, size_t size)
{
    return ins_hash_join(hash, mb_text_checksum((struct mb_text){(const char *)block, size}));
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

static void flush(struct image *image)
{
    image->blocks = add_checksum(image->blocks, image->block.bytes, image->block.size);
    if (image->status == MB_OK) {
        image->status =
            mb_file_write_all(image->fd, image->block.bytes, image->block.size, image->err);
    }
    mb_buf_reset(&image->block);
}

static void put(void *context, const void *bytes, size_t size)
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
            flush(image);
        }
    }
}

static void end_section(struct image *image, enum section section)
{
    static const uint8_t zeros[8] = {0};
    size_t size = image->size - image->section_start;

    image->header.sizes[section] = size;
    put(image, zeros, padded(size) - size);
    image->section_start = image->size;
}

static void put_sources(struct image *image, const struct ins_run *run)
{
    uint32_t first_class = 0;

    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        struct ins_source_mark mark = {
            .path = mb_text_hash(mb_text_of(ar_input_path(source->archive))),
            .content = source->mark,
            .first_class = first_class,
            .class_count = source->class_count,
            .nested_count = source->nested_count,
            .output = ins_mark_file(run->output_paths[i]),
        };
        put(image, &mark, sizeof(mark));
        first_class += source->class_count;
    }
    end_section(image, SECTION_SOURCES);
}

/* The pointer to its methods is no part of a class's image. */
static void put_classes(struct image *image, const struct ins_run *run)
{
    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        for (uint32_t k = 0; k < source->class_count; k++) {
            struct ins_class cls;
            memcpy(&cls, &source->classes[k], sizeof(cls)); /* with its padding */
            cls.methods = NULL;
            cls.content = NULL;
            put(image, &cls, sizeof(cls));
        }
    }
    end_section(image, SECTION_CLASSES);
    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        for (uint32_t k = 0; k < source->class_count; k++) {
            put(image, source->classes[k].methods,
                source->classes[k].method_count * sizeof(struct ins_method));
        }
    }
    end_section(image, SECTION_METHODS);
}

static void put_order(struct image *image, const struct ins_run *run)
{
    struct mb_arena arena = {0};
    uint32_t *first_classes = MB_NEW_ARRAY(&arena, uint32_t, run->sources.count + 1);

    if (first_classes == NULL) {
        image->status = mb_fail_memory(image->err);
        return;
    }
    for (uint32_t i = 0; i < run->sources.count; i++) {
        first_classes[i + 1] = first_classes[i] + run->sources.items[i].class_count;
    }
    for (size_t i = 0; i < run->class_count; i++) {
        const struct ins_class *cls = run->classes[i];
        const struct ins_source *source = &run->sources.items[cls->source];
        uint32_t index = first_classes[cls->source] + (uint32_t)(cls - source->classes);
        put(image, &index, sizeof(index));
    }
    end_section(image, SECTION_ORDER);
    mb_arena_finish(&arena);
}

/* Lines whose ids stay taken although no method has them now. */
static void put_gone(struct image *image, const struct ins_run *run)
{
    struct mb_buf lines = {0};

    if (run->are_maps_in_place) { /* nothing came and nothing went */
        put(image, run->state.gone.data, run->state.gone.size);
        end_section(image, SECTION_GONE);
        return;
    }
    for (size_t i = 0; i < run->base.count; i++) {
        const struct abi_method *method = &run->base.methods[i];
        if (method->id != ABI_MESSAGE_ID && !ins_numbering_has(&run->numbering, method->id)) {
            abi_methodmap_put_line(&lines, method);
        }
    }
    if (lines.failed) {
        image->status = mb_fail_memory(image->err);
    }
    put(image, lines.bytes, lines.size);
    end_section(image, SECTION_GONE);
    mb_buf_finish(&lines);
}

static void put_all(struct image *image, const struct ins_run *run)
{
    ins_names_save(run->names, put, image);
    end_section(image, SECTION_NAMES);
    put_sources(image, run);
    put_classes(image, run);
    put_order(image, run);
    put_gone(image, run);
    put(image, run->options->method_map, strlen(run->options->method_map));
    end_section(image, SECTION_MAP_PATH);
    put(image, run->warnings.items, run->warnings.count * sizeof(*run->warnings.items));
    end_section(image, SECTION_WARNINGS);
    flush(image);
}

static struct header make_header(const struct ins_run *run)
{
    struct header header = {
        .class_size = sizeof(struct ins_class),
        .method_size = sizeof(struct ins_method),
        .end_id = run->numbering.end_id,
        .method_map = ins_mark_file(run->options->method_map),
        .ignore_map = ins_mark_file(run->options->ignore_map),
        .merged = ins_mark_file(run->options->output_jar),
        .fingerprint = run->fingerprint,
    };

    memcpy(header.magic, magic, sizeof(magic));
    memcpy(header.version, MB_VERSION, sizeof(MB_VERSION));
    return header;
}

/* The header is complete only when all else is written. */
static enum mb_status write_image(struct image *image, const struct ins_run *run)
{
    struct header *header = &image->header;

    *header = make_header(run);
    image->status = mb_file_write_all(image->fd, header, sizeof(*header), image->err);
    put_all(image, run);
    header->checksum = ins_hash_join(start_checksum(header), image->blocks);
    if (image->status == MB_OK && lseek(image->fd, 0, SEEK_SET) != 0) {
        image->status = mb_fail_errno(image->err, "cannot write");
    }
    if (image->status == MB_OK) {
        image->status = mb_file_write_all(image->fd, header, sizeof(*header), image->err);
    }
    if (close(image->fd) != 0 && image->status == MB_OK) {
        image->status = mb_fail_errno(image->err, "cannot close");
    }
    mb_buf_finish(&image->block);
    return image->status;
}

enum mb_status ins_state_save(const struct ins_run *run, struct mb_error *err)
{
    struct mb_publish *publish = mb_publish_create();
    struct image image = {.fd = -1, .err = err};

    if (publish == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = mb_publish_open(publish, run->options->state, &image.fd, err);
    status = status == MB_OK ? write_image(&image, run) : status;
    status = status == MB_OK ? mb_publish_commit(publish, err) : status;
    mb_publish_destroy(publish);
    if (status != MB_OK) {
        mb_error_in_input(err, run->options->state);
    }
    return status;
}

/* --- loading --- */

static bool map_file(struct ins_state *state, const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return false;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_size >= (off_t)sizeof(struct header)) {
        void *image = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        if (image != MAP_FAILED) {
            state->image = image;
            state->image_size = (size_t)info.st_size;
        }
    }
    (void)close(fd);
    return state->image != NULL;
}

static uint64_t blocks_checksum(const struct ins_state *state)
{
    uint64_t hash = 0;

    for (size_t at = sizeof(struct header);; at += BLOCK_SIZE) {
        size_t left = state->image_size - at;
        if (left < BLOCK_SIZE) {
            return add_checksum(hash, state->image + at, left);
        }
        hash = add_checksum(hash, state->image + at, BLOCK_SIZE);
    }
}

static bool is_header_good(const struct ins_state *state, const struct header *header)
{
    size_t size = sizeof(*header);

    if (memcmp(header->magic, magic, sizeof(magic)) != 0 ||
        memcmp(header->version, MB_VERSION, sizeof(MB_VERSION)) != 0 ||
        header->class_size != sizeof(struct ins_class) ||
        header->method_size != sizeof(struct ins_method)) {
        return false;
    }
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        if (header->sizes[i] > state->image_size - size) {
            return false;
        }
        size += padded((size_t)header->sizes[i]);
        if (size > state->image_size) {
            return false;
        }
    }
    return size == state->image_size &&
           header->checksum == ins_hash_join(start_checksum(header), blocks_checksum(state));
}

/* Give each class the methods that follow those of the class before it. */
static bool attach_methods(struct ins_state *state, uint8_t *bytes, size_t size)
{
    struct ins_method *methods = (struct ins_method *)(void *)bytes;
    size_t left = size / sizeof(*methods);

    for (size_t i = 0; i < state->class_count; i++) {
        struct ins_class *cls = &state->classes[i];
        if (cls->method_count > left) {
            return false;
        }
        cls->methods = methods;
        methods += cls->method_count;
        left -= cls->method_count;
    }
    return left == 0;
}

/* The checksum has passed: this only keeps a mistake of ours from reading astray. */
static bool attach(struct ins_state *state, const struct header *header)
{
    uint8_t *at[SECTION_COUNT];
    uint8_t *next = state->image + sizeof(*header);

    for (size_t i = 0; i < SECTION_COUNT; i++) {
        at[i] = next;
        next += padded((size_t)header->sizes[i]);
    }
    state->fingerprint = header->fingerprint;
    state->end_id = header->end_id;
    state->method_map = header->method_map;
    state->ignore_map = header->ignore_map;
    state->merged = header->merged;
    state->method_map_path =
        (struct mb_text){(const char *)at[SECTION_MAP_PATH], header->sizes[SECTION_MAP_PATH]};
    state->sources = (const struct ins_source_mark *)(void *)at[SECTION_SOURCES];
    state->source_count = header->sizes[SECTION_SOURCES] / sizeof(*state->sources);
    state->classes = (struct ins_class *)(void *)at[SECTION_CLASSES];
    state->class_count = header->sizes[SECTION_CLASSES] / sizeof(*state->classes);
    state->order = (const uint32_t *)(void *)at[SECTION_ORDER];
    state->order_count = header->sizes[SECTION_ORDER] / sizeof(*state->order);
    state->gone = (struct mb_text){(const char *)at[SECTION_GONE], header->sizes[SECTION_GONE]};
    state->warnings = (const struct ins_warning *)(void *)at[SECTION_WARNINGS];
    state->warning_count = header->sizes[SECTION_WARNINGS] / sizeof(*state->warnings);
    state->names = ins_names_load(at[SECTION_NAMES], (size_t)header->sizes[SECTION_NAMES]);
    return state->names != NULL &&
           attach_methods(state, at[SECTION_METHODS], (size_t)header->sizes[SECTION_METHODS]);
}

void ins_state_load(struct ins_state *state, const char *path)
{
    struct header header;

    *state = (struct ins_state){0};
    if (!map_file(state, path)) {
        return;
    }
    memcpy(&header, state->image, sizeof(header));
    if (!is_header_good(state, &header) || !attach(state, &header)) {
        ins_state_finish(state);
    }
}

void ins_state_finish(struct ins_state *state)
{
    ins_names_destroy(state->names);
    if (state->image != NULL) {
        (void)munmap(state->image, state->image_size);
    }
    *state = (struct ins_state){0};
}
