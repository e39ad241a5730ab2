#include "trace/decoder.h"
#include "trace/profile.h"

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

enum mb_status trace_methods_add(struct trace_methods *methods, const struct trace_node *nodes,
                                 size_t count, struct mb_error *err)
{
    if (trace_id_table(&methods->index) == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        struct trace_method *row = row_of(methods, nodes[i].id);
        if (row == NULL) {
            return mb_fail_memory(err);
        }
        row->calls += nodes[i].calls;
        row->self = trace_add(row->self, nodes[i].own);
        int64_t total = nodes[i].is_inner ? 0 : trace_add(nodes[i].total, nodes[i].passed);
        row->total = trace_add(row->total, total);
        row->sampled = trace_add(row->sampled, nodes[i].is_sampled ? total : 0);
        row->longest = nodes[i].longest > row->longest ? nodes[i].longest : row->longest;
        row->waited = trace_add(row->waited, nodes[i].waited);
        row->inferred = trace_add(row->inferred, nodes[i].is_inner ? 0 : nodes[i].inferred);
        row->idle = trace_add(row->idle, nodes[i].is_idle ? nodes[i].own : 0);
        row->ready = trace_add(row->ready, nodes[i].ready);
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
}
