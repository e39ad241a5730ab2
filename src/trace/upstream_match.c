/* Match exits with entries as upstream does, mistakes included. The rule numbers are those
 * of src/trace/README.md. */

#include "abi/names.h"
#include "abi/record.h"
#include "trace/decoder.h"

/* A merge adds what was collected so far in place of exactly this, rule 4. */
#define ODD_DURATION 5000

struct matcher {
    struct trace_match *match;
    int32_t depth;
    bool is_broken; /* a duration was negative, rule 3 */
};

/* Java's narrowing and addition of int. */
static int32_t to_int(int64_t value)
{
    return (int32_t)(uint32_t)(uint64_t)value;
}

static void add(struct trace_match *match, uint32_t id, int32_t depth, int64_t duration)
{
    int32_t cut = to_int(duration);

    if (match->item_count > 0 && depth != 0) {
        struct trace_item *last = &match->items[match->item_count - 1];
        if (last->id == id && last->depth == depth) {
            last->count++;
            last->duration = to_int(last->duration + (cut == ODD_DURATION ? last->duration : cut));
            return;
        }
    }
    match->items[match->item_count++] = (struct trace_item){
        .id = id,
        .depth = depth,
        .count = 1,
        .duration = cut,
    };
}

static void enter(struct matcher *m, uint64_t word)
{
    struct trace_match *match = m->match;
    uint32_t id = abi_record_id(word);

    m->depth = id == ABI_MESSAGE_ID ? 1 : m->depth + 1;
    match->open[match->open_count] = (struct trace_open){
        .start = abi_record_time(word),
        .item = id,
        .older = match->newest[id],
    };
    match->newest[id] = (uint32_t)++match->open_count;
}

static void leave(struct matcher *m, uint64_t word)
{
    struct trace_match *match = m->match;
    uint32_t id = abi_record_id(word);
    uint32_t place = match->newest[id];

    if (place == 0) {
        if (match->open_count == 0 || match->open[0].item == ABI_MESSAGE_ID) {
            match->losses.lost_entries++;
            return;
        }
        place = 1; /* rule 2: takes the oldest call's entry */
    }
    size_t left = match->open_count - place + 1;
    uint64_t start = match->open[place - 1].start;
    m->depth -= (int32_t)left;
    match->losses.lost_exits += left - 1;
    for (size_t i = 0; i < left; i++) {
        trace_pop_open(match, match->open[match->open_count - 1].item);
    }
    if (abi_record_time(word) < start) {
        match->losses.time_went_back++;
        m->is_broken = true;
        return;
    }
    add(match, id, m->depth, (int64_t)(abi_record_time(word) - start));
}

static void read_run(struct matcher *m, const struct trace_run *run, bool *started)
{
    struct trace_losses *losses = &m->match->losses;

    for (size_t i = 0; i < run->count && !m->is_broken; i++) {
        uint64_t word = run->words[i];
        bool is_enter = abi_record_is_enter(word);
        if (word == ABI_EMPTY_WORD) {
            continue;
        }
        losses->words++;
        *started = *started || (is_enter && abi_record_id(word) == ABI_MESSAGE_ID);
        if (!*started) {
            losses->skipped++;
        } else if (is_enter) {
            enter(m, word);
        } else {
            leave(m, word);
        }
    }
}

/* Rule 5; the depth is what is open below, not what rule 1 says. */
static void close_open(struct matcher *m)
{
    struct trace_match *match = m->match;

    while (match->open_count > 0) {
        struct trace_open newest = match->open[match->open_count - 1];
        trace_pop_open(match, newest.item);
        if (match->options->strict && !m->is_broken) {
            add(match, newest.item, (int32_t)match->open_count,
                match->options->end_time - (int64_t)newest.start);
        }
    }
}

void trace_match_upstream(struct trace_match *match)
{
    struct matcher m = {.match = match};
    bool started = !match->options->strict;

    for (size_t i = 0; i < match->run_count; i++) {
        read_run(&m, &match->runs[i], &started);
    }
    match->losses.open_calls = match->open_count;
    close_open(&m);
    if (m.is_broken) {
        match->item_count = 0;
    }
}
