#include "monitor/watch/cell.h"

#include "base/clock.h"
#include "monitor/watch/clock.h"

#include <stdio.h>
#include <string.h>

/* ---- The sequence ---- */

static uint64_t sequence_of(const struct watch_cell *cell)
{
    return atomic_load_explicit(&cell->sequence, memory_order_relaxed); /* its only writer */
}

/* Store the new state; the sequence is MOVES meanwhile. All stores release: a reader that sees one
 * of them also sees MOVES, or a later sequence, when it reads the sequence again (watch_cell_read).
 */
static uint64_t store_state(struct watch_cell *cell, int64_t since_ns, const struct beat_here *here)
{
    uint64_t next = (sequence_of(cell) & ~(uint64_t)WATCH_MOTION_MASK) + WATCH_STEP;

    atomic_store_explicit(&cell->sequence, next | WATCH_MOVES, memory_order_relaxed);
    atomic_store_explicit(&cell->since_ns, since_ns, memory_order_release);
    atomic_store_explicit(&cell->position, here->position, memory_order_release);
    atomic_store_explicit(&cell->ring, here->ring, memory_order_release);
    atomic_store_explicit(&cell->claim, here->claim, memory_order_release);
    return next;
}

bool watch_cell_read(const struct watch_cell *cell, struct watch_snapshot *look)
{
    /* Sequentially consistent, for the watcher that is about to rest; it pairs with begin. The
     * data: acquire, so that the sequence is read again after them. */
    uint64_t sequence = atomic_load(&cell->sequence);

    look->sequence = sequence;
    look->is_open = (sequence & WATCH_MOTION_MASK) == WATCH_OPEN;
    look->since_ns = atomic_load_explicit(&cell->since_ns, memory_order_acquire);
    look->here.position = atomic_load_explicit(&cell->position, memory_order_acquire);
    look->here.ring = atomic_load_explicit(&cell->ring, memory_order_acquire);
    look->here.claim = atomic_load_explicit(&cell->claim, memory_order_acquire);
    return (sequence & WATCH_MOTION_MASK) != WATCH_MOVES && sequence_of(cell) == sequence;
}

/* ---- Slow stretches ---- */

static struct watch_slow *find_room(struct watch_cell *cell)
{
    uint32_t pushed = atomic_load_explicit(&cell->pushed, memory_order_relaxed);

    /* Acquire pairs with the release in watch_cell_take: the place has been read. */
    if (pushed - atomic_load_explicit(&cell->taken, memory_order_acquire) == WATCH_SLOW_COUNT) {
        atomic_fetch_add_explicit(&cell->left_out, 1, memory_order_relaxed);
        return NULL;
    }
    return &cell->slow[pushed % WATCH_SLOW_COUNT];
}

static void set_text(struct watch_slow *slow, const struct watch_describer *describer)
{
    const char *text = describer != NULL && describer->describe != NULL
                           ? describer->describe(describer->context)
                           : NULL;

    (void)snprintf(slow->text, sizeof(slow->text), "%s", text != NULL ? text : "");
}

/* Push the stretch of the newest message, which ends now. */
static bool push_slow(struct watch_cell *cell, struct watch_slow told,
                      const struct watch_describer *describer)
{
    struct watch_slow *slow = find_room(cell);

    if (slow == NULL) {
        return false;
    }
    *slow = told;
    slow->cpu_ns = watch_thread_cpu_ns();
    set_text(slow, describer);
    uint32_t pushed = atomic_load_explicit(&cell->pushed, memory_order_relaxed);
    /* Release pairs with the acquire in watch_cell_take. */
    atomic_store_explicit(&cell->pushed, pushed + 1, memory_order_release);
    return true;
}

bool watch_cell_take(struct watch_cell *cell, struct watch_slow *slow)
{
    uint32_t taken = atomic_load_explicit(&cell->taken, memory_order_relaxed);

    if (taken == atomic_load_explicit(&cell->pushed, memory_order_acquire)) {
        return false;
    }
    *slow = cell->slow[taken % WATCH_SLOW_COUNT];
    atomic_store_explicit(&cell->taken, taken + 1, memory_order_release);
    return true;
}

int64_t watch_cell_untaken_ns(const struct watch_cell *cell)
{
    uint32_t pushed = atomic_load_explicit(&cell->pushed, memory_order_acquire);
    int64_t first = INT64_MAX;

    for (uint32_t i = atomic_load_explicit(&cell->taken, memory_order_relaxed); i != pushed; i++) {
        int64_t begin = cell->slow[i % WATCH_SLOW_COUNT].begin_ns;
        first = begin < first ? begin : first;
    }
    return first;
}

/* ---- Begin and end ---- */

/* The coarse clock lags by up to its resolution. */
static int64_t coarse_now(const struct watch_cell *cell)
{
    int64_t now = watch_clock_coarse_ns();

    return now > cell->last_ns ? now : cell->last_ns;
}

/* Can a stretch or message that began then have been slow? */
static bool may_be_slow(int64_t from_ns, int64_t now_ns, int64_t slow_ns)
{
    return now_ns - from_ns >= slow_ns - watch_clock_resolution_ns();
}

static int64_t since_of(const struct watch_cell *cell)
{
    return atomic_load_explicit(&cell->since_ns, memory_order_relaxed);
}

