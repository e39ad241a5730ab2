#include "abi/names.h"
#include "abi/record.h"
#include "abi/tracefile.h"
#include "recorder/profile/lengths.h"
#include "recorder/profile/readings.h"
#include "sections.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define CHAIN(...) ((const uint32_t[]){__VA_ARGS__, 0})

enum { BODY = 1, WAIT, FILTER, DISPATCH, CHECK, ORDERS, USERS, STOCK, LOAD, COUNT, MANY };

static struct sections s;
static uint64_t now;

static void init(void)
{
    sections_init(&s, 1000);
    now = 10;
    for (uint32_t i = 0; i < SECTIONS_ROWS; i++) {
        s.rows[i].thread_count = 1;
    }
}

static void finish(void)
{
    sections_finish(&s);
}

TestSuite(requests, .init = init, .fini = finish);

static void record(uint32_t row, uint32_t id, bool is_enter)
{
    uint64_t word = abi_record(id, is_enter, ++now);

    prof_feed(&s.tree, &s.lanes[row], &word, 1, now);
}

/* Of that own time, after the calls that it makes. */
static void leave(uint32_t row, uint32_t id, uint64_t own)
{
    now += own;
    record(row, id, false);
}

static void call(uint32_t row, uint32_t id, uint64_t own)
{
    record(row, id, true);
    leave(row, id, own);
}

static bool is_request(uint32_t row, const uint32_t *chain)
{
    const struct abi_profile_node *node = sections_find(&s, row, chain);

    cr_assert(node != NULL);
    return (node->flags & ABI_PROFILE_REQUEST) != 0;
}

static void find(void)
{
    now += 1000;
    prof_find_requests(&s.tree, s.rows, now - 10);
}

/* From the first on, whatever they call. */
Test(requests, are_messages_by_their_kinds)
{
    const uint32_t kinds[] = {ABI_MAX_ID, ABI_FIRST_KIND_ID};

    for (int i = 0; i < 2; i++) {
        record(0, ABI_MESSAGE_ID, true);
        record(0, kinds[i], true);
        call(0, LOAD, 20);
        leave(0, kinds[i], 5);
        leave(0, ABI_MESSAGE_ID, 5);
        cr_assert(is_request(0, CHAIN(ABI_MESSAGE_ID, kinds[i])));
    }
    call(0, ABI_MAX_ID, 5);
    find();
    cr_assert(not(is_request(0, CHAIN(ABI_MESSAGE_ID))));
    cr_assert(not(is_request(0, CHAIN(ABI_MESSAGE_ID, ABI_MAX_ID, LOAD))));
    cr_assert(is_request(0, CHAIN(ABI_MESSAGE_ID, ABI_FIRST_KIND_ID)));
    prof_choose_request(&s.tree, LOAD);
    find();
    cr_assert(not(is_request(0, CHAIN(ABI_MESSAGE_ID, ABI_MAX_ID))), "others are chosen");
}

Test(requests, are_outermost_calls_of_threads_without_a_body)
{
    for (int i = 0; i < 100; i++) {
        record(0, ORDERS, true);
        call(0, LOAD, 20);
        leave(0, ORDERS, 5);
    }
    find();
    cr_assert(is_request(0, CHAIN(ORDERS)));
    cr_assert(not(is_request(0, CHAIN(ORDERS, LOAD))));
}

/* A thread's body never returns; when it does at last, what was below it stays. */
Test(requests, are_the_calls_below_a_body)
{
    record(0, BODY, true);
    for (int i = 0; i < 100; i++) {
        call(0, WAIT, 20);
        call(0, ORDERS, 20);
    }
    find();
    cr_assert(is_request(0, CHAIN(BODY, ORDERS)));
    cr_assert(not(is_request(0, CHAIN(BODY))));
    leave(0, BODY, 1);
    find();
    cr_assert(is_request(0, CHAIN(BODY, ORDERS)));
    cr_assert(not(is_request(0, CHAIN(BODY))));
}

