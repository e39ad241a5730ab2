#include "instrument/plan/names.h"

#include "base/vec.h"
#include "classfile/cursor.h"
#include "instrument/plan/collect.h"
#include "rules/platform.h"

#include <stdio.h>
#include <string.h>

#define KIND "collect"
#define UNUSED_BITS 18 /* of the hash of a name: its key and 14 bits more count */
#define METHOD_SIZE 6  /* bytes */
#define LEAST_CLASS 11 /* bytes of a class without any text */
#define FLAG_DIRECT 1U /* of a method */
#define FLAG_OWN 2U
#define FLAG_BLOCKED 1U /* of a class; its focus method stands above */
#define FLAG_INSTRUMENTED 2U
#define FOCUS_SHIFT 2

/* --- hashes --- */

uint64_t plan_hash_name(struct mb_text name, struct mb_text descriptor)
{
    return rule_method_hash(name, descriptor) >> UNUSED_BITS << 2;
}

uint64_t plan_hash_name_of(const struct mb_intern *names, const struct plan_class *cls,
                           const struct plan_method *method)
{
    enum rule_boundary boundary = (enum rule_boundary)method->boundary;
    bool is_own = boundary != RULE_BOUNDARY_NONE && rule_boundary_is_own(boundary);

    return plan_hash_name(plan_class_text(names, cls, method->name),
                          plan_class_text(names, cls, method->descriptor)) |
           (is_own ? FLAG_OWN : 0) | (plan_is_direct(names, cls, method) ? FLAG_DIRECT : 0);
}

uint64_t plan_hash_method(struct mb_text cls, uint64_t name)
{
    return plan_hash_method_in(mb_text_hash(cls), name);
}

uint64_t plan_hash_method_in(uint64_t cls, uint64_t name)
{
    const uint64_t pair[2] = {cls, name >> 2};
    uint64_t hash = mb_text_hash((struct mb_text){(const char *)pair, sizeof(pair)});

    return (hash & ~(uint64_t)1) | (name & FLAG_DIRECT);
}

bool plan_is_direct(const struct mb_intern *names, const struct plan_class *cls,
                    const struct plan_method *method)
{
    return (method->access_flags & (CF_ACC_STATIC | CF_ACC_PRIVATE)) != 0 ||
           (!cls->has_keys &&
            mb_text_starts(plan_class_text(names, cls, method->name), MB_TEXT("<")));
}

/* --- seals --- */

static struct plan_seal make_seal(const char *kind, uint64_t options, struct mb_text content)
{
    struct plan_seal seal = {.hash = mb_text_checksum(content), .options = options};

    (void)snprintf(seal.kind, sizeof(seal.kind), "mb %s 3", kind);
    return seal;
}

void plan_seal(struct mb_buf *out, const char *kind, uint64_t options)
{
    if (!out->failed) {
        struct mb_text file = {(const char *)out->bytes, out->size};
        struct plan_seal seal = make_seal(kind, options, mb_text_from(file, sizeof(seal)));
        memcpy(out->bytes, &seal, sizeof(seal));
    }
}

enum mb_status plan_fail_damaged(const char *path, struct mb_error *err)
{
    return mb_fail_in(err, MB_BAD_TEXT, path, "is damaged: make it again");
}

enum mb_status plan_seal_open(struct mb_text *file, const char *kind, const char *path,
                              uint64_t *options, struct mb_error *err)
{
    struct plan_seal wanted = make_seal(kind, 0, MB_TEXT(""));
    struct plan_seal seal;

    struct mb_text start = mb_text_of(wanted.kind);
    struct mb_text of_any_version = {start.data, start.size - 1};

    if (!mb_text_starts(*file, start)) {
        bool is_kind = mb_text_starts(*file, of_any_version);
        return mb_fail_in(err, MB_BAD_TEXT, path, "is %s methodbeat %s",
                          is_kind ? "of another version of" : "not a file of", kind);
    }
    if (file->size < sizeof(seal)) {
        return plan_fail_damaged(path, err);
    }
    memcpy(&seal, file->data, sizeof(seal));
    *file = mb_text_from(*file, sizeof(seal));
    wanted = make_seal(kind, seal.options, *file);
    if (memcmp(&seal, &wanted, sizeof(seal)) != 0) {
        return plan_fail_damaged(path, err);
    }
    if (*options != 0 && *options != seal.options) {
        return mb_fail_in(err, MB_BAD_USAGE, path,
                          "was collected with other --rules, --exceptions or --beat-class");
    }
    *options = seal.options;
    return MB_OK;
}

/* --- writing --- */

static void put_text(struct mb_buf *out, struct mb_text text)
{
    mb_buf_put_u2(out, (unsigned)text.size);
    mb_buf_put(out, text.data, text.size);
}

