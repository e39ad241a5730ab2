#include "sample.h"

#include "formats/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

/* The busiest, unless there are messages: then the one that has to answer them. */
Test(text, is_about_the_thread_that_matters)
{
    const struct answer_thread threads[] = {
        sample_thread, {.name = MB_TEXT_ROW("busy"), .time.busy_ns = 2000000000, .calls = 1}};
    struct answer_facts facts = sample_report;

    facts.threads.rows = threads;
    facts.threads.count = 2;
    const char *text = sample_write(&format_text, &facts);
    cr_expect(eq(ptr, (void *)strstr(text, "busy was in recorded methods for 2.00 s"),
                 (void *)(uintptr_t)text));
    facts.recording.has_messages = true;
    text = sample_write(&format_text, &facts);
    cr_expect(ne(ptr, (void *)strstr(text, "main;1 was in recorded methods for 1.00 s"), NULL));
    sample_expect("Hot path of main;1\n");
}

static const struct trace_node waiting[] = {
    {.id = 2, .parent = TRACE_NO_NODE, .calls = 1, .total = 4300, .own = 4300, .waited = 4050},
};

/* The thread that waits is not the answer, but people ask what it did. */
Test(text, a_thread_that_waits_is_said_to_wait)
{
    const struct answer_thread threads[] = {
        {.name = MB_TEXT_ROW("main"),
         .is_main = true,
         .time.has_cpu = true,
         .calls = 1,
         .time.busy_ns = 8600000000,
         .time.waited_ns = 8100000000,
         .nodes = waiting,
         .node_count = 1},
        sample_thread,
    };
    struct answer_thread alone = threads[0];
    struct answer_facts facts = sample_report;

    facts.threads.rows = threads;
    facts.threads.count = 2;
    (void)sample_write(&format_text, &facts);
    sample_expect(
        "main;1 was in recorded methods for 1.00 s of 1.00 s. 60 % of this time was spent "
        "in d.E. main was waiting for at least 8.10 s of 8.60 s, longest in d.E.\n");
    facts.threads.rows = &alone;
    facts.threads.count = 1;
    alone.time.worked_ns = 450000000;
    (void)sample_write(&format_text, &facts);
    sample_expect(
        "main was waiting for 8.10 s of 8.60 s (500 ms busy). 100 % of its recorded time was "
        "spent in d.E.\n");
    alone.time.worked_ns = 0;
    alone.node_count = 0; /* spread over all calls, as on a busy machine */
    (void)sample_write(&format_text, &facts);
    sample_expect("main was without a processor for at least 8.10 s of 8.60 s");
    alone.time.knows_ready = true;
    (void)sample_write(&format_text, &facts);
    sample_expect("main was waiting for at least 8.10 s of 8.60 s; no single method");
}

/* What is at least half of its time is said first; of an unknown half nothing is said. */
Test(text, a_thread_is_busy_where_that_is_known)
{
    struct answer_thread thread = sample_thread;
    struct answer_facts facts = sample_report;

    facts.threads.rows = &thread;
    thread.time.has_cpu = true;
    thread.time.knows_ready = true;
    thread.time.worked_ns = 990000000;
    (void)sample_write(&format_text, &facts);
    sample_expect("main;1 was busy for 1.00 s of 1.00 s. 60 % of this time was spent in d.E.\n");
    thread.time.worked_ns = 700000000;
    (void)sample_write(&format_text, &facts);
    sample_expect(
        "main;1 was busy for at least 700 ms of 1.00 s. 60 % of its recorded time was spent "
        "in d.E.\n");
    thread.time.waited_ns = 200000000;
    thread.time.ready_ns = 100000000;
    (void)sample_write(&format_text, &facts);
    sample_expect(
        "main;1 was busy for 700 ms of 1.00 s (200 ms waiting, 100 ms ready but without a "
        "processor). 60 % of its recorded time was spent in d.E.\n");
    thread.time.worked_ns = 300000000;
    (void)sample_write(&format_text, &facts);
    sample_expect(
        "main;1 was in recorded methods for 1.00 s of 1.00 s (at least 300 ms busy, 200 ms "
        "waiting, 100 ms ready but without a processor). 60 % of this time was spent in "
        "d.E.\n");
    thread.time.ready_ns = 690000000;
    thread.time.waited_ns = 0;
    (void)sample_write(&format_text, &facts);
    sample_expect(
        "main;1 was ready but without a processor for 690 ms of 1.00 s (310 ms busy). 60 % "
        "of its recorded time was spent in d.E.\n");
}

