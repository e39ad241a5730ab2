#include "sample.h"

#include "answer/diff.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define MS INT64_C(1000000)

/* Threads of one run each, and reports of them: a unit is a millisecond. */
static struct answer_thread make_thread(int64_t wall_ms, int64_t cpu_ms)
{
    return (struct answer_thread){
        .name = MB_TEXT("main"),
        .is_main = true,
        .is_profiled = true,
        .time.has_cpu = cpu_ms > 0,
        .calls = 1,
        .time.end_ns = (uint64_t)(wall_ms * MS),
        .time.busy_ns = wall_ms * MS,
        .time.cpu_ns = cpu_ms * MS,
    };
}

static struct answer_facts make_report(const struct answer_thread *thread)
{
    struct answer_facts facts = sample_report;

    facts.clock.ns_per_unit = (uint64_t)MS << 32 | 1;
    facts.recording.has_profile = true;
    facts.threads.rows = thread;
    facts.threads.count = 1;
    facts.methods.count = 0;
    return facts;
}

static struct answer_diff compare(const struct answer_thread *old, const struct answer_thread *new)
{
    struct answer_facts before = make_report(old);
    struct answer_facts facts = make_report(new);
    struct answer_diff diff = {0};

    answer_diff_runs(&diff, &before, &facts);
    return diff;
}

static bool is_near(double value, double wanted)
{
    return value > wanted - 0.05 && value < wanted + 0.05;
}

Test(diff, only_what_is_beyond_the_usual_noise_is_certain)
{
    const struct answer_thread old = make_thread(10000, 8000);
    const struct answer_thread slower = make_thread(10000, 10000);
    const struct answer_thread as_before = make_thread(10400, 7700);

    struct answer_diff diff = compare(&old, &slower);
    cr_expect(eq(i64, diff.cpu.change_ns, 2000 * MS));
    cr_expect(eq(i64, diff.cpu.certain_ns, 1500 * MS));
    cr_expect(is_near(diff.cpu.percent, 25) && is_near(diff.cpu.certain_percent, 18.75));
    cr_expect(eq(i64, diff.wall.certain_ns, 0));
    cr_expect(is_near(answer_diff_slower(&diff), 18.75));
    diff = compare(&slower, &old);
    cr_expect(eq(i64, diff.cpu.certain_ns, -1500 * MS));
    cr_expect(is_near(answer_diff_slower(&diff), 0));
    diff = compare(&old, &as_before);
    cr_expect(eq(i64, diff.cpu.certain_ns, 0));
    cr_expect(eq(i64, diff.wall.certain_ns, 0));
}

Test(diff, time_without_a_processor_and_recording_are_no_change)
{
    struct answer_thread old = make_thread(10000, 8000);
    struct answer_thread new = make_thread(20000, 12000);

    old.time.waited_ns = 1000 * MS;
    new.time.waited_ns = 9000 * MS;
    new.losses = &(struct answer_losses){.read.words = 200 * 1000 *
                                                       1000}; /* of 10 ns, with the finer clock */
    struct answer_diff diff = compare(&old, &new);
    cr_expect(eq(i64, diff.recording_ns, 4000 * MS));
    cr_expect(eq(i64, diff.ready_ns, 16000 * MS));
    cr_expect(eq(i64, diff.cpu.certain_ns, 0));
    cr_expect(eq(i64, diff.wall.certain_ns, 0));
}

/* What threads waited for is as much part of a run as what they did. */
Test(diff, a_longer_wait_is_a_change_where_it_is_known_apart)
{
    struct answer_thread old = make_thread(10000, 8000);
    struct answer_thread new = make_thread(20000, 8000);

    old.time.knows_ready = new.time.knows_ready = true;
    old.time.waited_ns = 1000 * MS;
    new.time.waited_ns = 10500 * MS;
    old.time.ready_ns = 100 * MS;
    new.time.ready_ns = 600 * MS;
    struct answer_diff diff = compare(&old, &new);
    cr_expect(eq(i64, diff.ready_ns, 1000 * MS));
    cr_expect(eq(i64, diff.wall.certain_ns, (10000 - 1000 - 1000) * MS));
}

