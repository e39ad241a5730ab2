#include "recorder/drain.h"

#include "profile/profile.h"
#include "recorder/clock.h"
#include "recorder/copy.h"
#include "recorder/memory.h"
#include "recorder/mutes.h"
#include "recorder/rings.h"
#include "recorder/rows.h"
#include "recorder/sections.h"
#include "recorder/throttle.h"
#include "recorder/usage.h"

#include <stdlib.h>

#define MS INT64_C(1000000)
#define PORTION 8192u /* words: half of a core's nearest cache but one */
#define USAGE_EVERY_NS (10 * MS)
#define STILL_USAGE_NS (100 * MS) /* of a thread that neither calls nor works */
#define ASKING_SHARE 100          /* of a core's time, at most */
#define STRETCH_NS MS
#define NODE_CHUNK 16384u /* nodes that get disk blocks at a time */
#define SHORTEST_NS (MS / 2)
#define LONGEST_NS (20 * MS)
#define IDLE_NS (100 * MS)
#define OLD_SLACK_NS (5 * MS) /* clocks of two CPUs, ticks of the coarse one */

/* One ring. */
struct drained {
    struct prof_lane lane;
    uint64_t position; /* words below are in the profile, or lost */
    uint32_t claim;    /* of whose words these are; 0: nobody's */
    bool has_lane;
    bool moved;              /* there were words since usage was told */
    bool is_still;           /* it did nothing until then */
    struct beat_usage usage; /* when it was told last */
    int64_t asked_ns;        /* monotonic */
};

static struct drain {
    pthread_mutex_t lock;
    uint32_t session;           /* whose profile this is */
    bool is_abandoned;          /* the memory is the parent process's */
    struct beat_memory *memory; /* pinned and read; NULL: without a profile */
    struct abi_trace_header *header;
    struct abi_trace_ring *rings;
    uint32_t ring_count; /* that have been in use */
    uint32_t all_rings;
    struct abi_trace_section *row_section;
    struct abi_profile_thread *rows;
    uint32_t row_room; /* rows for which there is memory behind */
    struct prof_tree tree;
    struct drained *drained; /* [ring] */
    uint64_t *words;         /* of a portion */
    int fd;                  /* of the file in which blocks are reserved */
    bool is_full;            /* the disk is */
    bool java_writes_main;
    struct beat_judge judge;
    uint64_t drained_words; /* in this round */
    uint64_t lost_words;
    int64_t usage_every_ns;
    int64_t asking_ns;   /* what that took in this round */
    double fullest;      /* the greatest part of a ring that was found filled */
    int64_t interval_ns; /* to the next round */
    int64_t round_ns;    /* when the last began */
    uint32_t idle_rounds;
} drain = {.lock = PTHREAD_MUTEX_INITIALIZER};

void beat_drain_lock(void)
{
    (void)pthread_mutex_lock(&drain.lock);
    atomic_store_explicit(&beat_thread.drains, true, memory_order_relaxed);
}

void beat_drain_unlock(void)
{
    atomic_store_explicit(&beat_thread.drains, false, memory_order_relaxed);
    (void)pthread_mutex_unlock(&drain.lock);
}

/* ---- Sessions ---- */

static void free_all(void)
{
    for (uint32_t i = 0; drain.drained != NULL && i < drain.ring_count; i++) {
        if (drain.drained[i].has_lane) {
            prof_lane_finish(&drain.drained[i].lane);
        }
    }
    free(drain.drained);
    free(drain.words);
    prof_tree_finish(&drain.tree);
    drain.drained = NULL;
    drain.words = NULL;
    drain.ring_count = 0;
    drain.memory = NULL;
    drain.is_abandoned = false;
    drain.session = BEAT_NO_SESSION;
}

void beat_drain_forget(void)
{
    struct beat_memory *pin = drain.memory;

    if (pin != NULL && !drain.is_abandoned) {
        beat_memory_end_reading(pin);
        beat_memory_pin(&pin, NULL);
    }
    free_all();
}