Test(text, virtual_threads_are_in_calls)
{
    struct answer_thread thread = sample_thread;
    struct answer_facts facts = sample_report;

    thread.is_main = false;
    thread.is_virtual = true;
    thread.member_count = 10000;
    facts.threads.rows = &thread;
    (void)sample_write(&format_text, &facts);
    sample_expect(
        "Virtual threads main;1, up to 10000 at a time, were in recorded methods for 1.00 s in "
        "total, within 890 ");
}

/* Of marks that rows have; what is a part of a name is none. */
Test(text, marks_have_a_legend)
{
    static const char rows[] = "    740 ms  60.0 ms  ~a.Slow.load\n"
                               "    1.00 s  a.Main.run ~ ?61% +\n"
                               "    1.00 s  a.~.^ (waits?)\n";
    struct mb_buf out = {0};

    sample_look.columns = 0;
    format_put_legend(&sample_look, rows, &out);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq(
        (char *)out.bytes,
        "\nMarks\n"
        "  ~          muted while the program ran: later calls are not counted\n"
        "  ?          its total may be too large by this share: no record shows when those calls "
        "ended\n"
        "  +          a call was still running at the end\n"
        "  (waits?)   most of its own time it had no processor, waiting or ready to run\n");
    mb_buf_reset(&out);
    format_put_legend(&sample_look, "  1.00 s  a.Main.run\n", &out);
    cr_expect(eq(sz, out.size, 0));
    mb_buf_finish(&out);
}

/* Above the table, and in it: work that lacked a processor, a lock whose holder is known of few,
 * and what there is no line for. */
Test(text, slow_requests_have_their_causes)
{
    const struct answer_block block = {
        .owner = MB_TEXT_ROW("janitor"), .owner_method = 2, .owner_index = 1};
    const struct answer_excess causes[] = {
        {.state = ANSWER_STATE_WORKED,
         .id = 1,
         .below = 2,
         .count = 4,
         .more_ns = 80000000,
         .ready_ns = 40000000},
        {.state = ANSWER_STATE_LOCKED,
         .id = 2,
         .count = 9,
         .more_ns = 45000000,
         .block = &block,
         .owner_count = 1,
         .known_count = 2},
        {.state = ANSWER_STATE_COLLECTED, .count = 1, .more_ns = 3000000},
        {.state = ANSWER_STATE_TIME, .id = 1, .count = 1, .more_ns = 2000000},
        {.state = ANSWER_STATE_TIME, .id = 2, .count = 1, .more_ns = 1000000},
        {.state = ANSWER_STATE_MIXED, .count = 3, .more_ns = 5000000},
    };
    const struct answer_request kind = {.id = 2,
                                        .calls = 500,
                                        .known_calls = 400,
                                        .slow_count = 19,
                                        .slower_ns = 7000000,
                                        .excesses = causes,
                                        .excess_count = MB_COUNT(causes)};
    struct answer_facts facts = sample_report;

    facts.requests = (struct answer_requests){.rows = &kind, .count = 1};
    (void)sample_write(&format_text, &facts);
    sample_expect(
        "The 19 slowest of 400 d.E took 7.00 ms more than the others: 4 worked in a.B;\"c\" "
        "below d.E.");
    sample_expect(
        "the 19 slowest of the last 400 took 7.00 ms more than the others:\n"
        "       4  +20.0 ms worked in a.B;\"c\" below d.E, ready without a processor for 10.0 "
        "ms of it\n"
        "       9  +5.00 ms waited in d.E, for a lock; the holder is known of 2 of 9: 1 "
        "time janitor in d.E\n");
    sample_expect("       1  +1.00 ms in d.E\n       3  others\n");
    /* A thread that waits is told after them: most do. */
    struct answer_thread idle_main = sample_thread;
    idle_main.time.has_cpu = idle_main.time.knows_ready = true;
    idle_main.time.waited_ns = idle_main.time.busy_ns;
    facts.threads = (struct answer_threads){.rows = &idle_main, .count = 1};
    const char *said = sample_write(&format_text, &facts);
    cr_expect(strstr(said, "The 19 slowest") == said, "%s", said);
}
