/* The cell of a loop: its thread stores its state and its slow messages there, the watcher reads
 * them. One writer, one reader; neither waits for the other, and neither allocates.
 *
 *   begin --> MOVES, since, position, OPEN      watcher: sequence, since, position, sequence again:
 *   end   --> MOVES, since, position, RESTS     different, or MOVES: the loop goes on */

#ifndef MONITOR_WATCH_CELL_H
#define MONITOR_WATCH_CELL_H

#include "monitor/watch/methodbeat_watch.h"
#include "recorder/here.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WATCH_LINE 64
#define WATCH_DEPTH 8u       /* deeper nested messages count as part of the message around them */
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

/* Describes a slow message; NULL if unknown. */
struct watch_describer {
    const char *(*describe)(void *context);
    void *context;
};

/* ---- The loop's thread ---- */

/* slow_ns: stretches of this length are pushed. True if one was. After begin, call
 * watch_bell_ring_if_resting: the sequence was stored with sequential consistency. */
bool watch_cell_begin(struct watch_cell *cell, int64_t slow_ns);
bool watch_cell_end(struct watch_cell *cell, int64_t slow_ns,
                    const struct watch_describer *describer);

/* ---- The watcher ---- */

/* The state of a cell at one moment. */
struct watch_snapshot {
    uint64_t sequence;
    bool is_open;
    /* In a message: its begin, or the end of the last message nested in it. At rest: the end of the
     * last message. */
    int64_t since_ns;
    struct beat_here here;
};

/* False if the cell moves at this very moment. */
bool watch_cell_read(const struct watch_cell *cell, struct watch_snapshot *look);

/* Take the next slow stretch; false if none waits. */
bool watch_cell_take(struct watch_cell *cell, struct watch_slow *slow);

/* The begin of the first waiting slow message; INT64_MAX if none waits. */
int64_t watch_cell_untaken_ns(const struct watch_cell *cell);

/* The thread ends, or is missing in a forked child: no message is open. Slow stretches stay. */
void watch_cell_reset(struct watch_cell *cell);

#endif
