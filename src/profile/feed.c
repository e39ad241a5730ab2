#include "profile/tree.h"

#include "abi/names.h"
#include "abi/record.h"

#include <stdlib.h>

#define FIRST_ROOM 32u
#define MAX_DEPTH (1u << 20) /* beyond it calls are not told apart from lost ones */
#define MAX_FOLD_SEARCH 64u  /* callers that are looked at for one of the same method */
#define CROWDED_SHARE 8u     /* of the room for nodes that is left */
#define SUSPECT_EVERY 1024u  /* calls of a method */
/* How far a word's time may lie behind the present: clocks of two CPUs. */
#define AHEAD (UINT64_C(1) << 24)

/* ---- Lanes ---- */

bool prof_lane_init(struct prof_lane *lane, struct abi_profile_thread *row, uint32_t row_index)
{
    *lane = (struct prof_lane){.row = row, .row_index = row_index};
    lane->frames = malloc(FIRST_ROOM * sizeof(*lane->frames));
    lane->buckets = calloc(PROF_BUCKETS, sizeof(*lane->buckets));
    lane->room = lane->frames != NULL ? FIRST_ROOM : 0;
    return lane->frames != NULL && lane->buckets != NULL;
}

void prof_lane_finish(struct prof_lane *lane)
{
    free(lane->frames);
    free(lane->buckets);
    *lane = (struct prof_lane){0};
}

MB_NOINLINE static bool grow(struct prof_lane *lane)
{
    uint32_t room = lane->room > 0 ? lane->room * 2 : FIRST_ROOM;
    struct prof_frame *frames =
        room <= MAX_DEPTH ? realloc(lane->frames, room * sizeof(*frames)) : NULL;

    if (frames == NULL) {
        return false;
    }
    lane->frames = frames;
    lane->room = room;
    return true;
}

static uint32_t *bucket_of(const struct prof_lane *lane, uint32_t id)
{
    return &lane->buckets[id % PROF_BUCKETS];
}

/* The place, from 1, of the newest open call of id above floor; 0: none. */
MB_NOINLINE static uint32_t find_open(const struct prof_lane *lane, uint32_t id, uint32_t floor)
{
    uint32_t place = *bucket_of(lane, id) > 0 ? lane->depth : 0;

    while (place > floor && lane->frames[place - 1].id != id) {
        place--;
    }
    return place > floor ? place : 0;
}

/* ---- CPU time ---- */

/* An outermost call ended now, or goes on. If there are too many they share what is theirs. */
static void add_root(struct prof_lane *lane, const struct prof_frame *frame, uint64_t time)
{
    uint64_t since = frame->start > lane->shared_time ? frame->start : lane->shared_time;
    uint64_t inside = time > since ? time - since : 0;
    uint32_t i = 0;

    while (i < lane->root_count && lane->roots[i].node != frame->node) {
        i++;
    }
    if (i == PROF_ROOTS) {
        lane->roots[PROF_ROOTS - 1].inside += inside;
        return;
    }
    if (i == lane->root_count) {
        lane->roots[lane->root_count++] = (struct prof_root){.node = frame->node};
    }
    lane->roots[i].inside += inside;
}

void prof_share_cpu(struct prof_tree *tree, struct prof_lane *lane, uint64_t cpu_ns, uint64_t now)
{
    uint64_t whole = now > lane->shared_time ? now - lane->shared_time : 1;
    uint64_t inside = 0;

    if (lane->depth > 0) {
        add_root(lane, &lane->frames[0], now);
    }
    for (uint32_t i = 0; i < lane->root_count; i++) {
        inside += lane->roots[i].inside;
    }
    whole = inside > whole ? inside : whole;
    for (uint32_t i = 0; i < lane->root_count; i++) {
        const struct prof_root *root = &lane->roots[i];
        if (root->node != ABI_PROFILE_NO_NODE) {
            double share = (double)root->inside / (double)whole;
            prof_add(&tree->nodes[root->node].cpu_ns, (uint64_t)((double)cpu_ns * share));
        }
    }
    lane->root_count = 0;
    lane->shared_time = now;
}

/* ---- Ends of calls ---- */

