/* More stretches than a browser holds. */

#include "formats/firefox.h"
#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#define PAIRS 550000u /* of a short call and a long one */
#define SHORT_NS 4000
#define LONG_NS 16000

static struct answer_facts facts;
static struct format_writer writer;

static void begin(void)
{
    facts = sample_report;
    facts.clock.ns_per_unit = UINT64_C(1) << 32 | 1;
    cr_assert(
        eq(int, format_writer_init(&writer, &format_firefox, &sample_look, NULL, NULL), MB_OK));
    format_begin(&writer, &facts);
}

static void finish(void)
{
    format_writer_finish(&writer);
}

TestSuite(firefox_cut, .init = begin, .fini = finish);

/* One outermost call with so many pairs: the short call makes another one, which is as long. */
static void add_thread(size_t pairs)
{
    size_t count = 0;
    struct trace_item *items = calloc(1 + 3 * pairs, sizeof(*items));
    const uint64_t pair_ns = SHORT_NS + LONG_NS;

    cr_assert(ne(ptr, items, NULL));
    items[count++] =
        (struct trace_item){.id = 1, .duration = (int64_t)(pairs * pair_ns), .count = 1};
    for (size_t i = 0; i < pairs; i++) {
        uint64_t start = i * pair_ns;
        items[count++] = (struct trace_item){
            .start = start, .duration = SHORT_NS, .id = 2, .depth = 1, .count = 1};
        items[count++] = (struct trace_item){
            .start = start, .duration = SHORT_NS, .id = 3, .depth = 2, .count = 1};
        items[count++] = (struct trace_item){
            .start = start + SHORT_NS, .duration = LONG_NS, .id = 3, .depth = 1, .count = 1};
    }
    const struct trace_stack stack = {.items = items, .count = count};
    format_thread(&writer, &sample_thread);
    format_calls(&writer, &sample_thread, &stack);
    free(items);
}

/* "ns:ids" of each stretch of a thread. */
static void expect_stretches(size_t from, size_t until, const char *expected)
{
    const struct format_firefox *state = writer.state;
    struct mb_buf text = {0};
    size_t count;
    const struct trace_node *nodes = trace_profile_nodes(&state->tree, &count);

    for (size_t i = from; i < until; i++) {
        const struct format_firefox_stretch *row = format_firefox_at(state, i);
        mb_buf_printf(&text, "%llu:", (unsigned long long)row->start_ns);
        for (uint32_t at = row->stack; at != TRACE_NO_NODE; at = nodes[at].parent) {
            mb_buf_printf(&text, "%u", nodes[at].id);
        }
        mb_buf_put_u1(&text, ' ');
    }
    mb_buf_put_u1(&text, 0);
    cr_expect_str_eq((char *)text.bytes, expected);
    mb_buf_finish(&text);
}

Test(firefox_cut, all_is_there_where_it_is_little)
{
    const struct format_firefox *state = writer.state;

    add_thread(2);
    expect_stretches(0, MB_VEC_COUNT(&state->stretches),
                     "0:321 4000:1 4000:31 20000:1 20000:321 24000:1 24000:31 40000: ");
}

Test(firefox_cut, short_calls_are_their_callers_time)
{
    const struct format_firefox *state = writer.state;

    add_thread(3);
    size_t before = MB_VEC_COUNT(&state->stretches);
    add_thread(PAIRS);
    cr_assert(eq(int, state->is_cut, true));
    expect_stretches(0, 7, "0:1 4000:31 20000:1 24000:31 40000:1 44000:31 60000: ");
    expect_stretches(7, 10, "0:1 4000:31 20000:1 ");
    cr_expect(eq(sz, MB_VEC_COUNT(&state->stretches), 7 + 2 * PAIRS + 1));
    cr_expect(gt(sz, before, 7));
    add_thread(1);
    expect_stretches(7 + 2 * PAIRS + 1, MB_VEC_COUNT(&state->stretches), "0:1 4000:31 20000: ");
    format_end(&writer, &facts);
    cr_assert(eq(int, format_writer_check(&writer, NULL), MB_OK));
    mb_buf_put_u1(&writer.out, 0);
    cr_expect(ne(ptr, strstr((char *)writer.out.bytes, "without calls shorter than 10 us"), NULL));
    cr_expect(ne(ptr, strstr((char *)writer.out.bytes, "\"weight\":[0.004000,0.016000,"), NULL));
}