void beat_drain_break_lock(void)
{
    (void)pthread_mutex_init(&drain.lock, NULL);
}

void beat_drain_abandon(bool is_within)
{
    drain.is_abandoned = true;
    if (!is_within) {
        free_all();
    }
}

static uint64_t written_to(const struct abi_trace_section *section)
{
    return atomic_load_explicit(&section->written, memory_order_relaxed);
}

/* How many records of a table have memory behind them: all, or on a full disk those that are
 * there. */
static uint32_t reserve_table(const struct abi_trace_section *section)
{
    uint64_t written = written_to(section);
    uint64_t size = section->record_size;
    bool has_room = beat_memory_reserve(drain.memory, section->offset + written * size,
                                        (section->capacity - written) * size);

    return (uint32_t)(has_room ? section->capacity : written);
}

/* Disk blocks for everything but nodes; and none of these yet. */
static void reserve_tables(void)
{
    drain.fd = drain.memory->fd;
    drain.tree.capacity = (uint32_t)written_to(drain.tree.section);
    drain.is_full = false;
    drain.row_room = reserve_table(drain.row_section);
    drain.judge.room = reserve_table(drain.judge.section);
}

/* The memory may have moved to a file since it was last looked at. Under the drain's lock. */
static void reserve_when_moved(void)
{
    if (drain.fd != drain.memory->fd) {
        reserve_tables();
    }
}

static bool allocate(const struct beat_recorder *recorder)
{
    struct beat_memory *memory = recorder->memory;
    struct abi_trace_section *nodes = beat_sections_find(memory, ABI_SECTION_PROFILE_NODES);

    drain.all_rings = memory->plan.ring_count;
    drain.drained = calloc(drain.all_rings, sizeof(*drain.drained));
    drain.words = malloc(PORTION * sizeof(*drain.words));
    drain.row_section = beat_sections_find(memory, ABI_SECTION_PROFILE_THREADS);
    drain.judge.section = beat_sections_find(memory, ABI_SECTION_PROFILE_MUTES);
    drain.rows = beat_sections_records(memory, drain.row_section);
    drain.judge.rows = beat_sections_records(memory, drain.judge.section);
    return prof_tree_init(&drain.tree, nodes, beat_sections_records(memory, nodes)) &&
           drain.drained != NULL && drain.words != NULL;
}

/* Under both locks. */
static void begin(const struct beat_recorder *recorder)
{
    drain.header = recorder->header;
    drain.rings = recorder->rings;
    drain.judge.header = recorder->header;
    drain.judge.throttle = recorder->throttle;
    drain.judge.never = recorder->never_muted;
    drain.interval_ns = SHORTEST_NS;
    drain.usage_every_ns = USAGE_EVERY_NS;
    drain.idle_rounds = 0;
    if (!allocate(recorder)) {
        free_all();
        beat_log(&recorder->options, "no memory for the profile");
        return;
    }
    beat_mutes_take_over(&drain.judge, &drain.tree);
    beat_memory_pin(&drain.memory, recorder->memory);
    beat_memory_begin_reading(drain.memory);
    reserve_tables();
}

/* Be with the recorded session. False if it has no profile. Under the drain's lock. */
static bool catch_up(void)
{
    struct beat_recorder *recorder = beat_lock();
    uint32_t session = recorder->recorded_session;

    if (session != drain.session) {
        beat_drain_forget();
        drain.session = session;
        if (session != BEAT_NO_SESSION && recorder->options.profile == BEAT_ON) {
            begin(recorder);
            drain.session = session;
        }
    }
    if (drain.memory != NULL) {
        drain.java_writes_main = recorder->java_writes_main;
        drain.ring_count = beat_rings_used_count(recorder);
    }
    beat_unlock(recorder);
    if (drain.memory != NULL) {
        reserve_when_moved();
    }
    return drain.memory != NULL;
}

