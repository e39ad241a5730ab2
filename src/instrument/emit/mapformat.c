#include "instrument/emit/mapformat.h"

#include "base/strmap.h"
#include "instrument/plan/sort.h"

/* Methods come class by class. */
static enum mb_status describe_class(struct emit_map_part *part, const struct plan_class *cls,
                                     struct mb_error *err)
{
    if (part->cls.cls == cls) {
        return MB_OK;
    }
    mb_arena_reset(&part->scratch);
    return plan_describe_class(part->model->describer, cls, &part->scratch, &part->cls, err);
}

/* --- methodMapping.txt --- */

static enum mb_status put_owner(struct emit_map_part *part, uint32_t id, struct mb_error *err)
{
    const struct plan_owner *owner = &part->model->numbering->owners[id];
    const struct plan_class *cls = part->model->order->classes[owner->cls - 1];
    struct abi_method method;

    MB_TRY(describe_class(part, cls, err));
    MB_TRY(plan_describe_method(&part->cls, &cls->methods[owner->method], &method, err));
    method.id = id;
    abi_methodmap_put_line(part->out, &method);
    return MB_OK;
}

static size_t count_ids(const struct emit_map_model *model)
{
    return model->numbering->end_id - ABI_FIRST_ID;
}

/* Ids come from the code, with today's access flags, or stay from the base map. */
static enum mb_status put_ids(struct emit_map_part *part, size_t first, size_t end,
                              struct mb_error *err)
{
    const struct emit_map_model *model = part->model;

    for (size_t i = first; i < end; i++) {
        uint32_t id = ABI_FIRST_ID + (uint32_t)i;
        const struct abi_method *base = NULL;
        if (model->numbering->owners[id].is_used) {
            MB_TRY(put_owner(part, id, err));
        } else if ((base = abi_methodmap_find(model->base, id)) != NULL) {
            abi_methodmap_put_line(part->out, base);
        }
    }
    if (end == count_ids(model)) {
        abi_methodmap_put_message(part->out);
    }
    return MB_OK;
}

const struct emit_map_format emit_method_map_format = {count_ids, 1024, put_ids};

/* --- ignoreMethodMapping.txt --- */

/* Lines of a class that has copies, so that each is written once. */
struct seen_lines {
    struct mb_strmap lines;
    struct mb_buf line;
    bool is_needed;
};

/* True if the line is new; it is added. */
static bool is_first(struct seen_lines *seen, const struct abi_method *method)
{
    mb_buf_reset(&seen->line);
    abi_methodmap_put_name(&seen->line, method);
    void **slot = mb_strmap_slot(&seen->lines, (const char *)seen->line.bytes, seen->line.size);
    bool is_new = slot == NULL || *slot == NULL;
    if (slot != NULL) {
        *slot = seen;
    }
    return is_new;
}

static enum mb_status put_methods(struct emit_map_part *part, const struct plan_class *cls,
                                  enum rule_verdict verdict, struct seen_lines *seen,
                                  struct mb_error *err)
{
    MB_TRY(describe_class(part, cls, err));
    for (uint16_t i = 0; i < cls->method_count; i++) {
        struct abi_method method;
        if (cls->methods[i].verdict != verdict) {
            continue;
        }
        MB_TRY(plan_describe_method(&part->cls, &cls->methods[i], &method, err));
        bool is_new = !seen->is_needed || is_first(seen, &method);
        if (verdict == RULE_IGNORE && is_new) {
            abi_methodmap_put_name(part->out, &method);
            mb_buf_put_u1(part->out, '\n');
        }
    }
    return MB_OK;
}

/* Methods with that verdict in copies [first, end) of one class; equal ones are neighbours. */
static enum mb_status put_verdict(struct emit_map_part *part, size_t first, size_t end,
                                  enum rule_verdict verdict, struct seen_lines *seen,
                                  struct mb_error *err)
{
    struct plan_class *const *classes = part->model->order->classes;

    for (size_t i = first; i < end; i++) {
        if (i == first ||
            !plan_has_same_methods(part->model->describer->names, classes[i - 1], classes[i])) {
            MB_TRY(put_methods(part, classes[i], verdict, seen, err));
        }
    }
    return MB_OK;
}

/* A method that one of the copies traces is not ignored. */
static enum mb_status put_copies(struct emit_map_part *part, size_t first, size_t end,
                                 struct seen_lines *seen, struct mb_error *err)
{
    struct plan_class *const *classes = part->model->order->classes;