/* What it started with is not what it is there for. */
Test(requests, are_not_the_calls_below_a_start_that_is_over)
{
    record(0, BODY, true);
    record(0, FILTER, true);
    for (int i = 0; i < 100; i++) {
        call(0, LOAD, 20);
    }
    find();
    cr_assert(is_request(0, CHAIN(BODY, FILTER, LOAD)));
    leave(0, FILTER, 5);
    call(0, ORDERS, 20);
    find();
    cr_assert(not(is_request(0, CHAIN(BODY, FILTER, LOAD))));
    leave(0, BODY, 1);
    find();
    cr_assert(not(is_request(0, CHAIN(BODY, FILTER, LOAD))));
    cr_assert(is_request(0, CHAIN(BODY, ORDERS)));
}

Test(requests, that_have_just_begun_are_no_bodies)
{
    record(0, ORDERS, true);
    call(0, LOAD, 20);
    prof_find_requests(&s.tree, s.rows, 5);
    cr_assert(not(is_request(0, CHAIN(ORDERS, LOAD))));
    leave(0, ORDERS, 5);
    find();
    cr_assert(is_request(0, CHAIN(ORDERS)));
}

/* A long first request looks like a body until there is a second. */
Test(requests, that_took_long_once_are_requests_by_the_second_call)
{
    record(0, ORDERS, true);
    call(0, LOAD, 2000);
    find();
    leave(0, ORDERS, 5);
    call(0, ORDERS, 5);
    find();
    cr_assert(is_request(0, CHAIN(ORDERS)));
    cr_assert(not(is_request(0, CHAIN(ORDERS, LOAD))));
}

static void dispatch_for(uint32_t row, uint32_t id, uint64_t own)
{
    record(row, FILTER, true);
    record(row, DISPATCH, true);
    call(row, CHECK, 1);
    call(row, COUNT, 1);
    record(row, id, true);
    call(row, LOAD, 40);
    leave(row, id, 5);
    call(row, COUNT, 1); /* twice each time */
    leave(row, DISPATCH, own);
    leave(row, FILTER, 1);
}

static void dispatch(uint32_t row, uint32_t id)
{
    dispatch_for(row, id, 1);
}

/* Its calls are its caller's from then on: they are no branches. */
Test(requests, do_not_branch_where_a_method_fell_silent)
{
    for (uint32_t i = 0; i < 200; i++) {
        record(0, FILTER, true);
        if (i < 100) {
            record(0, DISPATCH, true);
        }
        call(0, LOAD, 40);
        if (i < 100) {
            leave(0, DISPATCH, 1);
        }
        leave(0, FILTER, 1);
        if (i == 99) {
            prof_mute(&s.tree, DISPATCH, now);
        }
    }
    find();
    cr_assert(is_request(0, CHAIN(FILTER)));
    cr_assert(not(is_request(0, CHAIN(FILTER, LOAD))));
}

/* What one thread shows holds for others with few calls, and for a kind that is rare. */
Test(requests, branch_where_a_dispatcher_does)
{
    for (uint32_t i = 0; i < 200; i++) {
        dispatch(0, i % 100 == 0 ? STOCK : i % 3 == 0 ? ORDERS : USERS);
    }
    dispatch(1, USERS);
    find();
    cr_assert(is_request(0, CHAIN(FILTER, DISPATCH, ORDERS)));
    cr_assert(is_request(0, CHAIN(FILTER, DISPATCH, USERS)));
    cr_assert(is_request(0, CHAIN(FILTER, DISPATCH, STOCK)));
    cr_assert(is_request(1, CHAIN(FILTER, DISPATCH, USERS)));
    cr_assert(not(is_request(0, CHAIN(FILTER, DISPATCH, CHECK))));
    cr_assert(not(is_request(1, CHAIN(FILTER, DISPATCH, CHECK))));
    cr_assert(not(is_request(0, CHAIN(FILTER, DISPATCH, COUNT))));
    cr_assert(not(is_request(0, CHAIN(FILTER))));
    cr_assert(not(is_request(0, CHAIN(FILTER, DISPATCH))));
    cr_assert(not(is_request(0, CHAIN(FILTER, DISPATCH, USERS, LOAD))));
}

/* As where each thread loads classes; what works itself each time is no dispatcher. */
Test(requests, branch_where_only_the_first_call_of_each_thread_took_long)
{
    for (uint32_t i = 0; i < 200; i++) {
        dispatch_for(i % 2, i % 3 == 0 ? ORDERS : USERS, i < 2 ? 20000 : 1);
    }
    find();
    cr_assert(is_request(0, CHAIN(FILTER, DISPATCH, USERS)));
}