void beat_drain_release(void)
{
    beat_drain_lock();
    (void)catch_up();
    beat_drain_unlock();
}

/* ---- What threads use ---- */

static void share_usage(struct drained *d, const struct beat_usage *usage)
{
    struct abi_profile_thread *row = d->lane.row;
    struct prof_usage share =
        beat_usage_since(drain.header, &d->usage, usage,
                         atomic_load_explicit(&row->first_time, memory_order_relaxed));

    d->moved = false;
    d->is_still = share.cpu_ns == 0;
    d->usage = *usage;
    atomic_store_explicit(&row->cpu_ns,
                          atomic_load_explicit(&row->cpu_ns, memory_order_relaxed) + share.cpu_ns,
                          memory_order_relaxed);
    atomic_store_explicit(&row->cpu_time, usage->time, memory_order_relaxed);
    prof_share_cpu(&drain.tree, &d->lane, &share);
}

static bool ask_usage_when_due(struct drained *d, const struct abi_trace_ring *ring, bool is_over,
                               struct beat_usage *usage)
{
    bool moves =
        d->moved || atomic_load_explicit(&ring->written, memory_order_relaxed) > d->position;
    int64_t now = beat_clock_monotonic_ns();
    int64_t every = moves || !d->is_still ? drain.usage_every_ns : STILL_USAGE_NS;

    if (ring->is_virtual || (!moves && d->lane.depth == 0) ||
        (now - d->asked_ns < every && !is_over)) {
        return false;
    }
    *usage = d->usage;
    bool knows = beat_usage_ask(usage, drain.header, ring->thread_id);
    d->asked_ns = now;
    drain.asking_ns += beat_clock_monotonic_ns() - now;
    return knows;
}

/* ---- Rings ---- */

/* There is memory behind so many more nodes, unless the disk is full or so is the table. */
static void make_room(uint32_t count)
{
    struct prof_tree *tree = &drain.tree;
    uint64_t written = written_to(tree->section);
    uint64_t size = tree->section->record_size;

    if (written + count <= tree->capacity || tree->capacity == tree->section->capacity ||
        drain.is_full) {
        return;
    }
    uint64_t left = tree->section->capacity - tree->capacity;
    uint64_t more = left < NODE_CHUNK ? left : NODE_CHUNK;
    if (beat_memory_reserve(drain.memory, tree->section->offset + tree->capacity * size,
                            more * size)) {
        tree->capacity += (uint32_t)more;
    } else {
        drain.is_full = true;
    }
}

static void finish_lane(struct drained *d)
{
    struct abi_profile_thread *row = d->lane.row;

    if (!d->has_lane) {
        return;
    }
    prof_end(&drain.tree, &d->lane);
    prof_lane_finish(&d->lane);
    d->has_lane = false;
    row->ring = 0;
    atomic_fetch_or_explicit(&row->flags, ABI_PROFILE_ENDED, memory_order_relaxed);
}

/* Words so far apart are worth a look; the tick of a coarse clock alone is not. */
static uint64_t stretch_units(void)
{
    uint64_t rate = atomic_load_explicit(&drain.header->ns_per_unit, memory_order_relaxed);

    return abi_trace_units(rate, (uint64_t)STRETCH_NS + 2 * drain.header->resolution_ns) + 1;
}

/* The ring's words are from now on those of whoever has it; *state: of the ring, with them. False
 * without memory or disk. */
static bool begin_lane(struct drained *d, uint32_t index, uint32_t *state)
{
    const struct abi_trace_ring *ring = &drain.rings[index];

    finish_lane(d);
    if (drain.row_room == 0) {
        return false;
    }
    struct beat_recorder *recorder = beat_lock();
    d->claim = ring->claim;
    *state = ring->state;
    uint32_t row = beat_rows_take(drain.row_section, drain.rows, drain.row_room, ring, index);
    beat_unlock(recorder);
    d->has_lane = prof_lane_init(&d->lane, &drain.rows[row], row);
    if (!d->has_lane) {
        prof_lane_finish(&d->lane);
    }
    d->position = 0;
    d->usage = (struct beat_usage){0};
    d->asked_ns = 0;
    d->moved = false;
    d->is_still = false;
    d->lane.stretch = stretch_units();
    return d->has_lane;
}

