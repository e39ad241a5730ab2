#include "recorder/profile/readings.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct prof_readings readings;

static uint64_t find(uint32_t claim, uint64_t position)
{
    struct prof_read read;
    bool is_there = prof_readings_find(&readings, claim, position, &read);

    bool fits = !is_there || read.time_ns == 2 * read.ready_ns;
    cr_expect(fits);
    return is_there ? read.ready_ns : 0;
}

static void put(uint32_t claim, uint64_t position, uint64_t ready_ns)
{
    prof_readings_put(&readings, claim, position,
                      &(struct prof_read){2 * ready_ns, ready_ns, 0, 0});
}

Test(readings, are_found_by_claim_and_position)
{
    struct prof_read none;

    put(7, 0, 100);
    put(7, 25, 300);
    cr_expect(eq(u64, find(7, 0), 100));
    cr_expect(eq(u64, find(7, 25), 300));
    cr_expect(eq(u64, find(8, 25), 0), "of another thread");
    cr_expect(eq(u64, find(7, 24), 0));
    cr_expect(not(prof_readings_find(NULL, 7, 0, &none)));
}

Test(readings, of_before_make_place)
{
    for (uint64_t i = 0; i <= PROF_READINGS; i++) {
        put(1, i * 2, i + 1);
    }
    cr_expect(eq(u64, find(1, 0), 0));
    cr_expect(eq(u64, find(1, 2), 2));
    cr_expect(eq(u64, find(1, 2 * PROF_READINGS), PROF_READINGS + 1));
}
