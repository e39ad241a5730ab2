#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(folded, lines_have_own_times_and_no_stray_semicolons)
{
    cr_assert_str_eq(sample_write(&format_folded, &sample_report),
                     "main:1;a.B:\"c\" 400000000\n"
                     "main:1;a.B:\"c\";d.E 400000000\n"
                     "main:1;a.B:\"c\";d.E;#3 200000000\n");
}

Test(folded, threads_of_one_name_share_their_lines)
{
    const struct answer_thread threads[] = {
        sample_thread, {.name = MB_TEXT_ROW("idle")}, sample_thread};
    struct answer_facts twice = sample_report;

    twice.threads.rows = threads;
    twice.threads.count = 3;
    cr_assert_str_eq(sample_write(&format_folded, &twice), "main:1;a.B:\"c\" 800000000\n"
                                                           "main:1;a.B:\"c\";d.E 800000000\n"
                                                           "main:1;a.B:\"c\";d.E;#3 400000000\n");
}

Test(folded, can_count_calls)
{
    struct answer_facts calls = sample_report;

    sample_look.weight = FORMAT_WEIGHT_CALLS;
    cr_assert_str_eq(sample_write(&format_folded, &calls), "main:1;a.B:\"c\" 1\n"
                                                           "main:1;a.B:\"c\";d.E 3\n"
                                                           "main:1;a.B:\"c\";d.E;#3 1\n");
}

