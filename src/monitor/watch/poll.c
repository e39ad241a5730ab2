#include "monitor/watch/clock.h"
#include "monitor/watch/loops.h"
#include "monitor/watch/watcher.h"

/* ---- Places ---- */

static void keep_place(struct watch_polled *loop, const struct beat_here *here)
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

struct beat_here watch_place_of(const struct watch_polled *loop, uint64_t position)
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

/* -1 for a loop at rest that cannot be pinged: its CPU time would prove nothing. */
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
    struct watch_polled *known = &watcher->loops[number];
    struct mon_event event = {.at_ns = watcher->now_ns, .kind = MON_LOOP, .loop = number};
    struct watch_snapshot snapshot;

    if (!watch_cell_read(watch_loop_cell(number), &snapshot)) {
        known->is_still = false;
        return; /* it moves right now */
    }
    known->is_still = !snapshot.is_open && snapshot.sequence == known->sequence;
    known->sequence = snapshot.sequence;
    keep_place(known, &snapshot.here);
    event.poll = (struct mon_poll){
        .sequence = snapshot.sequence,
        .is_open = snapshot.is_open,
        .since_ns = snapshot.since_ns,
        .cpu_ns = cpu_of(number, snapshot.is_open),
        .position = snapshot.here.position,
        .name = name_of(watcher, number),
    };
    watch_feed(watcher, &event);
}

/* Read the cell before its slow messages: then a message that the cell shows as ended has pushed
 * its stretch already; a later one is taken with the next batch. */
void watch_poll_loops(struct watch_watcher *watcher)
{
    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        struct watch_polled *known = &watcher->loops[i];
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
        const struct watch_polled *known = &watcher->loops[i];
        if (known->is_used && !known->is_still) {
            return false;
        }
    }
    return true;
}

bool watch_loops_are_unchanged(const struct watch_watcher *watcher)
{
    for (uint32_t i = 0; i < WATCH_LOOP_COUNT; i++) {
        const struct watch_polled *known = &watcher->loops[i];
        struct watch_snapshot snapshot;
        if ((known->is_used || watch_loop_is_there(i)) &&
            (!watch_cell_read(watch_loop_cell(i), &snapshot) ||
             snapshot.sequence != known->sequence)) {
            return false;
        }
    }
    return true;
}
