#include "recorder/profile/tree.h"

#include "abi/names.h"
#include "abi/record.h"
#include "recorder/profile/lengths.h"

#include <assert.h>
#include <stdlib.h>

#define FIRST_ROOM 32u
#define SUSPECT_EVERY 1024u /* calls of a method */
/* How far a word's time may lie ahead of the present, as read on another CPU. */
#define AHEAD (UINT64_C(1) << 24)

/* ---- Lanes ---- */

/* The slot of the newest open call of id. Calls end in the reverse order of their beginning, so
 * slots are freed in reverse order, and probing never has to pass a freed slot. */
static inline uint32_t find_slot(const struct prof_lane *lane, uint32_t id)
{
    uint32_t mask = lane->room * 2 - 1;
    uint32_t at = (id * 0x9e3779b1u >> 8) & mask;

    while (lane->open[at].place != 0 && lane->open[at].id != id) {
        at = (at + 1) & mask;
    }
    return at;
}

/* The frame at that place, the newest, is in the table now. */
static inline void put_frame(const struct prof_lane *lane, uint32_t place, uint32_t slot)
{
    struct prof_frame *frame = &lane->frames[place - 1];

    assert(place > 0 && place <= lane->room && lane->open[slot].place < place);
    frame->slot = slot;
    frame->outer = lane->open[slot].place;
    lane->open[slot] = (struct prof_open){frame->id, place};
}

/* Double the room. */
MB_NOINLINE static bool grow_lane(struct prof_lane *lane)
{
    uint32_t room = lane->room > 0 ? lane->room * 2 : FIRST_ROOM;
    struct prof_frame *frames =
        room <= ABI_PROFILE_DEPTH ? realloc(lane->frames, room * sizeof(*frames)) : NULL;

    if (frames == NULL) {
        return false;
    }
    lane->frames = frames;
    struct prof_open *open = calloc((size_t)room * 2, sizeof(*open));
    if (open == NULL) {
        return false;
    }
    free(lane->open);
    lane->open = open;
    lane->room = room;
    for (uint32_t place = 1; place <= lane->depth; place++) {
        put_frame(lane, place, find_slot(lane, lane->frames[place - 1].id));
    }
    return true;
}

bool prof_lane_init(struct prof_lane *lane, struct abi_profile_thread *row, uint32_t row_index)
{
    *lane = (struct prof_lane){.row = row, .row_index = row_index};
    return grow_lane(lane);
}

/* ---- Ends of calls ---- */

static void count_for_throttle(struct prof_tree *tree, const struct prof_lane *lane,
                               const struct prof_frame *frame, uint64_t duration)
{
    struct prof_method *method = &tree->methods[frame->id];
    uint64_t own = duration - frame->inside;

    method->own += own;
    method->total += frame->outer == 0 ? duration : 0;
    if (frame->start >= lane->exact_from) {
        method->exact_calls++;
        method->exact_own += own;
        method->exact_squares += own * own;
    }
    if (MB_UNLIKELY(++method->calls % SUSPECT_EVERY == 0) && method->muted_since == 0 &&
        tree->suspect_count < PROF_MAX_SUSPECTS) {
        tree->suspects[tree->suspect_count++] = frame->id;
    }
}

/* The newest open call has no exit record: it ended now at the latest. */
static void count_inferred(struct prof_tree *tree, const struct prof_lane *lane, uint64_t time)
{
    const struct prof_frame *frame = &lane->frames[lane->depth - 1];
    struct abi_profile_node *node = &tree->nodes[frame->node];

    prof_add(&lane->row->inferred, 1);
    if (frame->is_absorbed) {
        return;
    }
    prof_add(&node->inferred_calls, 1);
    if (!frame->is_folded) { /* its time is that of the call around it */
        prof_add(&node->inferred_total, time - frame->start);
    }
}

static void count_call(struct prof_tree *tree, const struct prof_lane *lane,
                       const struct prof_frame *frame, uint64_t duration)
{
    struct abi_profile_node *node = &tree->nodes[frame->node];

    prof_add(&node->calls, 1);
    if (duration > prof_get(&node->longest)) {
        prof_set(&node->longest, duration);
    }
    if (frame->is_folded) {
        return;
    }
    if (!frame->is_shared) {
        prof_set(&node->open_since, 0);
    }
    prof_add(&node->total, duration);
    if (lane->depth > 0) {
        uint32_t caller = lane->frames[lane->depth - 1].node;
        if (MB_LIKELY(caller != ABI_PROFILE_NO_NODE)) {
            prof_add(&tree->nodes[caller].child_total, duration);
        }
    }
}

