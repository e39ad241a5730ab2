#include "answer/cost.h"
#include "sample.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define ONE_NS (UINT64_C(1) << 32 | 1)

/* 2.5 times the mean of the cheapest leaf with many calls. */
Test(overhead, learns_what_a_probe_costs)
{
    struct trace_node nodes[] = {
        {.id = 1, .parent = TRACE_NO_NODE, .calls = 1, .total = 900000, .own = 0},
        {.id = 2, .parent = 0, .calls = 4999, .total = 100000, .own = 5000},
        {.id = 3, .parent = 1, .calls = 1999, .total = 60000, .own = 60000},
        {.id = 4, .parent = 0, .calls = 10, .total = 20, .own = 20},
    };
    struct answer_thread thread = {0};
    struct answer_clock clock = {.ns_per_unit = ONE_NS};
    const struct answer_threads all = {.rows = &thread, .count = 1};

    cr_expect(eq(int, (int)(answer_probe_ns(&clock, &all) + 0.1), 20), "no leaf: what is usual");
    thread.nodes = nodes;
    thread.node_count = MB_COUNT(nodes);
    cr_expect(eq(int, (int)(answer_probe_ns(&clock, &all) + 0.1), 75));
    nodes[2].own = nodes[2].total = 1;
    cr_expect(eq(int, (int)(answer_probe_ns(&clock, &all) + 0.1), 10), "not next to nothing");
    nodes[2].own = nodes[2].total = 1000000000;
    cr_expect(eq(int, (int)(answer_probe_ns(&clock, &all) + 0.1), 20), "no cheap leaf");
    clock.is_coarse = true;
    cr_expect(eq(int, (int)(answer_probe_ns(&clock, &all) + 0.1), 8));
}

/* Those of all threads; those that are lost have cost as much as the others, and what a profile has
 * not seen took part of its time. */
Test(overhead, counts_all_records)
{
    const struct answer_thread threads[] = {
        {.losses = &(struct answer_losses){.read.words = 2, .lapped_words = 5}},
        {.losses = &(struct answer_losses){.read.words = 7}},
        {.losses =
             &(struct answer_losses){.read.words = 100, .lapped_words = 90, .unseen_words = 30},
         .is_profiled = true},
    };
    struct answer_clock clock = {.ns_per_unit = ONE_NS};
    struct answer_threads all = {.rows = threads, .count = 2};

    cr_expect(eq(i64, answer_overhead_ns(&clock, &all), (2 + 5 + 7) * 10));
    cr_expect(eq(i64, answer_shown_overhead_ns(&clock, &all), 90));
    all.count = 3;
    cr_expect(eq(i64, answer_overhead_ns(&clock, &all), (2 + 5 + 7 + 100 + 30) * 10));
    clock.is_coarse = true;
    cr_expect(eq(i64, answer_shown_overhead_ns(&clock, &all), (109 + 30) * 4));
}

/* Java's first records are made by an interpreter, and all are where there is no compiler. */
Test(overhead, charges_records_before_the_compiler)
{
    const struct answer_thread thread = {.losses = &(struct answer_losses){.read.words = 1000}};
    struct answer_clock clock = {.is_coarse = true,
                                 .ns_per_unit = ONE_NS,
                                 .slow_record_ns = 1500,
                                 .slow_words = 99,
                                 .quick_words = 900};
    const struct answer_threads all = {.rows = &thread, .count = 1};

    cr_expect(eq(i64, answer_overhead_ns(&clock, &all), 300 * 1500 + 700 * 4),
              "between the two looks");
    cr_expect(eq(int, (int)(answer_probe_ns(&clock, &all) + 0.1), 8));
    clock.quick_words = 1000000;
    cr_expect(eq(i64, answer_overhead_ns(&clock, &all), 1000 * 1500), "no more than there are");
    clock.quick_words = 0;
    cr_expect(eq(i64, answer_overhead_ns(&clock, &all), 1000 * 1500), "never quick");
    cr_expect(eq(int, (int)(answer_probe_ns(&clock, &all) + 0.1), 3000));
    clock.slow_record_ns = 1;
    cr_expect(eq(i64, answer_overhead_ns(&clock, &all), 4000), "measured less than what it can be");
}

/* With the finer clock the cheapest leaf tells also that. */
Test(overhead, believes_a_leaf_as_far_as_what_was_measured)
{
    const struct trace_node leaf = {
        .id = 2, .parent = 0, .calls = 1999, .total = 600000, .own = 600000};
    const struct answer_thread thread = {.nodes = &leaf, .node_count = 1};
    struct answer_clock clock = {.ns_per_unit = ONE_NS, .slow_record_ns = 500};
    const struct answer_threads all = {.rows = &thread, .count = 1};

    cr_expect(eq(int, (int)(answer_probe_ns(&clock, &all) + 0.1), 750));
    clock.slow_record_ns = 200;
    cr_expect(eq(int, (int)(answer_probe_ns(&clock, &all) + 0.1), 400));
    clock.quick_words = 5;
    cr_expect(eq(int, (int)(answer_probe_ns(&clock, &all) + 0.1), 20));
}