/* Lines that repeat all callers of endless recursion would be quadratic. */
Test(folded, what_is_too_deep_counts_for_its_caller)
{
    enum { DEPTH = 1500, SHOWN = 1000 };
    static struct trace_node nodes[DEPTH];
    struct answer_thread deep = {.name = MB_TEXT_ROW("t"), .nodes = nodes, .node_count = DEPTH};
    struct answer_facts facts = sample_report;
    size_t lines = 0;

    for (uint32_t i = 0; i < DEPTH; i++) {
        nodes[i] = (struct trace_node){.id = 2,
                                       .parent = i > 0 ? i - 1 : TRACE_NO_NODE,
                                       .depth = i,
                                       .calls = 1,
                                       .total = DEPTH - i,
                                       .own = 1};
    }
    facts.threads.rows = &deep;
    facts.threads.count = 1;
    struct format_writer writer;
    cr_assert(
        eq(int, format_writer_init(&writer, &format_folded, &sample_look, NULL, NULL), MB_OK));
    sample_pass(&writer, &facts);
    mb_buf_put_u1(&writer.out, 0);
    for (const char *at = (char *)writer.out.bytes; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    cr_expect(eq(sz, lines, SHOWN));
    const char *last = strrchr((char *)writer.out.bytes, ' ');
    cr_expect_str_eq(last, " 1002000000\n"); /* 501 units of 2 ms */
    format_writer_finish(&writer);
}

static struct mb_text find_long(const void *context, uint32_t id)
{
    (void)context;
    return id == 1   ? MB_TEXT("org.example.first.Loader.load")
           : id == 2 ? MB_TEXT("org.example.second.Loader.load")
           : id == 3 ? MB_TEXT("org.elsewhere.first.Loader.load")
                     : MB_TEXT("org.example.first.Loader.run(int)");
}

/* Names that are cut are still those of one method each. */
Test(folded, names_are_cut_to_what_tells_them_apart)
{
    struct trace_node nodes[4] = {0};
    const struct answer_thread thread = {
        .name = MB_TEXT_ROW("a;b"), .nodes = nodes, .node_count = MB_COUNT(nodes)};
    struct answer_facts facts = sample_report;

    for (uint32_t i = 0; i < MB_COUNT(nodes); i++) {
        nodes[i] = (struct trace_node){.id = i + 1, .parent = TRACE_NO_NODE, .calls = 1};
    }
    facts.methods.names.find = find_long;
    sample_look.weight = FORMAT_WEIGHT_CALLS;
    facts.threads.rows = &thread;
    facts.threads.count = 1;
    sample_look.columns = 20;
    cr_assert_str_eq(sample_write(&format_folded, &facts), "a:b;o.e.f.Loader.run(..) 1\n"
                                                           "a:b;o.e.s.Loader.load 1\n"
                                                           "a:b;org.elsewhere.first.Loader.load 1\n"
                                                           "a:b;org.example.first.Loader.load 1\n");
    sample_look.columns = 0;
    cr_assert_str_eq(sample_write(&format_folded, &facts),
                     "a:b;org.elsewhere.first.Loader.load 1\n"
                     "a:b;org.example.first.Loader.load 1\n"
                     "a:b;org.example.first.Loader.run(int) 1\n"
                     "a:b;org.example.second.Loader.load 1\n");
}

/* Threads of one name: what is too short for a line is so in all of them together, and counts for
 * its caller; in full nothing is left out. */
Test(folded, what_is_too_short_counts_for_its_caller)
{
    const struct trace_node nodes[] = {
        {.id = 1, .parent = TRACE_NO_NODE, .depth = 0, .own = 1000000},
        {.id = 2, .parent = 0, .depth = 1, .own = 9},
        {.id = 3, .parent = 1, .depth = 2, .own = 4},
        {.id = 4, .parent = 0, .depth = 1, .own = 2},
        {.id = 2, .parent = 3, .depth = 2, .own = 3},
    };
    const struct answer_thread thread = {
        .name = MB_TEXT_ROW("t"), .nodes = nodes, .node_count = MB_COUNT(nodes)};
    const struct answer_thread threads[] = {thread, thread};
    struct answer_facts facts = sample_report;

    facts.clock.ns_per_unit = UINT64_C(1) << 32 | 1;
    facts.threads.rows = threads;
    facts.threads.count = MB_COUNT(threads);
    sample_look.columns = 40;
    cr_assert_str_eq(sample_write(&format_folded, &facts), "t;a.B:\"c\" 2000010\n"
                                                           "t;a.B:\"c\";d.E 26\n");
    sample_look.columns = 0;
    cr_assert_str_eq(sample_write(&format_folded, &facts), "t;a.B:\"c\" 2000000\n"
                                                           "t;a.B:\"c\";#4 4\n"
                                                           "t;a.B:\"c\";#4;d.E 6\n"
                                                           "t;a.B:\"c\";d.E 18\n"
                                                           "t;a.B:\"c\";d.E;#3 8\n");
}

static struct mb_text find_name(const void *context, uint32_t id)
{
    (void)context;
    static const struct mb_text names[] = {MB_TEXT_ROW("z.last"), MB_TEXT_ROW("a.m(int)"),
                                           MB_TEXT_ROW("a.m"), MB_TEXT_ROW("a.m")};

    return names[id % MB_COUNT(names)];
}

#define NODE(number, above, level)                                                            \
    {                                                                                         \
        .id = (number), .parent = (above), .depth = (level), .calls = 1, .total = 2, .own = 1 \
    }

/* Whatever the order in which they came, and threads that have one name: a stack comes once, behind
 * its callers, those beside it by name; two methods of one name are one. */
Test(folded, stacks_are_sorted_below_their_callers)
{
    static const struct trace_node first[] = {NODE(0, TRACE_NO_NODE, 0),
                                              NODE(1, TRACE_NO_NODE, 0),
                                              NODE(2, TRACE_NO_NODE, 0),
                                              NODE(0, 2, 1),
                                              NODE(2, 2, 1),
                                              NODE(3, 2, 1)};
    static const struct trace_node second[] = {NODE(3, TRACE_NO_NODE, 0), NODE(1, 0, 1)};
    const struct answer_thread threads[] = {
        {.name = MB_TEXT_ROW("t"), .nodes = first, .node_count = MB_COUNT(first)},
        {.name = MB_TEXT_ROW("s"), .nodes = first, .node_count = 1},
        {.name = MB_TEXT_ROW("t"), .nodes = second, .node_count = MB_COUNT(second)}};
    struct answer_facts facts = sample_report;

    facts.methods.names.find = find_name;
    sample_look.weight = FORMAT_WEIGHT_CALLS;
    facts.threads.rows = threads;
    facts.threads.count = MB_COUNT(threads);
    cr_assert_str_eq(sample_write(&format_folded, &facts), "s;z.last 1\n"
                                                           "t;a.m 2\n"
                                                           "t;a.m;a.m 2\n"
                                                           "t;a.m;a.m(int) 1\n"
                                                           "t;a.m;z.last 1\n"
                                                           "t;a.m(int) 1\n"
                                                           "t;z.last 1\n");
}
