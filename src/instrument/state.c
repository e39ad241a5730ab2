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

/* --- marks --- */

struct ins_file_mark ins_mark_file(const char *path)
{
    struct stat info;

    if (path == NULL || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return (struct ins_file_mark){0};
    }
    return (struct ins_file_mark){
        .size = (uint64_t)info.st_size,
        .inode = (uint64_t)info.st_ino,
        .seconds = (int64_t)info.st_mtim.tv_sec,
        .nanoseconds = (int64_t)info.st_mtim.tv_nsec,
    };
}

bool ins_is_marked(const struct ins_file_mark *mark, const char *path)
{
    struct ins_file_mark now = ins_mark_file(path);

    return mark->inode != 0 && memcmp(mark, &now, sizeof(now)) == 0;
}

static uint64_t join(uint64_t hash, uint64_t word)
{
    uint64_t pair[2] = {hash, word};

    return mb_text_hash((struct mb_text){(const char *)pair, sizeof(pair)});
}

/* Names, checksums and sizes: a jar with the same directory has the same content. Jars inside AARs
 * are known by their own. */
uint64_t ins_mark_source(const struct ins_source *source)
{
    uint64_t hash = 1;

    if (ar_input_kind(source->archive) != AR_INPUT_JAR) {
        return 0;
    }
    for (size_t i = 0; i < ar_input_count(source->archive); i++) {
        const struct ar_entry *entry = ar_input_entry(source->archive, i);
        hash = join(hash, mb_text_hash(entry->name));
        hash = join(hash, (uint64_t)entry->crc32 << 32 | entry->dos_date << 16 | entry->dos_time);
        hash = join(hash, entry->size);
        hash = join(hash, entry->packed_size);
        hash = join(hash, (uint64_t)entry->method << 32 | entry->attributes);
    }
    hash = join(hash, ar_input_bytes(source->archive).size);
    return hash != 0 ? hash : 1;
}

/* --- the fingerprint --- */

static uint64_t join_text(uint64_t hash, const char *text)
{
    return text != NULL ? join(hash, mb_text_hash(mb_text_of(text))) : join(hash, 0);
}

static enum mb_status join_files(uint64_t *hash, const char *const *paths, size_t count,
                                 struct mb_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct mb_buf file = {0};
        enum mb_status status = mb_file_read(&file, paths[i], err);
        *hash = join(*hash, mb_text_hash((struct mb_text){(const char *)file.bytes, file.size}));
        mb_buf_finish(&file);
        MB_TRY(status);
    }
    return MB_OK;
}

enum mb_status ins_fingerprint(const struct ins_run *run, uint64_t *fingerprint,
                               struct mb_error *err)
{
    const struct ins_options *options = run->options;
    uint64_t hash = join_text(1, MB_VERSION);

    const uint64_t words[] = {options->profile,        options->no_default_blacklist,
                              options->exceptions,     options->compression,
                              options->keep_resources, options->explain != NULL,
                              options->strict,         options->inputs.count};
    for (size_t i = 0; i < MB_COUNT(words); i++) {
        hash = join(hash, words[i]);
    }
    hash = join_text(hash, options->beat_class);
    hash = join_text(hash, options->output_dir);
    hash = join_text(hash, options->output_jar);
    hash = join_text(hash, options->method_map);
    hash = join_text(hash, options->ignore_map);
    for (size_t i = 0; i < options->activities.count; i++) {
        hash = join_text(hash, options->activities.items[i]);
    }
    for (size_t i = 0; i < options->classpath.count; i++) {
        struct ins_file_mark mark = ins_mark_file(options->classpath.items[i]);
        hash = join(hash, mb_text_hash((struct mb_text){(const char *)&mark, sizeof(mark)}));
    }
    MB_TRY(join_files(&hash, options->blacklists.items, options->blacklists.count, err));
    MB_TRY(join_files(&hash, &options->base_map, options->base_map != NULL, err));
    *fingerprint = hash;
    return MB_OK;
}

/* --- saving --- */

static uint64_t checksum(const struct header *header, const uint8_t *bytes, size_t size)
{
    struct header copy = *header;

    copy.checksum = 0;
    uint64_t hash = mb_text_hash((struct mb_text){(const char *)&copy, sizeof(copy)});
    return join(hash, mb_text_hash((struct mb_text){(const char *)bytes, size}));
}

struct image {
    struct mb_buf bytes;
    struct header header;
    size_t sources_start;
};

static void end_section(struct image *image, enum section section, size_t start)
{
    static const uint8_t zeros[8] = {0};
    size_t size = image->bytes.size - start;

    image->header.sizes[section] = size;
    mb_buf_put(&image->bytes, zeros, padded(size) - size);
}

static void put_sources(struct image *image, const struct ins_run *run)
{
    size_t start = image->bytes.size;
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
        mb_buf_put(&image->bytes, &mark, sizeof(mark));
        first_class += source->class_count;
    }
    end_section(image, SECTION_SOURCES, start);
}