Test(requests, do_not_branch_where_the_caller_works)
{
    for (uint32_t i = 0; i < 200; i++) {
        dispatch_for(0, i % 3 == 0 ? ORDERS : USERS, 80);
    }
    find();
    cr_assert(not(is_request(0, CHAIN(FILTER, DISPATCH, USERS))));
}

/* A pool of many threads makes few calls on each of them. */
Test(requests, branch_by_the_calls_of_all_threads)
{
    for (uint32_t i = 0; i < SECTIONS_ROWS * 40; i++) {
        dispatch(i % SECTIONS_ROWS, i % 3 == 0 ? ORDERS : USERS);
    }
    find();
    for (uint32_t row = 0; row < SECTIONS_ROWS; row++) {
        cr_assert(is_request(row, CHAIN(FILTER, DISPATCH, USERS)));
        cr_assert(not(is_request(row, CHAIN(FILTER))));
    }
}

/* None of them has a large part of the calls. */
Test(requests, branch_into_a_hundred_kinds)
{
    for (uint32_t i = 0; i < 400; i++) {
        dispatch(0, MANY + i % 100);
    }
    find();
    cr_assert(is_request(0, CHAIN(FILTER, DISPATCH, MANY)));
    cr_assert(is_request(0, CHAIN(FILTER, DISPATCH, MANY + 99)));
    cr_assert(not(is_request(0, CHAIN(FILTER))));
}

/* A connection serves two requests now and then, through a filter that calls itself. */
static void serve(uint32_t id, uint32_t times)
{
    record(0, WAIT, true);
    for (uint32_t i = 0; i < times; i++) {
        record(0, FILTER, true);
        dispatch(0, id);
        leave(0, FILTER, 1);
    }
    leave(0, WAIT, 1);
}

Test(requests, branch_behind_filters_of_connections)
{
    for (uint32_t i = 0; i < 200; i++) {
        serve(i % 3 == 0 ? ORDERS : USERS, i % 3 == 1 ? 2 : 1);
    }
    find();
    cr_assert(is_request(0, CHAIN(WAIT, FILTER, DISPATCH, USERS)));
    cr_assert(is_request(0, CHAIN(WAIT, FILTER, DISPATCH, ORDERS)));
    cr_assert(not(is_request(0, CHAIN(WAIT))));
    cr_assert(not(is_request(0, CHAIN(WAIT, FILTER, DISPATCH, CHECK))));
}

/* It sends the answer, slowly at first. */
Test(requests, branch_behind_what_replies)
{
    for (uint32_t i = 0; i < 200; i++) {
        record(0, WAIT, true);
        dispatch(0, i % 3 == 0 ? ORDERS : USERS);
        leave(0, WAIT, i == 0 ? 20000 : 30);
    }
    find();
    cr_assert(is_request(0, CHAIN(WAIT, FILTER, DISPATCH, USERS)));
    cr_assert(not(is_request(0, CHAIN(WAIT))));
}

/* A page of many parts is one request. */
Test(requests, do_not_branch_into_parts)
{
    for (uint32_t i = 0; i < 200; i++) {
        serve(i % 3 == 0 ? ORDERS : USERS, 3);
    }
    find();
    cr_assert(is_request(0, CHAIN(WAIT)));
    cr_assert(not(is_request(0, CHAIN(WAIT, FILTER, DISPATCH, USERS))));
}

/* What leads to a branching in one pool does other work in another. */
Test(requests, are_the_calls_of_what_leads_nowhere)
{
    (void)strcpy(s.rows[0].name, "http-1");
    (void)strcpy(s.rows[1].name, "timer-1");
    for (uint32_t i = 0; i < 200; i++) {
        dispatch(0, i % 3 == 0 ? ORDERS : USERS);
        call(1, FILTER, 40);
    }
    find();
    cr_assert(is_request(0, CHAIN(FILTER, DISPATCH, USERS)));
    cr_assert(is_request(1, CHAIN(FILTER)));
}

