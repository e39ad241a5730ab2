#include "instrument/plan/collect.h"

#include "base/strmap.h"

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
