/* The causes of slow requests: the locks that they waited for, and how many have the same. */

#include "answer/building.h"
#include "base/number.h"

#include <stdlib.h>

/* ---- Locks ---- */

/* What of the request, which has ended, its thread waited for a lock. */
static int64_t locked_of(const struct answer_block *block, const struct answer_asked *asked)
{
    bool is_its = block->thread_id == asked->thread_id && !block->is_open;

    return is_its ? answer_asked_common(asked, block->start_ns, block->duration_ns) : 0;
}

/* A method, and one that may call it: the pair that was looked for last. */
struct called {
    const struct answer_sections *sections;
    uint32_t method;
    uint32_t caller;
    bool is;
};

/* A thread that waits to enter a synchronized method is still in its caller, for the probes. */
static bool is_called(struct called *last, uint32_t method, uint32_t caller)
{
    const struct answer_sections *sections = last->sections;

    if (method == last->method && caller == last->caller) {
        return last->is;
    }
    *last = (struct called){sections, method, caller, false};
    for (size_t i = 0; !last->is && i < sections->source.thread_count; i++) {
        size_t count;
        const struct trace_node *nodes = trace_trees_of(&sections->trees, i, &count);
        for (size_t k = 0; !last->is && k < count; k++) {
            last->is = nodes[k].id == method && nodes[k].parent != TRACE_NO_NODE &&
                       nodes[nodes[k].parent].id == caller;
        }
    }
    return last->is;
}

/* One that works in a method may wait for a lock elsewhere. */
static void place_lock(const struct answer_blocks *blocks, struct called *called,
                       struct answer_asked *asked)
{
    int64_t most_ns = 0;
    int64_t here_ns = 0;

    for (size_t k = 0; asked->id != 0 && asked->state != ANSWER_STATE_READY && k < blocks->count;
         k++) {
        const struct answer_block *block = &blocks->rows[k];
        int64_t ns = locked_of(block, asked);
        bool is_here = block->method == asked->id || block->program_method == asked->id ||
                       (ns > 0 && is_called(called, block->method, asked->id));
        asked->block = is_here && ns > most_ns ? block : asked->block;
        most_ns = is_here ? mb_max_i64(ns, most_ns) : most_ns;
        here_ns = trace_add(here_ns, is_here ? ns : 0);
        asked->waited_ns = trace_subtract(asked->waited_ns, is_here ? 0 : ns);
    }
    if (asked->block != NULL && here_ns >= asked->more_ns / 2) {
        asked->state = ANSWER_STATE_LOCKED;
        asked->id = asked->block->program_method == asked->id ? asked->id : asked->block->method;
        return;
    }
    asked->block = NULL;
    if (asked->id != 0 && asked->other_ns > 0) {
        asked->state = asked->other;
        asked->id = asked->other == ANSWER_STATE_READY ? asked->id : 0;
        asked->more_ns = mb_min_i64(asked->other_ns, asked->more_ns);
        return;
    }
    bool is_worked = asked->state >= ANSWER_STATE_IO && asked->waited_ns < asked->worked_ns;
    asked->state = is_worked ? ANSWER_STATE_WORKED : asked->state;
}

void answer_place_locks(const struct answer_blocks *blocks, const struct answer_sections *sections,
                        union answer_asked_rows *asked)
{
    struct called called = {.sections = sections};

    for (size_t i = 0; i < MB_VEC_COUNT(asked); i++) {
        place_lock(blocks, &called, &asked->items[i]);
    }
}

/* ---- Causes ---- */

static void add_excess(union answer_excesses *all, size_t first, const struct answer_asked *asked)
{
    size_t i = first;

    while (i < MB_VEC_COUNT(all) &&
           (all->items[i].id != asked->id || all->items[i].state != asked->state)) {
        i++;
    }
    if (i == MB_VEC_COUNT(all)) {
        MB_VEC_PUSH(all, (struct answer_excess){.state = asked->state, .id = asked->id});
    }
    if (i == MB_VEC_COUNT(all)) {
        return;
    }
    struct answer_excess *excess = &all->items[i];
    excess->count++;
    excess->more_ns = trace_add(excess->more_ns, asked->more_ns);
    excess->ready_ns = trace_add(excess->ready_ns, asked->ready_ns);
}

/* Those without a single cause come last. */
static int most_time_first(const void *a, const void *b)
{
    const struct answer_excess *x = a;
    const struct answer_excess *y = b;
    int order = (x->state == ANSWER_STATE_MIXED) - (y->state == ANSWER_STATE_MIXED);

    order = order != 0 ? order : (x->more_ns < y->more_ns) - (x->more_ns > y->more_ns);
    order = order != 0 ? order : (int)x->state - (int)y->state;
    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

static bool is_of(const struct answer_asked *asked, const struct answer_excess *excess)
{
    return asked->id == excess->id && asked->state == excess->state && asked->block != NULL;
}

/* Held by one thread, or by threads of one pool, in one method. */
static bool is_alike(const struct answer_block *block, const struct answer_block *other)
{
    return block->owner.size > 0 && other->owner.size > 0 &&
           block->owner_method == other->owner_method &&
           mb_text_equal(answer_name_stem(block->owner), answer_name_stem(other->owner));
}

/* Of the holder that is known of most, the longest; of none, the longest. */
static void choose_block(struct answer_excess *excess, const struct answer_request *kind)
{
    for (size_t i = 0; i < kind->asked_count; i++) {
        const struct answer_block *block = kind->asked[i].block;
        uint64_t count = 0;
        bool are_several = false;
        if (!is_of(&kind->asked[i], excess)) {
            continue;
        }
        for (size_t k = 0; k < kind->asked_count; k++) {
            const struct answer_asked *other = &kind->asked[k];
            bool is = is_of(other, excess) && is_alike(block, other->block);
            count += is;
            are_several = are_several || (is && other->block->owner_index != block->owner_index);
        }
        excess->known_count += count > 0;
        bool is_longer = excess->block == NULL || block->duration_ns > excess->block->duration_ns;
        if (count > excess->owner_count || (count == excess->owner_count && is_longer)) {
            excess->block = block;
            excess->owner_count = count;
            excess->are_owners = are_several;
        }
    }
}

/* When all are there, since they may move until then. */
static void share_causes(union answer_request_rows *requests, const struct answer_asked *asked,
                         struct answer_excess *excesses)
{
    for (size_t k = 0; k < MB_VEC_COUNT(requests); k++) {
        struct answer_request *kind = &requests->items[k];
        kind->asked = asked;
        kind->excesses = excesses;
        if (kind->excess_count > 0) {
            qsort(excesses, kind->excess_count, sizeof(*excesses), most_time_first);
        }
        for (size_t i = 0; i < kind->excess_count; i++) {
            choose_block(&excesses[i], kind);
        }
        asked += kind->asked_count;
        excesses += kind->excess_count;
    }
}

void answer_sum_causes(union answer_request_rows *requests, const union answer_asked_rows *asked,
                       union answer_excesses *excesses)
{
    size_t next = 0;

    for (size_t k = 0; k < MB_VEC_COUNT(requests); k++) {
        struct answer_request *kind = &requests->items[k];
        size_t first = MB_VEC_COUNT(excesses);
        size_t begin = next;
        for (; next < MB_VEC_COUNT(asked) && asked->items[next].request == kind->id; next++) {
            add_excess(excesses, first, &asked->items[next]);
        }
        kind->asked_count = next - begin;
        kind->excess_count = MB_VEC_COUNT(excesses) - first;
    }
    share_causes(requests, asked->items, excesses->items);
}