Test(diff, what_is_not_known_is_not_judged)
{
    const struct answer_thread old = make_thread(10000, 0);
    struct answer_thread new = make_thread(20000, 12000);

    struct answer_diff diff = compare(&old, &new);
    cr_expect(not(diff.old.has_cpu));
    cr_expect(diff.new.has_cpu);
    cr_expect(eq(i64, diff.cpu.change_ns, 0));
    cr_expect(eq(i64, diff.wall.certain_ns, 9000 * MS));
    new.is_profiled = false;
    new.losses = &(struct answer_losses){.lapped_words = 5};
    diff = compare(&old, &new);
    cr_expect(not(diff.new.is_whole));
    cr_expect(eq(i64, diff.wall.change_ns, 0));
    cr_expect(lt(dbl, answer_diff_slower(&diff), 0));
}

/* ---- Methods ---- */

enum { COUNT = 12 };

static struct mb_text letters(const void *context, uint32_t id)
{
    static const char text[] = "abcdefghijklmnop";

    (void)context;
    return (struct mb_text){text + id - 1, 1};
}

struct both {
    struct trace_method old[COUNT];
    struct trace_method new[COUNT];
    struct answer_facts before;
    struct answer_facts facts;
};

/* Methods of a second each, in both runs. */
static void make_both(struct both *both, const struct answer_thread *thread)
{
    both->before = make_report(thread);
    both->facts = make_report(thread);
    for (uint32_t i = 0; i < COUNT; i++) {
        both->old[i] = (struct trace_method){.id = i + 1, .calls = 1, .total = 1000, .self = 1000};
        both->new[i] = both->old[i];
    }
    both->before.methods.rows = both->old;
    both->facts.methods.rows = both->new;
    both->before.methods.count = both->facts.methods.count = COUNT;
    both->before.methods.names.find = both->facts.methods.names.find = letters;
}

/* What is told, as letters: capitals for what became slower. */
static void expect_told(const struct both *both, const char *told, size_t little, size_t noise,
                        size_t explained)
{
    struct answer_diff diff = {0};
    char found[COUNT + 1] = "";

    answer_diff_make(&diff, &both->before, &both->facts);
    const struct answer_pair *pairs = diff.pairs.items;
    cr_assert(le(sz, diff.certain, COUNT));
    for (size_t i = 0; i < diff.certain; i++) {
        bool is_slower = answer_pair_change(&pairs[i]) > 0;
        found[i] = (char)((is_slower ? 'A' : 'a') + (int)pairs[i].id - 1);
    }
    cr_expect_str_eq(found, told);
    cr_expect(eq(sz, diff.little, little));
    cr_expect(eq(sz, diff.noise, noise));
    cr_expect(eq(sz, diff.explained, explained));
    answer_diff_finish(&diff);
}

Test(diff, methods_are_told_beyond_a_share_of_their_time_and_of_the_run)
{
    const struct answer_thread thread = make_thread(12000, 12000);
    struct both both;

    make_both(&both, &thread);
    both.new[0].self = 1300;
    both.new[1].self = 800;
    both.new[2].self = 1045;
    both.new[3].self = 1001;
    expect_told(&both, "Ab", 1, 1, 0);
    for (size_t i = 4; i < COUNT; i++) { /* now all differ by 10 % */
        both.new[i].self = i % 2 == 0 ? 1100 : 900;
    }
    expect_told(&both, "Ab", 1, 9, 0);
    both.old[0].self = 20000; /* by less than 10 %, and more than 5 % of the run */
    both.new[0].self = 21900;
    expect_told(&both, "Ab", 2, 8, 0);
}

/* The run was without a processor for 1.5 s more, of 12 s: each method may have been for twice that
 * share of its time, unless CPU time tells. */
Test(diff, what_the_run_waited_for_a_processor_each_method_may_have)
{
    struct answer_thread old = make_thread(12000, 12000);
    struct answer_thread new = old;
    struct both both;

    make_both(&both, &old);
    new.time.knows_ready = true;
    new.time.ready_ns = 1500 * MS;
    both.facts.threads.rows = &new;
    both.new[0].self = 1450;
    both.new[1].self = 1600;
    old.time.has_cpu = new.time.has_cpu = false;
    expect_told(&both, "B", 0, 1, 0);
    new.time.ready_ns = 0;
    expect_told(&both, "BA", 0, 0, 0);
}

