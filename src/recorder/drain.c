#include "recorder/drain.h"

#include "base/clock.h"
#include "base/number.h"
#include "recorder/clock.h"
#include "recorder/copy.h"
#include "recorder/method_names.h"
#include "recorder/profile/profile.h"
#include "recorder/readings.h"
#include "recorder/rings.h"
#include "recorder/tables.h"
#include "recorder/usage.h"

#include <assert.h>
#include <stdlib.h>

#define PORTION 8192u /* words: half of a core's nearest cache but one */
#define STRETCH_NS UINT64_C(100000)
/* Records of a tick with exact times, of all threads together: a half per cent of a processor, and
 * more while the throttle waits for them. A thread has LEAST_EXACT at least. */
#define EXACT_WORDS UINT64_C(1000)
#define EVIDENCE_WORDS UINT64_C(4000)
#define LEAST_EXACT UINT64_C(32)
#define FIRST_KINDS_NS (250 * MB_NS_PER_MS)
#define LAST_KINDS_NS (10 * MB_NS_PER_S)
#define KINDS_NS_OF_NODE 5000       /* to look at one takes 25 ns */
#define TIMED_NS (MB_NS_PER_MS / 4) /* to read at its ends takes a request some 2 us */

/* One ring. */
struct drained {
    struct prof_lane lane;
    uint64_t position; /* words below are in the profile, or lost */
    uint32_t claim;    /* owner of the words; 0 if none */
    bool has_lane;
    bool is_virtual;
    bool moved;               /* there were words since usage was last read: */
    uint64_t moved_words;     /* their number */
    bool is_still;            /* it did nothing until then */
    struct beat_usage usage;  /* as last read */
    struct beat_used request; /* of the open request */
    int64_t asked_ns;         /* monotonic */
};

static struct drain {
    pthread_mutex_t lock;
    uint32_t session;          /* whose profile this is */
    bool is_abandoned;         /* the memory is the parent process's */
    struct beat_tables tables; /* their memory is NULL without a profile */
    struct abi_trace_header *header;
    struct abi_trace_ring *rings;
    uint32_t ring_count;     /* that have been in use */
    struct drained *drained; /* [ring] */
    uint64_t *words;         /* of a portion */
    bool java_writes;
    uint64_t exact_words;         /* of a tick: the share that each thread has, */
    uint64_t trusted_exact_words; /* and the least that words drained so far have */
    int64_t shared_ns;            /* when */
    int64_t requests_ns;          /* when they were last looked for */
    uint32_t chosen_count;        /* that the tree knows */
    struct beat_pacing pacing;
} drain = {.lock = PTHREAD_MUTEX_INITIALIZER};

void beat_drain_lock(void)
{
    assert(!beat_has_lock()); /* the order of the two */
    (void)pthread_mutex_lock(&drain.lock);
}

void beat_drain_unlock(void)
{
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
    beat_tables_finish(&drain.tables, !drain.is_abandoned);
    drain.drained = NULL;
    drain.words = NULL;
    drain.ring_count = 0;
    drain.is_abandoned = false;
    drain.session = BEAT_NO_SESSION;
}

void beat_drain_forget(void)
{
    free_all();
}

void beat_drain_abandon(void)
{
    drain.is_abandoned = true;
    free_all();
}

/* Under both locks. */
static void begin_profile(const struct beat_recorder *recorder)
{
    assert(beat_has_lock() && drain.drained == NULL);
    drain.header = recorder->header;
    drain.rings = recorder->rings;
    drain.exact_words = BEAT_FIRST_EXACT;
    drain.trusted_exact_words = BEAT_FIRST_EXACT;
    drain.shared_ns = beat_clock_monotonic_ns();
    drain.requests_ns = drain.shared_ns;
    drain.chosen_count = 0;
    beat_pacing_init(&drain.pacing);
    beat_time_none();
    drain.drained = calloc(recorder->memory->plan.ring_count, sizeof(*drain.drained));
    drain.words = malloc(PORTION * sizeof(*drain.words));
    if (drain.drained == NULL || drain.words == NULL ||
        !beat_tables_init(&drain.tables, recorder)) {
        free_all();
        beat_log(recorder->options, "no memory for the profile");
    }
}

static void choose_requests(void)
{
    uint32_t id;
    uint64_t late_ns;

    if (beat_names_frames(&id, &late_ns)) {
        uint64_t ns_per_unit =
            atomic_load_explicit(&drain.header->ns_per_unit, memory_order_relaxed);
        drain.tables.tree.late = (struct prof_late){id, abi_trace_units(ns_per_unit, late_ns)};
    }
    for (; beat_names_chosen(drain.chosen_count, &id); drain.chosen_count++) {
        prof_choose_request(&drain.tables.tree, id);
    }
}