    /* Overloads of native methods share a line in the matrix profile. */
    seen->is_needed = part->model->describer->profile == RULE_PROFILE_MATRIX;
    for (size_t i = first + 1; i < end; i++) {
        seen->is_needed = seen->is_needed || !plan_has_same_methods(part->model->describer->names,
                                                                    classes[i - 1], classes[i]);
    }
    if (seen->is_needed) {
        MB_TRY(put_verdict(part, first, end, RULE_TRACE, seen, err));
    }
    MB_TRY(put_verdict(part, first, end, RULE_IGNORE, seen, err));
    mb_strmap_finish(&seen->lines);
    return MB_OK;
}

static size_t count_classes(const struct emit_map_model *model)
{
    return model->order->count;
}

/* Copies belong to the part in which the first of them is. */
static enum mb_status put_groups(struct emit_map_part *part, size_t first, size_t end,
                                 struct seen_lines *seen, struct mb_error *err)
{
    struct plan_class *const *classes = part->model->order->classes;
    size_t count = part->model->order->count;

    if (first > 0) {
        first = plan_end_of_copies(classes, count, first - 1);
    }
    while (first < end) {
        size_t group_end = plan_end_of_copies(classes, count, first);
        MB_TRY(put_copies(part, first, group_end, seen, err));
        first = group_end;
    }
    return MB_OK;
}

static enum mb_status put_ignored(struct emit_map_part *part, size_t first, size_t end,
                                  struct mb_error *err)
{
    struct seen_lines seen = {0};

    if (first == 0) {
        mb_buf_put_string(part->out, "ignore methods:\n");
    }
    enum mb_status status = put_groups(part, first, end, &seen, err);
    mb_buf_finish(&seen.line);
    return status;
}

const struct emit_map_format emit_ignore_map_format = {count_classes, 512, put_ignored};

/* --- --explain --- */

static void put_field(struct mb_buf *out, const char *name, struct mb_text text)
{
    mb_buf_printf(out, "\"%s\":", name);
    mb_buf_put_json_string(out, text);
    mb_buf_put_u1(out, ',');
}

static const char *verdict_name(const struct plan_method *method)
{
    switch ((enum rule_verdict)method->verdict) {
    case RULE_TRACE:
        return "trace";
    case RULE_IGNORE:
        return "ignore";
    case RULE_SKIP:
        return "skip";
    }
    return "";
}

static void explain_method(struct emit_map_part *part, const struct plan_class *cls,
                           const struct plan_method *method, const struct abi_method *original)
{
    const struct mb_intern *names = part->model->describer->names;
    struct mb_buf *out = part->out;
    struct mb_text source = mb_intern_get(names, method->rule);
    struct mb_text rule = mb_text_split(&source, '\n');

    mb_buf_put_u1(out, '{');
    put_field(out, "input",
              mb_text_of(ar_input_path(part->model->sources->items[cls->source].archive)));
    put_field(out, "class", mb_intern_get(names, cls->name));
    put_field(out, "method", plan_class_text(names, cls, method->name));
    put_field(out, "descriptor", plan_class_text(names, cls, method->descriptor));
    if (part->model->describer->mapping != NULL) {
        put_field(out, "original_class", original->class_name);
        put_field(out, "original_method", original->name);
        put_field(out, "original_descriptor", original->descriptor);
    }
    put_field(out, "verdict", mb_text_of(verdict_name(method)));
    put_field(out, "rule", rule);
    if (source.size > 0) {
        put_field(out, "source", source);
    }
    if (method->boundary != RULE_BOUNDARY_NONE) {
        put_field(out, "boundary",
                  mb_text_of(rule_boundary_name((enum rule_boundary)method->boundary)));
    }
    if (method->has_lock_gap) {
        mb_buf_put_string(out, "\"lock_gap\":true,");
    }
    mb_buf_printf(out, "\"code_size\":%u,\"id\":%u}\n", method->code_size,
                  method->verdict == RULE_TRACE ? method->id : 0);
}

static enum mb_status put_explained(struct emit_map_part *part, size_t first, size_t end,
                                    struct mb_error *err)
{
    for (size_t i = first; i < end; i++) {
        const struct plan_class *cls = part->model->order->classes[i];
        MB_TRY(describe_class(part, cls, err));
        for (uint16_t k = 0; k < cls->method_count; k++) {
            struct abi_method original;
            MB_TRY(plan_describe_method(&part->cls, &cls->methods[k], &original, err));
            explain_method(part, cls, &cls->methods[k], &original);
        }
    }
    return MB_OK;
}

const struct emit_map_format emit_explain_format = {count_classes, 256, put_explained};