/* ---- In words ---- */

static struct answer_facts report_of(const struct answer_thread *thread)
{
    struct answer_facts facts = sample_report;

    facts.threads.rows = thread;
    return facts;
}

static void put_overhead(const struct answer_facts *facts, const struct format_look *look,
                         struct mb_buf *out)
{
    (void)look;
    const struct answer_voice voice = {.names = &facts->methods.names};
    struct answer_findings findings = {0};

    answer_find_overhead(&findings, &facts->clock, &facts->threads);
    answer_put_sentences(out, &findings, &voice);
    mb_buf_put_u1(out, '\n');
    answer_findings_finish(&findings);
}

/* What it does not hold. */
#define LARGER_CODE "; the code around them cost other programs 5 to 60 % more CPU time\n"

Test(overhead, is_told_by_the_usual_record)
{
    struct answer_thread busy = sample_thread;
    const struct answer_facts facts = report_of(&busy);

    busy.losses = &(struct answer_losses){.read.words = 20000000}; /* 200 ms of 1 s */
    sample_expect_put(
        put_overhead, &facts,
        "probes took about 200 ms, 20.0 % of the time here (10 ns per record)" LARGER_CODE);
}

/* Of the coarse clock no method tells what a probe takes. */
Test(overhead, is_less_with_the_coarse_clock)
{
    struct answer_thread busy = sample_thread;
    struct answer_facts facts = report_of(&busy);

    facts.clock.is_coarse = true;
    busy.losses = &(struct answer_losses){.read.words = 20000000}; /* 80 ms of 1 s */
    sample_expect_put(
        put_overhead, &facts,
        "probes took about 80.0 ms, 8.0 % of the time here (4 ns per record)" LARGER_CODE);
}

Test(overhead, has_what_was_measured_before_the_compiler)
{
    struct answer_thread busy = sample_thread;
    struct answer_facts facts = report_of(&busy);

    facts.clock.is_coarse = true;
    facts.clock.slow_record_ns = 1500;
    facts.clock.slow_words = 99;
    facts.clock.quick_words = 900;
    busy.losses = &(struct answer_losses){.read.words = 10000300}; /* 0.45 ms and 40 ms of 1 s */
    sample_expect_put(
        put_overhead, &facts,
        "probes took about 40.4 ms, 4.0 % of the time here (4 ns per record)" LARGER_CODE);
    facts.clock.quick_words = 0;
    busy.losses = &(struct answer_losses){.read.words = 100000};
    sample_expect_put(
        put_overhead, &facts,
        "probes took about 150 ms, 15.0 % of the time here (1.50 us per record)" LARGER_CODE);
}

/* Of what a thread waits, recording takes nothing. */
Test(overhead, is_a_share_of_the_work)
{
    struct answer_thread waits = sample_thread;
    struct answer_facts facts = report_of(&waits);

    waits.losses = &(struct answer_losses){.read.words = 5000000};
    waits.time.waited_ns = 900000000;
    sample_expect_put(
        put_overhead, &facts,
        "probes took about 50.0 ms, 50.0 % of the time here (10 ns per record)" LARGER_CODE);
}

/* Which is known better where others had the processors. */
Test(overhead, is_a_share_of_the_processors_time)
{
    struct answer_thread lacks = sample_thread;
    const struct answer_facts facts = report_of(&lacks);

    lacks.losses = &(struct answer_losses){.read.words = 5000000};
    lacks.time.has_cpu = true;
    lacks.time.cpu_ns = 200000000;
    sample_expect_put(
        put_overhead, &facts,
        "probes took about 50.0 ms, 25.0 % of the time here (10 ns per record)" LARGER_CODE);
    lacks.time.cpu_ns = 2000000000; /* outside of calls, too */
    sample_expect_put(
        put_overhead, &facts,
        "probes took about 50.0 ms, 5.0 % of the time here (10 ns per record)" LARGER_CODE);
    lacks.time.cpu_ns = 30000000; /* what is reckoned is never more than that */
    sample_expect_put(
        put_overhead, &facts,
        "probes took about 30.0 ms, 100.0 % of the time here (10 ns per record)" LARGER_CODE);
}

/* What is not in the report took its time as well. */
Test(overhead, counts_records_that_are_lost)
{
    struct answer_thread lost = sample_thread;
    struct answer_facts facts = report_of(&lost);

    struct answer_losses losses = {.read.words = 1000000, .lapped_words = 2000000};
    lost.losses = &losses;
    sample_expect_put(
        put_overhead, &facts,
        "probes took about 30.0 ms, 1.0 % of the time here (10 ns per record)" LARGER_CODE);
    lost.is_profiled = true; /* then those of the ring are among the others */
    losses.unseen_words = 3000000;
    sample_expect_put(
        put_overhead, &facts,
        "probes took about 40.0 ms, 4.0 % of the time here (10 ns per record)" LARGER_CODE);
}
