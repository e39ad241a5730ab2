#include "profile/readings.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct prof_readings readings;

static uint64_t find(uint32_t claim, uint64_t position)
{
    uint64_t ready_ns = 0;

    return prof_readings_find(&readings, claim, position, &ready_ns) ? ready_ns : 0;
}

Test(readings, are_found_by_claim_and_position)
{
    uint64_t none;

    prof_readings_put(&readings, 7, 0, 100);
    prof_readings_put(&readings, 7, 25, 300);
    cr_expect(eq(u64, find(7, 0), 100));
    cr_expect(eq(u64, find(7, 25), 300));
    cr_expect(eq(u64, find(8, 25), 0), "of another thread");
    cr_expect(eq(u64, find(7, 24), 0));
    cr_expect(not(prof_readings_find(NULL, 7, 0, &none)));
}

Test(readings, of_before_make_place)
{
    for (uint64_t i = 0; i <= PROF_READINGS; i++) {
        prof_readings_put(&readings, 1, i * 2, i + 1);
    }
    cr_expect(eq(u64, find(1, 0), 0));
    cr_expect(eq(u64, find(1, 2), 2));
    cr_expect(eq(u64, find(1, 2 * PROF_READINGS), PROF_READINGS + 1));
}
