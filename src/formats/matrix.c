/* The stacks of slow messages as Matrix logs them, in ms: what users' tooling reads. */

#include "formats/writer.h"

#include "base/clock.h"

#include <inttypes.h>

#define BEGIN ">>>>>>>>>>>>>>>>>>>>>"
#define END "<<<<<<<<<<<<<<<<<<<<<"
#define RULE "========================================================================="

static void put_item(const struct answer_clock *clock, const struct trace_item *item,
                     struct mb_buf *out)
{
    mb_buf_put_string(out, "|*\t\t");
    for (int32_t d = 0; d < item->depth; d++) {
        mb_buf_put_u1(out, '.');
    }
    mb_buf_printf(out, "%" PRIu32 " %" PRIu32 " %" PRId64 "\n", item->id, item->count,
                  answer_ns(clock, item->duration) / MB_NS_PER_MS);
}

/* Frame, sections and indents as upstream prints them; the thread stands where upstream has the
 * state of the process. */
static void put_slow(const struct answer_clock *clock, const struct answer_slow *slow,
                     struct mb_buf *out)
{
    mb_buf_printf(out, BEGIN " maybe happens Jankiness!(%" PRId64 "ms) " END "\n",
                  slow->duration_ns / MB_NS_PER_MS);
    mb_buf_put_string(out, "|* [Status]\n|*\t\tThread: ");
    mb_buf_put_printable(out, slow->thread->name);
    mb_buf_printf(out, "\n|* [Trace]\n|*\t\tStackSize: %zu\n|*\t\tStackKey: %" PRIu32 "|\n",
                  slow->item_count, slow->key);
    mb_buf_put_string(out, "|*\tTraceStack:\n|*\t\t[id count cost]\n");
    for (size_t i = 0; i < slow->item_count; i++) {
        put_item(clock, &slow->items[i], out);
    }
    mb_buf_put_string(out, RULE "\n");
}

static void put_end(struct format_writer *writer)
{
    for (size_t i = 0; i < writer->facts->messages.slow_count; i++) {
        put_slow(writer->clock, &writer->facts->messages.slow[i], &writer->out);
        format_drain(writer);
    }
}

const struct format format_matrix = {
    .name = "matrix",
    .extension = ".matrix.txt",
    .end = put_end,
};
