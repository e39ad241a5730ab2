#include "plan/links.h"

#include "classfile/tables.h"
#include "rules/platform.h"

#define MAX_LINKS (UINT16_MAX / sizeof(struct plan_link))

#define FACTORY "java/lang/invoke/LambdaMetafactory"
#define FLAGS 3             /* altMetafactory's argument of flags */
#define FIRST_METHOD_KIND 5 /* JVMS table 5.4.3.5-A: below are handles of fields */

struct collector {
    struct plan_class *cls;
    const struct cf_class *file;
    struct mb_intern *names;
    struct mb_arena *arena;
    struct plan_link *links;
    size_t count;
    size_t capacity;
    uint32_t full; /* text of the links before, or MB_INTERN_NONE */
    bool is_short; /* of memory */
};

static uint32_t keep_name(struct collector *collector, struct mb_text name)
{
    uint32_t number = mb_intern_add(collector->names, name);

    collector->is_short |= number == MB_INTERN_NONE;
    return number;
}

static bool make_room(struct collector *collector)
{
    size_t capacity = collector->capacity > 0 ? 4 * collector->capacity : 8;
    struct plan_link *links = MB_NEW_ARRAY(collector->arena, struct plan_link, capacity);

    if (links == NULL) {
        collector->is_short = true;
        return false;
    }
    if (collector->count > 0) {
        memcpy(links, collector->links, collector->count * sizeof(*links));
    }
    collector->links = links;
    collector->capacity = capacity;
    return true;
}

static void put_link(struct collector *collector, const struct plan_link *link)
{
    if (collector->count < collector->capacity || make_room(collector)) {
        collector->links[collector->count++] = *link;
    }
}

/* The links so far become a text that refers to the one before. */
static uint32_t keep_links(struct collector *collector)
{
    if (collector->full != MB_INTERN_NONE) {
        put_link(collector, &(struct plan_link){.kind = PLAN_LINK_MORE, .type = collector->full});
    }
    size_t count = collector->count;
    collector->count = 0;
    return keep_name(collector, (struct mb_text){(const char *)collector->links,
                                                 count * sizeof(struct plan_link)});
}

static void add_link(struct collector *collector, const struct plan_link *link)
{
    if (collector->count == MAX_LINKS - 1) { /* and PLAN_LINK_MORE */
        collector->full = keep_links(collector);
    }
    put_link(collector, link);
}

static void add_interfaces(struct collector *collector)
{
    const struct cf_class *file = collector->file;

    for (uint16_t i = 0; i < file->interface_count; i++) {
        struct mb_text name =
            cf_pool_class_name(&file->pool, mb_get_u2(file->interfaces + (size_t)2 * i));
        struct plan_link link = {.kind = PLAN_LINK_INTERFACE, .type = keep_name(collector, name)};
        if (name.size > 0) {
            add_link(collector, &link);
        }
    }
}

/* --- annotations --- */

/* "Lname;" */
static struct mb_text class_of(struct mb_text descriptor)
{
    return descriptor.size > 2 && descriptor.data[0] == 'L'
               ? (struct mb_text){descriptor.data + 1, descriptor.size - 2}
               : (struct mb_text){NULL, 0};
}

static void add_annotations_of(struct collector *collector, uint16_t number,
                               const struct cf_attribute *attribute)
{
    struct cf_cursor in = cf_cursor_over(attribute->bytes, attribute->size);

    for (uint16_t left = cf_read_u2(&in); left > 0 && cf_cursor_left(&in) >= 2; left--) {
        struct mb_text type = cf_pool_utf8(&collector->file->pool, mb_get_u2(in.next));
        if (class_of(type).size > 0 && rule_annotation_may_call(type)) {
            struct plan_link link = {.kind = PLAN_LINK_ANNOTATION,
                                     .type = keep_name(collector, class_of(type)),
                                     .number = number};
            add_link(collector, &link);
        }
        if (!cf_annotation_skip(&in)) {
            return;
        }
    }
}

static void add_annotations(struct collector *collector, uint16_t number)
{
    const struct cf_class *file = collector->file;
    struct cf_attributes it = cf_member_attributes(file, &file->methods[number], CF_IN_METHOD);
    struct cf_attribute attribute;

    while (cf_attributes_next(&it, &attribute)) {
        struct mb_text name = cf_pool_utf8(&file->pool, attribute.name_index);
        if (mb_text_is(name, "RuntimeVisibleAnnotations") ||
            mb_text_is(name, "RuntimeInvisibleAnnotations")) {
            add_annotations_of(collector, number, &attribute);
        }
    }
}

/* --- method handles --- */

static void add_member(struct collector *collector, struct plan_link link, uint16_t index)
{
    struct cf_ref ref;

    if (cf_pool_ref(&collector->file->pool, index, &ref)) {
        link.target = keep_name(collector, ref.class_name);
        link.target_key = rule_method_key(ref.name, ref.descriptor);
        add_link(collector, &link);
    }
}

static void add_handle(struct collector *collector, const struct plan_link *link, uint16_t index)
{
    const uint8_t *handle = cf_pool_entry(&collector->file->pool, index, CF_TAG_METHOD_HANDLE);

    if (handle != NULL && handle[0] >= FIRST_METHOD_KIND) {
        add_member(collector, *link, mb_get_u2(handle + 1));
    }
}

/* One row of BootstrapMethods. */
struct bootstrap {
    uint16_t handle;
    uint16_t count;
    bool is_told;             /* its handles are among the links */
    const uint8_t *arguments; /* u2 each */
};

