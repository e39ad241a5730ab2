/* Match exits with entries as upstream does, mistakes included. The rule numbers are those
 * of README.md. */

#include "upstream.h"

#include "abi/names.h"
#include "abi/record.h"

#include <stdlib.h>

/* A merge adds what was collected so far in place of exactly this, rule 4. */
#define ODD_DURATION 5000

/* An entry that waits for its exit. */
struct open_call {
    uint64_t start;
    uint32_t id;
    uint32_t older; /* place of the next older open call of the same id, from 1; 0: none */
};

struct matcher {
    struct trace_item *items; /* in the order in which calls ended */
    size_t item_count;
    struct open_call *open;
    size_t open_count;
    uint32_t *newest; /* [id] = place in open of its newest open call, from 1; 0: none */
    struct trace_losses losses;
    int32_t depth;
    bool is_broken; /* a duration was negative, rule 3 */
};

static void *allocate(size_t count, size_t size)
{
    void *room = calloc(count + 1, size);

    if (room == NULL) {
        abort();
    }
    return room;
}

/* Forget the newest open call. */
static void pop_open(struct matcher *m)
{
    const struct open_call *newest = &m->open[--m->open_count];

    m->newest[newest->id] = newest->older;
}

/* Java's narrowing and addition of int. */
static int32_t to_int(int64_t value)
{
    return (int32_t)(uint32_t)(uint64_t)value;
}

static void add_item(struct matcher *m, uint32_t id, int32_t depth, int64_t duration)
{
    int32_t cut = to_int(duration);

    if (m->item_count > 0 && depth != 0) {
        struct trace_item *last = &m->items[m->item_count - 1];
        if (last->id == id && last->depth == depth) {
            last->count++;
            last->duration = to_int(last->duration + (cut == ODD_DURATION ? last->duration : cut));
            return;
        }
    }
    m->items[m->item_count++] = (struct trace_item){
        .id = id,
        .depth = depth,
        .count = 1,
        .duration = cut,
    };
}

static void enter_call(struct matcher *m, uint64_t word)
{
    uint32_t id = abi_record_id(word);

    m->depth = id == ABI_MESSAGE_ID ? 1 : m->depth + 1;
    m->open[m->open_count] = (struct open_call){
        .start = abi_record_time(word),
        .id = id,
        .older = m->newest[id],
    };
    m->newest[id] = (uint32_t)++m->open_count;
}

static void leave_call(struct matcher *m, uint64_t word)
{
    uint32_t id = abi_record_id(word);
    uint32_t place = m->newest[id];

    if (place == 0) {
        if (m->open_count == 0 || m->open[0].id == ABI_MESSAGE_ID) {
            m->losses.lost_entries++;
            return;
        }
        place = 1; /* rule 2: takes the oldest call's entry */
    }
    size_t left = m->open_count - place + 1;
    uint64_t start = m->open[place - 1].start;
    m->depth -= (int32_t)left;
    m->losses.lost_exits += left - 1;
    for (size_t i = 0; i < left; i++) {
        pop_open(m);
    }
    if (abi_record_time(word) < start) {
        m->losses.time_went_back++;
        m->is_broken = true;
        return;
    }
    add_item(m, id, m->depth, (int64_t)(abi_record_time(word) - start));
}

static void read_words(struct matcher *m, const uint64_t *words, size_t count, bool started)
{
    for (size_t i = 0; i < count && !m->is_broken; i++) {
        uint64_t word = words[i];
        bool is_enter = abi_record_is_enter(word);
        if (word == ABI_EMPTY_WORD) {
            continue;
        }
        m->losses.words++;
        started = started || (is_enter && abi_record_id(word) == ABI_MESSAGE_ID);
        if (started && is_enter) {
            enter_call(m, word);
        } else if (started) {
            leave_call(m, word);
        }
    }
}

/* Rule 5; the depth is what is open below, not what rule 1 says. */
static void close_open(struct matcher *m, const struct upstream_options *options)
{
    while (m->open_count > 0) {
        struct open_call newest = m->open[m->open_count - 1];
        pop_open(m);
        if (options->strict && !m->is_broken) {
            add_item(m, newest.id, (int32_t)m->open_count,
                     options->end_time - (int64_t)newest.start);
        }
    }
}

void upstream_decode(const uint64_t *words, size_t count, const struct upstream_options *options,
                     struct trace_stack *stack)
{
    struct matcher m = {
        .items = allocate(count, sizeof(*m.items)),
        .open = allocate(count, sizeof(*m.open)),
        .newest = allocate((size_t)ABI_ID_MASK + 1, sizeof(*m.newest)),
    };

    read_words(&m, words, count, !options->strict);
    m.losses.open_calls = m.open_count;
    close_open(&m, options);
    stack->items = allocate(m.item_count, sizeof(*stack->items));
    stack->count = m.is_broken ? 0 : upstream_order(m.items, m.item_count, stack->items);
    stack->losses = m.losses;
    free(m.items);
    free(m.open);
    free(m.newest);
}

/* ---- Rule 8 ---- */

int64_t upstream_cost(const struct trace_item *items, size_t count)
{
    int64_t cost = 0;

    for (size_t i = 0; i < count; i++) {
        cost = items[i].duration > cost ? items[i].duration : cost;
    }
    return cost;
}

/* 30 % of the cost; upstream rounds the cost and the product to single precision. */
static int64_t limit_of(int64_t cost)
{
    volatile float single = (float)cost;
    volatile float product = single * 0.3f;

    return (int64_t)product;
}

/* (depth + 1) x duration, which wraps at 32 bits. */
static int64_t weight_of(const struct trace_item *item)
{
    int64_t factor = (int64_t)item->depth + 1;

    return to_int((int64_t)((uint64_t)factor * (uint64_t)item->duration));
}

static bool is_heavier(const struct trace_item *item, const struct trace_item *than)
{
    return than == NULL || weight_of(item) > weight_of(than);
}

uint32_t upstream_key(const struct trace_item *items, size_t count, int64_t cost)
{
    int64_t limit = limit_of(cost);
    const struct trace_item *best = NULL; /* the first of the greatest */
    const struct trace_item *second = NULL;

    for (size_t i = 0; i < count; i++) {
        if (items[i].duration < limit) {
            continue;
        }
        if (is_heavier(&items[i], best)) {
            second = best;
            best = &items[i];
        } else if (is_heavier(&items[i], second)) {
            second = &items[i];
        }
    }
    if (best == NULL) {
        return count > 0 ? items[0].id : TRACE_NO_KEY;
    }
    return best->id == ABI_MESSAGE_ID && second != NULL ? second->id : best->id;
}
