#include "profile/profile.h"

#include "base/check.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct prof_limit limits[] = {{1000, 10}, {100000, 100}};

static bool is_cheap(uint64_t calls, uint64_t total)
{
    struct prof_method method = {.calls = calls, .total = total};

    return prof_is_cheap(&method, limits, MB_COUNT(limits), 5);
}

/* Of each call 5 units are the probes'. */
Test(throttle, asks_for_many_calls_and_little_time)
{
    cr_expect(is_cheap(1001, 1001 * 14));
    cr_expect(not(is_cheap(1000, 1000 * 14)));
    cr_expect(not(is_cheap(1001, 1001 * 15)));
    cr_expect(is_cheap(100001, 100001 * UINT64_C(104)));
    cr_expect(not(is_cheap(100001, 100001 * UINT64_C(105))));
    cr_expect(is_cheap(1001, 0));
    cr_expect(not(is_cheap(0, 0)));
}

Test(throttle, judges_by_what_was_since_it_last_looked)
{
    struct prof_method method = {.calls = 2000, .total = 2000 * 50};

    cr_expect(not(prof_is_cheap(&method, limits, MB_COUNT(limits), 5)));
    method.calls += 4000;
    method.total += 4000 * 14;
    cr_expect(prof_is_cheap(&method, limits, MB_COUNT(limits), 5));
}

Test(throttle, spares_what_has_mattered)
{
    struct prof_method method = {.calls = 2000, .total = 2000 * 1000};

    (void)prof_is_cheap(&method, limits, MB_COUNT(limits), 5);
    method.calls += 4000;
    method.total += 4000 * 14;
    cr_expect(not(prof_is_cheap(&method, limits, MB_COUNT(limits), 5)));
}
