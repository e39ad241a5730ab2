#include "recorder/profile/lengths.h"

#include "abi/record.h"
#include "sections.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define ROWS 1000u

static struct sections s;
static struct abi_trace_section section;
static _Atomic(uint64_t) rows[ROWS];
static struct prof_lengths lengths;

static void init(void)
{
    sections_init(&s, 1000);
    section = (struct abi_trace_section){.capacity = ROWS};
    cr_assert(prof_lengths_init(&lengths, &section, rows));
    lengths.capacity = ROWS;
    s.tree.lengths = &lengths;
}

static void finish(void)
{
    prof_lengths_finish(&lengths);
    sections_finish(&s);
}

TestSuite(lengths, .init = init, .fini = finish);

/* Any time is within 3.2 % of the first of its bucket, and buckets are in order. */
Test(lengths, have_buckets_of_three_percent)
{
    uint32_t before = 0;

    for (uint64_t units = 0; units < UINT64_C(1) << ABI_TIME_BITS; units += units / 61 + 1) {
        uint32_t bucket = abi_length_bucket(units);
        uint64_t first = abi_length_first(bucket);
        cr_assert(first <= units && units < abi_length_first(bucket + 1));
        cr_assert(le(u64, (units - first) * 32, units), "%llu", (unsigned long long)units);
        cr_assert(ge(u32, bucket, before));
        cr_assert(lt(u32, bucket, ABI_LENGTH_BUCKETS));
        before = bucket;
    }
    cr_assert(lt(u32, abi_length_bucket(UINT64_MAX), ABI_LENGTH_BUCKETS));
}

static void call(uint32_t id, uint64_t *time, uint64_t length)
{
    const uint64_t words[] = {abi_record(id, true, *time), abi_record(id, false, *time + length)};

    prof_feed(&s.tree, &s.lanes[0], words, 2, *time + length);
    *time += length + 1;
}

Test(lengths, of_each_call_are_counted_once)
{
    uint64_t time = 1;

    for (uint32_t i = 0; i < 90; i++) {
        call(7, &time, 20 + i % 3);
        call(9, &time, 20);
    }
    cr_assert(eq(u32, prof_lengths_calls(&lengths, 7, 0, 20), 30));
    cr_assert(eq(u32, prof_lengths_calls(&lengths, 7, 0, 22), 30));
    cr_assert(eq(u32, prof_lengths_calls(&lengths, 9, 0, 20), 90));
    cr_assert(eq(u32, prof_lengths_calls(&lengths, 9, 0, 21), 0));
    cr_assert(eq(u64, section.written, 4));
}

Test(lengths, of_requests_are_apart)
{
    uint64_t time = 1;

    call(7, &time, 20);
    s.nodes[0].flags |= ABI_PROFILE_REQUEST;
    call(7, &time, 20);
    cr_assert(eq(u32, prof_lengths_calls(&lengths, 7, 0, 20), 1));
    cr_assert(eq(u32, prof_lengths_calls(&lengths, 7, ABI_LENGTH_REQUEST, 20), 1));
}

/* More methods than slots at first; then more than there is room for, which are counted. Requests
 * have an eighth of the room to themselves. */
Test(lengths, without_room_are_counted_as_lost)
{
    uint64_t time = 1;

    for (uint32_t id = 1; id <= ROWS + 5; id++) {
        call(id, &time, 1000);
        call(id, &time, 1000);
    }
    const uint32_t room = ROWS - ROWS / 8;
    cr_assert(eq(u64, section.written, room));
    cr_assert(eq(u64, section.lost, 2 * (ROWS + 5 - room)));
    cr_assert(eq(u32, prof_lengths_calls(&lengths, room, 0, abi_length_bucket(1000)), 2));
    cr_assert(eq(u32, prof_lengths_calls(&lengths, room + 1, 0, abi_length_bucket(1000)), 0));
    for (uint32_t i = 0; i < ROWS / 8 + 3; i++) {
        uint32_t last = 0;
        prof_lengths_count(&lengths, &last, 7, ABI_LENGTH_REQUEST, abi_length_first(i));
    }
    cr_assert(eq(u64, section.written, ROWS));
    cr_assert(eq(u64, section.lost, 2 * (ROWS + 5 - room) + 3));
}

Test(lengths, stay_right_as_the_table_grows)
{
    static _Atomic(uint64_t) many[24000];
    struct abi_trace_section large = {.capacity = 24000};
    struct prof_lengths more;

    cr_assert(prof_lengths_init(&more, &large, many));
    more.capacity = 24000;
    for (uint32_t i = 0; i < 40000; i++) {
        uint32_t last = 0;
        prof_lengths_count(&more, &last, i % 20000 / 20, 0, i % 20);
    }
    cr_assert(eq(u64, large.written, 20000));
    for (uint32_t i = 0; i < 20000; i++) {
        cr_assert(eq(u32, prof_lengths_calls(&more, i / 20, 0, i % 20), 2));
    }
    prof_lengths_finish(&more);
}
