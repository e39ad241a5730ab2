#include "answer/events.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define SECOND INT64_C(1000000000)

static const struct answer_facts facts = {
    .process.wall_start_ns = 1000000 * SECOND,
    .process.monotonic_start_ns = 50 * SECOND,
    .process.mapping_hash = 7,
};

static const struct place_case {
    const char *what;
    struct answer_when when;
    bool is_there;
    struct answer_place place;
} cases[] = {
    {"within", {52 * SECOND, SECOND, ANSWER_UNKNOWN, 0, {0}}, true, {2 * SECOND, SECOND}},
    {"it had begun before",
     {49 * SECOND, 3 * SECOND, ANSWER_UNKNOWN, 0, {0}},
     true,
     {0, 2 * SECOND}},
    {"it was over before", {40 * SECOND, SECOND, ANSWER_UNKNOWN, 0, {0}}, false, {0, 0}},
    {"it came behind", {61 * SECOND, SECOND, ANSWER_UNKNOWN, 0, {0}}, false, {0, 0}},
    {"it lasts too long", {52 * SECOND, INT64_MAX, ANSWER_UNKNOWN, 0, {0}}, false, {0, 0}},
    {"nobody knows when", {ANSWER_UNKNOWN, SECOND, ANSWER_UNKNOWN, 0, {0}}, false, {0, 0}},
    {"its time is that of the boot",
     {52 * SECOND, SECOND, 1000003000, 0, {0}},
     true,
     {2 * SECOND, SECOND}},
    {"somebody set the clock",
     {52 * SECOND, SECOND, 1000043000, 0, {0}},
     true,
     {2 * SECOND, SECOND}},
    {"it is of another boot", {52 * SECOND, SECOND, 1000203000, 0, {0}}, false, {0, 0}},
    {"it is of no time", {52 * SECOND, SECOND, INT64_MAX, 0, {0}}, false, {0, 0}},
    {"it is of this program", {50 * SECOND, 0, ANSWER_UNKNOWN, 7, {0}}, true, {0, 0}},
    {"it is of another program", {50 * SECOND, 0, ANSWER_UNKNOWN, 8, {0}}, false, {0, 0}},
};

Test(when, it_was_shows_by_all_clocks)
{
    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        struct answer_place place = {0};
        bool is_there = answer_find_place(&facts.process, &cases[i].when, 10 * SECOND, &place);
        cr_expect(eq(int, is_there, cases[i].is_there), "%s", cases[i].what);
        cr_expect(eq(u64, place.start_ns, cases[i].place.start_ns), "%s", cases[i].what);
        cr_expect(eq(u64, place.duration_ns, cases[i].place.duration_ns), "%s", cases[i].what);
    }
}

Test(when, a_trace_without_clocks_tells_nothing)
{
    const struct answer_facts none = {.process.wall_start_ns = 1};
    const struct answer_when when = {SECOND, SECOND, ANSWER_UNKNOWN, 0, {0}};
    struct answer_place place;

    cr_expect(not(answer_find_place(&none.process, &when, UINT64_MAX, &place)));
}

/* Whatever a damaged file says. */
Test(when, no_time_is_too_large)
{
    const int64_t times[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
    size_t count = MB_COUNT(times);

    for (size_t i = 0; i < count * count * count * count; i++) {
        const struct answer_facts any = {.process.wall_start_ns = times[i % count],
                                         .process.monotonic_start_ns = times[i / count % count]};
        const struct answer_when when = {times[i / count / count % count],
                                         times[i / count / count / count],
                                         times[i % count],
                                         0,
                                         {0}};
        struct answer_place place = {0};
        (void)answer_find_place(&any.process, &when, UINT64_MAX, &place);
        cr_expect(le(u64, place.start_ns, INT64_MAX));
    }
}
