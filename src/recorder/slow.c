#include "recorder/drain.h"

#include "abi/record.h"
#include "base/number.h"
#include "recorder/clock.h"

#include <string.h>

#define STILL_NS UINT64_C(5000000)
#define TICK_NS UINT64_C(4000000) /* so late is what the system counts of a thread that runs */
#define SURE_PART 4               /* what is known to that part of a request is known */

/* A request that is read again. */
struct reading {
    struct beat_tables *tables;
    const struct beat_source *source;
    const struct prof_slow *slow;
    struct beat_room room;
    uint64_t now;
    struct prof_lane lane;
    struct abi_profile_thread thread; /* what the lane tells of it is known already */
    struct abi_profile_slow row;
};

typedef void visit_fn(struct reading *r, size_t count);

/* False if words are missing. */
static bool visit_words(struct reading *r, visit_fn *visit)
{
    uint64_t at = r->slow->first;
    struct beat_range range = {at, at};

    while (at < r->slow->end &&
           beat_copy_next(r->source, (struct beat_range){at, r->slow->end}, r->room, &range) &&
           range.first == at && range.end > at) {
        visit(r, (size_t)(range.end - at));
        at = range.end;
    }
    return at == r->slow->end;
}

static struct prof_method *method_of(const struct reading *r, size_t word)
{
    return &r->tables->slow.methods[abi_record_id(r->room.words[word])];
}

/* Own times of methods are those of this request; what is muted is so here. */
static void begin_methods(struct reading *r, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t id = abi_record_id(r->room.words[i]);
        method_of(r, i)->own = 0;
        method_of(r, i)->muted_since = r->tables->tree.methods[id].muted_since;
    }
}

static void feed_words(struct reading *r, size_t count)
{
    struct prof_tree *tree = &r->tables->slow;

    beat_tables_extend(r->tables, tree->section, &tree->capacity, (uint32_t)count);
    prof_feed(tree, &r->lane, r->room.words, count, r->now);
}

static void keep_method(struct abi_profile_slow *row, uint32_t id, uint64_t own)
{
    size_t place = ABI_SLOW_METHODS;

    while (place > 0 && row->own[place - 1] < own) {
        place--;
        if (place + 1 < ABI_SLOW_METHODS) {
            row->own[place + 1] = row->own[place];
            row->ids[place + 1] = row->ids[place];
        }
    }
    if (place < ABI_SLOW_METHODS) {
        row->own[place] = own;
        row->ids[place] = id;
    }
}

static void collect_methods(struct reading *r, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct prof_method *method = method_of(r, i);
        if (method->own > 0) {
            keep_method(&r->row, abi_record_id(r->room.words[i]), method->own);
            method->own = 0; /* each once */
        }
    }
}

static uint8_t kind_of(const struct beat_tables *tables, const struct abi_profile_slow *row)
{
    return tables->tree.methods[row->id & ABI_ID_MASK].kind;
}

/* The kind with the most rows; that one if none has more. */
MB_NOINLINE MB_COLD static uint8_t find_commonest(const struct beat_tables *tables, uint64_t count,
                                                  uint8_t kind)
{
    uint32_t counts[PROF_MAX_KINDS + 1] = {0};

    for (uint64_t i = 0; i < count; i++) {
        counts[kind_of(tables, &tables->slow_rows[i])]++;
    }
    for (uint32_t other = 0; other <= PROF_MAX_KINDS; other++) {
        kind = counts[other] > counts[kind] ? (uint8_t)other : kind;
    }
    return kind;
}

/* A new row; or that of the shortest request of the kind with most, unless that is this kind and
 * the request longer. Else the count. */
MB_COLD static uint64_t choose_row(const struct beat_tables *tables, uint64_t count,
                                   const struct abi_profile_slow *row)
{
    const struct abi_profile_slow *rows = tables->slow_rows;
    uint64_t shortest = count;

    if (count < tables->slow_room || count == 0) {
        return count;
    }
    uint8_t kind = find_commonest(tables, count, kind_of(tables, row));
    for (uint64_t i = 0; i < count; i++) {
        bool is_shorter = shortest == count || rows[i].length < rows[shortest].length;
        shortest = is_shorter && kind_of(tables, &rows[i]) == kind ? i : shortest;
    }
    bool is_free = kind_of(tables, row) != kind || rows[shortest].length < row->length;
    return is_free ? shortest : count;
}

MB_COLD static void put_row(struct beat_tables *tables, const struct abi_profile_slow *row)
{
    _Atomic(uint64_t) *written = &tables->slow_section->written;
    uint64_t count = atomic_load_explicit(written, memory_order_relaxed);
    uint64_t number = choose_row(tables, count, row);
    struct abi_profile_slow *to = &tables->slow_rows[number];
    const size_t head = sizeof(to->length);

    if (number >= tables->slow_room) {
        bool has_none = count == 0; /* else what is there is slower */
        atomic_fetch_add_explicit(&tables->slow_section->lost, has_none, memory_order_relaxed);
        return;
    }
    atomic_store_explicit(&to->length, 0, memory_order_relaxed);
    /* The row has no length before it changes, and the new one after. */
    atomic_thread_fence(memory_order_release);
    memcpy((uint8_t *)to + head, (const uint8_t *)row + head, sizeof(*to) - head);
    atomic_store_explicit(&to->length, row->length, memory_order_release);
    if (number == count) {
        atomic_store_explicit(written, number + 1, memory_order_release);
    }
}

