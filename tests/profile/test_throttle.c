#include "recorder/profile/profile.h"

#include "abi/record.h"
#include "base/check.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define STEP_NS 5000000

static const struct prof_judge judge = {
    .ns_per_unit = 1,
    .step_ns = STEP_NS,
    .probe_ns = 5,
    .cost_ns = 20,
    .least_ns = 300,
    .run_units = UINT64_C(1000000000),
};

/* Calls of which so many are exact, all of the same length. */
static void add_calls(struct prof_method *method, uint32_t exact, uint64_t calls, uint64_t own)
{
    method->calls += calls;
    method->own += calls * own;
    method->total += calls * own;
    method->exact_calls += exact;
    method->exact_own += exact * own;
    method->exact_squares += exact * own * own;
}

static enum prof_verdict judge_calls(uint32_t exact, uint64_t calls, uint64_t own)
{
    struct prof_method method = {0};

    add_calls(&method, exact, calls, own);
    return prof_judge_method(&method, &judge);
}

/* Of each call 5 ns are the probes'. */
Test(throttle, asks_for_little_time)
{
    cr_expect(eq(int, judge_calls(256, 1024, 304), PROF_CHEAP));
    cr_expect(eq(int, judge_calls(256, 1024, 305), PROF_WORTH));
    cr_expect(eq(int, judge_calls(256, 1024, 0), PROF_CHEAP));
    cr_expect(eq(int, judge_calls(0, 0, 0), PROF_UNSURE));
}

/* The clock of 5 ms has not stepped once in 20,000 calls of 4000 ns that run beside others. */
Test(throttle, is_unsure_without_evidence)
{
    struct prof_method method = {.calls = 20000};

    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_UNSURE));
    method.exact_calls = 39;
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_UNSURE));
    method.exact_calls = 40;
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_CHEAP));
    cr_expect(eq(u64, method.muted_since, 0));
}

/* Without a step the mean is 0, give or take one step: a third of the limit in 50,000 calls. */
Test(throttle, takes_steps_of_the_clock_for_samples)
{
    struct prof_method method = {.calls = 49000};

    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_UNSURE));
    method.calls = 50000;
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_CHEAP));
}

/* Near the limit it takes more of them. */
Test(throttle, asks_for_more_evidence_near_the_limit)
{
    struct prof_method method = {.calls = 2000, .exact_calls = 100};

    method.exact_own = 100 * 250;
    method.exact_squares = UINT64_C(100) * 1000 * 250; /* a quarter take 1000 ns */
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_UNSURE));
    method.exact_calls = 256;
    method.exact_own = 256 * 250;
    method.exact_squares = UINT64_C(256) * 1000 * 250;
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_CHEAP));
}

/* One call in a thousand takes 5 ms: no exact one, but the clock stepped in them. */
Test(throttle, sees_the_few_that_take_long)
{
    struct prof_method method = {.calls = 2000, .exact_calls = 100, .own = 10000000};

    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_WORTH));
}

Test(throttle, begins_its_evidence_anew_when_calls_have_doubled)
{
    struct prof_method method = {0};

    add_calls(&method, 256, 2000, 4000);
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_WORTH));
    cr_expect(eq(u32, method.exact_calls, 0));
    add_calls(&method, 256, 4000, 200);
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_CHEAP));
}

/* A twentieth of the run is in it, and what it costs is less than a 200th: up to 250,000 calls. */
Test(throttle, spares_what_much_of_the_run_is_in)
{
    struct prof_method method = {.total = 50000000};

    add_calls(&method, 256, 200000, 6);
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_WORTH));
    add_calls(&method, 256, 51000, 6);
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_CHEAP));
    method = (struct prof_method){.total = 47000000};
    add_calls(&method, 256, 200000, 6);
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_CHEAP));
}

/* How long they take is told of each of them. */
Test(throttle, spares_requests_beside_which_a_probe_is_nothing)
{
    struct prof_method method = {.total = 400 * 100000, .kind = 1};

    add_calls(&method, 256, 400, 6);
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_WORTH));
    method = (struct prof_method){.total = 400 * 90000, .kind = 1};
    add_calls(&method, 256, 400, 6);
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_CHEAP));
}

/* Without its catch nobody knows when the calls ended that the exception left. */
Test(throttle, spares_what_has_caught_since_its_evidence_began)
{
    struct prof_method method = {.has_caught = true};

    add_calls(&method, 256, 2000, 1);
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_WORTH));
    add_calls(&method, 256, 2000, 1);
    cr_expect(eq(int, prof_judge_method(&method, &judge), PROF_CHEAP));
}

/* What is shorter than the clock's unit is judged all the same. */
Test(throttle, judges_calls_shorter_than_a_unit)
{
    struct prof_judge units = judge;
    struct prof_method method = {.calls = 300000, .own = 6000, .exact_calls = 256};

    units.ns_per_unit = 1000;
    units.run_units = 10000;
    method.exact_own = 5;
    method.exact_squares = 5;
    cr_expect(eq(int, prof_judge_method(&method, &units), PROF_CHEAP));
    method.exact_own = 256;
    method.exact_squares = 256;
    cr_expect(eq(int, prof_judge_method(&method, &units), PROF_WORTH));
}

/* A method with a node below an outermost call that runs, one below a call that is over, and one of
 * its own. */
Test(throttle, a_mute_notes_how_long_its_callers_ran)
{
    static struct abi_profile_node nodes[8];
    struct abi_trace_section section = {.capacity = 8};
    struct abi_profile_thread row = {0};
    struct prof_lane lane;
    struct prof_tree tree;
    const uint64_t words[] = {abi_record(1, true, 10),  abi_record(5, true, 20),
                              abi_record(5, false, 21), abi_record(1, false, 40),
                              abi_record(2, true, 50),  abi_record(5, true, 60),
                              abi_record(5, false, 61)};

    cr_assert(prof_tree_init(&tree, &section, nodes));
    tree.capacity = 8;
    cr_assert(prof_lane_init(&lane, &row, 0));
    prof_feed(&tree, &lane, words, MB_COUNT(words), 100);
    prof_mute(&tree, 5, 150);
    cr_expect(eq(u64, tree.methods[5].muted_since, 151));
    cr_expect(eq(u64, nodes[1].caller_time, 30));
    cr_expect(eq(u64, nodes[3].caller_time, 100));
    cr_expect(eq(u64, nodes[0].caller_time + nodes[2].caller_time, 0));
    prof_lane_finish(&lane);
    prof_tree_finish(&tree);
}
