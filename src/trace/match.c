/* Match exits with entries. An item gets its place when its call starts, so the items are in
 * call order; unusable calls leave holes. */

#include "abi/names.h"
#include "abi/record.h"
#include "trace/decoder.h"

#define NO_ITEM SIZE_MAX

/* The places in open are counted from 1, as in newest. */
struct matcher {
    struct trace_match *match;
    uint32_t message; /* place of the open message; 0 if none. There is one at a time */
    size_t last;      /* the item that ended last, or NO_ITEM: what the next may merge into */
    bool catches;     /* the word before said that this one is a catch */
};

static void leave_hole(struct matcher *m, size_t index)
{
    struct trace_match *match = m->match;

    if (index + 1 == match->item_count) {
        match->item_count--;
        return;
    }
    match->items[index].count = 0;
    match->has_holes = true;
}

/* Give up the newest open call: its exit is missing. */
static void drop_newest(struct matcher *m)
{
    struct trace_match *match = m->match;
    size_t index = match->open[match->open_count - 1].item;

    if (match->open_count == m->message) {
        m->message = 0;
    }
    match->losses.lost_exits++;
    trace_pop_open(match, match->items[index].id);
    leave_hole(m, index);
}

static void enter_call(struct matcher *m, uint64_t word)
{
    struct trace_match *match = m->match;
    uint32_t id = abi_record_id(word);

    /* Messages do not nest, so the exit of an open one is lost. */
    if (id == ABI_MESSAGE_ID) {
        while (m->message != 0) {
            drop_newest(m);
        }
        m->last = NO_ITEM;
    }
    match->items[match->item_count] = (struct trace_item){
        .start = abi_record_time(word),
        .id = id,
        .depth = (int32_t)match->open_count,
        .count = 1,
    };
    match->open[match->open_count].item = (uint32_t)match->item_count++;
    match->open[match->open_count].older = match->newest[id];
    match->newest[id] = (uint32_t)++match->open_count;
    if (id == ABI_MESSAGE_ID) {
        m->message = (uint32_t)match->open_count;
    }
}

/* From a to b, right across the wrap of the field; negative if b lies before a. */
static int64_t signed_elapsed(uint64_t a, uint64_t b)
{
    uint64_t time = abi_record_elapsed(a, b);

    return time < (UINT64_C(1) << (ABI_TIME_BITS - 1))
               ? (int64_t)time
               : (int64_t)time - (INT64_C(1) << ABI_TIME_BITS);
}

static bool can_merge(const struct matcher *m, const struct trace_item *item)
{
    return m->last != NO_ITEM && !m->match->options->keep_apart &&
           trace_can_merge(&m->match->items[m->last], item);
}

/* The newest open call ends. */
static void finish_newest(struct matcher *m, int64_t duration)
{
    struct trace_match *match = m->match;
    size_t index = match->open[match->open_count - 1].item;
    struct trace_item *item = &match->items[index];

    if (match->open_count == m->message) {
        m->message = 0;
    }
    trace_pop_open(match, item->id);
    item->duration = duration;
    item->longest = duration;
    if (MB_UNLIKELY(duration < 0)) {
        match->losses.time_went_back++;
        leave_hole(m, index);
        return;
    }
    if (can_merge(m, item)) {
        trace_merge_into(&match->items[m->last], item);
        leave_hole(m, index);
        return;
    }
    m->last = index;
}

/* Calls open above this place ended now at the latest, by an exception. */
static void close_above(struct matcher *m, uint32_t place, uint64_t word)
{
    struct trace_match *match = m->match;

    while (match->open_count > place) {
        const struct trace_item *item = &match->items[match->open[match->open_count - 1].item];
        finish_newest(m, signed_elapsed(item->start, abi_record_time(word)));
    }
}

/* Calls open above this place ended at an unknown time. */
static void infer_above(struct trace_match *match, uint32_t place)
{
    match->losses.inferred_exits += match->open_count - place;
    for (size_t i = place; i < match->open_count; i++) {
        match->items[match->open[i].item].is_inferred = 1;
    }
}

static void leave_call(struct matcher *m, uint64_t word)
{
    struct trace_match *match = m->match;
    uint32_t place = match->newest[abi_record_id(word)];

    /* Not across the open message: calls below it are still open. */
    if (MB_UNLIKELY(place == 0 || place < m->message)) {
        match->losses.lost_entries++;
        return;
    }
    infer_above(match, place);
    close_above(m, place - 1, word);
    if (MB_UNLIKELY(match->open_count == 0 && match->item_count >= match->portion)) {
        match->end_portion(match);
        m->last = NO_ITEM;
    }
}

/* Control is in this call again. */
static void catch_in_call(struct matcher *m, uint64_t word)
{
    struct trace_match *match = m->match;
    uint32_t place = match->newest[abi_record_id(word)];

    if (MB_UNLIKELY(place == 0 || place < m->message)) {
        match->losses.lost_entries++;
        return;
    }
    close_above(m, place, word);
}

/* Of a message: for the profile, which has all words. */
static bool is_kind(const struct matcher *m, uint64_t word)
{
    return m->match->options->has_kinds && abi_record_id(word) - ABI_FIRST_KIND_ID < ABI_MAX_KINDS;
}

static void read_word(struct matcher *m, uint64_t word)
{
    bool catches = m->catches;

    m->catches = false;
    if (MB_UNLIKELY(is_kind(m, word))) {
        return;
    }
    if (abi_record_is_enter(word)) {
        enter_call(m, word);
    } else if (MB_UNLIKELY(catches)) {
        catch_in_call(m, word);
    } else if (MB_UNLIKELY(abi_record_id(word) == ABI_CATCH_ID) &&
               m->match->newest[ABI_CATCH_ID] == 0) { /* the recorder never enters it */
        m->catches = true;
    } else {
        leave_call(m, word);
    }
}

static void read_run(struct matcher *m, const struct trace_run *run)
{
    struct trace_losses *losses = &m->match->losses;

    for (size_t i = 0; i < run->count; i++) {
        uint64_t word = run->words[i];
        if (MB_UNLIKELY(word == ABI_EMPTY_WORD)) {
            continue;
        }
        losses->words++;
        read_word(m, word);
    }
}

static void close_open(struct matcher *m)
{
    struct trace_match *match = m->match;
    uint64_t end = (uint64_t)match->options->end_time & ABI_TIME_MASK;

    while (match->open_count > 0) {
        struct trace_item *item = &match->items[match->open[match->open_count - 1].item];
        item->is_open = 1;
        finish_newest(m, signed_elapsed(item->start, end));
    }
}

void trace_match_calls(struct trace_match *match)
{
    struct matcher m = {.match = match, .last = NO_ITEM};

    for (size_t i = 0; i < match->run_count; i++) {
        read_run(&m, &match->runs[i]);
    }
    match->losses.open_calls = match->open_count;
    if (match->options->close_open) {
        close_open(&m);
    }
    uint64_t lost_exits = match->losses.lost_exits;
    while (match->open_count > 0) {
        drop_newest(&m);
    }
    match->losses.lost_exits = lost_exits; /* they are counted as open */
}