static inline bool is_request(const struct prof_tree *tree, const struct prof_frame *frame)
{
    bool has_node = !frame->is_absorbed && !frame->is_folded;

    return has_node && (tree->nodes[frame->node].flags & ABI_PROFILE_REQUEST) != 0;
}

/* The newest open call ends. */
static inline void close_newest(struct prof_tree *tree, struct prof_lane *lane, uint64_t time)
{
    assert(lane->depth > 0);
    if (MB_UNLIKELY(lane->frames[lane->depth - 1].is_folded)) {
        prof_fold_end(tree, lane->frames[lane->depth - 2].node, lane->frames[lane->depth - 1].node,
                      time);
    }
    const struct prof_frame frame = lane->frames[--lane->depth];
    uint64_t duration = time - frame.start;

    assert(lane->open[frame.slot].place == lane->depth + 1 && frame.outer <= lane->depth);
    lane->open[frame.slot].place = frame.outer;
    lane->place = prof_behind(frame.node);
    if (lane->depth < lane->message) {
        lane->message = 0;
    }
    if (MB_UNLIKELY(lane->depth < lane->doubtful)) {
        lane->doubtful = lane->depth;
    }
    if (lane->depth == 0) {
        prof_add(&lane->row->outer_time, duration);
        prof_add_inside(lane, frame.start, time);
    } else {
        lane->frames[lane->depth - 1].inside += duration;
    }
    count_for_throttle(tree, lane, &frame, duration);
    if (MB_UNLIKELY(is_request(tree, &frame))) {
        prof_end_request(tree, lane, &frame, duration);
    } else if (tree->lengths != NULL) {
        prof_lengths_count(tree->lengths, &tree->methods[frame.id].length, frame.id, 0, duration);
    }
    if (MB_LIKELY(!frame.is_absorbed)) {
        count_call(tree, lane, &frame, duration);
    }
}

static void close_above(struct prof_tree *tree, struct prof_lane *lane, uint32_t depth,
                        uint64_t time)
{
    while (lane->depth > depth) {
        const struct prof_frame *frame = &lane->frames[lane->depth - 1];
        if (tree->methods[frame->id].muted_since == 0) {
            count_inferred(tree, lane, time);
        }
        close_newest(tree, lane, time);
    }
}

void prof_end(struct prof_tree *tree, struct prof_lane *lane)
{
    close_above(tree, lane, 0, lane->time);
    lane->catches = false;
}

void prof_skip(struct prof_lane *lane, uint64_t lost_words)
{
    prof_add(&lane->row->lost_words, lost_words);
    lane->catches = false;
    lane->has_gap = true;
    lane->exact_left = 0;
    lane->doubtful = lane->depth;
}

/* ---- Entries ---- */

static bool has_child(const struct prof_tree *tree, const struct prof_lane *lane, uint32_t node,
                      uint32_t id)
{
    return prof_find_child(tree, lane->row_index, node, id) != ABI_PROFILE_NO_NODE;
}

/* The first entry after missing words, at the depth of that time: close the open calls that have
 * never called this method, if a call around them has. */
MB_NOINLINE static void close_doubtful(struct prof_tree *tree, struct prof_lane *lane, uint32_t id,
                                       uint64_t time)
{
    uint32_t place = lane->depth;

    while (place > 0 && !has_child(tree, lane, lane->frames[place - 1].node, id)) {
        place--;
    }
    if (place > 0 || has_child(tree, lane, ABI_PROFILE_NO_NODE, id)) {
        close_above(tree, lane, place, time);
    }
}

/* A recursive call counts in the node of the outer call, which also gets the calls that it
 * makes. So a tree is at most as deep as there are methods, and a method has at most one open
 * node. The total of a node is the time during which calls of it were open, counted once. */
static void fold_call(struct prof_tree *tree, struct prof_lane *lane, struct prof_frame *frame,
                      uint32_t around)
{
    assert(around > 0 && around <= lane->depth);
    frame->is_folded = true;
    frame->node = lane->frames[around - 1].node;
    tree->nodes[frame->node].flags |= ABI_PROFILE_FOLDED;
    prof_fold_begin(tree, lane->frames[lane->depth - 1].node, frame->node, frame->start);
}

/* No room for its node: its time becomes its caller's own. */
MB_NOINLINE static void absorb_call(struct prof_tree *tree, struct prof_frame *frame,
                                    uint32_t caller)
{
    prof_add(&tree->section->lost, 1);
    frame->is_absorbed = true;
    frame->node = caller;
}