static struct beat_source source_of(const struct drained *d, uint32_t index)
{
    const struct beat_recorder recorder = {.java_writes_main = drain.java_writes_main};
    struct beat_source source = beat_source_of(&recorder, drain.memory, index);

    source.claim = d->claim;
    return source;
}

/* One portion; false when all up to end are taken. */
static bool drain_portion(struct drained *d, const struct beat_source *source, uint64_t end)
{
    struct beat_range range;

    if (d->position >= end) {
        return false;
    }
    if (!beat_copy_next(source, (struct beat_range){d->position, end},
                        (struct beat_room){drain.words, PORTION}, &range)) {
        return false;
    }
    if (range.first > d->position) {
        prof_skip(&d->lane, range.first - d->position);
        drain.lost_words += range.first - d->position;
    }
    size_t count = (size_t)(range.end - range.first);
    make_room((uint32_t)count);
    prof_feed(&drain.tree, &d->lane, drain.words, count, beat_clock_now(drain.header));
    d->position = range.end;
    d->moved = true;
    drain.drained_words += count;
    return true;
}

static uint64_t old_time(void)
{
    uint64_t rate = atomic_load_explicit(&drain.header->ns_per_unit, memory_order_relaxed);
    uint64_t slack = abi_trace_units(rate, OLD_SLACK_NS + drain.header->resolution_ns);
    uint64_t now = beat_clock_now(drain.header);
    uint64_t young = beat_rings_min_units(drain.header) + slack;

    return now > young ? now - young : 0;
}

static void drain_words(struct drained *d, uint32_t index, bool is_over)
{
    const struct abi_trace_ring *ring = &drain.rings[index];
    struct beat_source source = source_of(d, index);
    source.goes_back = source.goes_back && !is_over;
    uint64_t end = beat_copy_end(&source, d->position, source.goes_back ? old_time() : 0);

    if (end > d->position) {
        double part = (double)(end - d->position) / (double)ring->capacity;
        drain.fullest = part > drain.fullest ? part : drain.fullest;
    }
    while (drain_portion(d, &source, end)) {
    }
    atomic_store_explicit(&d->lane.row->position, d->position, memory_order_relaxed);
}

/* is_over: nobody writes to it any more. */
static void drain_ring(uint32_t index, bool is_over)
{
    const struct abi_trace_ring *ring = &drain.rings[index];
    struct drained *d = &drain.drained[index];
    /* Acquire: what an ended thread wrote is there, and no thread before that of the claim is taken
     * for it. Pairs with the releases in rings.c. */
    uint32_t claim = atomic_load_explicit(&ring->claim, memory_order_acquire);
    uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);

    if (state == ABI_RING_UNUSED || claim == 0 ||
        (claim != d->claim && !begin_lane(d, index, &state)) || !d->has_lane) {
        return;
    }
    struct beat_usage usage;
    bool knows = ask_usage_when_due(d, ring, is_over, &usage);
    drain_words(d, index, is_over || state == ABI_RING_ENDED);
    if (knows) {
        share_usage(d, &usage);
    }
    if (state == ABI_RING_ENDED) {
        finish_lane(d);
    }
}

void beat_drain_all(void)
{
    if (!catch_up()) {
        return;
    }
    for (uint32_t i = 0; i < drain.ring_count; i++) {
        drain_ring(i, !beat_is_recording());
    }
    prof_settle(&drain.tree, beat_clock_now(drain.header));
}