static void count_for_throttle(struct prof_tree *tree, uint32_t id, uint64_t duration)
{
    struct prof_method *method = &tree->methods[id];

    method->total += duration;
    if (MB_UNLIKELY(++method->calls % SUSPECT_EVERY == 0) && method->muted_since == 0 &&
        tree->suspect_count < PROF_MAX_SUSPECTS) {
        tree->suspects[tree->suspect_count++] = id;
    }
}

static void count_call(struct prof_tree *tree, const struct prof_frame *frame, uint64_t duration)
{
    struct abi_profile_node *node = &tree->nodes[frame->node];

    if (!frame->is_nested) {
        prof_set(&node->open_since, 0);
    }
    prof_add(&node->calls, 1);
    prof_add(&node->total, duration);
    if (duration > prof_get(&node->longest)) {
        prof_set(&node->longest, duration);
    }
    count_for_throttle(tree, frame->id, duration);
}

/* The newest open call ends. */
static inline void close_newest(struct prof_tree *tree, struct prof_lane *lane, uint64_t time)
{
    const struct prof_frame frame = lane->frames[--lane->depth];
    uint64_t duration = time - frame.start;

    --*bucket_of(lane, frame.id);
    lane->place = prof_behind(frame.node);
    if (lane->depth < lane->message) {
        lane->message = 0;
    }
    if (MB_UNLIKELY(lane->depth < lane->doubtful)) {
        lane->doubtful = lane->depth;
    }
    if (lane->depth == 0) {
        prof_add(&lane->row->outer_time, duration);
        add_root(lane, &frame, time);
    }
    if (MB_UNLIKELY(frame.is_absorbed)) {
        return;
    }
    count_call(tree, &frame, duration);
    if (lane->depth > 0) {
        uint32_t caller = lane->frames[lane->depth - 1].node;
        if (MB_LIKELY(caller != ABI_PROFILE_NO_NODE)) {
            prof_add(&tree->nodes[caller].child_total, duration);
        }
    }
}