/* Be with the recorded session. False if it has no profile. Under the drain's lock. */
static bool follow_session(void)
{
    struct beat_recorder *recorder = beat_lock();
    uint32_t session = recorder->recorded_session;

    if (session != drain.session) {
        free_all();
        if (session != BEAT_NO_SESSION && recorder->options->profile == BEAT_ON) {
            begin_profile(recorder);
        }
        drain.session = session;
    }
    bool has_profile = drain.tables.memory != NULL;
    if (has_profile) {
        drain.java_writes = recorder->java_writes;
        drain.ring_count = beat_rings_used_count(recorder);
    }
    beat_unlock(recorder);
    if (has_profile) {
        beat_tables_follow_file(&drain.tables);
        choose_requests();
    }
    return has_profile;
}

void beat_drain_release(void)
{
    beat_drain_lock();
    (void)follow_session();
    beat_drain_unlock();
}

/* ---- What threads use ---- */

static void share_usage(struct drained *d, struct beat_usage *usage)
{
    struct abi_profile_thread *row = d->lane.row;
    struct prof_usage share;

    assert(d->has_lane);
    usage->is_exact = drain.java_writes && !d->is_virtual && d->moved_words < d->lane.exact_words;
    share = beat_usage_since(drain.header, &d->usage, usage,
                             atomic_load_explicit(&row->first_time, memory_order_relaxed));
    d->moved = false;
    d->moved_words = 0;
    d->is_still = share.cpu_ns == 0;
    d->usage = *usage;
    atomic_store_explicit(&row->cpu_ns,
                          atomic_load_explicit(&row->cpu_ns, memory_order_relaxed) + share.cpu_ns,
                          memory_order_relaxed);
    atomic_store_explicit(&row->cpu_time, usage->time, memory_order_relaxed);
    prof_add_usage(&drain.tables.tree, &d->lane, &share);
}

static bool ask_usage_when_due(struct drained *d, const struct abi_trace_ring *ring, bool is_over,
                               struct beat_usage *usage)
{
    bool moves =
        d->moved || atomic_load_explicit(&ring->written, memory_order_relaxed) > d->position;
    bool is_still = d->is_still && !moves;
    int64_t now = beat_clock_monotonic_ns();

    if (ring->is_virtual || (!moves && d->lane.depth == 0) ||
        (!is_over && !beat_pacing_usage_is_due(&drain.pacing, is_still, d->asked_ns, now))) {
        return false;
    }
    *usage = d->usage;
    bool knows = beat_usage_ask(usage, drain.header, ring->thread_id);
    d->asked_ns = now;
    drain.pacing.asking_ns += beat_clock_monotonic_ns() - now;
    return knows;
}

/* ---- Rings ---- */

static void finish_lane(struct drained *d)
{
    struct abi_profile_thread *row = d->lane.row;

    if (!d->has_lane) {
        return;
    }
    prof_end(&drain.tables.tree, &d->lane);
    prof_lane_finish(&d->lane);
    d->has_lane = false;
    row->ring = 0;
    atomic_fetch_or_explicit(&row->flags, ABI_PROFILE_ENDED, memory_order_relaxed);
}

/* Words so far apart are worth a look. Where not all have exact times, a word after others of the
 * same time may be a tick late. */
static void set_stretch(struct drained *d)
{
    uint64_t rate = atomic_load_explicit(&drain.header->ns_per_unit, memory_order_relaxed);
    uint64_t tick = abi_trace_units(rate, 2 * drain.header->resolution_ns);
    bool has_exact = drain.java_writes && !d->is_virtual && d->lane.exact_words > 0;

    d->lane.stretch = abi_trace_units(rate, STRETCH_NS) + 1 + (has_exact ? 0 : tick);
    d->lane.tick = has_exact ? tick : 0;
}

/* From here on the ring's words belong to its present owner; *state becomes the ring's state. False
 * when out of memory or disk. */
static bool begin_lane(struct drained *d, uint32_t index, uint32_t *state)
{
    const struct abi_trace_ring *ring = &drain.rings[index];

    finish_lane(d);
    if (drain.tables.row_room == 0) {
        return false;
    }
    struct beat_recorder *recorder = beat_lock();
    d->claim = ring->claim;
    *state = ring->state;
    uint32_t row = beat_rows_take(drain.tables.row_section, drain.tables.rows,
                                  drain.tables.row_room, ring, index);
    beat_unlock(recorder);
    d->has_lane = prof_lane_init(&d->lane, &drain.tables.rows[row], row);
    if (!d->has_lane) {
        prof_lane_finish(&d->lane);
    }
    d->position = 0;
    d->usage = (struct beat_usage){0};
    d->request = (struct beat_used){0};
    d->asked_ns = 0;
    d->moved = false;
    d->moved_words = 0;
    d->is_virtual = ring->is_virtual != 0;
    d->is_still = false;
    return d->has_lane;
}

