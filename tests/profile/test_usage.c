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

    prof_add_usage(&s.tree, &s.lanes[0], &usage);
}

static void expect_row(uint64_t worked, uint64_t ready)
{
    cr_expect(eq(u64, s.rows[0].worked_least, worked), "worked");
    cr_expect(eq(u64, s.rows[0].ready_least, ready), "ready");
}

static void expect_node(uint32_t node, uint64_t ready, uint64_t waited)
{
    cr_expect(eq(u64, s.nodes[node].ready_least, ready), "ready in %u", node);
    cr_expect(eq(u64, s.nodes[node].waited_least, waited), "waited in %u", node);
}

/* Who is outside waits there: work is inside, as far as it fits. */
Test(usage, work_is_inside_as_far_as_it_fits)
{
    feed(1, true, 1000);
    feed(1, false, 1100);
    share(1400, 90, 0);
    expect_row(90, 0);
    feed(1, true, 1400);
    feed(1, false, 1450);
    share(1500, 70, 0);
    expect_row(140, 0);
    share(1600, 50, 0);
    expect_row(140, 0);
}

/* Without a processor nothing is recorded. */
Test(usage, stretches_have_what_was_no_work)
{
    feed(1, true, 1000);
    feed(2, true, 1000);
    feed(2, false, 1090);
    feed(1, false, 1110);
    share(1110, 50, 20);
    expect_node(0, 0, 0);
    expect_node(1, 20, 40);
    expect_row(50, 20);
}

Test(usage, a_stretch_outside_has_its_share)
{
    feed(1, true, 1000);
    feed(1, false, 1040);
    feed(1, true, 1100);
    share(1100, 0, 0);
    expect_node(0, 0, 40);
}

Test(usage, eight_busy_threads_of_two_processors)
{
    feed(1, true, 1000);
    for (uint64_t time = 1100; time <= 2000; time += 100) {
        share(time, 25, 75);
    }
    expect_row(250, 750);
    expect_node(0, 750, 0);
}

/* The queue is told of when it is over: what was taken for waiting in the meantime is corrected. */
Test(usage, readiness_that_is_told_late_is_no_waiting)
{
    feed(1, true, 1000);
    share(1100, 100, 0);
    share(1200, 0, 0);
    expect_node(0, 0, 100);
    share(1300, 50, 150);
    expect_row(150, 150);
    expect_node(0, 150, 0);
}

/* Where words are missing, nobody knows whose the time was. */
Test(usage, no_stretch_goes_over_a_gap)
{
    feed(1, true, 1000);
    prof_skip(&s.lanes[0], 7);
    feed(2, true, 1100);
    share(1100, 0, 0);
    expect_node(0, 0, 0);
}

/* One call rests and another works, never apart: how they do it tells in the end. */
Test(usage, work_goes_to_the_call_that_works)
{
    uint64_t now = 1000;

    feed(1, true, now);
    for (uint32_t i = 0; i < 200; i++) {
        uint64_t rest = i % 2 == 0 ? 60 : 90;
        feed(2, true, now);
        feed(2, false, now + rest);
        feed(3, true, now + rest);
        now += 100;
        feed(3, false, now);
        share(now, 100 - rest, 0);
    }
    cr_expect(ge(u64, s.nodes[1].waited_least, 14000), "the rest: %u of 15000",
              (unsigned)s.nodes[1].waited_least);
    cr_expect(le(u64, s.nodes[2].waited_least, 1000), "the work: %u",
              (unsigned)s.nodes[2].waited_least);
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

/* Of many lives, rows and nodes have what is true within a tenth, but for work: these lives are
 * busy outside of calls as well, and what fits is taken to be inside. */
Test(usage, parts_are_near_the_truth)
{
    uint64_t told[2][STATES] = {0};
    uint64_t all[STATES] = {0};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct life life = {.seed = seed, .now = 1000};
        live(&life);
        const struct abi_profile_thread *row = &s.rows[0];
        uint64_t inside = life.inside[WORKS] + life.inside[IS_READY] + life.inside[WAITS];
        cr_assert(le(u64, row->worked_least + row->ready_least, inside), "seed %u", (unsigned)seed);
        told[0][WORKS] += row->worked_least;
        told[0][IS_READY] += row->ready_least;
        told[0][WAITS] += inside - row->worked_least - row->ready_least;
        for (uint32_t i = 0; i < s.section.written; i++) {
            told[1][IS_READY] += s.nodes[i].ready_least;
            told[1][WAITS] += s.nodes[i].waited_least;
        }
        for (uint32_t i = 0; i < STATES; i++) {
            all[i] += life.inside[i];
        }
        sections_finish(&s);
        init();
    }
    for (uint32_t i = 0; i < STATES; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            double share = (double)told[k][i] / (double)all[i];
            bool is_near =
                (k == 1 && i == WORKS) || (share > 0.9 && share < (i == WORKS ? 1.3 : 1.1));
            cr_expect(is_near, "state %u of %s: %.2f", i, k == 0 ? "rows" : "nodes", share);
        }
    }
}
