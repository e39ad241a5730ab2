/* What the thread of a loop leaves for its watcher: where it is, and which of its messages were
 * slow. One writer, one reader; neither waits for the other, and nothing is allocated.
 *
 *   begin --> MOVES, since, position, OPEN      watcher: sequence, since, position, sequence again:
 *   end   --> MOVES, since, position, RESTS     different, or MOVES: the loop goes on */

#ifndef WATCH_CELL_H
#define WATCH_CELL_H

#include "recorder/here.h"
#include "watch/methodbeat_watch.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WATCH_LINE 64
#define WATCH_DEPTH 8u       /* messages nested deeper are taken for a part of those around them */
#define WATCH_SLOW_COUNT 64u /* a power of two */
#define WATCH_TEXT_SIZE 128u
#define WATCH_NEVER_SLOW INT64_MAX

/* The low bits of a sequence. */
enum watch_motion {
    WATCH_RESTS,
    WATCH_OPEN, /* inside a message */
    WATCH_MOVES,
    WATCH_MOTION_MASK = 3,
    WATCH_STEP = 4,
};

/* A stretch that was slow: struct mon_slow, with its text. */
struct watch_slow {
    int64_t end_ns;
    int64_t begin_ns;
    int64_t stretch_ns;
    int64_t nested_ns;
    int64_t cpu_ns;
    bool is_open;
    struct beat_here begin;
    struct beat_here end;
    char text[WATCH_TEXT_SIZE];
};

/* A message that is open. */
struct watch_message {
    int64_t begin_ns;
    int64_t nested_ns;
    struct beat_here here;
};

struct watch_cell {
    /* For the watcher; the owner stores. */
    alignas(WATCH_LINE) _Atomic(uint64_t) sequence;
    _Atomic(int64_t) since_ns;
    _Atomic(uint64_t) position;
    _Atomic(const struct abi_trace_ring *) ring;
    _Atomic(uint32_t) claim;
    _Atomic(uint64_t) deep;
    _Atomic(uint64_t) left_out;
    /* Messages that have ended, by how long they were. */
    alignas(WATCH_LINE) _Atomic(uint64_t) lengths[WATCH_LENGTH_COUNT];
    /* The owner's own. */
    alignas(WATCH_LINE) uint32_t depth;
    uint32_t ignored_depth; /* beyond WATCH_DEPTH */
    int64_t last_ns;        /* times do not go back */
    struct watch_message open[WATCH_DEPTH];
    /* Slow stretches, from pushed down to taken. */
    alignas(WATCH_LINE) _Atomic(uint32_t) pushed;
    alignas(WATCH_LINE) _Atomic(uint32_t) taken;
    struct watch_slow slow[WATCH_SLOW_COUNT];
};

/* Says what a slow message was; NULL: unknown. */
struct watch_describer {
    const char *(*describe)(void *context);
    void *context;
};

/* ---- The loop's thread ---- */

/* slow_ns: what is worth telling. True if a slow stretch was told. After begin the bell has to be
 * looked at: the sequence was stored with sequential consistency. */
bool watch_cell_begin(struct watch_cell *cell, int64_t slow_ns);
bool watch_cell_end(struct watch_cell *cell, int64_t slow_ns,
                    const struct watch_describer *describer);

/* ---- The watcher ---- */

/* A cell at one moment. */
struct watch_look {
    uint64_t sequence;
    bool is_open;
    /* Begin of the innermost message, or end of what was nested in it; at rest, end of the last
     * one. */
    int64_t since_ns;
    struct beat_here here;
};

/* False if the cell moves at this very moment. */
bool watch_cell_look(const struct watch_cell *cell, struct watch_look *look);

/* The next slow stretch; false if there is none. */
bool watch_cell_take(struct watch_cell *cell, struct watch_slow *slow);

/* When the first message of those that are still to be taken began; INT64_MAX if there is none. */
int64_t watch_cell_untaken_ns(const struct watch_cell *cell);

/* Its thread ends, or did in a forked child: no message is open. What was told stays to be
 * taken. */
void watch_cell_reset(struct watch_cell *cell);

#endif
