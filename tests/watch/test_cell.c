#include "base/clock.h"
#include "monitor/watch/cell.h"

#include "monitor/watch/clock.h"
#include "tests/watch/programs/lives.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <time.h>

#define SLOW_NS (30 * MB_NS_PER_MS)

static struct watch_cell cell;

static bool is_told(bool is_open, struct watch_slow *slow)
{
    return watch_cell_take(&cell, slow) && slow->is_open == is_open;
}

TestSuite(cell, .init = watch_clock_init);

/* By the coarse clock, which stands still while a virtual machine is held. */
static void sleep_ms(long ms)
{
    int64_t end = mb_clock_now_ns() + ms * MB_NS_PER_MS;

    while (watch_clock_coarse_ns() < end) {
        lives_sleep_ms(1);
    }
}

static uint64_t count_messages(void)
{
    uint64_t count = 0;

    for (uint32_t class = 0; class < WATCH_LENGTH_COUNT; class ++) {
        count += atomic_load(&cell.lengths[class]);
    }
    return count;
}

Test(cell, moves_with_each_begin_and_end)
{
    struct watch_snapshot looks[4];

    cr_assert(watch_cell_read(&cell, &looks[0]));
    (void)watch_cell_begin(&cell, SLOW_NS);
    cr_assert(watch_cell_read(&cell, &looks[1]));
    (void)watch_cell_begin(&cell, SLOW_NS);
    cr_assert(watch_cell_read(&cell, &looks[2]));
    (void)watch_cell_end(&cell, SLOW_NS, NULL);
    cr_assert(watch_cell_read(&cell, &looks[3]));
    cr_assert(not(looks[0].is_open));
    for (int i = 1; i < 4; i++) {
        cr_assert(looks[i].is_open);
        cr_assert(gt(u64, looks[i].sequence, looks[i - 1].sequence));
    }
    (void)watch_cell_end(&cell, SLOW_NS, NULL);
    cr_assert(watch_cell_read(&cell, &looks[0]));
    cr_assert(not(looks[0].is_open));
    (void)watch_cell_end(&cell, SLOW_NS, NULL); /* none is open */
    cr_assert(eq(u64, count_messages(), 2));
}

/* Each stretch that is slow, and the message if it was so without those nested in it. */
Test(cell, tells_stretches)
{
    struct watch_slow slow;

    (void)watch_cell_begin(&cell, SLOW_NS);
    sleep_ms(40);
    int64_t before = mb_clock_now_ns();
    cr_assert(watch_cell_begin(&cell, SLOW_NS)); /* ends a stretch */
    cr_assert(is_told(true, &slow));
    cr_assert(eq(i64, slow.begin_ns, slow.stretch_ns));
    cr_assert(ge(i64, slow.end_ns, before));
    cr_assert(eq(i64, slow.nested_ns, 0));
    int64_t begin = slow.begin_ns;
    sleep_ms(50);
    cr_assert(watch_cell_end(&cell, SLOW_NS, NULL));
    cr_assert(is_told(false, &slow));
    int64_t nested = slow.end_ns - slow.begin_ns;
    cr_assert(watch_cell_end(&cell, SLOW_NS, NULL)); /* 40 ms of its own */
    cr_assert(is_told(false, &slow));
    cr_assert(eq(i64, slow.begin_ns, begin));
    cr_assert(gt(i64, slow.stretch_ns, begin));
    cr_assert(eq(i64, slow.nested_ns, nested));
    cr_assert(not(watch_cell_take(&cell, &slow)));
}

/* What is told is never later than what begins next: a look would be taken for an old one. */
Test(cell, has_times_that_do_not_go_back)
{
    struct watch_slow slow;
    struct watch_snapshot snapshot;

    for (int i = 0; i < 20; i++) {
        (void)watch_cell_begin(&cell, SLOW_NS);
        sleep_ms(35);
        cr_assert(watch_cell_end(&cell, SLOW_NS, NULL));
        (void)watch_cell_begin(&cell, SLOW_NS);
        cr_assert(watch_cell_read(&cell, &snapshot));
        (void)watch_cell_end(&cell, SLOW_NS, NULL);
        cr_assert(is_told(false, &slow));
        cr_assert(ge(i64, snapshot.since_ns, slow.end_ns));
        cr_assert(ge(i64, slow.end_ns - slow.begin_ns, 35 * MB_NS_PER_MS));
        while (watch_cell_take(&cell, &slow)) {
        }
    }
}

Test(cell, counts_what_finds_no_room)
{
    for (uint32_t i = 0; i < WATCH_SLOW_COUNT + 3; i++) {
        (void)watch_cell_begin(&cell, 0);
        (void)watch_cell_end(&cell, 0, NULL);
    }
    struct watch_slow slow;
    uint32_t told = 0;
    while (watch_cell_take(&cell, &slow)) {
        told++;
    }
    cr_assert(eq(u32, told, WATCH_SLOW_COUNT));
    cr_assert(eq(u64, atomic_load(&cell.left_out), 3));
}

Test(cell, knows_when_what_is_untaken_began)
{
    struct watch_slow slow;

    for (int i = 0; i < 2; i++) {
        (void)watch_cell_begin(&cell, 0);
        sleep_ms(20);
        (void)watch_cell_end(&cell, 0, NULL);
    }
    for (int i = 0; i < 2; i++) {
        int64_t first = watch_cell_untaken_ns(&cell);
        cr_assert(watch_cell_take(&cell, &slow));
        cr_assert(eq(i64, first, slow.begin_ns));
    }
    cr_assert(eq(i64, watch_cell_untaken_ns(&cell), INT64_MAX));
}

/* So many classes up as it is longer than 2^23 ns, by a clock that may be some ms behind. */
Test(cell, counts_messages_by_their_own_length)
{
    int64_t before = mb_clock_now_ns();

    (void)watch_cell_begin(&cell, WATCH_NEVER_SLOW);
    sleep_ms(80);
    int64_t inner = mb_clock_now_ns();
    (void)watch_cell_begin(&cell, WATCH_NEVER_SLOW);
    sleep_ms(300);
    inner = mb_clock_now_ns() - inner;
    (void)watch_cell_end(&cell, WATCH_NEVER_SLOW, NULL);
    cr_assert(eq(u64, count_messages(), 1));
    for (uint32_t class = 0; class < 5; class ++) { /* 300 ms are of class 6 */
        cr_assert(eq(u64, atomic_load(&cell.lengths[class]), 0));
    }
    (void)watch_cell_end(&cell, WATCH_NEVER_SLOW, NULL);
    int64_t outer = mb_clock_now_ns() - before - inner;
    cr_assert(eq(u64, count_messages(), 2));
    if (outer < 250000000) { /* else the machine was busy */
        cr_assert(eq(u64, atomic_load(&cell.lengths[0]), 0));
        uint64_t below = 0;
        for (uint32_t class = 1; class < 6; class ++) {
            below += atomic_load(&cell.lengths[class]);
        }
        cr_assert(ge(u64, below, 1));
    }
}