static void put_class(struct mb_buf *out, const struct mb_intern *names,
                      const struct plan_class *cls)
{
    struct mb_text interfaces = mb_intern_get(names, cls->interfaces);
    struct mb_text called = mb_intern_get(names, cls->called);
    uint32_t number;

    put_text(out, mb_intern_get(names, cls->name));
    put_text(out, mb_intern_get(names, cls->super_name));
    mb_buf_put_u1(out, (cls->is_blocked ? FLAG_BLOCKED : 0) |
                           (cls->is_instrumented ? FLAG_INSTRUMENTED : 0) |
                           (unsigned)cls->focus_method << FOCUS_SHIFT);
    mb_buf_put_u2(out, (unsigned)(interfaces.size / sizeof(number)));
    while (plan_links_next(&interfaces, &number)) {
        put_text(out, mb_intern_get(names, number)); /* of PLAN_LINK_ANY: empty */
    }
    mb_buf_put_u2(out, (unsigned)(called.size / sizeof(number)));
    while (plan_links_next(&called, &number)) {
        mb_buf_put_u4(out, number);
    }
    mb_buf_put_u2(out, cls->traced_count);
}

MB_VEC_TYPE(hashes, uint64_t);

static int compare_hashes(const void *left, const void *right)
{
    const uint64_t *a = left;
    const uint64_t *b = right;

    return (*a > *b) - (*a < *b);
}

static bool has_same_name(const struct mb_intern *names, const struct plan_class *cls,
                          const struct plan_method *a, const struct plan_method *b)
{
    return mb_text_equal(plan_class_text(names, cls, a->name),
                         plan_class_text(names, cls, b->name)) &&
           mb_text_equal(plan_class_text(names, cls, a->descriptor),
                         plan_class_text(names, cls, b->descriptor));
}

static enum mb_status fail_twins(const struct mb_intern *names, const struct plan_class *cls,
                                 const struct plan_method *first, const struct plan_method *second,
                                 struct mb_error *err)
{
    struct mb_text class_name = mb_intern_get(names, cls->name);
    struct mb_text name = plan_class_text(names, cls, first->name);
    struct mb_text descriptor = plan_class_text(names, cls, first->descriptor);
    struct mb_text other = plan_class_text(names, cls, second->name);

    (void)mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET,
                  "its hash is that of '%.*s', too: rename one, or leave one out by --blacklist",
                  other.size < 60 ? (int)other.size : 60, other.data);
    mb_error_in_method(err, name.data, name.size, descriptor.data, descriptor.size);
    mb_error_in_class(err, class_name.data, class_name.size);
    return MB_BAD_TEXT;
}

/* Two methods of one hash, if they are two: made on purpose, since of 46 bits. */
static enum mb_status check_twins(const struct mb_intern *names, const struct plan_class *cls,
                                  uint64_t hash, struct mb_error *err)
{
    const struct plan_method *first = NULL;

    for (uint16_t i = 0; i < cls->method_count; i++) {
        const struct plan_method *method = &cls->methods[i];
        bool is_one = method->verdict == RULE_TRACE &&
                      plan_hash_name_of(names, cls, method) >> 2 == hash >> 2;
        if (is_one && first != NULL && !has_same_name(names, cls, first, method)) {
            return fail_twins(names, cls, first, method, err);
        }
        first = is_one ? method : first;
    }
    return MB_OK;
}

static enum mb_status put_methods(struct mb_buf *out, const struct mb_intern *names,
                                  const struct plan_class *cls, union hashes *scratch,
                                  struct mb_error *err)
{
    mb_buf_reset(&scratch->buf);
    for (uint16_t i = 0; i < cls->method_count; i++) {
        if (cls->methods[i].verdict == RULE_TRACE) {
            MB_VEC_PUSH(scratch, plan_hash_name_of(names, cls, &cls->methods[i]));
        }
    }
    MB_VEC_SORT(scratch, compare_hashes);
    mb_buf_fail_with(out, &scratch->buf);
    for (size_t i = 0; i < MB_VEC_COUNT(scratch); i++) {
        if (i > 0 && scratch->items[i] >> 2 == scratch->items[i - 1] >> 2) {
            MB_TRY(check_twins(names, cls, scratch->items[i], err));
        }
        mb_buf_put_u4(out, (uint32_t)(scratch->items[i] >> 16));
        mb_buf_put_u2(out, (uint16_t)scratch->items[i]);
    }
    return MB_OK;
}

enum mb_status plan_names_put(struct mb_buf *out, const struct mb_intern *names,
                              struct plan_class *const *classes, size_t count, uint64_t options,
                              struct mb_error *err)
{
    union hashes scratch = {0};
    enum mb_status status = MB_OK;

    (void)mb_buf_zero(out, sizeof(struct plan_seal));
    mb_buf_put_u4(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        put_class(out, names, classes[i]);
    }
    for (size_t i = 0; i < count && status == MB_OK; i++) {
        status = put_methods(out, names, classes[i], &scratch, err);
    }
    mb_buf_finish(&scratch.buf);
    plan_seal(out, KIND, options);
    return status == MB_OK ? mb_buf_check(out, err) : status;
}

/* --- reading --- */

