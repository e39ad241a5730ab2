#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

/* What a sink was given. */
struct taken {
    size_t pieces;
    size_t size;
    size_t fails_at; /* this piece fails; 0: none */
};

static enum mb_status take(void *context, const void *bytes, size_t size, struct mb_error *err)
{
    struct taken *taken = context;

    cr_assert(ne(ptr, (void *)(uintptr_t)bytes, NULL));
    taken->pieces++;
    taken->size += size;
    return taken->pieces == taken->fails_at
               ? mb_fail(err, MB_IO, MB_NO_OFFSET, "piece %zu", taken->pieces)
               : MB_OK;
}

enum { LINE = 1000, LINES = 5000 };

static void put_lines(struct format_writer *writer)
{
    static const char line[LINE] = "a line";

    for (size_t i = 0; i < LINES; i++) {
        mb_buf_put(&writer->out, line, sizeof(line));
        format_drain(writer);
    }
}

static const struct format long_format = {.name = "long", .end = put_lines};

static enum mb_status write_long(struct taken *taken, size_t *most, struct mb_error *err)
{
    const struct format_sink sink = {.take = take, .context = taken};
    struct format_writer writer;

    cr_assert(eq(int, format_writer_init(&writer, &long_format, NULL, &sink, NULL), MB_OK));
    format_begin(&writer, &sample_report);
    format_end(&writer, &sample_report);
    *most = writer.out.capacity;
    enum mb_status status = format_writer_check(&writer, err);
    format_writer_finish(&writer);
    return status;
}

Test(writer, lets_go_of_what_is_written)
{
    struct taken taken = {0};
    size_t most;

    cr_assert(eq(int, write_long(&taken, &most, NULL), MB_OK));
    cr_expect(eq(sz, taken.size, (size_t)LINE * LINES));
    cr_expect(eq(sz, taken.pieces, 5));
    cr_expect(lt(sz, most, (size_t)LINE * LINES / 2), "of what is written little is kept");
}

Test(writer, a_sink_that_failed_is_left_alone)
{
    struct taken taken = {.fails_at = 2};
    struct mb_error err;
    size_t most;

    cr_assert(eq(int, write_long(&taken, &most, &err), MB_IO));
    cr_expect_str_eq(err.reason, "piece 2");
    cr_expect(eq(sz, taken.pieces, 2));
}

/* ---- Walking ---- */

static void put_event(struct format_writer *writer, char kind, const struct trace_item *item,
                      uint64_t ns)
{
    mb_buf_printf(&writer->out, "%c%u@%u%s ", kind, (unsigned)item->id, (unsigned)ns,
                  kind == '-' && item->is_open ? "!" : "");
}

static void put_enter(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    put_event(writer, '+', item, ns);
}

static void put_leave(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    put_event(writer, '-', item, ns);
}

static void walk_calls(struct format_writer *writer, const struct answer_thread *thread,
                       const struct trace_stack *stack)
{
    (void)thread;
    format_walk_calls(writer, stack, &(struct format_walk){put_enter, put_leave});
}

static const struct format walk_format = {.name = "walk", .calls = walk_calls};

static void expect_walk(struct trace_item *items, size_t count, const char *expected)
{
    const struct trace_stack stack = {.items = items, .count = count};
    struct answer_facts facts = sample_report;
    struct format_writer writer;

    facts.clock.ns_per_unit = UINT64_C(1) << 32 | 1;
    cr_assert(eq(int, format_writer_init(&writer, &walk_format, NULL, NULL, NULL), MB_OK));
    format_begin(&writer, &facts);
    format_thread(&writer, &sample_thread);
    format_calls(&writer, &sample_thread, &stack);
    mb_buf_put_u1(&writer.out, 0);
    cr_expect_str_eq((char *)writer.out.bytes, expected);
    format_writer_finish(&writer);
}

Test(writer, walks_in_time_order)
{
    struct trace_item items[] = {
        {.start = 1, .duration = 9, .id = 1, .depth = 0},
        {.start = 2, .duration = 3, .id = 2, .depth = 1},
        {.start = 3, .duration = 1, .id = 3, .depth = 2},
        {.start = 6, .duration = 4, .id = 2, .depth = 1},
        {.start = 12, .duration = 8, .id = 1, .depth = 0, .is_open = 1},
    };

    expect_walk(items, MB_COUNT(items), "+1@1 +2@2 +3@3 -3@4 -2@5 +2@6 -2@10 -1@10 +1@12 -1@20! ");
    expect_walk(items, 0, "");
}

Test(writer, time_never_falls)
{
    struct trace_item items[] = {
        {.start = 10, .duration = 2, .id = 1, .depth = 0},
        {.start = 5, .duration = 2, .id = 2, .depth = 1},
        {.start = 3, .duration = 12, .id = 3, .depth = 0},
    };

    expect_walk(items, MB_COUNT(items), "+1@10 +2@10 -2@10 -1@12 +3@12 -3@15 ");
}

/* Endless recursion, which is one outermost call: what is written goes all the same. */
Test(writer, walks_any_depth)
{
    enum { DEPTH = 1000000 };
    struct taken taken = {0};
    const struct format_sink sink = {.take = take, .context = &taken};
    struct trace_item *items = calloc(DEPTH, sizeof(*items));
    const struct trace_stack stack = {.items = items, .count = DEPTH};
    struct format_writer writer;

    for (int32_t i = 0; i < DEPTH; i++) {
        items[i] = (struct trace_item){.id = 1, .depth = i};
    }
    cr_assert(eq(int, format_writer_init(&writer, &walk_format, NULL, &sink, NULL), MB_OK));
    format_begin(&writer, &sample_report);
    format_calls(&writer, &sample_thread, &stack);
    cr_expect(lt(sz, writer.out.capacity, (size_t)4 << 20), "of what is written little is kept");
    format_end(&writer, &sample_report);
    cr_expect(eq(sz, taken.size, (size_t)2 * DEPTH * strlen("+1@0 ")));
    format_writer_finish(&writer);
    free(items);
}
