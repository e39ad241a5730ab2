#include "formats/text.h"
#include "hot_path.h"

#include <string.h>

Test(path, ends_in_its_branches)
{
    struct answer_facts facts = make_report();
    union answer_pools pools = {0};
    struct mb_buf out = {0};

    facts.threads.count = 1;
    struct answer_path path = find_path(&facts, &pools);
    format_put_path(&facts.methods, &sample_look, &path, &out);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((char *)out.bytes,
                     "\nHot path of t-1\n"
                     "     total     %                own  calls  method\n"
                     "    200 ms 100.0 ##########    0 ns      1  a.B;\"c\"\n"
                     "    120 ms  60.0 ######     8.00 ms      7   d.E (recurses)\n"
                     "   44.0 ms  22.0 ##         44.0 ms      1    #6\n"
                     "   40.0 ms  20.0 ##         40.0 ms      1    #4\n"
                     "   20.0 ms  10.0 #          20.0 ms      1    #7\n");
    mb_buf_finish(&out);
    answer_path_finish(&path);
    mb_buf_finish(&pools.buf);
}

/* Forty callers that only pass on are one line. */
Test(path, passes_over_what_only_passes_on)
{
    static struct trace_node chain[42];
    const struct answer_thread thread = {
        .name = MB_TEXT_ROW("t"), .nodes = chain, .node_count = 42};
    struct answer_facts facts = make_report();
    union answer_pools pools = {0};
    struct mb_buf out = {0};

    for (uint32_t i = 0; i < 42; i++) {
        chain[i] = (struct trace_node){.id = 100 + i,
                                       .parent = i > 0 ? i - 1 : TRACE_NO_NODE,
                                       .depth = i,
                                       .calls = 1,
                                       .total = 1000,
                                       .own = i == 41 ? 1000 : 0};
    }
    facts.threads.rows = &thread;
    facts.threads.count = 1;
    struct answer_path path = find_path(&facts, &pools);
    format_put_path(&facts.methods, &sample_look, &path, &out);
    mb_buf_put_u1(&out, 0);
    cr_expect(ne(ptr, strstr((char *)out.bytes, "(40 calls in between)"), NULL));
    cr_expect(ne(ptr, strstr((char *)out.bytes, "#100\n"), NULL));
    cr_expect(ne(ptr, strstr((char *)out.bytes, "#141\n"), NULL));
    cr_expect(eq(ptr, strstr((char *)out.bytes, "#120\n"), NULL));
    mb_buf_finish(&out);
    answer_path_finish(&path);
    mb_buf_finish(&pools.buf);
}
