#include "instrument/plan/collect.h"

#include "base/strmap.h"
#include "rules/platform.h"

/* ---- What a class says of others ---- */

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

/* ---- What an input says of others ---- */

/* Whatever it is in changes with it. */
static void mark_rewritten(struct plan_sources *sources, uint32_t number)
{
    for (uint32_t i = number; i != PLAN_NO_SOURCE; i = sources->items[i].outer) {
        sources->items[i].is_rewritten = true;
    }
}

static bool is_signed(const struct ar_input *archive)
{
    for (size_t i = 0; i < ar_input_count(archive); i++) {
        if (ar_input_entry(archive, i)->kind == AR_ENTRY_SIGNATURE) {
            return ar_input_kind(archive) == AR_INPUT_JAR;
        }
    }
    return false;
}

/* True if some class gets probes. */
static bool mark_probed(struct plan_sources *sources)
{
    bool any = false;

    for (uint32_t i = 0; i < sources->count; i++) {
        struct plan_source *source = &sources->items[i];
        source->is_signed = is_signed(source->archive);
        for (uint32_t k = 0; k < source->class_count; k++) {
            if (plan_gets_probes(&source->classes[k])) {
                mark_rewritten(sources, i);
                any = true;
                break;
            }
        }
    }
    return any;
}

/* All hashes go if anything changes: they are optional, and a module without its hashes has itself
 * another hash. */
static void drop_hashes(struct plan_sources *sources, bool any_changes)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        struct plan_source *source = &sources->items[i];
        for (uint32_t k = 0; k < source->class_count; k++) {
            struct plan_class *cls = &source->classes[k];
            bool drops = any_changes && cls->has_hashes;
            source->is_output_current &= cls->drops_hashes == drops;
            cls->drops_hashes = drops;
            if (drops) {
                mark_rewritten(sources, i);
            }
        }
    }
}

/* --- signers --- */

static struct mb_text package_of(struct mb_text name)
{
    while (name.size > 0 && name.data[name.size - 1] != '/') {
        name.size--;
    }
    return name;
}

struct signers {
    struct plan_sources *sources;
    const struct mb_intern *names;
    struct mb_strmap packages; /* of jars that lose their signature */
    size_t lost;               /* jars that lost theirs to one of those */
};

/* Add the packages of a jar that loses its signature; a signed one loses it if one is among them.
 */
static enum mb_status look_at(struct signers *signers, uint32_t number, struct mb_error *err)
{
    const struct plan_source *source = &signers->sources->items[number];
    uint32_t count = source->is_signed ? source->class_count : 0;
    bool adds = source->is_rewritten;

    for (uint32_t i = 0; i < count && adds == source->is_rewritten; i++) {
        struct mb_text name = package_of(mb_intern_get(signers->names, source->classes[i].name));
        void **slot = NULL;
        if (!adds && mb_strmap_find(&signers->packages, name.data, name.size) != NULL) {
            mark_rewritten(signers->sources, number);
            signers->lost++;
        } else if (adds &&
                   (slot = mb_strmap_slot(&signers->packages, name.data, name.size)) == NULL) {
            return mb_fail_memory(err);
        } else if (adds) {
            *slot = signers;
        }
    }
    return MB_OK;
}

/* Until no jar is signed beside one that is not any more. */
static enum mb_status drop_signatures(struct signers *signers, struct mb_error *err)
{
    for (size_t before = SIZE_MAX, now = 0; before != now;) {
        before = now;
        for (uint32_t i = 0; i < signers->sources->count; i++) {
            MB_TRY(look_at(signers, i, err));
        }
        now = signers->packages.count + signers->lost;
    }
    return MB_OK;
}

enum mb_status plan_find_rewritten(struct plan_sources *sources, const struct mb_intern *names,
                                   struct mb_error *err)
{
    struct signers signers = {.sources = sources, .names = names};

    drop_hashes(sources, mark_probed(sources));
    enum mb_status status = drop_signatures(&signers, err);
    mb_strmap_finish(&signers.packages);
    for (uint32_t i = 0; i < sources->count; i++) {
        struct plan_source *source = &sources->items[i];
        source->is_output_current &= source->is_rewritten == source->was_rewritten;
    }
    return status;
}