/* The pointer to its methods is no part of a class's image. */
static void put_classes(struct image *image, const struct ins_run *run)
{
    size_t start = image->bytes.size;

    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        size_t at = image->bytes.size;
        mb_buf_put(&image->bytes, source->classes, source->class_count * sizeof(struct ins_class));
        for (uint32_t k = 0; !image->bytes.failed && k < source->class_count; k++) {
            uint8_t *cls = image->bytes.bytes + at + k * sizeof(struct ins_class);
            memset(cls + offsetof(struct ins_class, methods), 0, sizeof(struct ins_method *));
        }
    }
    end_section(image, SECTION_CLASSES, start);
    start = image->bytes.size;
    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        for (uint32_t k = 0; k < source->class_count; k++) {
            mb_buf_put(&image->bytes, source->classes[k].methods,
                       source->classes[k].method_count * sizeof(struct ins_method));
        }
    }
    end_section(image, SECTION_METHODS, start);
}

static void put_order(struct image *image, const struct ins_run *run)
{
    const struct ins_source_mark *marks = NULL;
    size_t start = image->bytes.size;

    for (size_t i = 0; !image->bytes.failed && i < run->class_count; i++) {
        const struct ins_class *cls = run->classes[i];
        const struct ins_source *source = &run->sources.items[cls->source];
        marks = (const struct ins_source_mark *)(const void *)(image->bytes.bytes +
                                                               image->sources_start);
        uint32_t index = marks[cls->source].first_class + (uint32_t)(cls - source->classes);
        mb_buf_put(&image->bytes, &index, sizeof(index));
    }
    end_section(image, SECTION_ORDER, start);
}

/* Lines whose ids stay taken although no method has them now. */
static void put_gone(struct image *image, const struct ins_run *run)
{
    size_t start = image->bytes.size;

    if (run->are_maps_in_place) { /* nothing came and nothing went */
        mb_buf_put(&image->bytes, run->state.gone.data, run->state.gone.size);
        end_section(image, SECTION_GONE, start);
        return;
    }
    for (size_t i = 0; i < run->base.count; i++) {
        const struct abi_method *method = &run->base.methods[i];
        if (method->id != ABI_MESSAGE_ID && !ins_numbering_has(&run->numbering, method->id)) {
            abi_methodmap_put_line(&image->bytes, method);
        }
    }
    end_section(image, SECTION_GONE, start);
}

static void put_all(struct image *image, const struct ins_run *run)
{
    size_t start = image->bytes.size;

    ins_names_save(run->names, &image->bytes);
    end_section(image, SECTION_NAMES, start);
    image->sources_start = image->bytes.size;
    put_sources(image, run);
    put_classes(image, run);
    put_order(image, run);
    put_gone(image, run);
    start = image->bytes.size;
    mb_buf_put_string(&image->bytes, run->options->method_map);
    end_section(image, SECTION_MAP_PATH, start);
    start = image->bytes.size;
    mb_buf_put(&image->bytes, run->warnings.items,
               run->warnings.count * sizeof(*run->warnings.items));
    end_section(image, SECTION_WARNINGS, start);
}

static enum mb_status write_image(struct image *image, const char *path, struct mb_error *err)
{
    struct mb_publish *publish = mb_publish_create();
    int fd = -1;

    if (publish == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = mb_publish_open(publish, path, &fd, err);
    if (status == MB_OK) {
        status = mb_file_write_all(fd, image->bytes.bytes, image->bytes.size, err);
        if (close(fd) != 0 && status == MB_OK) {
            status = mb_fail_errno(err, "cannot close");
        }
    }
    status = status == MB_OK ? mb_publish_commit(publish, err) : status;
    mb_publish_destroy(publish);
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

enum mb_status ins_state_save(const struct ins_run *run, struct mb_error *err)
{
    struct image image = {0};
    struct header *header = &image.header;

    memcpy(header->magic, magic, sizeof(magic));
    memcpy(header->version, MB_VERSION, sizeof(MB_VERSION));
    header->class_size = sizeof(struct ins_class);
    header->method_size = sizeof(struct ins_method);
    header->end_id = run->numbering.end_id;
    header->method_map = ins_mark_file(run->options->method_map);
    header->ignore_map = ins_mark_file(run->options->ignore_map);
    header->merged = ins_mark_file(run->options->output_jar);
    header->fingerprint = run->fingerprint;
    mb_buf_put(&image.bytes, header, sizeof(*header));
    put_all(&image, run);
    enum mb_status status = mb_buf_check(&image.bytes, err);
    if (status == MB_OK) {
        header->checksum = checksum(header, image.bytes.bytes + sizeof(*header),
                                    image.bytes.size - sizeof(*header));
        memcpy(image.bytes.bytes, header, sizeof(*header));
        status = write_image(&image, run->options->state, err);
    }
    mb_buf_finish(&image.bytes);
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
           header->checksum == checksum(header, state->image + sizeof(*header),
                                        state->image_size - sizeof(*header));
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