static bool is_factory(const struct cf_class *file, const struct bootstrap *bootstrap)
{
    const uint8_t *handle = cf_pool_entry(&file->pool, bootstrap->handle, CF_TAG_METHOD_HANDLE);
    struct cf_ref ref;

    return handle != NULL && cf_pool_ref(&file->pool, mb_get_u2(handle + 1), &ref) &&
           mb_text_is(ref.class_name, FACTORY) && bootstrap->count >= 3;
}

/* The interface whose method leads to the lambda; empty if there are several (altMetafactory):
 * markers, or interfaces with bridges. */
static struct mb_text interface_of(const struct bootstrap *bootstrap, struct mb_text descriptor)
{
    struct mb_text made = mb_text_from(descriptor, mb_text_after_last(descriptor, ')'));

    return bootstrap->count <= FLAGS + 1 ? class_of(made) : (struct mb_text){NULL, 0};
}

/* The call of a bootstrap by an invokedynamic or a dynamic constant: a lambda's first arguments are
 * the descriptor of the method and its handle; the result type is its interface. */
static void add_dynamic(struct collector *collector, struct bootstrap *bootstrap,
                        const struct cf_ref *ref)
{
    const struct cf_class *file = collector->file;

    if (is_factory(file, bootstrap)) {
        struct mb_text descriptor = cf_pool_name(&file->pool, mb_get_u2(bootstrap->arguments));
        struct plan_link link = {.kind = PLAN_LINK_LAMBDA,
                                 .type =
                                     keep_name(collector, interface_of(bootstrap, ref->descriptor)),
                                 .key = rule_method_key(ref->name, descriptor)};
        add_handle(collector, &link, mb_get_u2(bootstrap->arguments + 2));
        return;
    }
    for (uint16_t i = 0; !bootstrap->is_told && i < bootstrap->count; i++) {
        struct plan_link link = {.kind = PLAN_LINK_CALL};
        add_handle(collector, &link, mb_get_u2(bootstrap->arguments + (size_t)2 * i));
    }
    bootstrap->is_told = true;
}

/* The rows; NULL if they are incomplete. */
static struct bootstrap *read_bootstraps(struct collector *collector,
                                         const struct cf_attribute *attribute, uint16_t *count)
{
    struct cf_cursor in = cf_cursor_over(attribute->bytes, attribute->size);

    *count = cf_read_u2(&in);
    struct bootstrap *rows = MB_NEW_ARRAY(collector->arena, struct bootstrap, *count);
    collector->is_short |= rows == NULL;
    for (uint16_t i = 0; rows != NULL && i < *count; i++) {
        rows[i].handle = cf_read_u2(&in);
        rows[i].count = cf_read_u2(&in);
        rows[i].arguments = cf_read_bytes(&in, (size_t)2 * rows[i].count);
    }
    return in.overrun ? NULL : rows;
}

static void add_dynamics(struct collector *collector, const struct cf_attribute *attribute)
{
    const struct cf_pool *pool = &collector->file->pool;
    uint16_t count = 0;
    struct bootstrap *rows = read_bootstraps(collector, attribute, &count);

    for (uint16_t index = 1; rows != NULL && index < pool->count; index++) {
        uint8_t tag = cf_pool_tag(pool, index);
        struct cf_ref ref;
        if ((tag == CF_TAG_INVOKE_DYNAMIC || tag == CF_TAG_DYNAMIC) &&
            cf_pool_ref(pool, index, &ref)) {
            uint16_t row = mb_get_u2(pool->bytes + pool->offsets[index] + 1);
            if (row < count) {
                add_dynamic(collector, &rows[row], &ref);
            }
        }
    }
}

static void add_handles(struct collector *collector)
{
    const struct cf_class *file = collector->file;
    struct cf_attributes it = cf_attributes_at(file, file->attributes_offset, CF_IN_CLASS);
    struct cf_attribute attribute;

    while (cf_attributes_next(&it, &attribute)) {
        if (attribute.kind == CF_ATTRIBUTE_BootstrapMethods) {
            add_dynamics(collector, &attribute);
        }
    }
}

/* A class without probes may call all methods that it names. */
static void add_calls(struct collector *collector)
{
    const struct cf_pool *pool = &collector->file->pool;

    for (uint16_t index = 1; index < pool->count; index++) {
        uint8_t tag = cf_pool_tag(pool, index);
        if (tag == CF_TAG_METHODREF || tag == CF_TAG_INTERFACE_METHODREF) {
            add_member(collector, (struct plan_link){.kind = PLAN_LINK_CALL}, index);
        }
    }
}

enum mb_status plan_links_collect(struct plan_class *cls, const struct cf_class *file,
                                  struct mb_intern *names, struct mb_arena *arena,
                                  struct mb_error *err)
{
    struct collector collector = {.cls = cls, .file = file, .names = names, .arena = arena};

    add_interfaces(&collector);
    if (cls->is_blocked || cls->is_instrumented) {
        add_calls(&collector);
    }
    for (uint16_t i = 0; i < cls->method_count; i++) {
        if (file->methods[i].has_annotations && cls->methods[i].verdict == RULE_TRACE) {
            add_annotations(&collector, i);
        }
    }
    add_handles(&collector);
    if (collector.count > 0) {
        cls->links = keep_links(&collector);
    }
    return collector.is_short ? mb_fail_memory(err) : MB_OK;
}

bool plan_links_next(struct plan_links *links, struct plan_link *link)
{
    while (links->left.size >= sizeof(*link)) {
        memcpy(link, links->left.data, sizeof(*link));
        links->left = mb_text_from(links->left, sizeof(*link));
        if (link->kind != PLAN_LINK_MORE) {
            return true;
        }
        links->left = mb_intern_get(links->names, link->type);
    }
    return false;
}
