#include "recorder/profile/tree.h"

#include "abi/names.h"
#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/number.h"
#include "base/pages.h"
#include "recorder/profile/branches.h"
#include "recorder/profile/lengths.h"
#include "recorder/profile/readings.h"

#include <string.h>

#define LEAST_REQUESTS 30u /* of a kind before one of them is slow */
#define SLOW_SHARE 33u     /* one of that number is, at least, */
#define MOST_SLOW 10u      /* and one of this number at most: */
#define SLOW_FACTOR 3u     /* those that took that many times the median */

/* ---- Requests ---- */

/* It has never returned, or on each thread once; not what has just begun. */
static bool is_body(const struct abi_profile_node *node, const struct abi_profile_thread *row,
                    uint64_t since)
{
    uint64_t open = prof_get(&node->open_since);
    bool was = (node->flags & ABI_PROFILE_BODY) != 0 &&
               prof_get(&node->calls) <= prof_get(&row->thread_count);

    return was || (prof_get(&node->calls) == 0 && open != 0 && open <= since);
}

void prof_choose_request(struct prof_tree *tree, uint32_t id)
{
    tree->methods[id].role |= PROF_CHOSEN;
    tree->has_chosen = true;
}

/* Of messages. */
static bool is_kind(const struct prof_tree *tree, const struct abi_profile_node *node)
{
    return node->id - ABI_FIRST_KIND_ID < ABI_MAX_KINDS && node->parent != ABI_PROFILE_NO_NODE &&
           tree->nodes[node->parent].id == ABI_MESSAGE_ID;
}

bool prof_is_chosen(const struct prof_tree *tree, uint32_t index)
{
    const struct abi_profile_node *node = &tree->nodes[index];

    if (!tree->has_chosen) {
        return is_kind(tree, node);
    }
    bool is_one = (tree->methods[node->id & ABI_ID_MASK].role & PROF_CHOSEN) != 0;

    for (index = node->parent; is_one && index != ABI_PROFILE_NO_NODE; index = node->parent) {
        node = &tree->nodes[index];
        is_one = (tree->methods[node->id & ABI_ID_MASK].role & PROF_CHOSEN) == 0;
    }
    return is_one;
}

static bool is_below_body(const struct prof_tree *tree, const uint8_t *marks, uint32_t index)
{
    uint32_t parent = tree->nodes[index].parent;

    return parent == ABI_PROFILE_NO_NODE || (marks[parent] & PROF_IS_BODY) != 0;
}

/* It has ended, and its caller goes on: a start, or another step that is over. */
static bool is_step(const struct prof_tree *tree, uint32_t index)
{
    const struct abi_profile_node *node = &tree->nodes[index];

    return node->parent != ABI_PROFILE_NO_NODE && prof_get(&node->open_since) == 0 &&
           prof_get(&tree->nodes[node->parent].open_since) != 0;
}

static void find_bodies(const struct prof_tree *tree, uint8_t *marks, uint32_t count,
                        const struct abi_profile_thread *rows, uint64_t since)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct abi_profile_node *node = &tree->nodes[i];
        bool is_one = is_below_body(tree, marks, i) && !is_step(tree, i) &&
                      is_body(node, &rows[node->thread], since);
        marks[i] |= is_one ? PROF_IS_BODY : 0;
    }
}

static uint32_t flags_of(const struct prof_tree *tree, uint8_t *marks, uint32_t index)
{
    const struct abi_profile_node *node = &tree->nodes[index];
    bool is_first = is_below_body(tree, marks, index);
    uint8_t role = tree->methods[node->id & ABI_ID_MASK].role;
    uint8_t above = 0;

    if ((marks[index] & PROF_IS_BODY) != 0) {
        return ABI_PROFILE_BODY;
    }
    if (!is_first && (marks[node->parent] & PROF_IS_PASSED) != 0) {
        above = tree->methods[tree->nodes[node->parent].id & ABI_ID_MASK].role;
    }
    bool is_passed = (is_first || above != 0) && (marks[index] & PROF_HAS_POINT) != 0 &&
                     (role & (PROF_LINK | PROF_POINT)) != 0;
    bool is_kind = is_first || ((above & PROF_POINT) != 0 && (role & PROF_ALWAYS) == 0);
    marks[index] |= is_passed ? PROF_IS_PASSED : 0;
    return is_kind && !is_passed ? ABI_PROFILE_REQUEST : 0;
}

void prof_find_requests(struct prof_tree *tree, const struct abi_profile_thread *rows,
                        uint64_t since)
{
    uint32_t count = (uint32_t)prof_get(&tree->section->written);
    uint8_t *marks = mb_map_zeroes((size_t)count + 1, sizeof(*marks));

    for (uint32_t i = 0; marks != NULL && i < count; i++) {
        if (is_kind(tree, &tree->nodes[i])) {
            marks[tree->nodes[i].parent] |= PROF_HAS_KINDS;
        }
    }
    if (marks != NULL) {
        find_bodies(tree, marks, count, rows, since);
        prof_find_branches(tree, rows, marks, count);
    }
    for (uint32_t i = 0; marks != NULL && i < count; i++) {
        struct abi_profile_node *node = &tree->nodes[i];
        uint32_t flags = prof_is_chosen(tree, i) ? ABI_PROFILE_REQUEST : 0;
        if (flags == 0 && !tree->has_chosen && (marks[i] & PROF_HAS_KINDS) == 0) {
            flags = flags_of(tree, marks, i);
        }
        node->flags = (node->flags & ABI_PROFILE_FOLDED) | flags;
    }
    mb_unmap_zeroes(marks, (size_t)count + 1, sizeof(*marks));
}

