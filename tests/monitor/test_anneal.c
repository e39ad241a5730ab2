#include "monitor/stall.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(anneal, looks_at_the_same_stack_less_and_less)
{
    static const uint32_t looks[] = {0, 1, 3, 6, 11, 19, 32};
    struct mon_anneal anneal = {0};
    uint32_t at = 0;

    cr_assert(eq(int, mon_anneal_look(&anneal, 7, 3), MON_LOOK_NEW));
    for (uint32_t i = 1; i < 7; i++) {
        at += anneal.interval;
        cr_assert(eq(u32, at, looks[i]));
        cr_assert(eq(int, mon_anneal_look(&anneal, 7, 3), MON_LOOK_SAME));
    }
}

Test(anneal, starts_anew_with_another_stack)
{
    struct mon_anneal anneal = {0};

    for (int i = 0; i < 5; i++) {
        (void)mon_anneal_look(&anneal, 7, 3);
    }
    cr_assert(eq(int, mon_anneal_look(&anneal, 8, 3), MON_LOOK_NEW));
    cr_assert(eq(u32, anneal.interval, 1));
    cr_assert(eq(int, mon_anneal_look(&anneal, 8, 3), MON_LOOK_SAME));
    cr_assert(eq(u32, anneal.interval, 2));
    cr_assert(eq(int, mon_anneal_look(&anneal, 7, 3), MON_LOOK_NEW), "only the last is known");
}

Test(anneal, learns_nothing_from_one_frame)
{
    struct mon_anneal anneal = {0};

    cr_assert(eq(int, mon_anneal_look(&anneal, 7, 1), MON_LOOK_MEANINGLESS));
    cr_assert(eq(int, mon_anneal_look(&anneal, 7, 0), MON_LOOK_MEANINGLESS));
    cr_assert(eq(u32, anneal.interval, 1));
    cr_assert(eq(int, mon_anneal_look(&anneal, 7, 2), MON_LOOK_NEW));
    (void)mon_anneal_look(&anneal, 7, 2);
    (void)mon_anneal_look(&anneal, 7, 2);
    cr_assert(eq(u32, anneal.interval, 3));
    (void)mon_anneal_look(&anneal, 7, 1);
    cr_assert(eq(u32, anneal.interval, 1));
    cr_assert(eq(int, mon_anneal_look(&anneal, 7, 2), MON_LOOK_SAME), "it was dumped before");
}

Test(anneal, has_a_longest_interval)
{
    struct mon_anneal anneal = {0};

    for (int i = 0; i < 1000; i++) {
        (void)mon_anneal_look(&anneal, 7, 3);
    }
    cr_assert(eq(u32, anneal.interval, 3600));
}