MB_NOINLINE static uint32_t make_node(struct prof_tree *tree, const struct prof_lane *lane,
                                      uint32_t caller, uint32_t id)
{
    uint32_t node = prof_child(tree, lane->row_index, caller, id);

    if (node != ABI_PROFILE_NO_NODE) {
        struct prof_method *method = &tree->methods[id & ABI_ID_MASK];
        tree->older[node] = method->newest_node;
        method->newest_node = node + 1;
        tree->nodes[node].flags = prof_is_chosen(tree, node) ? ABI_PROFILE_REQUEST : 0;
        prof_lead(tree, prof_inside(node), ABI_PROFILE_NO_NODE);
        prof_lead(tree, prof_behind(node), ABI_PROFILE_NO_NODE);
    }
    return node;
}

MB_NOINLINE static uint32_t search_node(struct prof_tree *tree, const struct prof_lane *lane,
                                        uint32_t caller, uint32_t id)
{
    uint32_t node = prof_find_child(tree, lane->row_index, caller, id);

    if (MB_UNLIKELY(node == ABI_PROFILE_NO_NODE)) {
        node = make_node(tree, lane, caller, id);
    }
    prof_lead(tree, lane->place, node);
    return node;
}

static inline uint32_t node_of(struct prof_tree *tree, const struct prof_lane *lane,
                               uint32_t caller, uint32_t id)
{
    uint32_t node = prof_follow(tree, lane->place, lane->row_index, caller, id);

    return MB_LIKELY(node != ABI_PROFILE_NO_NODE) ? node : search_node(tree, lane, caller, id);
}

/* around: place, from 1, of the newest open call of its method; 0 if none. */
static void find_node(struct prof_tree *tree, struct prof_lane *lane, struct prof_frame *frame,
                      uint32_t around)
{
    uint32_t caller = lane->depth > 0 ? lane->frames[lane->depth - 1].node : ABI_PROFILE_NO_NODE;
    bool has_caller = lane->depth == 0 || caller != ABI_PROFILE_NO_NODE;

    if (MB_UNLIKELY(around > 0) && !lane->frames[around - 1].is_absorbed) {
        fold_call(tree, lane, frame, around);
        return;
    }
    frame->node = has_caller ? node_of(tree, lane, caller, frame->id)
                             : ABI_PROFILE_NO_NODE; /* nor does the caller's */
    if (MB_UNLIKELY(frame->node == ABI_PROFILE_NO_NODE)) {
        absorb_call(tree, frame, caller);
        return;
    }
    struct abi_profile_node *node = &tree->nodes[frame->node];
    if (MB_UNLIKELY((node->flags & ABI_PROFILE_REQUEST) != 0)) {
        lane->request.node = frame->node + 1;
        lane->request.first = lane->position;
    }
    frame->is_shared = prof_get(&node->open_since) != 0;
    if (MB_LIKELY(!frame->is_shared)) {
        prof_set(&node->open_since, frame->start + 1);
    }
}

/* The limit of open calls is reached. Calls repeated so often were left by exceptions without a
 * record, unless their exits are still to come: close all calls of the loop that made them. False
 * if no method repeats. */
MB_NOINLINE static bool close_repeated(struct prof_tree *tree, struct prof_lane *lane,
                                       uint64_t time)
{
    uint32_t place = 1;

    while (place <= lane->depth && !lane->frames[place - 1].is_folded) {
        place++;
    }
    if (place > lane->depth) {
        return false;
    }
    uint32_t outer = lane->frames[place - 1].outer - 1;
    lane->cut_count += lane->depth - outer;
    close_above(tree, lane, outer, time);
    return true;
}

static void enter_call(struct prof_tree *tree, struct prof_lane *lane, uint32_t id, uint64_t time)
{
    struct prof_frame frame = {.start = time, .id = id & ABI_ID_MASK};

    if (MB_UNLIKELY(id == ABI_MESSAGE_ID) && lane->message != 0) { /* they do not nest */
        close_above(tree, lane, lane->message - 1, time);
    }
    if (MB_UNLIKELY(lane->depth == lane->doubtful) && lane->depth > 0) {
        close_doubtful(tree, lane, id, time);
    }
    if (MB_UNLIKELY(lane->depth == lane->room) && !grow_lane(lane) &&
        !close_repeated(tree, lane, time)) {
        prof_add(&lane->row->lost_exits, 1);
        return;
    }
    uint32_t slot = find_slot(lane, frame.id);
    find_node(tree, lane, &frame, lane->open[slot].place);
    lane->place = prof_inside(frame.node);
    lane->frames[lane->depth++] = frame;
    put_frame(lane, lane->depth, slot);
    if (id == ABI_MESSAGE_ID) {
        lane->message = lane->depth;
    }
}

/* ---- Exits ---- */