/* Work that some requests do and others do not is no kind. */
Test(requests, do_not_branch_where_they_work)
{
    for (uint32_t i = 0; i < 200; i++) {
        record(0, ORDERS, true);
        call(0, CHECK, 10);
        if (i % 2 == 0) {
            call(0, LOAD, 40);
        }
        if (i % 5 == 0) {
            call(0, STOCK, 40);
        }
        leave(0, ORDERS, 5);
    }
    find();
    cr_assert(is_request(0, CHAIN(ORDERS)));
    cr_assert(not(is_request(0, CHAIN(ORDERS, LOAD))));
}

/* ---- Slow ones ---- */

static struct abi_trace_section length_section = {.capacity = 1000};
static _Atomic(uint64_t) length_rows[1000];
static struct prof_lengths lengths;

static void keep_lengths(void)
{
    cr_assert(prof_lengths_init(&lengths, &length_section, length_rows));
    lengths.capacity = 1000;
    s.tree.lengths = &lengths;
    call(0, ORDERS, 100);
    find();
}

/* By the lengths of those before, once there are thirty; the place of its words is told. */
Test(requests, are_slow_above_most_of_their_kind)
{
    keep_lengths();
    for (uint32_t i = 0; i < 29; i++) {
        call(0, ORDERS, i == 5 ? 900 : 100);
    }
    cr_assert(eq(u32, s.tree.slow_count, 0), "nothing is known yet");
    call(0, ORDERS, 100);
    uint64_t first = s.lanes[0].position;
    call(0, USERS, 5000);
    call(0, ORDERS, 100);
    record(0, ORDERS, true);
    call(0, LOAD, 1000);
    leave(0, ORDERS, 1);
    cr_assert(eq(u32, s.tree.slow_count, 1));
    const struct prof_slow *slow = &s.tree.slow[0];
    cr_expect(eq(u32, slow->id, ORDERS));
    cr_expect(eq(u64, slow->first, first + 4));
    cr_expect(eq(u64, slow->end, first + 8));
    cr_expect(eq(u64, slow->length, 1004));
    prof_lengths_finish(&lengths);
}

/* Its thread says the time and what it was ready for before the entry and the exit; of the next it
 * does not, which has the time of its words. */
Test(requests, are_counted_by_what_their_thread_read)
{
    static struct prof_readings readings;

    keep_lengths();
    s.lanes[0].timed = (struct prof_timed){&readings, 3, abi_ns_per_unit(1, 1)};
    prof_readings_put(&readings, 3, s.lanes[0].position, &(struct prof_read){70000, 5000, 100, 0});
    prof_readings_put(&readings, 3, s.lanes[0].position + 1,
                      &(struct prof_read){72000, 5400, 130, 0});
    call(0, ORDERS, 1000);
    call(0, ORDERS, 1000);
    const uint32_t less = ABI_LENGTH_REQUEST | ABI_LENGTH_ON_PROCESSOR;
    cr_expect(eq(u32, prof_lengths_calls(&lengths, ORDERS, less, abi_length_bucket(1600)), 1));
    const uint32_t whole = ABI_LENGTH_REQUEST;
    cr_expect(eq(u32, prof_lengths_calls(&lengths, ORDERS, whole, abi_length_bucket(2000)), 1));
    cr_expect(eq(u32, prof_lengths_calls(&lengths, ORDERS, whole, abi_length_bucket(1001)), 1));
    prof_lengths_finish(&lengths);
}

static void call_slow(struct prof_readings *readings, uint64_t waits)
{
    uint64_t position = s.lanes[0].position;

    prof_readings_put(readings, 3, position, &(struct prof_read){70000, 5000, 100, 7});
    prof_readings_put(readings, 3, position + 1, &(struct prof_read){90000, 5400, 130, 7 + waits});
    call(0, ORDERS, 20000);
}

Test(requests, tell_whether_their_thread_waited)
{
    static struct prof_readings readings;

    keep_lengths();
    for (uint32_t i = 0; i < 100; i++) {
        call(0, ORDERS, 100);
    }
    s.lanes[0].timed = (struct prof_timed){&readings, 3, abi_ns_per_unit(1, 1)};
    call_slow(&readings, 0);
    call_slow(&readings, 1);
    cr_assert(eq(u32, s.tree.slow_count, 2));
    cr_expect(not(s.tree.slow[0].has_waited));
    cr_expect(s.tree.slow[1].has_waited);
    prof_lengths_finish(&lengths);
}

