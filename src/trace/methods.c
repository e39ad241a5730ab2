#include "trace/decoder.h"

size_t trace_subtree(const struct trace_item *items, size_t count, size_t first)
{
    size_t end = first + 1;

    while (end < count && items[end].depth > items[first].depth) {
        end++;
    }
    return end - first;
}

static struct trace_method *row_of(struct trace_methods *methods, uint32_t id)
{
    uint32_t *index = (void *)methods->index.bytes;
    struct trace_method *rows = (void *)methods->rows.bytes;

    if (index[id] == 0) {
        struct trace_method *row = (void *)mb_buf_extend(&methods->rows, sizeof(*row));
        if (row == NULL) {
            return NULL;
        }
        *row = (struct trace_method){.id = id};
        index[id] = (uint32_t)(methods->rows.size / sizeof(*row));
        return row;
    }
    return &rows[index[id] - 1];
}

static enum mb_status add_item(struct trace_methods *methods, const struct trace_item *item,
                               uint32_t caller_id, struct mb_error *err)
{
    const uint32_t *active = (const void *)methods->active.bytes;
    struct trace_method *row = row_of(methods, item->id);

    if (row == NULL) {
        return mb_fail_memory(err);
    }
    row->calls += item->count;
    row->self = trace_add(row->self, item->duration);
    row->total = trace_add(row->total, active[item->id] == 0 ? item->duration : 0);
    if (item->depth > 0) {
        struct trace_method *caller = row_of(methods, caller_id); /* made before */
        if (caller == NULL) {
            return mb_fail_memory(err);
        }
        caller->self = trace_subtract(caller->self, item->duration);
    }
    return MB_OK;
}

/* callers[d] = id of the caller at depth d; all below the current depth are active. */
static enum mb_status add_items(struct trace_methods *methods, const struct trace_item *items,
                                size_t count, struct mb_error *err)
{
    uint32_t *active = (void *)methods->active.bytes;
    uint32_t *callers = (void *)methods->callers.bytes;
    int32_t depth = 0;
    enum mb_status status = MB_OK;

    for (size_t i = 0; status == MB_OK && i < count; i++) {
        while (depth > items[i].depth) {
            active[callers[--depth]]--;
        }
        status = add_item(methods, &items[i], depth > 0 ? callers[depth - 1] : 0, err);
        callers[depth++] = items[i].id;
        active[items[i].id]++;
    }
    while (depth > 0) {
        active[callers[--depth]]--;
    }
    return status;
}

enum mb_status trace_methods_add(struct trace_methods *methods, const struct trace_item *items,
                                 size_t count, struct mb_error *err)
{
    int32_t deepest = 0;

    for (size_t i = 0; i < count; i++) {
        deepest = items[i].depth > deepest ? items[i].depth : deepest;
    }
    mb_buf_reset(&methods->callers);
    if (mb_buf_extend(&methods->callers, ((size_t)deepest + 1) * sizeof(uint32_t)) == NULL ||
        trace_id_table(&methods->index) == NULL || trace_id_table(&methods->active) == NULL) {
        return mb_fail_memory(err);
    }
    return add_items(methods, items, count, err);
}

enum mb_status trace_methods_merge(struct trace_methods *methods, const struct trace_methods *part,
                                   struct mb_error *err)
{
    const struct trace_method *rows = (const void *)part->rows.bytes;

    if (trace_id_table(&methods->index) == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < part->rows.size / sizeof(*rows); i++) {
        struct trace_method *row = row_of(methods, rows[i].id);
        if (row == NULL) {
            return mb_fail_memory(err);
        }
        row->calls += rows[i].calls;
        row->total = trace_add(row->total, rows[i].total);
        row->self = trace_add(row->self, rows[i].self);
    }
    return MB_OK;
}

const struct trace_method *trace_methods_rows(const struct trace_methods *methods, size_t *count)
{
    *count = methods->rows.size / sizeof(struct trace_method);
    return (const void *)methods->rows.bytes;
}

void trace_methods_reset(struct trace_methods *methods)
{
    const struct trace_method *rows = (const void *)methods->rows.bytes;
    uint32_t *index = (void *)methods->index.bytes;

    for (size_t i = 0; i < methods->rows.size / sizeof(*rows); i++) {
        index[rows[i].id] = 0;
    }
    methods->rows.size = 0;
}

void trace_methods_finish(struct trace_methods *methods)
{
    mb_buf_finish(&methods->rows);
    mb_buf_finish(&methods->index);
    mb_buf_finish(&methods->active);
    mb_buf_finish(&methods->callers);
}
