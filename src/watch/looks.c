#include "watch/clock.h"
#include "watch/loops.h"
#include "watch/watcher.h"

/* ---- Places ---- */

static void keep_place(struct watch_known *loop, const struct beat_here *here)
{
    if (loop->place_count > 0) {
        const struct beat_here *last = &loop->places[(loop->place_count - 1) % WATCH_PLACE_COUNT];
        if (last->position == here->position && last->ring == here->ring &&
            last->claim == here->claim) {
            return;
        }
    }
    loop->places[loop->place_count++ % WATCH_PLACE_COUNT] = *here;
}

struct beat_here watch_place_of(const struct watch_known *loop, uint64_t position)
{
    struct beat_here newest = {0};

    for (uint32_t i = 0; i < loop->place_count && i < WATCH_PLACE_COUNT; i++) {
        const struct beat_here *place =
            &loop->places[(loop->place_count - 1 - i) % WATCH_PLACE_COUNT];
        if (place->position == position) {
            return *place;
        }
        newest = i == 0 ? *place : newest;
    }
    newest.position = position;
    return newest;
}

/* ---- Events ---- */

static void feed_slow(struct watch_watcher *watcher, uint32_t number, const struct watch_slow *slow)
{
    struct mon_event event = {.at_ns = slow->end_ns, .kind = MON_SLOW, .loop = number};

    keep_place(&watcher->loops[number], &slow->begin);
    event.slow = (struct mon_slow){
        .begin_ns = slow->begin_ns,
        .stretch_ns = slow->stretch_ns,
        .nested_ns = slow->nested_ns,
        .is_open = slow->is_open,
        .cpu_ns = slow->cpu_ns,
        .position = slow->begin.position,
        .end_position = slow->end.position,
        .message = watch_names_pass(watcher->names, mb_text_of(slow->text)),
    };
    watch_feed(watcher, &event);
}

static void feed_pong(struct watch_watcher *watcher, uint32_t number)
{
    struct watch_pong pong;

    if (watch_loop_take_pong(number, &pong)) {
        struct mon_event event = {
            .at_ns = pong.at_ns, .kind = MON_PONG, .loop = number, .request = pong.request};
        event.pong.was_heard = pong.was_heard;
        watch_feed(watcher, &event);
    }
}

/* -1 where it would be evidence that nobody can follow: a loop at rest that cannot be asked. */
static int64_t cpu_of(uint32_t number, bool is_open)
{
    return is_open || watch_loop_can_ping(number) ? watch_cpu_ns_of(watch_loop_thread(number)) : -1;
}

static uint32_t name_of(struct watch_watcher *watcher, uint32_t number)
{
    char name[WATCH_LOOP_NAME_SIZE];

    watch_loop_name(number, name);
    return watch_names_add(watcher->names, mb_text_of(name));
}

static void feed_look(struct watch_watcher *watcher, uint32_t number)
{
    struct watch_known *known = &watcher->loops[number];
    struct mon_event event = {.at_ns = watcher->now_ns, .kind = MON_LOOP, .loop = number};
    struct watch_look look;

    if (!watch_cell_look(watch_loop_cell(number), &look)) {
        known->is_still = false;
        return; /* it goes on at this moment */
    }
    known->is_still = !look.is_open && look.sequence == known->sequence;
    known->sequence = look.sequence;
    keep_place(known, &look.here);
    event.look = (struct mon_look){
        .sequence = look.sequence,
        .is_open = look.is_open,
        .since_ns = look.since_ns,
        .cpu_ns = cpu_of(number, look.is_open),
        .position = look.here.position,
        .name = name_of(watcher, number),
    };
    watch_feed(watcher, &event);
}

/* The looks first: what a message told as it ended came before the look that finds it over, or it
 * is taken with the next batch, whose times are its own. */
void watch_look_at_loops(struct watch_watcher *watcher)
{
    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        struct watch_known *known = &watcher->loops[i];
        struct watch_slow slow;
        known->is_used = known->is_used || watch_loop_is_there(i);
        if (!known->is_used) {
            continue;
        }
        feed_look(watcher, i);
        feed_pong(watcher, i);
        while (watch_cell_take(watch_loop_cell(i), &slow)) {
            feed_slow(watcher, i, &slow);
        }
    }
}

void watch_forget_slow(void)
{
    struct watch_slow slow;

    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        while (watch_cell_take(watch_loop_cell(i), &slow)) {
        }
    }
}

bool watch_loops_rest(const struct watch_watcher *watcher)
{
    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        const struct watch_known *known = &watcher->loops[i];
        if (known->is_used && !known->is_still) {
            return false;
        }
    }
    return true;
}

bool watch_loops_are_unchanged(const struct watch_watcher *watcher)
{
    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        const struct watch_known *known = &watcher->loops[i];
        struct watch_look look;
        if ((known->is_used || watch_loop_is_there(i)) &&
            (!watch_cell_look(watch_loop_cell(i), &look) || look.sequence != known->sequence)) {
            return false;
        }
    }
    return true;
}
