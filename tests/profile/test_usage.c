#include "abi/record.h"
#include "sections.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#define LONG 20u /* units: what is a stretch here */
#define LIFE 5000u
#define SEEDS 200u

static struct sections s;

static void init(void)
{
    sections_init(&s, 100);
    s.lanes[0].stretch = LONG;
}

static void finish(void)
{
    sections_finish(&s);
}

TestSuite(usage, .init = init, .fini = finish);

static void feed(uint32_t id, bool is_enter, uint64_t time)
{
    const uint64_t word = abi_record(id, is_enter, time);

    prof_feed(&s.tree, &s.lanes[0], &word, 1, 1000000);
}

static void share(uint64_t now, uint64_t worked, uint64_t ready)
{
    const struct prof_usage usage = {
        .now = now, .cpu_ns = worked, .worked = worked, .ready = ready, .knows_ready = true};

    prof_share_cpu(&s.tree, &s.lanes[0], &usage);
}

static void expect_row(uint64_t worked, uint64_t ready, uint64_t waited)
{
    cr_expect(eq(u64, s.rows[0].worked_least, worked), "worked");
    cr_expect(eq(u64, s.rows[0].ready_least, ready), "ready");
    cr_expect(eq(u64, s.rows[0].waited_least, waited), "waited");
}

/* 100 units inside, 300 outside, of which 290 are work: what was inside can have been no work, or
 * all work. */
Test(usage, work_outside_is_not_booked_as_inside)
{
    feed(1, true, 1000);
    feed(1, false, 1100);
    share(1400, 290, 0);
    expect_row(0, 0, 0);
    feed(1, true, 1400);
    share(1500, 0, 0);
    expect_row(0, 0, 100);
    feed(1, false, 1500);
    share(1600, 150, 0);
    expect_row(0, 0, 100);
    cr_expect(eq(u64, s.nodes[0].waited_least, 100));
}

Test(usage, work_that_does_not_fit_outside_was_inside)
{
    feed(1, true, 1000);
    feed(1, false, 1090);
    share(1100, 80, 15);
    expect_row(70, 5, 0);
}

/* Before it was asked first it may have used all, or nothing, of what it had. */
Test(usage, what_it_used_before_is_known_at_most)
{
    const struct prof_usage usage = {
        .now = 1100, .worked = 30, .ready = 20, .is_first = true, .knows_ready = true};

    feed(1, true, 1000);
    prof_share_cpu(&s.tree, &s.lanes[0], &usage);
    expect_row(0, 0, 50);
}

/* The queue is told of when it is over: what was taken for waiting in the meantime is corrected. */
Test(usage, readiness_that_is_told_late_is_no_waiting)
{
    feed(1, true, 1000);
    share(1100, 100, 0);
    share(1200, 0, 0);
    expect_row(100, 0, 100);
    share(1300, 50, 150);
    expect_row(150, 150, 0);
    cr_expect(eq(u64, s.nodes[0].waited_least, 0));
    cr_expect(eq(u64, s.nodes[0].ready_least, 150));
}

Test(usage, long_stretches_tell_which_call_waited)
{
    feed(1, true, 1000);
    feed(2, true, 1000);
    feed(2, false, 1090);
    feed(1, false, 1110);
    share(1110, 10, 0);
    cr_expect(eq(u64, s.nodes[1].waited_least, 80));
    cr_expect(eq(u64, s.nodes[0].waited_least, 0), "no stretch");
    expect_row(10, 0, 100);
}

/* Where words are missing, nobody knows whose the time was. */
Test(usage, no_stretch_goes_over_a_gap)
{
    feed(1, true, 1000);
    prof_skip(&s.lanes[0], 7);
    feed(2, true, 1100);
    share(1100, 0, 0);
    cr_expect(eq(u64, s.nodes[0].waited_least, 0));
    expect_row(0, 0, 100);
}

/* ---- Any life ---- */

enum state { WORKS, IS_READY, WAITS, STATES };

/* A thread on paper: what it does, and what is known of it. */
struct life {
    uint64_t seed;
    uint64_t now;
    uint64_t queue;          /* of the readiness that is not over */
    uint64_t used[STATES];   /* by the system's books, since it was asked */
    uint64_t inside[STATES]; /* the truth: inside outermost calls, */
    uint64_t own[3][STATES]; /* and in each call itself */
    uint32_t depth;
};

static uint32_t pick(struct life *life, uint32_t below)
{
    life->seed = life->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(life->seed >> 33) % below;
}

static void pass(struct life *life, enum state state, uint64_t units)
{
    life->now += units;
    life->queue += state == IS_READY ? units : 0;
    if (state == WORKS) {
        life->used[WORKS] += units;
        life->used[IS_READY] += life->queue;
        life->queue = 0;
    }
    if (life->depth > 0) {
        life->inside[state] += units;
        life->own[life->depth][state] += units;
    }
}

static void ask(struct life *life)
{
    share(life->now, life->used[WORKS], life->used[IS_READY]);
    life->used[WORKS] = 0;
    life->used[IS_READY] = 0;
}

/* Calls begin and end where it works; before work there is always readiness, if short. */
static void live(struct life *life)
{
    feed(1, true, life->now); /* from here on it is asked for */
    feed(1, false, life->now);
    while (life->now < LIFE) {
        pass(life, WORKS, 1 + pick(life, 40));
        if (life->depth == 2 || (life->depth == 1 && pick(life, 2) == 0)) {
            feed(life->depth--, false, life->now);
        } else if (pick(life, 3) > 0) {
            feed(++life->depth, true, life->now);
        }
        for (uint32_t i = 0; i < 3; i++) {
            pass(life, WAITS, pick(life, 2) * pick(life, 60));
            if (pick(life, 2) == 0) {
                ask(life);
            }
        }
        for (uint32_t i = 0; i < 3; i++) {
            pass(life, IS_READY, pick(life, 2) * pick(life, 60));
            if (pick(life, 3) == 0) {
                ask(life);
            }
        }
    }
    pass(life, WORKS, 1);
    ask(life);
}

/* "At least" is at least, in each part, for row and nodes; and not nothing. */
Test(usage, no_bound_is_above_the_truth)
{
    uint64_t told[STATES] = {0};
    uint64_t all[STATES] = {0};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct life life = {.seed = seed, .now = 1000};
        live(&life);
        const struct abi_profile_thread *row = &s.rows[0];
        const uint64_t least[] = {row->worked_least, row->ready_least, row->waited_least};
        for (uint32_t i = 0; i < STATES; i++) {
            cr_assert(le(u64, least[i], life.inside[i]), "seed %u, state %u", (unsigned)seed, i);
            told[i] += least[i];
            all[i] += life.inside[i];
        }
        for (uint32_t i = 0; i < s.section.written; i++) {
            const struct abi_profile_node *node = &s.nodes[i];
            cr_assert(le(u64, node->waited_least, life.own[node->id][WAITS]), "seed %u",
                      (unsigned)seed);
            cr_assert(le(u64, node->ready_least, life.own[node->id][IS_READY]), "seed %u",
                      (unsigned)seed);
        }
        sections_finish(&s);
        init();
    }
    for (uint32_t i = 0; i < STATES; i++) {
        cr_expect(gt(u64, told[i], all[i] / 10), "state %u: %u of %u", i, (unsigned)told[i],
                  (unsigned)all[i]);
    }
}