static struct beat_source make_source(const struct drained *d, uint32_t index)
{
    struct beat_source source = beat_source_of(drain.tables.memory, index, drain.java_writes);

    source.claim = d->claim;
    return source;
}

/* One portion; false when all up to end are taken. */
static bool drain_portion(struct drained *d, const struct beat_source *source, uint64_t end)
{
    struct beat_range range;
    uint64_t before = d->position;

    if (before >= end) {
        return false;
    }
    if (!beat_copy_next(source, (struct beat_range){d->position, end},
                        (struct beat_room){drain.words, PORTION}, &range)) {
        return false;
    }
    assert(range.first >= d->position && range.first <= range.end && range.end <= end);
    if (range.first > d->position) {
        prof_skip(&d->lane, range.first - d->position);
        drain.pacing.lost_words += range.first - d->position;
    }
    size_t count = (size_t)(range.end - range.first);
    beat_tables_make_room(&drain.tables, (uint32_t)count);
    d->lane.position = range.first;
    prof_feed(&drain.tables.tree, &d->lane, drain.words, count, beat_clock_now(drain.header));
    if (drain.tables.tree.slow_count > 0) {
        beat_slow_take(&drain.tables, source, (struct beat_room){drain.words, PORTION},
                       &d->request);
    }
    d->position = range.end;
    d->moved = true;
    d->moved_words += d->position - before;
    drain.pacing.drained_words += count;
    return true;
}

/* Of a tick, at least. */
static uint32_t count_exact(const struct drained *d, const struct abi_trace_ring *ring)
{
    /* Relaxed: this thread shares them out. */
    uint64_t share = atomic_load_explicit(&ring->exact_words, memory_order_relaxed);

    return d->is_virtual || drain.header->clock_kind == ABI_CLOCK_COUNTER
               ? UINT32_MAX
               : (uint32_t)mb_min_u64(share, drain.trusted_exact_words);
}

static void drain_words(struct drained *d, uint32_t index)
{
    struct abi_trace_ring *ring = &drain.rings[index];
    const struct beat_source source = make_source(d, index);
    /* Acquire pairs with the release in push_word (probe.c): the words below are there. */
    uint64_t end = atomic_load_explicit(&ring->written, memory_order_acquire);

    if (end > d->position) {
        beat_pacing_note_words(&drain.pacing, end - d->position, ring->capacity);
    }
    d->lane.exact_words = count_exact(d, ring);
    set_stretch(d);
    d->lane.timed.claim = d->claim;
    d->lane.timed.readings =
        d->is_virtual ? NULL : beat_readings_of(index, drain.session, &d->lane.timed.claim);
    d->lane.timed.ns_per_unit =
        atomic_load_explicit(&drain.header->ns_per_unit, memory_order_relaxed);
    beat_slow_begin(&d->request, drain.header, &d->usage, d->position);
    if (end == d->position && d->lane.request.node != 0) {
        beat_slow_look(&d->request, ring->thread_id, d->lane.time);
    }
    while (drain_portion(d, &source, end)) {
        /* Relaxed: a reader of this count does not read the words. */
        atomic_store_explicit(&ring->drained, d->position, memory_order_relaxed);
    }
    beat_slow_end(&d->request, &d->lane.request);
    atomic_store_explicit(&d->lane.row->position, d->position, memory_order_relaxed);
}

/* is_over: no thread writes to the ring any more. */
static void drain_ring(uint32_t index, bool is_over)
{
    const struct abi_trace_ring *ring = &drain.rings[index];
    struct drained *d = &drain.drained[index];
    /* Acquire: what an ended thread wrote is there, and no thread before that of the claim is taken
     * for it. Pairs with the releases in rings.c. */
    uint32_t claim = atomic_load_explicit(&ring->claim, memory_order_acquire);
    uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);

    assert(!beat_has_lock() && index < drain.ring_count);
    if (state == ABI_RING_UNUSED || claim == 0 ||
        (claim != d->claim && !begin_lane(d, index, &state)) || !d->has_lane) {
        return;
    }
    struct beat_usage usage;
    bool knows = ask_usage_when_due(d, ring, is_over, &usage);
    drain_words(d, index);
    if (knows) {
        share_usage(d, &usage);
    }
    if (state == ABI_RING_ENDED) {
        finish_lane(d);
    }
}

