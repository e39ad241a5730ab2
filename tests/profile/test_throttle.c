#include "profile/profile.h"

#include "abi/record.h"
#include "base/check.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct prof_judge judge = {
    .ns_per_unit = 1,
    .probe_ns = 5,
    .cost_ns = 20,
    .least_ns = 300,
    .run_units = UINT64_C(1000000000),
};

static bool is_cheap(uint64_t calls, uint64_t own)
{
    struct prof_method method = {.calls = calls, .own = own, .total = own};

    return prof_is_cheap(&method, &judge);
}

/* Of each call 5 ns are the probes'. */
Test(throttle, asks_for_little_time)
{
    cr_expect(is_cheap(1024, 1024 * 304));
    cr_expect(not(is_cheap(1024, 1024 * 305)));
    cr_expect(is_cheap(1024, 0));
    cr_expect(not(is_cheap(0, 0)));
}

Test(throttle, judges_by_what_was_since_it_last_looked)
{
    struct prof_method method = {.calls = 2000, .own = 2000 * 400};

    cr_expect(not(prof_is_cheap(&method, &judge)));
    method.calls += 4000;
    method.own += 4000 * 304;
    cr_expect(prof_is_cheap(&method, &judge));
}

/* A twentieth of the run is in it, and what it costs is less than a 200th: up to 250,000 calls. */
Test(throttle, spares_what_much_of_the_run_is_in)
{
    struct prof_method method = {.calls = 200000, .own = UINT64_C(1200000), .total = 50000000};

    cr_expect(not(prof_is_cheap(&method, &judge)));
    method.calls += 51000;
    method.own += UINT64_C(306000);
    cr_expect(prof_is_cheap(&method, &judge));
    method = (struct prof_method){.calls = 200000, .own = UINT64_C(1200000), .total = 49000000};
    cr_expect(prof_is_cheap(&method, &judge));
}

/* Without its catch nobody knows when the calls ended that the exception left. */
Test(throttle, spares_what_has_caught_since_it_last_looked)
{
    struct prof_method method = {.calls = 2000, .own = 2000, .has_caught = true};

    cr_expect(not(prof_is_cheap(&method, &judge)));
    method.calls += 2000;
    method.own += 2000;
    cr_expect(prof_is_cheap(&method, &judge));
}

/* As above, but for the clock: what is shorter than its unit is judged all the same. */
Test(throttle, judges_calls_shorter_than_a_unit)
{
    struct prof_judge coarse = judge;
    struct prof_method method = {.calls = 300000, .own = 6000, .total = 6000};

    coarse.ns_per_unit = 1000;
    coarse.run_units = 10000;
    cr_expect(prof_is_cheap(&method, &coarse));
    method = (struct prof_method){.calls = 300000, .own = 1200000, .total = 60000};
    cr_expect(not(prof_is_cheap(&method, &coarse)));
    method = (struct prof_method){.calls = 2000, .own = 20, .total = 600};
    cr_expect(not(prof_is_cheap(&method, &coarse)));
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
