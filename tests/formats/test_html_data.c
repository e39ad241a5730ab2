#include "sample.h"

#include "formats/html_calls.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define NODES 300
#define BYTES 60000

/* The data of a thread with 1000 calls of 1 to 1000 units in one of all of them. */
static char *data_of(struct format_html_limits limits)
{
    static char text[65536];
    static struct trace_item items[1001];
    struct format_html_calls all = {0};
    struct trace_stack stack = {.items = items, .count = MB_COUNT(items)};
    struct mb_buf out = {0};

    items[0] = (struct trace_item){.duration = 1000000, .id = 1, .count = 1};
    for (uint32_t i = 1; i <= 1000; i++) {
        items[i] = (struct trace_item){
            .start = (uint64_t)i * 1000, .duration = i, .id = i % 7 + 1, .depth = 1, .count = 1};
    }
    format_html_calls_thread(&all, &sample_thread);
    format_html_calls_add(&all, &sample_report.clock, &stack);
    format_html_put_data(&all, &sample_report, limits, &out);
    cr_assert(not(out.failed));
    cr_assert(lt(sz, out.size, sizeof(text)));
    memcpy(text, out.bytes, out.size);
    text[out.size] = '\0';
    mb_buf_finish(&out);
    format_html_calls_finish(&all);
    return text;
}

static unsigned long number_behind(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    cr_assert(ne(sz, (uintptr_t)at, 0), "no %s in %s", key, text);
    return strtoul(at + strlen(key), NULL, 10);
}

Test(html_data, has_all_calls_that_fit)
{
    const char *text = data_of((struct format_html_limits){1001, NODES, BYTES});

    cr_expect(eq(ulong, number_behind(text, "\"hidden\":"), 0));
    cr_expect(eq(ulong, number_behind(text, "\"nodes\":"), 0), "the calls tell the tree");
}

/* About as many as there is room for, the longest, and the tree of all. */
Test(html_data, leaves_out_the_shortest)
{
    const char *text = data_of((struct format_html_limits){500, NODES, BYTES});
    unsigned long hidden = number_behind(text, "\"hidden\":");

    cr_expect(ge(ulong, hidden, 501));
    cr_expect(le(ulong, hidden, 520));
    cr_expect(eq(ulong, number_behind(text, "\"nodes\":"), 3));
    cr_expect(eq(ulong, number_behind(text, "\"end\":"), 2002000000000));
}

Test(html_data, of_too_many_equal_ones_none_is_left)
{
    cr_expect(eq(
        ulong, number_behind(data_of((struct format_html_limits){0, NODES, BYTES}), "\"hidden\":"),
        1001));
}

Test(html_data, has_no_more_bytes_than_there_is_room_for)
{
    size_t whole = strlen(data_of((struct format_html_limits){1001, NODES, BYTES}));
    const char *text = data_of((struct format_html_limits){1001, NODES, whole / 2});

    cr_expect(le(sz, strlen(text), whole / 2));
    cr_expect(ge(sz, strlen(text), whole / 3), "and no fewer than need be");
    cr_expect(ge(ulong, number_behind(text, "\"hidden\":"), 300));
}

/* Names and figures are not left out, whatever the room. */
Test(html_data, ends_where_nothing_is_left_to_leave_out)
{
    const char *text = data_of((struct format_html_limits){1001, NODES, 1});

    cr_expect(eq(ulong, number_behind(text, "\"hidden\":"), 1001));
    cr_expect(ne(sz, (uintptr_t)strstr(text, "id=\"names\""), 0));
}
