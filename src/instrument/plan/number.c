#include "instrument/plan/number.h"

#include "base/strmap.h"
#include "instrument/plan/sort.h"

/* ---- Names ---- */

/* Upstream's flag for a Deprecated attribute: ASM's ACC_DEPRECATED. */
#define MATRIX_DEPRECATED 0x20000U

enum mb_status plan_describe_class(const struct plan_describer *describer,
                                   const struct plan_class *cls, struct mb_arena *arena,
                                   struct plan_described_class *described, struct mb_error *err)
{
    *described = (struct plan_described_class){describer, cls, NULL};
    return rule_mapping_open(describer->mapping, mb_intern_get(describer->names, cls->name), arena,
                             &described->methods, err);
}

enum mb_status plan_describe_method(const struct plan_described_class *cls,
                                    const struct plan_method *method, struct abi_method *described,
                                    struct mb_error *err)
{
    const struct mb_intern *names = cls->describer->names;
    bool is_matrix = cls->describer->profile == RULE_PROFILE_MATRIX;
    struct rule_original obfuscated = {
        .class_name = mb_intern_get(names, cls->cls->original_name),
        .name = plan_class_text(names, cls->cls, method->name),
        .descriptor = plan_class_text(names, cls->cls, method->descriptor),
    };
    struct rule_original original = obfuscated;

    if (cls->methods != NULL) {
        obfuscated.class_name = mb_intern_get(names, cls->cls->name);
        MB_TRY(rule_mapping_method(cls->methods, &obfuscated, &original, err));
    }
    *described = (struct abi_method){
        .id = method->id,
        .access =
            method->access_flags + (is_matrix && method->is_deprecated ? MATRIX_DEPRECATED : 0),
        .class_name = original.class_name,
        .name = original.name,
        .descriptor = original.descriptor,
    };
    if (is_matrix && (method->access_flags & CF_ACC_NATIVE) != 0) {
        described->descriptor = (struct mb_text){NULL, 0};
    }
    return MB_OK;
}

/* ---- Ids ---- */

struct numberer {
    const struct plan_describer *describer;
    bool keeps_lines;       /* lines are looked up over the whole run, not over copies only */
    struct mb_strmap lines; /* line of the method map without id and access -> id */
    struct mb_buf line;     /* scratch */
    struct mb_arena scratch;
    uint64_t next_id; /* may exceed the limit, for the error message */
};

/* The place in lines for the method's name; NULL when out of memory. */
static void **find_line(struct numberer *numberer, const struct abi_method *method)
{
    mb_buf_reset(&numberer->line);
    abi_methodmap_put_name(&numberer->line, method);
    return numberer->line.failed
               ? NULL
               : mb_strmap_slot(&numberer->lines, (const char *)numberer->line.bytes,
                                numberer->line.size);
}

/* Ids are kept in the map as pointers: they need no memory of their own. */
static enum mb_status share_id(struct numberer *numberer, const struct plan_described_class *cls,
                               struct plan_method *method, struct mb_error *err)
{
    struct abi_method described;

    MB_TRY(plan_describe_method(cls, method, &described, err));
    void **slot = find_line(numberer, &described);
    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    if (*slot == NULL) {
        *slot = (void *)(uintptr_t)numberer->next_id++;
    }
    method->id = (uint32_t)(uintptr_t)*slot;
    return MB_OK;
}

static enum mb_status share_ids(struct numberer *numberer, struct plan_class *cls,
                                struct mb_error *err)
{
    struct plan_described_class described;

    mb_arena_reset(&numberer->scratch);
    MB_TRY(plan_describe_class(numberer->describer, cls, &numberer->scratch, &described, err));
    for (uint16_t i = 0; i < cls->method_count; i++) {
        if (cls->methods[i].verdict == RULE_TRACE) {
            MB_TRY(share_id(numberer, &described, &cls->methods[i], err));
        }
    }
    return MB_OK;
}

static enum mb_status number_class(struct numberer *numberer, struct plan_class *cls,
                                   bool shares_lines, struct mb_error *err)
{
    if (shares_lines || numberer->keeps_lines) {
        return share_ids(numberer, cls, err);
    }
    for (uint16_t i = 0; i < cls->method_count; i++) {
        if (cls->methods[i].verdict == RULE_TRACE) {
            cls->methods[i].id = (uint32_t)numberer->next_id++;
        }
    }
    return MB_OK;
}

/* Find equal lines in [start, end); lines are needed only if copies differ, once for a run of equal
 * ones, which are neighbours. */