/* The newest open call of id, from 1; not across the open message. */
static uint32_t find_left(const struct prof_tree *tree, struct prof_lane *lane, uint32_t id)
{
    uint32_t place = lane->open[find_slot(lane, id)].place;

    place = place >= lane->message ? place : 0;
    if (place == 0 && tree->methods[id].muted_since == 0 && lane->cut_count > 0) {
        lane->cut_count--;
        prof_add(&lane->row->inferred, UINT64_MAX); /* no exception left it */
        prof_add(&lane->row->deep_calls, 1);
    } else if (place == 0 && tree->methods[id].muted_since == 0) {
        prof_add(&lane->row->lost_entries, 1);
    }
    return place;
}

MB_NOINLINE static void leave_other(struct prof_tree *tree, struct prof_lane *lane, uint32_t id,
                                    uint64_t time)
{
    bool catches = lane->catches;

    lane->catches = false;
    if (!catches && id == ABI_CATCH_ID) {
        lane->catches = true;
        return;
    }
    uint32_t place = find_left(tree, lane, id);
    tree->methods[id].has_caught |= catches;
    if (place == 0) {
        return;
    }
    if (!catches) {
        close_above(tree, lane, place, time);
        close_newest(tree, lane, time);
    }
    while (lane->depth > place) { /* a catch tells when they ended: now */
        close_newest(tree, lane, time);
    }
}

static inline bool is_newest(const struct prof_lane *lane, uint32_t id)
{
    return MB_LIKELY(lane->depth > 0 && lane->frames[lane->depth - 1].id == id);
}

/* An open call of a muted method has no exit record: close it here, unless this word is its exit
 * after all. */
static inline void end_muted(struct prof_tree *tree, struct prof_lane *lane, uint64_t word,
                             uint64_t time)
{
    while (lane->depth > 0) {
        uint32_t id = lane->frames[lane->depth - 1].id;
        uint64_t since = tree->methods[id].muted_since;
        bool is_its_exit = !abi_record_is_enter(word) && abi_record_id(word) == id;
        if (MB_LIKELY(since == 0) || time + 1 < since || is_its_exit) {
            return;
        }
        close_newest(tree, lane, time);
    }
}

static inline void read_word(struct prof_tree *tree, struct prof_lane *lane, uint64_t word,
                             uint64_t time)
{
    uint32_t id = abi_record_id(word);

    end_muted(tree, lane, word, time);
    if (abi_record_is_enter(word)) {
        lane->catches = false;
        enter_call(tree, lane, id, time);
    } else if (is_newest(lane, id) && !lane->catches) {
        close_newest(tree, lane, time);
    } else {
        leave_other(tree, lane, id, time);
    }
}

static void begin_row(struct prof_lane *lane, uint64_t time)
{
    if (!lane->has_begun && prof_get(&lane->row->words) == 0) {
        prof_set(&lane->row->first_time, time);
    }
    lane->shared_time = time;
    lane->has_begun = true;
}

/* The first records after a step of the coarse clock are exact; then it stands still. */
static inline void follow_clock(struct prof_lane *lane, uint64_t before, uint64_t time)
{
    if (lane->exact_left > 0) {
        lane->exact_left--;
    } else if (time != before && lane->exact_words > 0 && !lane->has_gap) {
        lane->exact_left = lane->exact_words - 1;
        lane->exact_from = time;
    } else {
        lane->exact_from = UINT64_MAX;
    }
}

void prof_feed(struct prof_tree *tree, struct prof_lane *lane, const uint64_t *words, size_t count,
               uint64_t now)
{
    uint64_t latest = now + AHEAD;
    uint64_t time = lane->time;
    uint64_t read = 0;
    uint64_t exact = 0;

    for (size_t i = 0; i < count; i++, lane->position++) {
        uint64_t word = words[i];
        if (MB_UNLIKELY(word == ABI_EMPTY_WORD)) {
            continue;
        }
        read++;
        uint64_t next = latest - ((latest - word) & ABI_TIME_MASK);
        next = next > time ? next : time; /* never back */
        if (MB_UNLIKELY(next - time > lane->stretch)) {
            prof_add_stretch(lane, time, next);
        }
        follow_clock(lane, time, next);
        exact += lane->exact_from != UINT64_MAX;
        lane->has_gap = false;
        time = next;
        if (MB_UNLIKELY(!lane->has_begun)) {
            begin_row(lane, time);
        }
        read_word(tree, lane, word, time);
    }
    lane->time = time;
    tree->words += read;
    if (read > 0) {
        prof_set(&lane->row->last_time, time);
        prof_add(&lane->row->words, read);
        prof_add(&lane->row->exact_words, exact);
    }
}