/* ---- What its thread used ---- */

void beat_slow_begin(struct beat_used *used, const struct abi_trace_header *header,
                     const struct beat_usage *usage, uint64_t position)
{
    used->header = header;
    used->position = position;
    used->at_round = *usage;
}

void beat_slow_look(struct beat_used *used, uint32_t thread_id, uint64_t since)
{
    uint64_t rate = atomic_load_explicit(&used->header->ns_per_unit, memory_order_relaxed);
    uint64_t now = beat_clock_now(used->header);
    uint64_t still = now > since ? now - since : 0;

    if (still >= mb_max_u64(abi_trace_units(rate, STILL_NS), used->still * 2)) {
        used->still = still;
        used->is_io = beat_usage_is_io(thread_id);
    }
}

void beat_slow_end(struct beat_used *used, const struct prof_asked *request)
{
    if (request->node == 0 || request->first >= used->position) {
        used->at_request = used->at_round;
        used->still = 0;
        used->is_io = false;
    }
}

static bool is_sure(uint64_t least, uint64_t most, const struct abi_profile_slow *row)
{
    return most - mb_min_u64(least, most) <= row->length / SURE_PART;
}

/* Between two readings a thread may be in other requests, too: of what it used, what was not
 * outside for certain was inside, if it fits. */
MB_COLD static void add_usage(struct reading *r, const struct beat_used *used)
{
    bool is_older = r->slow->first < used->position;
    const struct beat_usage *before = is_older ? &used->at_request : &used->at_round;
    struct beat_usage after = *before;
    struct abi_profile_slow *row = &r->row;

    if (!before->is_known || r->source->ring->is_virtual ||
        !beat_usage_ask(&after, used->header, row->thread_id)) {
        return;
    }
    const struct prof_usage usage = beat_usage_since(used->header, before, &after, 0);
    uint64_t around = after.time - before->time;
    uint64_t outside = around - mb_min_u64(around, row->length);
    uint64_t ready = usage.ready - mb_min_u64(usage.ready, outside);
    uint64_t worked = usage.worked - mb_min_u64(usage.worked, outside);
    row->worked = mb_min_u64(usage.worked, row->length);
    row->ready = mb_min_u64(usage.ready, row->length - row->worked);
    bool knows_ready = usage.knows_ready && is_sure(ready, row->ready, row);
    bool knows_worked = is_sure(worked, row->worked, row);
    row->worked = mb_min_u64(worked, row->worked);
    row->ready = knows_ready ? row->ready : mb_min_u64(ready, row->ready);
    row->flags = (knows_worked ? ABI_SLOW_USED : 0u) | (knows_ready ? ABI_SLOW_READY : 0u) |
                 (is_older && used->is_io ? ABI_SLOW_IO : 0u);
}

/* What the thread read itself is exact, but for a tick of what it ran, which is much of a short
 * request; without a wait, it ran whenever it was not ready. */
static void add_ends(struct reading *r, const struct beat_used *used)
{
    uint64_t rate = atomic_load_explicit(&used->header->ns_per_unit, memory_order_relaxed);
    struct abi_profile_slow *row = &r->row;

    if (!r->slow->knows_ready) {
        return;
    }
    bool is_long = row->length / SURE_PART >= abi_trace_units(rate, TICK_NS);
    if (is_long || !r->slow->has_waited) {
        row->worked = is_long ? r->slow->ran : row->length;
        row->flags |= ABI_SLOW_USED;
    }
    row->ready = r->slow->ready;
    row->worked = mb_min_u64(row->worked, row->length - row->ready);
    row->flags |= ABI_SLOW_READY;
}

MB_COLD static void read_again(struct reading *r)
{
    struct prof_tree *tree = &r->tables->slow;
    bool is_there = visit_words(r, begin_methods) && prof_lane_init(&r->lane, &r->thread, 0);

    r->lane.stretch = UINT64_MAX;
    if (is_there) {
        is_there = visit_words(r, feed_words);
        prof_end(tree, &r->lane);
        prof_settle(tree, r->now);
        tree->suspect_count = 0;
    }
    if (is_there && visit_words(r, collect_methods)) {
        put_row(r->tables, &r->row);
    } else {
        atomic_fetch_add_explicit(&r->tables->slow_section->lost, 1, memory_order_relaxed);
    }
    prof_lane_finish(&r->lane);
}

MB_COLD void beat_slow_take(struct beat_tables *tables, const struct beat_source *source,
                            struct beat_room room, const struct beat_used *used)
{
    struct prof_tree *tree = &tables->tree;

    for (uint32_t i = 0; i < tree->slow_count; i++) {
        const struct prof_slow *slow = &tree->slow[i];
        struct reading r = {.tables = tables,
                            .source = source,
                            .slow = slow,
                            .room = room,
                            .now = beat_clock_now(used->header),
                            .row = {.length = slow->length,
                                    .start = slow->start,
                                    .id = slow->id,
                                    .thread_id = source->ring->thread_id}};
        add_usage(&r, used);
        add_ends(&r, used);
        read_again(&r);
    }
    tree->slow_count = 0;
}