static enum mb_status number_copies(struct numberer *numberer, struct plan_class **classes,
                                    size_t start, size_t end, struct mb_error *err)
{
    const struct mb_intern *names = numberer->describer->names;
    bool has_others = false;

    for (size_t i = start + 1; i < end; i++) {
        has_others = has_others || !plan_has_same_methods(names, classes[i - 1], classes[i]);
    }
    MB_TRY(number_class(numberer, classes[start], has_others, err));
    for (size_t i = start + 1; i < end; i++) {
        if (!plan_has_same_methods(names, classes[i - 1], classes[i])) {
            MB_TRY(number_class(numberer, classes[i], has_others, err));
            continue;
        }
        for (uint16_t k = 0; k < classes[i]->method_count; k++) {
            classes[i]->methods[k].id = classes[i - 1]->methods[k].id;
        }
    }
    return MB_OK;
}

static enum mb_status number_classes(struct numberer *numberer, struct plan_class **classes,
                                     size_t count, struct mb_error *err)
{
    for (size_t start = 0; start < count;) {
        size_t end = plan_end_of_copies(classes, count, start);
        MB_TRY(number_copies(numberer, classes, start, end, err));
        if (end - start > 1 && !numberer->keeps_lines) {
            mb_strmap_finish(&numberer->lines);
        }
        start = end;
    }
    if (numberer->next_id > ABI_MAX_ID + 1) {
        return mb_fail(err, MB_TOO_LARGE, MB_NO_OFFSET,
                       "%ju method ids are needed, but there are only %u: trace fewer methods",
                       (uintmax_t)numberer->next_id - 1, ABI_MAX_ID);
    }
    return MB_OK;
}

/* Every line of the base map keeps its id; of two ids for one method the lower one. */
static enum mb_status add_base(struct numberer *numberer, const struct abi_methodmap *base,
                               struct mb_error *err)
{
    for (size_t i = 0; i < base->count; i++) {
        const struct abi_method *method = &base->methods[i];
        if (method->id == ABI_MESSAGE_ID) {
            continue;
        }
        void **slot = find_line(numberer, method);
        if (slot == NULL) {
            return mb_fail_memory(err);
        }
        if (*slot == NULL) {
            *slot = (void *)(uintptr_t)method->id;
        }
        numberer->next_id = (uint64_t)method->id + 1;
    }
    return MB_OK;
}

enum mb_status plan_index_ids(struct plan_numbering *numbering, struct plan_class *const *classes,
                              size_t count, struct mb_error *err)
{
    numbering->owners = MB_NEW_ARRAY(&numbering->arena, struct plan_owner, numbering->end_id);
    if (numbering->owners == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        for (uint16_t k = 0; k < classes[i]->method_count; k++) {
            struct plan_owner *owner = &numbering->owners[classes[i]->methods[k].id];
            if (owner->cls == 0) {
                *owner = (struct plan_owner){(uint32_t)i + 1, k, false};
            }
        }
    }
    numbering->owners[0].cls = 0; /* the methods that are not traced */
    return MB_OK;
}

bool plan_numbering_has(const struct plan_numbering *numbering, uint32_t id)
{
    return numbering->owners != NULL && id < numbering->end_id && numbering->owners[id].is_used;
}

uint32_t plan_next_id(const struct plan_numbering *numbering, const struct abi_methodmap *base)
{
    uint32_t next = ABI_FIRST_ID;

    for (uint32_t id = numbering->end_id; id > next; id--) {
        if (plan_numbering_has(numbering, id - 1)) {
            next = id;
        }
    }
    for (size_t i = 0; i < base->count; i++) {
        uint32_t id = base->methods[i].id;
        next = id != ABI_MESSAGE_ID && id >= next ? id + 1 : next;
    }
    return next;
}

enum mb_status plan_number(struct plan_numbering *numbering, struct plan_class **classes,
                           size_t count, const struct plan_number_options *options,
                           struct mb_error *err)
{
    struct numberer numberer = {
        .describer = options->describer,
        .keeps_lines = (options->base != NULL && options->base->count > 0) ||
                       options->describer->mapping != NULL,
        .next_id = ABI_FIRST_ID,
    };
    enum mb_status status = options->base != NULL ? add_base(&numberer, options->base, err) : MB_OK;

    if (numberer.next_id < options->first_id) {
        numberer.next_id = options->first_id;
    }
    if (status == MB_OK) {
        status = number_classes(&numberer, classes, count, err);
    }
    numbering->end_id = (uint32_t)numberer.next_id;
    mb_strmap_finish(&numberer.lines);
    mb_buf_finish(&numberer.line);
    mb_arena_finish(&numberer.scratch);
    return status;
}

void plan_mark_used_ids(struct plan_numbering *numbering, struct plan_class *const *classes,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (uint16_t k = 0; k < classes[i]->method_count; k++) {
            const struct plan_method *method = &classes[i]->methods[k];
            if (method->verdict == RULE_TRACE) {
                numbering->owners[method->id].is_used = true;
            }
        }
    }
}

void plan_numbering_finish(struct plan_numbering *numbering)
{
    mb_arena_finish(&numbering->arena);
    *numbering = (struct plan_numbering){0};
}
