#include "recorder/tables.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#define CAPACITY 8u

static struct abi_trace_section section;
static struct abi_profile_thread rows[CAPACITY];
static uint32_t room;

static void init(void)
{
    section = (struct abi_trace_section){.capacity = CAPACITY};
    memset(rows, 0, sizeof(rows));
    room = CAPACITY;
}

TestSuite(rows, .init = init);

static uint32_t take(const char *name, bool is_main, bool is_virtual)
{
    struct abi_trace_ring ring = {.thread_id = 7, .is_main = is_main, .is_virtual = is_virtual};

    (void)snprintf(ring.thread_name, sizeof(ring.thread_name), "%s", name);
    ring.claim = 1;
    return beat_rows_take(&section, rows, room, &ring, 3);
}

static void end(uint32_t row)
{
    rows[row].flags |= ABI_PROFILE_ENDED;
}

Test(rows, threads_that_run_have_one_each)
{
    cr_assert(eq(u32, take("pool", false, false), 0));
    cr_assert(eq(u32, take("pool", false, false), 1));
    cr_assert(eq(u64, section.written, 2));
    cr_assert(eq(u32, rows[1].ring, 4));
    cr_assert_str_eq(rows[1].name, "pool");
}

Test(rows, a_thread_goes_on_where_one_of_its_name_has_ended)
{
    cr_assert(eq(u32, take("pool", false, false), 0));
    end(0);
    cr_assert(eq(u32, take("other", false, false), 1));
    cr_assert(eq(u32, take("pool", false, false), 0));
    cr_assert(eq(u64, rows[0].thread_count, 2));
    cr_assert(eq(u32, rows[0].flags, 0));
}

Test(rows, virtual_threads_of_a_name_share_one)
{
    cr_assert(eq(u32, take("v", false, true), 0));
    cr_assert(eq(u32, take("v", false, true), 0));
    cr_assert(eq(u32, take("v", false, false), 1));
    cr_assert(eq(u64, rows[0].thread_count, 2));
}

Test(rows, that_of_main_is_nobody_elses)
{
    cr_assert(eq(u32, take("main", true, false), 0));
    end(0);
    cr_assert(eq(u32, take("main", false, false), 1));
}

Test(rows, numbers_do_not_count_where_they_are_scarce)
{
    char name[32];

    for (uint32_t i = 0; i < CAPACITY / 4 * 3; i++) {
        (void)snprintf(name, sizeof(name), "pool-%u-thread-%u", i, 3 * i);
        cr_assert(eq(u32, take(name, false, false), i));
        end(i);
    }
    cr_assert(eq(u32, take("pool-77-thread-100", false, false), 0));
    cr_assert(eq(u32, take("pool-x-thread-1", false, false), CAPACITY / 4 * 3));
}

Test(rows, the_last_serves_all_for_which_there_is_none)
{
    char name[2] = "a";

    for (uint32_t i = 0; i < CAPACITY + 2; i++, name[0]++) {
        cr_assert(eq(u32, take(name, false, false), i < CAPACITY ? i : CAPACITY - 1));
    }
    cr_assert(eq(u64, section.written, CAPACITY));
    cr_assert(eq(u64, section.lost, 2));
    cr_assert(eq(u64, rows[CAPACITY - 1].thread_count, 3));
}

Test(rows, beyond_the_memory_behind_them_are_left_alone)
{
    (void)take("a", false, false);
    room = 1;
    cr_assert(eq(u32, take("b", false, false), 0));
    cr_assert(eq(u64, section.written, 1));
    cr_assert(eq(u64, section.lost, 1));
    cr_assert_str_eq(rows[1].name, "");
}