static void close_above(struct prof_tree *tree, struct prof_lane *lane, uint32_t depth,
                        uint64_t time)
{
    while (lane->depth > depth) {
        const struct prof_frame *frame = &lane->frames[lane->depth - 1];
        if (tree->methods[frame->id].muted_since == 0) {
            prof_add(&lane->row->inferred, 1);
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
    lane->doubtful = lane->depth;
}

/* ---- Entries ---- */

static bool has_child(const struct prof_tree *tree, const struct prof_lane *lane, uint32_t node,
                      uint32_t id)
{
    return prof_find_child(tree, lane->row_index, node, id) != ABI_PROFILE_NO_NODE;
}

/* Words were missing, and this is the first entry at that depth: of the calls that were open then
 * those are over that never made one like it, if one around them has. */
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

/* Where a call of id goes without a node of its own: the place, from 1, of a caller of the same
 * method; 0: none. */
MB_NOINLINE static uint32_t find_fold(const struct prof_lane *lane, uint32_t id)
{
    uint32_t lowest = lane->depth > MAX_FOLD_SEARCH ? lane->depth - MAX_FOLD_SEARCH : 0;
    uint32_t place = find_open(lane, id, lowest);

    return place > 0 && !lane->frames[place - 1].is_absorbed ? place : 0;
}

/* No node of its own for this call: a caller of the same method stands for it, else its caller. */
MB_NOINLINE static void fold(struct prof_tree *tree, const struct prof_lane *lane,
                             struct prof_frame *frame)
{
    uint32_t place = find_fold(lane, frame->id);

    frame->is_nested = true;
    if (place > 0) {
        frame->node = lane->frames[place - 1].node;
    } else {
        frame->is_absorbed = true;
        frame->node = lane->depth > 0 ? lane->frames[lane->depth - 1].node : ABI_PROFILE_NO_NODE;
    }
    if (frame->node != ABI_PROFILE_NO_NODE) {
        tree->nodes[frame->node].flags |= ABI_PROFILE_FOLDED;
    }
}

/* A chain that is new. Programs that go down trees have more of them than there can be nodes: of the
 * last eighth of the room, those that recurse take none, but fold. What is called within them is then
 * in their caller's place, so that totals of methods in between come out too low; own times do not. */
MB_NOINLINE static uint32_t make_node(struct prof_tree *tree, const struct prof_lane *lane,
                                      uint32_t caller, uint32_t id)
{
    uint64_t capacity = tree->section->capacity;
    bool is_crowded = prof_get(&tree->section->written) >= capacity - capacity / CROWDED_SHARE;

    if (is_crowded && find_fold(lane, id) > 0) {
        return ABI_PROFILE_NO_NODE;
    }
    uint32_t node = prof_child(tree, lane->row_index, caller, id);
    if (node !=
        ABI_PROFILE_NO_NODE) { /* a page that is read before it is written costs two faults */
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

static inline uint32_t node_of(struct prof_tree *tree, const struct prof_lane *lane, uint32_t id)
{
    uint32_t caller = lane->depth > 0 ? lane->frames[lane->depth - 1].node : ABI_PROFILE_NO_NODE;

    if (MB_UNLIKELY(lane->depth > 0 && caller == ABI_PROFILE_NO_NODE)) {
        return ABI_PROFILE_NO_NODE; /* there was no room for the caller either */
    }
    uint32_t node = prof_follow(tree, lane->place, lane->row_index, caller, id);
    return MB_LIKELY(node != ABI_PROFILE_NO_NODE) ? node : search_node(tree, lane, caller, id);
}

static void find_node(struct prof_tree *tree, const struct prof_lane *lane,
                      struct prof_frame *frame)
{
    frame->node = node_of(tree, lane, frame->id);
    if (MB_UNLIKELY(frame->node == ABI_PROFILE_NO_NODE)) {
        fold(tree, lane, frame);
        return;
    }
    struct abi_profile_node *node = &tree->nodes[frame->node];
    frame->is_nested = prof_get(&node->open_since) != 0;
    if (MB_LIKELY(!frame->is_nested)) {
        prof_set(&node->open_since, frame->start + 1);
    }
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
    if (MB_UNLIKELY(lane->depth == lane->room) && !grow(lane)) {
        prof_add(&lane->row->lost_exits, 1);
        return;
    }
    find_node(tree, lane, &frame);
    lane->place = prof_inside(frame.node);
    lane->frames[lane->depth++] = frame;
    ++*bucket_of(lane, id);
    if (id == ABI_MESSAGE_ID) {
        lane->message = lane->depth;
    }
}

/* ---- Exits ---- */

/* The newest open call of id, from 1; not across the open message. */
static uint32_t find_left(const struct prof_tree *tree, const struct prof_lane *lane, uint32_t id)
{
    uint32_t floor = lane->message > 0 ? lane->message - 1 : 0;
    uint32_t place = find_open(lane, id, floor);

    if (place == 0 && tree->methods[id].muted_since == 0) {
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

/* A call of a muted method shows its end no more: it ends here, unless this is its exit after all. */
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

/* Calls that the recorder dropped took this of the newest open one's time. */
static void add_sum(struct prof_tree *tree, const struct prof_lane *lane, uint64_t word)
{
    uint32_t node = lane->depth > 0 ? lane->frames[lane->depth - 1].node : ABI_PROFILE_NO_NODE;

    if (node != ABI_PROFILE_NO_NODE) {
        prof_add(&tree->nodes[node].below_min, abi_record_time(word));
    }
}

static void begin(struct prof_lane *lane, uint64_t time)
{
    if (!lane->has_begun && prof_get(&lane->row->words) == 0) {
        prof_set(&lane->row->first_time, time);
    }
    lane->has_begun = true;
}

void prof_feed(struct prof_tree *tree, struct prof_lane *lane, const uint64_t *words, size_t count,
               uint64_t now)
{
    uint64_t latest = now + AHEAD;
    uint64_t time = lane->time;
    uint64_t read = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t word = words[i];
        if (MB_UNLIKELY(word == ABI_EMPTY_WORD)) {
            continue;
        }
        read++;
        if (MB_UNLIKELY(abi_record_is_sum(word))) {
            add_sum(tree, lane, word);
            continue;
        }
        uint64_t next = latest - ((latest - word) & ABI_TIME_MASK);
        time = next > time ? next : time; /* never back */
        if (MB_UNLIKELY(!lane->has_begun)) {
            begin(lane, time);
        }
        read_word(tree, lane, word, time);
    }
    lane->time = time;
    if (read > 0) {
        prof_set(&lane->row->last_time, time);
        prof_add(&lane->row->words, read);
    }
}
