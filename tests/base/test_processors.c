#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/processors.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sched.h>

/* The first processor that the set holds, alone. */
static cpu_set_t one_of(const cpu_set_t *set)
{
    cpu_set_t one;
    int number = 0;

    while (!CPU_ISSET(number, set)) {
        number++;
    }
    CPU_ZERO(&one);
    CPU_SET(number, &one);
    return one;
}

Test(processors, counts_those_that_the_process_may_use)
{
    cpu_set_t all;

    cr_assert(eq(int, sched_getaffinity(0, sizeof(all), &all), 0));
    cr_assert(eq(int, (int)mb_processor_count(), CPU_COUNT(&all)));
    cpu_set_t one = one_of(&all);
    cr_assert(eq(int, sched_setaffinity(0, sizeof(one), &one), 0));
    cr_assert(eq(int, (int)mb_processor_count(), 1));
}