/* a calls b, which is muted. */
static void mute_b(struct answer_methods *methods, const struct answer_mute *mute,
                   const struct answer_held *held)
{
    methods->mutes = mute;
    methods->held = held;
    methods->mute_count = methods->held_count = 1;
}

/* a calls b, which is muted in one run and not in the other: 489 ms are the callee's there, the
 * caller's here, and c changed. */
Test(diff, time_of_muted_methods_is_no_change_of_their_callers)
{
    const struct answer_held held = {1, 2, 11};
    const struct answer_mute mute = {.id = 2, .calls = 11};
    const struct answer_thread thread = make_thread(12000, 12000);
    struct both both;

    make_both(&both, &thread);
    mute_b(&both.facts.methods, &mute, &held);
    both.new[0].self = 1490;
    both.old[1].self = 500;
    both.old[1].calls = 500;
    both.new[1].self = 11;
    both.new[1].calls = 11;
    both.new[2].self = 1900;
    expect_told(&both, "C", 1, 0, 0);
    both.before.methods.mute_count = both.facts.methods.mute_count = 0;
    both.facts.methods.held_count = 0;
    expect_told(&both, "CAb", 0, 0, 0);
}

/* b took 1 ms a call and takes 10; muted after a few calls, the rest of it is in its caller. */
Test(diff, a_method_is_slower_though_it_was_muted)
{
    const struct answer_held held = {1, 2, 20};
    const struct answer_mute mute = {.id = 2, .calls = 20};
    const struct answer_thread thread = make_thread(12000, 12000);
    struct both both;

    make_both(&both, &thread);
    mute_b(&both.facts.methods, &mute, &held);
    both.old[1].calls = 500;
    both.old[1].self = 500;
    both.new[1].calls = 20;
    both.new[1].self = 200;
    both.new[0].self = 5800;
    expect_told(&both, "B", 0, 0, 0);
    mute_b(&both.before.methods, &mute, &held); /* in both, after 50 calls in the old one */
    both.old[1].calls = 50;
    both.old[1].self = 50;
    expect_told(&both, "B", 0, 0, 0);
}

/* Twice the work, and half the processor in the other run: wall times are equal. */
Test(diff, methods_are_compared_by_cpu_time_on_a_busy_machine)
{
    struct answer_thread old = make_thread(12000, 6000);
    struct answer_thread new = make_thread(12000, 12000);
    struct both both;

    make_both(&both, &old);
    both.facts.threads.rows = &new;
    old.time.knows_ready = new.time.knows_ready = true;
    old.time.ready_ns = 6000 * MS;
    for (size_t i = 1; i < COUNT; i++) { /* a alone does more */
        both.old[i].self = 1090;
        both.new[i].self = 545;
    }
    both.old[0].self = 12;
    both.new[0].self = 6000;
    expect_told(&both, "A", COUNT - 1, 0, 0);
}

/* Of both a and b the CPU time differs; calls of a usually take 1.3 times as long, those of b as
 * long as before. c, which makes calls, differs by less than reading the time for these does. d was
 * muted, e has calls of muted methods in it. */
Test(diff, what_calls_usually_take_is_compared_on_a_busy_machine)
{
    static const struct answer_held held[] = {{5, 4, 400}};
    static const struct answer_mute mute = {.id = 4, .calls = 400};
    static const struct answer_usual was[] = {{1, 900, 100e3, 0},
                                              {2, 900, 900e3, 0},
                                              {3, 900, 3000, 20},
                                              {4, 900, 1e6, 0},
                                              {5, 900, 1e6, 1}};
    static const struct answer_usual is[] = {{1, 900, 130e3, 0},
                                             {2, 900, 905e3, 0},
                                             {3, 900, 4000, 20},
                                             {4, 900, 4e6, 0},
                                             {5, 900, 4e6, 1}};
    struct answer_thread thread = make_thread(12000, 12000);
    struct both both;

    make_both(&both, &thread);
    thread.time.knows_ready = true;
    thread.time.ready_ns = 6000 * MS;
    for (size_t i = 0; i < 5; i++) {
        both.old[i].calls = both.new[i].calls = i == 2 ? 100000 : 1000;
    }
    both.new[0].self = 980;
    both.new[1].self = 3900;
    both.new[3].calls = 400;
    both.before.methods.usual = was;
    both.facts.methods.usual = is;
    both.before.methods.usual_count = both.facts.methods.usual_count = 5;
    both.facts.methods.mutes = &mute;
    both.facts.methods.mute_count = both.facts.methods.held_count = 1;
    both.facts.methods.held = held;
    expect_told(&both, "DA", 1, 9, 0);
}