/* The caller knows better, wherever they are called; within one of them there is no other. */
Test(requests, are_those_that_were_chosen)
{
    prof_choose_request(&s.tree, ORDERS);
    prof_choose_request(&s.tree, STOCK);
    record(0, BODY, true);
    for (int i = 0; i < 100; i++) {
        record(0, FILTER, true);
        record(0, ORDERS, true);
        call(0, STOCK, 20);
        leave(0, ORDERS, 5);
        leave(0, FILTER, 5);
    }
    find();
    cr_assert(is_request(0, CHAIN(BODY, FILTER, ORDERS)));
    cr_assert(not(is_request(0, CHAIN(BODY, FILTER))));
    cr_assert(not(is_request(0, CHAIN(BODY, FILTER, ORDERS, STOCK))));
}

/* Where many are as slow as that, they are what is usual. */
Test(requests, are_not_slow_if_many_are_alike)
{
    keep_lengths();
    for (uint32_t i = 0; i < 500; i++) {
        call(0, ORDERS, i % 5 == 0 ? 900 : 100);
    }
    cr_assert(le(u32, s.tree.slow_count, 1));
    prof_lengths_finish(&lengths);
}

Test(requests, that_are_slow_do_not_overrun_their_table)
{
    keep_lengths();
    for (uint32_t i = 0; i < 100 + 2 * PROF_MAX_SLOW; i++) {
        call(0, ORDERS, i < 100 ? 100 : 100 + 20 * i);
    }
    cr_assert(le(u32, s.tree.slow_count, PROF_MAX_SLOW));
    prof_lengths_finish(&lengths);
}

/* Some times the median is slow, also where the slowest 3 % are slower still, as the first ones
 * are; but of many like that the slowest tenth is. */
Test(requests, are_slow_far_above_the_median)
{
    keep_lengths();
    for (uint32_t i = 0; i < 40; i++) {
        call(0, ORDERS, i < 4 ? 5000 : 100);
    }
    for (uint32_t i = 0; i < 60; i++) {
        call(0, ORDERS, 100);
    }
    cr_assert(eq(u32, s.tree.slow_count, 0));
    call(0, ORDERS, 250);
    cr_expect(eq(u32, s.tree.slow_count, 0));
    call(0, ORDERS, 350);
    cr_expect(eq(u32, s.tree.slow_count, 1));
    call(0, USERS, 100);
    find();
    for (uint32_t i = 0; i < 1000; i++) {
        call(0, USERS, i % 4 == 0 ? 350 + i : 100);
    }
    s.tree.slow_count = 0;
    call(0, USERS, 700);
    cr_expect(eq(u32, s.tree.slow_count, 0));
    call(0, USERS, 1300);
    cr_expect(eq(u32, s.tree.slow_count, 1));
    prof_lengths_finish(&lengths);
}

Test(requests, are_slow_from_a_limit_on)
{
    keep_lengths();
    for (int i = 0; i < 9; i++) {
        call(0, ORDERS, 20);
    }
    find();
    s.tree.slow_from = 50;
    call(0, ORDERS, 45);
    cr_expect(eq(u32, s.tree.slow_count, 0));
    call(0, ORDERS, 49);
    cr_expect(eq(u32, s.tree.slow_count, 1), "without waiting for thirty");
    prof_lengths_finish(&lengths);
}

/* A frame has to end before the display shows the next one; if most do not, the slowest are told.
 */
Test(requests, of_the_kind_that_has_to_end_in_time_are_slow_when_late)
{
    keep_lengths();
    s.tree.late = (struct prof_late){ORDERS, 50};
    for (uint32_t i = 0; i < 10; i++) {
        call(0, ORDERS, i < 6 ? 20 : 60);
        call(0, USERS, 60);
    }
    cr_expect(eq(u32, s.tree.slow_count, 4), "without waiting for thirty");
    for (uint32_t i = 0; i < 40; i++) {
        call(0, ORDERS, 60);
    }
    uint32_t before = s.tree.slow_count;
    call(0, ORDERS, 60);
    cr_expect(eq(u32, s.tree.slow_count, before), "that is usual");
    call(0, ORDERS, 1000);
    cr_expect(eq(u32, s.tree.slow_count, before + 1));
    prof_lengths_finish(&lengths);
}
