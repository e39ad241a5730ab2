#include "recorder/pauses.h"

#include "abi/tracefile.h"
#include "base/check.h"
#include "base/clock.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct stat_case {
    const char *what;
    const char *text;
    bool is_limited;
    uint64_t throttled_ns;
} stat_cases[] = {
    {"the second version",
     "usage_usec 9\nuser_usec 5\nnr_periods 12\nnr_throttled 6\nthrottled_usec 256203\n", true,
     256203000},
    {"the first", "nr_periods 12\nnr_throttled 6\nthrottled_time 256203797\nnr_bursts 0\n", true,
     256203797},
    {"no limit", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n", false, 0},
    {"of a group without a controller", "usage_usec 9\nuser_usec 5\n", false, 0},
    {"another name", "nr_periods 3\nxthrottled_usec 5\n", false, 0},
    {"nothing", "", false, 0},
};

Test(pauses, of_a_container_are_in_its_statistics)
{
    for (size_t i = 0; i < MB_COUNT(stat_cases); i++) {
        const struct stat_case *c = &stat_cases[i];
        uint64_t throttled_ns = 0;
        cr_expect(eq(int, beat_pauses_parse(c->text, &throttled_ns), c->is_limited), "%s", c->what);
        cr_expect(eq(u64, throttled_ns, c->throttled_ns), "%s", c->what);
    }
}

Test(pauses, are_kept_if_they_are_long_and_of_the_session)
{
    struct abi_profile_pause rows[2] = {{0}};
    struct abi_trace_section section = {.capacity = 2};
    struct beat_pauses pauses = {.section = &section, .rows = rows, .room = 2};
    const struct abi_trace_header header = {.ns_per_unit = abi_ns_per_unit(1, 1),
                                            .monotonic_start_ns = 1000 * MB_NS_PER_MS};

    beat_pause_note(ABI_PAUSE_COLLECTION, 1005 * MB_NS_PER_MS, 1030 * MB_NS_PER_MS);
    beat_pause_note(ABI_PAUSE_COLLECTION, 1050 * MB_NS_PER_MS, 1050 * MB_NS_PER_MS + 9);
    beat_pause_note(ABI_PAUSE_COLLECTION, 10 * MB_NS_PER_MS, 20 * MB_NS_PER_MS);
    beat_pause_note(ABI_PAUSE_COLLECTION, 990 * MB_NS_PER_MS, 1010 * MB_NS_PER_MS);
    beat_pause_note(ABI_PAUSE_COLLECTION, 1990 * MB_NS_PER_MS, 2010 * MB_NS_PER_MS);
    beat_pauses_take(&pauses, &header, 0);
    cr_assert(eq(u64, section.written, 2));
    cr_expect(eq(u64, section.lost, 1), "without room");
    cr_expect(eq(u64, rows[0].start, 5 * MB_NS_PER_MS));
    cr_expect(eq(u64, rows[0].length, 25 * MB_NS_PER_MS));
    cr_expect(eq(u64, rows[0].kind, ABI_PAUSE_COLLECTION));
    cr_expect(eq(u64, rows[1].start, 0), "it began before the session");
    cr_expect(eq(u64, rows[1].length, 10 * MB_NS_PER_MS));
}

/* The keeper of a test is awake: what it is late by is not its own work. */
Test(pauses, are_those_of_a_process_that_was_stopped)
{
    struct abi_profile_pause rows[2] = {{0}};
    struct abi_trace_section section = {.capacity = 2};
    struct beat_pauses pauses = {.section = &section, .rows = rows, .room = 2};
    const struct abi_trace_header header = {.ns_per_unit = abi_ns_per_unit(1, 1)};

    beat_pauses_take(&pauses, &header, 0);
    bool knows_queue = pauses.self.knows_queue;
    beat_pauses_take(&pauses, &header, 100 * MB_NS_PER_MS);
    cr_expect(eq(u64, section.written, 0));
    beat_pauses_take(&pauses, &header, 900 * MB_NS_PER_MS);
    cr_expect(eq(u64, section.written, knows_queue));
    if (knows_queue) {
        cr_expect(eq(u64, rows[0].kind, ABI_PAUSE_STOPPED));
        cr_expect(gt(u64, rows[0].length, 700 * MB_NS_PER_MS));
    }
}
