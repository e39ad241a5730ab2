/* Random lives of a loop: what is told of them is what a model, which knows them whole, expects. */

#include "simulator.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPTS 1000
#define TICK_MS 300

/* The model's view: stretches of time in which one message had the loop. */
struct expected {
    enum mon_detail detail;
    int64_t begin_ms;
    int64_t end_ms;
    int64_t length_ms;
};

struct model {
    struct expected issues[256];
    uint32_t count;
};

static uint64_t seed;

static int64_t pick(int64_t least, int64_t most)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return least + (int64_t)((seed >> 33) % (uint64_t)(most - least + 1));
}

/* Lengths gather around the thresholds, and are never within a tick of one where gaps blur them. */
static int64_t pick_length(void)
{
    static const int64_t around[] = {10, 310, 699, 700, 1999, 2000, 4999, 5000, 7999, 8000};
    int64_t length = around[pick(0, 9)] + pick(0, 1) * pick(0, 400);

    return length;
}

static enum mon_detail stall_of(int64_t stretch_ms)
{
    if (stretch_ms < 2000) {
        return MON_NOTHING;
    }
    if (stretch_ms < 5000) {
        return MON_LAG;
    }
    return stretch_ms < 8000 ? MON_ANR : MON_HANG;
}

static void expect(struct model *model, enum mon_detail detail, int64_t begin_ms, int64_t end_ms,
                   int64_t length_ms)
{
    cr_assert(lt(u32, model->count, MB_COUNT(model->issues)));
    model->issues[model->count++] = (struct expected){detail, begin_ms, end_ms, length_ms};
}

/* A message with up to three nested ones; returns its end. */
static int64_t add_message(struct sim *sim, struct model *model, int64_t begin_ms)
{
    int64_t at = begin_ms;
    int64_t stretch = begin_ms;
    int64_t nested = 0;
    int64_t inner_count = pick(0, 5) == 0 ? pick(1, 3) : 0;

    for (int64_t i = 0; i < inner_count; i++) {
        at += pick_length();
        int64_t length = pick_length();
        sim_message(sim, at, at + length, "app.inner");
        if (stall_of(at - stretch) != MON_NOTHING) {
            expect(model, stall_of(at - stretch), stretch, at, at - stretch);
        }
        if (stall_of(length) != MON_NOTHING) {
            expect(model, stall_of(length), at, at + length, length);
        } else if (length >= 700) {
            expect(model, MON_NORMAL, at, at + length, length);
        }
        nested += length;
        at += length;
        stretch = at;
    }
    at += pick_length();
    sim_message(sim, begin_ms, at, "app.outer");
    int64_t own = at - begin_ms - nested;
    if (stall_of(at - stretch) != MON_NOTHING) {
        expect(model, stall_of(at - stretch), stretch, at, at - stretch);
    } else if (own >= 700) {
        expect(model, MON_NORMAL, begin_ms, at, own);
    }
    return at;
}

static int64_t write_script(struct sim *sim, struct model *model)
{
    int64_t at = 500;
    int64_t count = pick(1, 12);

    for (int64_t i = 0; i < count; i++) {
        at = add_message(sim, model, at) + pick(1, 3000);
    }
    return at;
}

static const struct sim_issue *find_issue(const struct sim *sim, const struct expected *expected)
{
    for (uint32_t i = 0; i < sim->issue_count; i++) {
        if (sim->issues[i].begin_ns == expected->begin_ms * SIM_MS &&
            sim->issues[i].end_ns == expected->end_ms * SIM_MS) {
            return &sim->issues[i];
        }
    }
    return NULL;
}

static void compare(const struct sim *sim, const struct model *model, uint64_t script)
{
    cr_assert(eq(u32, sim->issue_count, model->count), "script %llu", (unsigned long long)script);
    for (uint32_t i = 0; i < model->count; i++) {
        const struct expected *expected = &model->issues[i];
        const struct sim_issue *issue = find_issue(sim, expected);
        cr_assert_not_null(issue, "script %llu, %lld ms", (unsigned long long)script,
                           (long long)expected->begin_ms);
        cr_assert(eq(int, issue->detail, expected->detail), "script %llu",
                  (unsigned long long)script);
        cr_assert(eq(i64, issue->watched_ns, expected->length_ms * SIM_MS), "script %llu",
                  (unsigned long long)script);
    }
}