static void end_thread(struct drained *d, uint32_t thread_id)
{
    struct beat_usage usage = d->usage;

    if (d->has_lane && beat_usage_ask(&usage, drain.header, thread_id)) {
        share_usage(d, &usage);
    }
    finish_lane(d);
}

void beat_drain_thread(struct beat_thread *thread)
{
    /* Relaxed: a thread that recorded something saw its session begin. */
    if (!atomic_load_explicit(&beat_recorder.has_profile, memory_order_relaxed)) {
        return;
    }
    beat_drain_lock();
    if (catch_up()) {
        const struct beat_recorder *recorder = beat_lock();
        const struct abi_trace_ring *ring = beat_rings_find(recorder, thread);
        uint32_t index = ring != NULL ? (uint32_t)(ring - recorder->rings) : UINT32_MAX;
        beat_unlock(&beat_recorder);
        if (index < drain.ring_count) {
            drain_ring(index, true);
            end_thread(&drain.drained[index], thread->thread_id);
        }
    }
    beat_drain_unlock();
}

/* ---- Rounds ---- */

/* So that no ring fills by more than a third until then, were it to go on like this. A program that
 * does nothing for longer is woken less and less, down to ten times a second: nobody tells us of
 * the first call after a rest, and what a thread waited before it cannot be told from what it
 * worked since unless we asked in between. Without a profile, as on Android unless asked for,
 * nothing of this wakes anybody. */
static int64_t next_interval(int64_t waited_ns)
{
    int64_t longest = LONGEST_NS;

    drain.idle_rounds = drain.drained_words == 0 ? drain.idle_rounds + 1 : 0;
    if (drain.idle_rounds > 10) {
        longest = drain.interval_ns * 2 < IDLE_NS ? drain.interval_ns * 2 : IDLE_NS;
        return longest > LONGEST_NS ? longest : LONGEST_NS;
    }
    double filled = drain.fullest * 3 * (drain.lost_words > 0 ? 2 : 1);
    double wanted = filled > 0 ? (double)waited_ns / filled : (double)longest;
    int64_t most = drain.interval_ns * 2 < longest ? drain.interval_ns * 2 : longest;

    if (wanted > (double)most) {
        return most > SHORTEST_NS ? most : SHORTEST_NS;
    }
    return wanted > (double)SHORTEST_NS ? (int64_t)wanted : SHORTEST_NS;
}

/* The lock was given up: is the profile still that session's? */
static bool is_at(uint32_t session)
{
    bool goes_on = drain.memory != NULL && drain.session == session;

    if (goes_on) {
        reserve_when_moved();
    }
    return goes_on;
}

/* The lock is given up after each ring: a thread that ends does not wait for all of them. */
static void drain_in_steps(void)
{
    uint32_t session = drain.session;

    drain.drained_words = 0;
    drain.lost_words = 0;
    drain.fullest = 0;
    drain.asking_ns = 0;
    for (uint32_t i = 0; is_at(session) && i < drain.ring_count; i++) {
        drain_ring(i, false);
        beat_drain_unlock();
        beat_drain_lock();
    }
    int64_t every = drain.asking_ns * ASKING_SHARE;
    drain.usage_every_ns = every > USAGE_EVERY_NS ? every : USAGE_EVERY_NS;
    if (is_at(session)) {
        prof_settle(&drain.tree, beat_clock_now(drain.header));
        beat_mutes_judge(&drain.judge, &drain.tree);
    }
}

int64_t beat_drain_round(void)
{
    int64_t now = beat_clock_monotonic_ns();

    beat_drain_lock();
    bool has_profile = catch_up();
    if (has_profile) {
        drain_in_steps();
        drain.interval_ns = next_interval(now - drain.round_ns);
        drain.round_ns = now;
    }
    int64_t interval = drain.interval_ns;
    beat_drain_unlock();
    beat_tell_mutes();
    return has_profile ? interval : BEAT_DRAIN_NEVER;
}