/* ---- Slow ones ---- */

/* The number of the method's kind, from 1; 0 without room. */
static uint8_t kind_of(struct prof_tree *tree, uint32_t id)
{
    struct prof_method *method = &tree->methods[id];

    if (method->kind == 0 && tree->kind_count < PROF_MAX_KINDS) {
        tree->kinds[tree->kind_count].id = id;
        method->kind = (uint8_t)++tree->kind_count;
    }
    return method->kind;
}

/* The last bucket above which there are that many at most. */
MB_NOINLINE MB_COLD static uint32_t find_bucket(const struct prof_tree *tree, uint32_t id,
                                                uint64_t most)
{
    uint32_t bucket = ABI_LENGTH_BUCKETS - 1;
    uint64_t above = prof_lengths_calls(tree->lengths, id, ABI_LENGTH_REQUEST, bucket);

    while (bucket > 1 && above <= most) {
        bucket--;
        above += prof_lengths_calls(tree->lengths, id, ABI_LENGTH_REQUEST, bucket);
    }
    return bucket;
}

/* Above it are those of the slowest tenth that took some times as long as the median, or are among
 * the slowest 3 %, or like the last of these: of those that have ended. */
MB_COLD static uint32_t find_limit(const struct prof_tree *tree, uint32_t id, uint64_t ended)
{
    uint64_t median = abi_length_first(find_bucket(tree, id, ended / 2));
    uint32_t far = abi_length_bucket(median * SLOW_FACTOR);
    uint32_t slowest = find_bucket(tree, id, ended / SLOW_SHARE) - 1;
    uint32_t least = find_bucket(tree, id, ended / MOST_SLOW);
    uint32_t limit = far < slowest ? far : slowest;

    return limit > least ? limit : least;
}

/* What its thread read at both ends, in units. */
struct ends {
    uint64_t length;
    uint64_t ready;
    uint64_t ran;
    bool has_waited;
};

/* False if it did not: then *ends stays. */
static bool read_ends(const struct prof_lane *lane, struct ends *ends)
{
    const struct prof_timed *timed = &lane->timed;
    struct prof_read first;
    struct prof_read last;

    if (!prof_readings_find(timed->readings, timed->claim, lane->request.first, &first) ||
        !prof_readings_find(timed->readings, timed->claim, lane->position, &last) ||
        last.ready_ns < first.ready_ns || last.time_ns < first.time_ns ||
        last.ran_ns < first.ran_ns) {
        return false;
    }
    uint64_t rate = timed->ns_per_unit;
    ends->length = abi_trace_units(rate, last.time_ns - first.time_ns);
    ends->ready = mb_min_u64(abi_trace_units(rate, last.ready_ns - first.ready_ns), ends->length);
    ends->ran = mb_min_u64(abi_trace_units(rate, last.ran_ns - first.ran_ns), ends->length);
    ends->has_waited = last.waits != first.waits;
    return true;
}

/* By the setting, or by when it had to end; where most of a kind end later, by their lengths. */
static bool is_slow(const struct prof_tree *tree, const struct prof_kind *kind, uint64_t length)
{
    if (tree->slow_from > 0) {
        return length >= tree->slow_from;
    }
    if (kind->id == tree->late.id && kind->late_count * 2 <= kind->ended) {
        return length > tree->late.from;
    }
    return kind->limit > 0 && abi_length_bucket(length) > kind->limit;
}

void prof_end_request(struct prof_tree *tree, struct prof_lane *lane,
                      const struct prof_frame *frame, uint64_t duration)
{
    uint8_t number = kind_of(tree, frame->id);
    struct prof_kind *kind = &tree->kinds[number > 0 ? number - 1 : 0];
    bool is_whole = lane->request.node == frame->node + 1;
    struct ends ends = {.length = duration};
    bool knows_ready = is_whole && read_ends(lane, &ends);

    lane->request.node = 0;
    if (tree->lengths == NULL) {
        return;
    }
    prof_lengths_count(tree->lengths, &tree->methods[frame->id].length, frame->id,
                       ABI_LENGTH_REQUEST, ends.length);
    if (number == 0) {
        return;
    }
    kind->ended++;
    kind->late_count += kind->id == tree->late.id && ends.length > tree->late.from;
    if (knows_ready) {
        prof_lengths_count(tree->lengths, &kind->length, frame->id,
                           ABI_LENGTH_REQUEST | ABI_LENGTH_ON_PROCESSOR, ends.length - ends.ready);
    }
    if (is_whole && is_slow(tree, kind, ends.length) && tree->slow_count < PROF_MAX_SLOW) {
        tree->slow[tree->slow_count++] = (struct prof_slow){
            .id = frame->id,
            .first = lane->request.first,
            .end = lane->position + 1,
            .start = frame->start,
            .length = duration, /* as its words have it */
            .ready = mb_min_u64(ends.ready, duration),
            .ran = mb_min_u64(ends.ran, duration),
            .has_waited = ends.has_waited,
            .knows_ready = knows_ready,
        };
    }
    if (kind->ended >= LEAST_REQUESTS && kind->ended >= kind->due) {
        kind->limit = find_limit(tree, frame->id, kind->ended);
        kind->due = kind->ended + kind->ended / 8;
    }
}
