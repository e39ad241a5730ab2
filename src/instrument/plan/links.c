#include "instrument/plan/links.h"

#include "rules/platform.h"

static void put_link(struct mb_buf *links, uint32_t number)
{
    mb_buf_put(links, &number, sizeof(number));
}

static void add_interfaces(const struct cf_class *file, struct mb_intern *names,
                           struct mb_buf *links)
{
    for (uint16_t i = 0; i < file->interface_count; i++) {
        struct mb_text name =
            cf_pool_class_name(&file->pool, mb_get_u2(file->interfaces + (size_t)2 * i));
        if (name.size > 0 && !rule_platform_has(name)) {
            uint32_t number = mb_intern_add(names, name);
            put_link(links, number);
            links->failed |= number == MB_INTERN_NONE;
        }
    }
}

/* The key of the method at the index, unless the platform declares it. */
static void add_method(const struct cf_class *file, uint16_t index, struct mb_buf *links)
{
    struct cf_ref ref;

    if (cf_pool_ref(&file->pool, index, &ref) && !rule_platform_has(ref.class_name)) {
        put_link(links, rule_method_key(ref.name, ref.descriptor));
    }
}

static void add_called(const struct cf_class *file, bool has_probes, struct mb_buf *links)
{
    const struct cf_pool *pool = &file->pool;

    for (uint16_t index = 1; index < pool->count; index++) {
        uint8_t tag = cf_pool_tag(pool, index);
        const uint8_t *handle = cf_pool_entry(pool, index, CF_TAG_METHOD_HANDLE);
        if (handle != NULL && handle[0] >= RULE_FIRST_METHOD_KIND) {
            add_method(file, mb_get_u2(handle + 1), links);
        } else if (!has_probes && (tag == CF_TAG_METHODREF || tag == CF_TAG_INTERFACE_METHODREF)) {
            add_method(file, index, links);
        }
    }
}

/* Frees the numbers. */
static enum mb_status keep_links(struct mb_buf *links, struct mb_intern *names, uint32_t *text,
                                 struct mb_error *err)
{
    static const uint32_t any = PLAN_LINK_ANY;
    size_t count = links->size / sizeof(any);
    struct mb_text numbers = {(const char *)links->bytes, links->size};
    bool is_kept = !links->failed;

    if (count > PLAN_MAX_LINKS) {
        numbers = (struct mb_text){(const char *)&any, sizeof(any)};
    }
    if (is_kept && count > 0) {
        *text = mb_intern_add(names, numbers);
        is_kept = *text != MB_INTERN_NONE;
    }
    mb_buf_finish(links);
    return is_kept ? MB_OK : mb_fail_memory(err);
}

enum mb_status plan_links_collect(struct plan_class *cls, const struct cf_class *file,
                                  struct mb_intern *names, struct mb_error *err)
{
    bool has_probes = !cls->is_blocked && !cls->is_instrumented;
    struct mb_buf links = {0};

    add_interfaces(file, names, &links);
    MB_TRY(keep_links(&links, names, &cls->interfaces, err));
    add_called(file, has_probes, &links);
    return keep_links(&links, names, &cls->called, err);
}

bool plan_links_next(struct mb_text *links, uint32_t *number)
{
    if (links->size < sizeof(*number)) {
        return false;
    }
    memcpy(number, links->data, sizeof(*number));
    *links = mb_text_from(*links, sizeof(*number));
    return true;
}