/* Code was compiled later: no calls usually take longer. */
Test(diff, a_little_more_cpu_time_on_a_busy_machine_is_no_change)
{
    struct answer_thread old = make_thread(300, 100);
    struct answer_thread new = make_thread(900, 160);
    struct answer_diff diff = {0};
    struct both both;

    make_both(&both, &old);
    both.facts.threads.rows = &new;
    old.time.knows_ready = new.time.knows_ready = true;
    old.time.ready_ns = 200 * MS;
    new.time.ready_ns = 740 * MS;
    answer_diff_make(&diff, &both.before, &both.facts);
    cr_expect(is_near(answer_diff_slower(&diff), 0));
    answer_diff_finish(&diff);
    new.time.cpu_ns = 260 * MS;
    answer_diff_make(&diff, &both.before, &both.facts);
    cr_expect(gt(dbl, answer_diff_slower(&diff), 20));
    answer_diff_finish(&diff);
}

/* Waits are told after work, and neither those for work nor those that last as long as the run. */
Test(diff, waits_are_apart_from_work)
{
    struct answer_thread old = make_thread(12000, 10000);
    struct answer_thread new = make_thread(15000, 11000);
    struct both both;

    make_both(&both, &old);
    both.facts.threads.rows = &new;
    both.new[0].self = 1900;
    both.new[1].self = both.new[1].waited = 9000;
    both.old[1].waited = both.old[1].self;
    both.new[2].self = both.new[2].waited = both.new[2].idle = 9000;
    both.old[2].self = both.old[2].waited = 8000; /* not found to be for work there */
    both.old[3].self = both.old[3].waited = 120000;
    both.new[3].self = both.new[3].waited = 150000;
    expect_told(&both, "AB", 0, 0, 0);
}

/* The likely cause is named, though it may be noise. */
Test(diff, there_is_a_suspect_where_none_is_certain)
{
    const struct answer_thread thread = make_thread(12000, 12000);
    struct answer_diff diff = {0};
    struct mb_buf out = {0};
    struct both both;

    make_both(&both, &thread);
    both.new[4].self = 1090;
    both.new[5].self = 800;
    answer_diff_make(&diff, &both.before, &both.facts);
    answer_put_suspects(&diff, &out);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((char *)out.bytes, "Perhaps slower methods: e.");
    mb_buf_finish(&out);
    answer_diff_finish(&diff);
}

/* Of a and b the longer time may be less; of c the shorter one, and d is longer all the same. */
Test(diff, time_that_rests_on_inferred_ends_is_no_change)
{
    const struct answer_thread thread = make_thread(12000, 12000);
    struct both both;

    make_both(&both, &thread);
    both.new[0].self = both.new[0].inferred = 1900;
    both.old[1].self = both.old[1].total = 2000;
    both.old[1].inferred = 1950;
    both.new[2].self = 2000;
    both.old[2].inferred = 1000;
    both.new[3].self = 2000;
    both.new[3].inferred = 500;
    expect_told(&both, "CD", 0, 2, 2);
    both.new[0].inferred = both.old[1].inferred = 0;
    expect_told(&both, "bCDA", 0, 0, 0);
}

/* One that the old run does not have has nothing that it usually took there. */
Test(diff, a_muted_method_may_be_new)
{
    static const struct answer_mute mute = {.id = 1, .calls = 11};
    static const struct answer_usual is[] = {{1, 900, 130e3, 0}};
    const struct answer_thread thread = make_thread(12000, 12000);
    struct both both;

    make_both(&both, &thread);
    both.before.methods.rows = &both.old[1];
    both.before.methods.count = COUNT - 1;
    both.facts.methods.mutes = &mute;
    both.facts.methods.mute_count = 1;
    both.facts.methods.usual = is;
    both.facts.methods.usual_count = 1;
    expect_told(&both, "A", 0, 0, 0);
}
