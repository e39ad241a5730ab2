#include "monitor/gaps.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(gaps, count_where_they_lie)
{
    struct mon_gaps gaps = {.count = 0};

    cr_assert(eq(i64, mon_gaps_within(&gaps, 0, 100), 0));
    cr_assert(eq(i64, mon_gaps_add(&gaps, 10, 20), 10));
    cr_assert(eq(i64, mon_gaps_add(&gaps, 30, 60), 30));
    cr_assert(eq(i64, mon_gaps_within(&gaps, 0, 100), 40));
    cr_assert(eq(i64, mon_gaps_within(&gaps, 15, 35), 10), "the end of one, the begin of another");
    cr_assert(eq(i64, mon_gaps_within(&gaps, 20, 30), 0));
    cr_assert(eq(i64, mon_gaps_within(&gaps, 40, 50), 10));
    cr_assert(eq(i64, mon_watched(&gaps, 15, 35), 10));
    cr_assert(eq(i64, mon_watched(&gaps, 35, 15), 0));
}

Test(gaps, do_not_count_twice)
{
    struct mon_gaps gaps = {.count = 0};

    (void)mon_gaps_add(&gaps, 10, 20);
    cr_assert(eq(i64, mon_gaps_add(&gaps, 15, 25), 5));
    cr_assert(eq(i64, mon_gaps_add(&gaps, 12, 22), 0));
    cr_assert(eq(i64, mon_gaps_within(&gaps, 0, 100), 15));
}

Test(gaps, the_oldest_goes)
{
    struct mon_gaps gaps = {.count = 0};

    for (int64_t i = 0; i < MON_GAP_COUNT + 1; i++) {
        (void)mon_gaps_add(&gaps, i * 10, i * 10 + 1);
    }
    cr_assert(eq(i64, mon_gaps_within(&gaps, 0, 10), 0));
    cr_assert(eq(i64, mon_gaps_within(&gaps, 0, 100000), MON_GAP_COUNT));
}
