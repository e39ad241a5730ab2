#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static struct mb_text find(const void *context, uint32_t id)
{
    (void)context;
    return id == 1 ? MB_TEXT("a.B;\"c\"") : id == 2 ? MB_TEXT("d.E") : (struct mb_text){0};
}

const struct trace_method sample_methods[] = {
    {.id = 1, .calls = 9, .total = 30, .self = 1},
    {.id = 2, .calls = 9, .total = 20, .self = 20},
    {.id = 3, .calls = 50, .total = 20, .self = 5},
};

/* 1 (500) calls 2 (300, three at once), which calls 3 (100); all still open. Times in units of
 * 2 ms. */
static const struct trace_item items[] = {
    {.start = 5, .duration = 500, .id = 1, .depth = 0, .count = 1, .is_open = 1},
    {.start = 6, .duration = 300, .id = 2, .depth = 1, .count = 3, .is_open = 1},
    {.start = 7, .duration = 100, .id = 3, .depth = 2, .count = 1, .is_open = 1},
};

static const struct trace_node nodes[] = {
    {.id = 1, .parent = TRACE_NO_NODE, .calls = 1, .total = 500, .own = 200, .is_open = true},
    {.id = 2, .parent = 0, .depth = 1, .calls = 3, .total = 300, .own = 200, .is_open = true},
    {.id = 3, .parent = 1, .depth = 2, .calls = 1, .total = 100, .own = 100, .is_open = true},
};

const struct answer_thread sample_thread = {
    .name = MB_TEXT_ROW("main;1"),
    .id = 7,
    .is_main = true,
    .is_live = true,
    .calls = 5,
    .losses = &(const struct answer_losses){.read = {.words = 3, .open_calls = 3}},
    .time.start_ns = 10000000,
    .time.end_ns = 900000000,
    .time.busy_ns = 1000000000,
    .nodes = nodes,
    .node_count = 3,
    .methods = sample_methods,
    .method_count = 3,
};

static const struct answer_slow slow = {
    .thread = &sample_thread,
    .start_ns = 10000000,
    .duration_ns = 1000000000,
    .id = 1,
    .key = 2,
    .is_open = true,
    .items = items,
    .item_count = 3,
};

static const struct answer_group group = {
    .key = 2, .count = 1, .total_ns = 1000000000, .longest_ns = 1000000000};
static const struct answer_finding note = {
    .kind = ANSWER_KIND_NAMES_FROM,
    .values = {
        {.name = "path", .unit = ANSWER_UNIT_TEXT, .text = MB_TEXT_ROW("something \"odd\"")}}};

const struct answer_facts sample_report = {
    .process.name = MB_TEXT_ROW("p\"q"),
    .process.id = 77,
    .clock.ns_per_unit = UINT64_C(2000000) << 32 | 1,
    .clock.resolution_ns = 2000000,
    .messages.threshold_ns = 700000000,
    .threads.rows = &sample_thread,
    .threads.count = 1,
    .messages.slow = &slow,
    .messages.slow_count = 1,
    .messages.root_count = 1,
    .messages.longest_root_ns = 1000000000,
    .messages.groups = &group,
    .messages.group_count = 1,
    .methods.rows = sample_methods,
    .methods.count = 3,
    .recording.notes = &note,
    .recording.note_count = 1,
    .methods.names = {find, NULL},
};

struct format_look sample_look = {.top = 2};

static char written[262144];

static void pass(struct format_writer *writer, const struct format *format,
                 const struct answer_facts *about)
{
    const struct trace_stack stack = {.items = (struct trace_item *)(uintptr_t)items, .count = 3};

    writer->format = format;
    format_begin(writer, about);
    for (size_t i = 0; i < about->threads.count; i++) {
        format_thread(writer, &about->threads.rows[i]);
        format_calls(writer, &about->threads.rows[i], &stack);
    }
    format_end(writer, about);
}

void sample_pass(struct format_writer *writer, const struct answer_facts *about)
{
    const struct format *format = writer->format;

    if (format->survey != NULL) {
        pass(writer, format->survey, about);
    }
    pass(writer, format, about);
}

const char *sample_write(const struct format *format, const struct answer_facts *about)
{
    struct format_writer writer;

    cr_assert(eq(int, format_writer_init(&writer, format, &sample_look, NULL, NULL), MB_OK));
    sample_pass(&writer, about);
    cr_assert(eq(int, format_writer_check(&writer, NULL), MB_OK));
    cr_assert(lt(sz, writer.out.size, sizeof(written)));
    memcpy(written, writer.out.bytes, writer.out.size);
    written[writer.out.size] = '\0';
    format_writer_finish(&writer);
    return written;
}

void sample_expect(const char *part)
{
    cr_expect(ne(ptr, (void *)strstr(written, part), NULL), "no '%s' in:\n%s", part, written);
}

void sample_expect_put(sample_put_fn *put, const struct answer_facts *facts, const char *expected)
{
    struct mb_buf out = {0};

    put(facts, &sample_look, &out);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((char *)out.bytes, expected);
    mb_buf_finish(&out);
}