struct reader {
    struct cf_cursor in;
    struct mb_intern *names;
    struct mb_buf links; /* scratch; failed: memory ran out */
};

static uint32_t add_name(struct reader *reader, const void *bytes, size_t size)
{
    bool is_there = bytes != NULL && size > 0 && !reader->links.failed && !reader->in.overrun;
    uint32_t name = is_there ? mb_intern_add(reader->names, (struct mb_text){bytes, size}) : 0;

    reader->links.failed |= is_there && name == MB_INTERN_NONE;
    return name;
}

static uint32_t read_name(struct reader *reader)
{
    uint16_t size = cf_read_u2(&reader->in);

    return add_name(reader, cf_read_bytes(&reader->in, size), size);
}

static uint32_t read_key(struct reader *reader)
{
    return cf_read_u4(&reader->in);
}

static uint32_t read_links(struct reader *reader, uint32_t (*read)(struct reader *))
{
    struct mb_buf *links = &reader->links;
    uint16_t count = cf_read_u2(&reader->in);

    links->size = 0;
    reader->in.overrun |= count > PLAN_MAX_LINKS;
    for (uint16_t i = 0; i < count && !reader->in.overrun; i++) {
        uint32_t number = read(reader);
        mb_buf_put(links, &number, sizeof(number));
    }
    return add_name(reader, links->bytes, links->size);
}

static void read_class(struct reader *reader, struct plan_class *cls)
{
    cls->name = cls->original_name = read_name(reader);
    cls->super_name = read_name(reader);
    uint8_t flags = cf_read_u1(&reader->in);
    cls->is_blocked = (flags & FLAG_BLOCKED) != 0;
    cls->is_instrumented = (flags & FLAG_INSTRUMENTED) != 0;
    cls->focus_method = (uint8_t)(flags >> FOCUS_SHIFT);
    reader->in.overrun |= cls->focus_method > RULE_FOCUS_METHOD_USELESS;
    cls->interfaces = read_links(reader, read_name);
    cls->called = read_links(reader, read_key);
    cls->method_count = cls->traced_count = cf_read_u2(&reader->in);
    cls->is_readable = cls->has_keys = true;
}

static void read_method(struct reader *reader, struct plan_method *method)
{
    method->name = cf_read_u4(&reader->in);
    method->descriptor = cf_read_u2(&reader->in);
    method->verdict = RULE_TRACE;
    method->access_flags = (method->descriptor & FLAG_DIRECT) != 0 ? CF_ACC_STATIC : 0;
    method->boundary = (method->descriptor & FLAG_OWN) != 0 ? RULE_BOUNDARY_MAIN : 0;
}

/* Their counts must add up to what is left. */
static enum mb_status read_methods(struct reader *reader, const struct plan_source *source,
                                   struct mb_arena *arena, const char *path, struct mb_error *err)
{
    size_t count = cf_cursor_left(&reader->in) / METHOD_SIZE;
    struct plan_method *methods = MB_NEW_ARRAY(arena, struct plan_method, count);

    if (methods == NULL || reader->links.failed) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        read_method(reader, &methods[i]);
    }
    for (uint32_t i = 0; i < source->class_count; i++) {
        struct plan_class *cls = &source->classes[i];
        reader->in.overrun |= cls->method_count > count;
        count -= reader->in.overrun ? 0 : cls->method_count;
        cls->methods = methods;
        methods += reader->in.overrun ? 0 : cls->method_count;
    }
    return cf_cursor_done(&reader->in) && count == 0 ? MB_OK : plan_fail_damaged(path, err);
}

static enum mb_status read_source(struct reader *reader, struct plan_sources *sources,
                                  const char *path, struct mb_error *err)
{
    struct plan_source *source = &sources->items[sources->count];
    uint32_t count = cf_read_u4(&reader->in);

    if (count > cf_cursor_left(&reader->in) / LEAST_CLASS) {
        return plan_fail_damaged(path, err);
    }
    *source = (struct plan_source){.outer = PLAN_NO_SOURCE, .class_count = count};
    source->classes = MB_NEW_ARRAY(&sources->arena, struct plan_class, count);
    if (source->classes == NULL) {
        return mb_fail_memory(err);
    }
    for (uint32_t i = 0; i < count; i++) {
        source->classes[i].source = sources->count;
        source->classes[i].entry = i;
        read_class(reader, &source->classes[i]);
    }
    sources->count++;
    return read_methods(reader, source, &sources->arena, path, err);
}

enum mb_status plan_names_parse(struct plan_sources *sources, struct mb_intern *names,
                                struct mb_text file, const char *path, uint64_t *options,
                                struct mb_error *err)
{
    struct reader reader = {.names = names};

    MB_TRY(plan_seal_open(&file, KIND, path, options, err));
    reader.in = cf_cursor_over((const uint8_t *)file.data, file.size);
    enum mb_status status = read_source(&reader, sources, path, err);
    mb_buf_finish(&reader.links);
    return status;
}
