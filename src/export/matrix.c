/* The stacks of slow messages as Matrix logs them, in ms: what users' tooling reads. */

#include "export/export.h"

#include <inttypes.h>

#define NS_PER_MS 1000000

static void put_item(const struct export_report *report, const struct trace_item *item,
                     struct mb_buf *out)
{
    mb_buf_put_string(out, "|*\t\t");
    for (int32_t d = 0; d < item->depth; d++) {
        mb_buf_put_u1(out, '.');
    }
    mb_buf_printf(out, "%" PRIu32 " %" PRIu32 " %" PRId64 "\n", item->id, item->count,
                  export_ns(report, item->duration) / NS_PER_MS);
}

static void put_end(const struct export_report *report, struct mb_buf *out)
{
    for (size_t i = 0; i < report->slow_count; i++) {
        const struct export_slow *slow = &report->slow[i];
        mb_buf_printf(out, "|* Thread: %.*s\n|* Cost: %" PRId64 " ms\n|* StackKey: %" PRIu32 "|\n",
                      (int)slow->thread->name.size, slow->thread->name.data,
                      slow->duration_ns / NS_PER_MS, slow->key);
        mb_buf_put_string(out, "|*\t\tTraceStack:\n|*\t\t[id count cost]\n");
        for (size_t j = 0; j < slow->item_count; j++) {
            put_item(report, &slow->items[j], out);
        }
        mb_buf_put_string(out, "\n");
    }
}

const struct export_format export_matrix = {
    .name = "matrix",
    .summary = "stacks of slow messages as Matrix logs them: ids, times in ms",
    .end = put_end,
};