/* The requests of kinds that take long enough. */
static void time_requests(void)
{
    const struct prof_tree *tree = &drain.tables.tree;
    uint64_t rate = atomic_load_explicit(&drain.header->ns_per_unit, memory_order_relaxed);

    for (uint32_t i = 0; i < tree->kind_count; i++) {
        uint32_t id = tree->kinds[i].id;
        const struct prof_method *method = &tree->methods[id];
        uint64_t mean = method->total / mb_max_u64(method->calls, 1);
        beat_time(id, abi_trace_ns(rate, mean) >= TIMED_NS);
    }
}

/* Each time the run has got a sixteenth longer, and every ten seconds, but for no more than half a
 * percent of a core. */
static void find_requests(bool is_over)
{
    int64_t now = beat_clock_monotonic_ns();
    int64_t run = now - drain.header->monotonic_start_ns;
    const struct abi_trace_section *section = drain.tables.tree.section;
    int64_t nodes = (int64_t)atomic_load_explicit(&section->written, memory_order_relaxed);
    int64_t least = mb_max_i64(FIRST_KINDS_NS, nodes * KINDS_NS_OF_NODE);
    int64_t wait = mb_min_i64(mb_max_i64(run / 16, least), LAST_KINDS_NS);

    if (is_over || now - drain.requests_ns >= wait) {
        uint64_t rate = atomic_load_explicit(&drain.header->ns_per_unit, memory_order_relaxed);
        uint64_t before = abi_trace_units(rate, FIRST_KINDS_NS);
        uint64_t units = beat_clock_now(drain.header);
        prof_find_requests(&drain.tables.tree, drain.tables.rows,
                           units > before ? units - before : 0);
        drain.requests_ns = now;
        time_requests();
    }
}

void beat_drain_all(void)
{
    if (!follow_session()) {
        return;
    }
    for (uint32_t i = 0; i < drain.ring_count; i++) {
        drain_ring(i, !beat_is_recording());
    }
    prof_settle(&drain.tables.tree, beat_clock_now(drain.header));
    find_requests(!beat_is_recording());
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
    if (follow_session()) {
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

/* The lock was given up: is the profile still that session's? */
static bool is_still_at(uint32_t session)
{
    bool goes_on = drain.tables.memory != NULL && drain.session == session;

    if (goes_on) {
        beat_tables_follow_file(&drain.tables);
    }
    return goes_on;
}

/* Share out exact times among the threads that write. Of two shares the lesser one is trusted,
 * since words of before are still to come. */
static void share_exact_words(const struct beat_judge *judge)
{
    int64_t now = beat_clock_monotonic_ns();

    if (judge->is_first ||
        !beat_pacing_share_is_due(drain.header->resolution_ns, drain.shared_ns, now)) {
        return;
    }
    uint64_t words = judge->wants_evidence ? EVIDENCE_WORDS : EXACT_WORDS;
    uint64_t share = mb_max_u64(words / mb_max_u64(drain.pacing.rings, 1), LEAST_EXACT);
    drain.trusted_exact_words = mb_min_u64(drain.exact_words, share);
    drain.exact_words = share;
    drain.shared_ns = now;
    for (uint32_t i = 0; i < drain.ring_count; i++) {
        _Atomic(uint64_t) *of_ring = &drain.rings[i].exact_words;
        if (atomic_load_explicit(of_ring, memory_order_relaxed) != 0) { /* Java writes there */
            atomic_store_explicit(of_ring, share, memory_order_relaxed);
        }
    }
}

/* The lock is given up after each ring: a thread that ends does not wait for all of them. */
static void drain_in_steps(void)
{
    uint32_t session = drain.session;

    beat_pacing_begin_round(&drain.pacing);
    for (uint32_t i = 0; is_still_at(session) && i < drain.ring_count; i++) {
        drain_ring(i, false);
        beat_drain_unlock();
        beat_drain_lock();
    }
    if (is_still_at(session)) {
        prof_settle(&drain.tables.tree, beat_clock_now(drain.header));
        beat_mutes_judge(&drain.tables.judge, &drain.tables.tree);
        share_exact_words(&drain.tables.judge);
        find_requests(false);
    }
}

int64_t beat_drain_round(int64_t late_ns)
{
    int64_t now = beat_clock_monotonic_ns();

    beat_drain_lock();
    bool has_profile = follow_session();
    if (has_profile) {
        drain_in_steps();
        beat_pauses_take(&drain.tables.pauses, drain.header, late_ns);
        beat_pacing_end_round(&drain.pacing, now);
    }
    int64_t interval = drain.pacing.interval_ns;
    beat_drain_unlock();
    beat_tell_mutes();
    return has_profile ? interval : BEAT_DRAIN_NEVER;
}