/* Runs script number n, and returns it with its issues. */
static struct sim *run_script(uint64_t script, struct model *model)
{
    struct sim *sim = sim_create();

    seed = script;
    int64_t end = write_script(sim, model);
    sim_start(sim);
    sim_run(sim, end + 5000);
    return sim;
}

Test(truth, one_issue_a_stall_and_none_without)
{
    uint32_t issues = 0;

    for (uint64_t script = 1; script <= SCRIPTS; script++) {
        struct model model = {.count = 0};
        struct sim *sim = run_script(script, &model);
        compare(sim, &model, script);
        cr_assert(eq(u32, sim->notes == 0, sim->notes_closed == 0));
        issues += sim->issue_count;
        sim_destroy(sim);
    }
    cr_assert(gt(u32, issues, SCRIPTS), "the scripts have stalls");
}

/* The same with many issues and few ticks. */
static struct sim *run_crowded(uint64_t script, uint64_t shuffle)
{
    struct model model = {.count = 0};
    struct sim *sim = sim_create();

    seed = script;
    sim->shuffle = shuffle;
    cr_assert(mon_options_set(&sim->options, "evil_ms", "5"));
    sim->options.sample_ms = 1000;
    int64_t end = write_script(sim, &model);
    for (int64_t i = 0; i < 40; i++) {
        end += 20;
        sim_message(sim, end, end + 7 + i % 9, "app.a");
    }
    sim_start(sim);
    sim_run(sim, end + 5000);
    return sim;
}

Test(truth, order_within_a_tick_does_not_matter)
{
    for (uint64_t script = 1; script <= SCRIPTS / 5; script++) {
        struct sim *straight = run_crowded(script, 0);
        struct sim *shuffled = run_crowded(script, script * 77);
        cr_assert(eq(sz, straight->text.size, shuffled->text.size));
        cr_assert(straight->text.size == 0 ||
                  memcmp(straight->text.bytes, shuffled->text.bytes, straight->text.size) == 0);
        sim_destroy(straight);
        sim_destroy(shuffled);
    }
}

/* Stopped for a while in the middle of messages or between them. The watcher learns of a stop by
 * the wake it missed: what lies before that, at most a tick, counts. */
Test(truth, what_was_not_watched_does_not_count)
{
    for (uint64_t script = 1; script <= SCRIPTS / 5; script++) {
        struct sim *sim = sim_create();
        seed = script;
        int64_t begin = pick(400, 5000);
        int64_t length = pick(100, 12000);
        int64_t gap_at = begin - 300 + pick(0, length + 500);
        int64_t gap = pick(2000, 30000);
        bool is_inside = gap_at > begin && gap_at < begin + length;
        sim_message(sim, gap_at <= begin ? begin + gap : begin,
                    gap_at < begin + length ? begin + length + gap : begin + length, "app.a");
        sim_gap(sim, gap_at, gap_at + gap);
        sim_start(sim);
        sim_run(sim, 60000);
        cr_assert(le(u32, sim->issue_count, 1));
        cr_assert(ge(u32, sim->issue_count, length >= 700), "script %llu",
                  (unsigned long long)script);
        cr_assert(le(u32, sim->issue_count, length >= 700 - (is_inside ? TICK_MS : 0)),
                  "script %llu", (unsigned long long)script);
        if (sim->issue_count > 0) {
            int64_t watched = sim->issues[0].watched_ns / SIM_MS;
            cr_assert(ge(i64, watched, length), "script %llu", (unsigned long long)script);
            cr_assert(le(i64, watched, length + (is_inside ? TICK_MS : 0)), "script %llu",
                      (unsigned long long)script);
        }
        sim_destroy(sim);
    }
}
