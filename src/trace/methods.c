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

static struct trace_method *row_of(struct trace_methods *methods, uint32_t *index, uint32_t id)
{
    if (index[id] == 0) {
        struct trace_method *row = MB_VEC_ADD(&methods->rows);
        if (row == NULL) {
            return NULL;
        }
        *row = (struct trace_method){.id = id};
        index[id] = (uint32_t)MB_VEC_COUNT(&methods->rows);
    }
    return &methods->rows.items[index[id] - 1];
}

enum mb_status trace_methods_add(struct trace_methods *methods, const struct trace_node *nodes,
                                 size_t count, struct mb_error *err)
{
    uint32_t *index = trace_id_table(&methods->index);

    if (index == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        struct trace_method *row = row_of(methods, index, nodes[i].id);
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
    *count = MB_VEC_COUNT(&methods->rows);
    return methods->rows.items;
}

void trace_methods_reset(struct trace_methods *methods)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&methods->rows); i++) {
        methods->index.items[methods->rows.items[i].id] = 0;
    }
    mb_buf_reset(&methods->rows.buf);
}

void trace_methods_finish(struct trace_methods *methods)
{
    mb_buf_finish(&methods->rows.buf);
    mb_buf_finish(&methods->index.buf);
}