static bool is_slow(const struct watch_cell *cell, int64_t now_ns, int64_t slow_ns, bool is_open)
{
    const struct watch_message *message = &cell->open[cell->depth - 1];

    return now_ns - since_of(cell) >= slow_ns ||
           (!is_open && now_ns - message->begin_ns - message->nested_ns >= slow_ns);
}

static struct watch_slow make_slow(const struct watch_cell *cell, int64_t now_ns,
                                   const struct beat_here *here, bool is_open)
{
    const struct watch_message *message = &cell->open[cell->depth - 1];

    return (struct watch_slow){
        .end_ns = now_ns,
        .begin_ns = message->begin_ns,
        .stretch_ns = since_of(cell),
        .nested_ns = message->nested_ns,
        .is_open = is_open,
        .begin = message->here,
        .end = *here,
    };
}

/* A nested message begins, and ends the stretch of the message around it. */
MB_NOINLINE MB_COLD static bool end_stretch(struct watch_cell *cell, int64_t slow_ns,
                                            const struct beat_here *here)
{
    bool was_told = false;

    if (may_be_slow(since_of(cell), cell->last_ns, slow_ns)) {
        cell->last_ns = mb_clock_now_ns();
        was_told = is_slow(cell, cell->last_ns, slow_ns, true) &&
                   push_slow(cell, make_slow(cell, cell->last_ns, here, true), NULL);
    }
    return was_told;
}

MB_NOINLINE MB_COLD static bool begin_too_deep(struct watch_cell *cell)
{
    cell->ignored_depth++;
    atomic_fetch_add_explicit(&cell->deep, 1, memory_order_relaxed);
    return false;
}

bool watch_cell_begin(struct watch_cell *cell, int64_t slow_ns)
{
    bool was_told = false;

    if (MB_UNLIKELY(cell->depth == WATCH_DEPTH)) {
        return begin_too_deep(cell);
    }
    cell->last_ns = coarse_now(cell);
    struct watch_message *message = &cell->open[cell->depth];
    if (MB_UNLIKELY(cell->depth > 0)) { /* records are those of the outermost */
        message->here = beat_here();
        was_told = end_stretch(cell, slow_ns, &message->here);
    } else {
        message->here = beat_here_enter();
    }
    message->begin_ns = cell->last_ns;
    message->nested_ns = 0;
    cell->depth++;
    uint64_t next = store_state(cell, cell->last_ns, &message->here);
    /* Sequentially consistent: either the watcher sees it, or we see that the watcher rests. */
    (void)atomic_exchange(&cell->sequence, next | WATCH_OPEN);
    return was_told;
}

MB_NOINLINE MB_COLD static bool end_slowly(struct watch_cell *cell, int64_t slow_ns,
                                           const struct beat_here *here,
                                           const struct watch_describer *describer)
{
    cell->last_ns = mb_clock_now_ns();
    return is_slow(cell, cell->last_ns, slow_ns, false) &&
           push_slow(cell, make_slow(cell, cell->last_ns, here, false), describer);
}

/* Classes are far wider than the coarse clock's steps. */
static void count_length(struct watch_cell *cell, int64_t length_ns)
{
    uint32_t class = 0;

    for (uint64_t rest = (uint64_t)length_ns >> WATCH_LENGTH_SHIFT;
         MB_UNLIKELY(rest != 0) && class < WATCH_LENGTH_COUNT - 1; rest >>= 1) {
        class ++;
    }
    uint64_t count = atomic_load_explicit(&cell->lengths[class], memory_order_relaxed);
    atomic_store_explicit(&cell->lengths[class], count + 1, memory_order_relaxed);
}

bool watch_cell_end(struct watch_cell *cell, int64_t slow_ns,
                    const struct watch_describer *describer)
{
    bool was_told = false;

    if (MB_UNLIKELY(cell->depth == 0)) {
        return false;
    }
    if (MB_UNLIKELY(cell->ignored_depth > 0)) {
        cell->ignored_depth--;
        return false;
    }
    const struct watch_message *message = &cell->open[cell->depth - 1];
    cell->last_ns = coarse_now(cell);
    const struct beat_here here = cell->depth == 1 ? beat_here_leave() : beat_here();
    if (MB_UNLIKELY(may_be_slow(message->begin_ns, cell->last_ns, slow_ns))) {
        was_told = end_slowly(cell, slow_ns, &here, describer);
    }
    count_length(cell, cell->last_ns - message->begin_ns - message->nested_ns);
    cell->depth--;
    if (MB_UNLIKELY(cell->depth > 0)) {
        cell->open[cell->depth - 1].nested_ns += cell->last_ns - message->begin_ns;
    }
    uint64_t next = store_state(cell, cell->last_ns, &here);
    enum watch_motion motion = cell->depth > 0 ? WATCH_OPEN : WATCH_RESTS;
    atomic_store_explicit(&cell->sequence, next | motion, memory_order_release);
    return was_told;
}

void watch_cell_reset(struct watch_cell *cell)
{
    uint64_t next = (sequence_of(cell) & ~(uint64_t)WATCH_MOTION_MASK) + WATCH_STEP;

    atomic_store(&cell->sequence, next | WATCH_RESTS);
    cell->depth = 0;
    cell->ignored_depth = 0;
    cell->last_ns = 0;
}
