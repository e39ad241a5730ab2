#include "sampler/writer.h"

#include "abi/profile.h"
#include "base/clock.h"
#include "recorder/core.h"
#include "recorder/drain.h"
#include "recorder/name.h"
#include "recorder/rings.h"

#include <assert.h>
#include <string.h>

/* What a thread did between samples so far apart is unknown. The machine may be busy, so that the
 * sampler comes late, or the program may have stood still. */
#define LONG_GAP_NS (100 * MB_NS_PER_MS)
#define LONG_GAP_INTERVALS 3u
#define MANY_LOOKUPS 64u

bool samp_writer_follow(struct samp_writer *writer)
{
    bool is_new;
    bool is_there = samp_tables_follow(&writer->tables, &is_new);

    if (is_new) {
        samp_tree_finish(&writer->tree);
    }
    return is_there;
}

void samp_writer_finish(struct samp_writer *writer)
{
    samp_tree_finish(&writer->tree);
    samp_tables_finish(&writer->tables);
}

/* ---- Rows of threads ---- */

static struct abi_sample_thread *row_at(const struct samp_writer *writer, uint32_t row)
{
    struct abi_sample_thread *rows = (void *)writer->tables.threads.records;

    return &rows[row];
}

static uint32_t find_ring(const struct beat_recorder *recorder, uint32_t thread_id)
{
    uint32_t count = beat_rings_used_count(recorder);

    assert(beat_has_lock());
    for (uint32_t i = 0; i < count; i++) {
        const struct abi_trace_ring *ring = &recorder->rings[i];
        if (ring->state == ABI_RING_LIVE && ring->thread_id == thread_id) {
            return i + 1;
        }
    }
    return 0;
}

/* The row of the profile + 1 that has the records of a thread; 0: it has none yet. An ended thread
 * had the same number, perhaps. */
static uint32_t find_profile_row(const struct samp_writer *writer, uint32_t thread_id,
                                 bool has_ended)
{
    const struct samp_table *table = &writer->tables.profile;
    const struct abi_profile_thread *rows = (const void *)table->records;
    uint32_t count = table->section != NULL ? (uint32_t)samp_table_count(table) : 0;
    uint32_t others = ABI_PROFILE_VIRTUAL | (has_ended ? 0u : (unsigned)ABI_PROFILE_ENDED);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t flags = atomic_load_explicit(&rows[i].flags, memory_order_relaxed);
        if (rows[i].thread_id == thread_id && (flags & others) == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* The same; what it has recorded until now is there. */
static uint32_t look_up_row(const struct samp_writer *writer, uint32_t thread_id)
{
    uint32_t profile_row = find_profile_row(writer, thread_id, false);

    if (profile_row == 0 && writer->tables.profile.section != NULL) {
        struct beat_recorder *recorder = beat_lock();
        bool has_ring = find_ring(recorder, thread_id) != 0;
        beat_unlock(recorder);
        if (has_ring) {
            beat_drain_all();
            profile_row = find_profile_row(writer, thread_id, false);
        }
    }
    return profile_row;
}

static bool can_share(const struct abi_sample_thread *row, const struct samp_thread *thread,
                      bool is_scarce)
{
    return atomic_load_explicit(&row->has_ended, memory_order_relaxed) != 0 &&
           row->profile_row == 0 && (row->is_main != 0) == thread->is_main &&
           (is_scarce ? beat_name_is_alike(row->name, thread->name)
                      : strcmp(row->name, thread->name) == 0);
}

/* That of a row of the profile; of threads without records, that of an ended one of that name. As
 * rows get scarce, of one alike. */
static struct abi_sample_thread *find_row(const struct samp_writer *writer,
                                          const struct samp_thread *thread, uint32_t profile_row,
                                          uint32_t *index)
{
    const struct samp_table *table = &writer->tables.threads;
    uint32_t count = (uint32_t)samp_table_count(table);
    bool is_scarce = count >= table->section->capacity / 4 * 3;

    for (*index = 0; *index < count; (*index)++) {
        struct abi_sample_thread *row = row_at(writer, *index);
        if (profile_row != 0 ? row->profile_row == profile_row
                             : can_share(row, thread, is_scarce)) {
            return row;
        }
    }
    return NULL;
}

static void fill_row(struct abi_sample_thread *row, const struct samp_thread *thread,
                     uint32_t profile_row)
{
    if (row->name[0] == '\0') {
        memcpy(row->name, thread->name, sizeof(row->name)); /* or that of the first one stays */
        row->is_main = thread->is_main;
    }
    row->ring = row->thread_id == thread->thread_id ? row->ring : 0;
    row->thread_id = thread->thread_id;
    row->profile_row = profile_row;
    atomic_store_explicit(&row->has_ended, 0, memory_order_relaxed);
}

/* Where the table is full, threads share its last row. */
static bool take_row(struct samp_writer *writer, struct samp_thread *thread, uint32_t profile_row)
{
    struct samp_table *table = &writer->tables.threads;
    uint32_t index;
    struct abi_sample_thread *row = find_row(writer, thread, profile_row, &index);
    bool is_new = row == NULL;

    if (is_new) {
        row = samp_table_next(&writer->tables, table, &index);
    }
    if (row == NULL && samp_table_count(table) == 0) {
        return false;
    }
    if (row != NULL) {
        fill_row(row, thread, profile_row);
    } else {
        index = (uint32_t)samp_table_count(table) - 1;
    }
    thread->track = (struct samp_track){.session = writer->tables.session,
                                        .row = index,
                                        .has_own_row = is_new && row != NULL,
                                        .node = ABI_STACK_NO_NODE};
    if (thread->track.has_own_row) {
        samp_table_publish(table);
    }
    return true;
}

/* A thread that has begun to record goes to the row of its records, with what was sampled of it
 * unless that is others' too. */
static bool follow_records(struct samp_writer *writer, struct samp_thread *thread,
                           uint32_t profile_row)
{
    struct abi_sample_thread *row = row_at(writer, thread->track.row);
    uint32_t index;

    if (profile_row == 0) {
        return true;
    }
    if (thread->track.has_own_row && find_row(writer, thread, profile_row, &index) == NULL) {
        row->profile_row = profile_row;
        return true;
    }
    atomic_store_explicit(&row->has_ended, 1, memory_order_relaxed);
    return take_row(writer, thread, profile_row);
}

/* With each sample at first, until it has recorded something; then ever more seldom. */
static bool is_to_look_up(struct samp_track *track)
{
    track->lookups++;
    return track->lookups < MANY_LOOKUPS || (track->lookups & (track->lookups - 1)) == 0;
}

/* NULL: the disk is full. */
static struct abi_sample_thread *row_of(struct samp_writer *writer, struct samp_thread *thread)
{
    bool is_there = thread->track.session == writer->tables.session;

    if (!is_there) {
        is_there = take_row(writer, thread, look_up_row(writer, thread->thread_id));
    } else if (row_at(writer, thread->track.row)->profile_row == 0 &&
               is_to_look_up(&thread->track)) {
        is_there = follow_records(writer, thread, look_up_row(writer, thread->thread_id));
    }
    return is_there ? row_at(writer, thread->track.row) : NULL;
}

void samp_writer_join_rings(const struct samp_writer *writer)
{
    uint32_t count = (uint32_t)samp_table_count(&writer->tables.threads);
    struct beat_recorder *recorder = beat_lock();

    for (uint32_t i = 0; recorder->memory == writer->tables.memory && i < count; i++) {
        struct abi_sample_thread *row = row_at(writer, i);
        if (row->ring == 0 && atomic_load_explicit(&row->has_ended, memory_order_relaxed) == 0) {
            row->ring = find_ring(recorder, row->thread_id);
        }
    }
    beat_unlock(recorder);
}

/* ---- Time ---- */

static bool is_on_way(uint32_t state)
{
    return state == ABI_SAMPLE_RUNNING || state == ABI_SAMPLE_READY;
}

static void add_time(const struct samp_writer *writer, uint32_t node, uint32_t state, uint64_t ns,
                     uint64_t cpu_ns)
{
    if (node == ABI_STACK_NO_NODE) {
        return;
    }
    struct abi_stack_node *at = samp_tree_at(&writer->tables, node);
    samp_add(is_on_way(state) ? &at->running : &at->waiting, ns);
    samp_add(&at->cpu_ns, cpu_ns);
}

/* The part of CPU time between two samples that the first one's stack took: one that waits takes
 * none, nor does one that has waited and has no processor yet. */
static uint64_t first_share(uint64_t cpu_ns, bool was_running, bool is_running)
{
    return was_running == is_running ? cpu_ns / 2 : was_running ? cpu_ns : 0;
}

/* Never where samples tell how to share out the time of calls, which records have. */
static bool is_long(const struct samp_writer *writer, uint64_t gap_ns, uint64_t interval_ns)
{
    return writer->tables.options.sample != BEAT_SAMPLE_GAPS && gap_ns > (uint64_t)LONG_GAP_NS &&
           gap_ns > LONG_GAP_INTERVALS * interval_ns;
}

/* A change happened in the middle between two samples. */
static void share_time(const struct samp_writer *writer, const struct samp_thread *thread,
                       uint32_t node, const struct samp_seen *seen, uint64_t time)
{
    const struct samp_track *track = &thread->track;
    bool is_whole = thread->began.is_known && thread->added_ns > writer->tables.start_ns;
    uint64_t interval = (uint64_t)seen->interval_us * 1000;
    bool is_first = track->until == 0;
    uint64_t gap = !is_first && time > track->until ? time - track->until : 0;
    uint64_t before_ns = !is_first ? track->cpu_ns : is_whole ? thread->began.cpu_ns : seen->cpu_ns;
    uint64_t cpu_ns = seen->cpu_ns > before_ns ? seen->cpu_ns - before_ns : 0;
    uint64_t first_cpu_ns =
        is_first ? 0 : first_share(cpu_ns, track->was_running, seen->state == ABI_SAMPLE_RUNNING);
    uint64_t half = is_first || is_long(writer, gap, interval) ? interval / 2 : gap / 2;

    add_time(writer, track->node, track->state, is_first ? 0 : half, first_cpu_ns);
    add_time(writer, node, seen->state, half < time ? half : time, cpu_ns - first_cpu_ns);
}

/* ---- Samples ---- */

static void fill_sample(struct abi_sample *sample, const struct samp_seen *seen,
                        const struct samp_track *track)
{
    const struct samp_place *top = &seen->places[0];

    sample->time = track->since;
    atomic_store_explicit(&sample->until, track->until, memory_order_relaxed);
    sample->cpu_ns = seen->cpu_ns;
    sample->node = track->node;
    sample->interval_us = seen->interval_us;
    sample->line = top->line;
    sample->bci = top->bci;
    sample->state = (uint8_t)seen->state;
}

static void put_sample(struct samp_writer *writer, struct samp_track *track,
                       const struct samp_seen *seen, bool is_full)
{
    struct samp_table *ring = &writer->tables.samples;
    assert(track->session == writer->tables.session);
    struct abi_sample *sample = samp_table_next_of_ring(&writer->tables, ring, &track->position);

    track->cell = NULL;
    if (sample != NULL) {
        fill_sample(sample, seen, track);
        sample->flags =
            (uint8_t)((is_full ? ABI_STACK_FULL : 0) | (seen->is_polled ? ABI_STACK_POLLED : 0));
        track->cell = &sample->until;
        samp_table_publish(ring);
    }
}

static void count_on_row(struct abi_sample_thread *row, const struct samp_track *track)
{
    if (atomic_load_explicit(&row->samples, memory_order_relaxed) == 0) {
        atomic_store_explicit(&row->first_time, track->since, memory_order_relaxed);
    }
    samp_add(&row->samples, 1);
    atomic_store_explicit(&row->last_time, track->until, memory_order_relaxed);
}

static uint64_t time_of(const struct samp_writer *writer, int64_t ns)
{
    return ns > writer->tables.start_ns ? (uint64_t)(ns - writer->tables.start_ns) : 0;
}

void samp_writer_sample(struct samp_writer *writer, struct samp_thread *thread,
                        const struct samp_seen *seen)
{
    struct abi_sample_thread *row = row_of(writer, thread);
    struct samp_track *track = &thread->track;

    if (row == NULL || seen->time_ns <= writer->tables.start_ns) {
        return; /* or it is of a session before */
    }
    uint64_t since = time_of(writer, seen->since_ns);
    uint64_t time = time_of(writer, seen->time_ns);
    const struct samp_stack stack = {track->row, seen->places, seen->count, seen->is_cut};
    bool is_full;
    uint32_t node = samp_tree_find(&writer->tree, &writer->tables, &stack, &is_full);
    samp_add(&writer->tables.sampling->taken, 1);
    samp_add(&writer->tables.sampling->own_probe, seen->places[0].is_ours);
    samp_add(&writer->tables.sampling->polled, seen->is_polled);
    share_time(writer, thread, node, seen, since < time ? since : time);
    add_time(writer, node, seen->state, since < time ? time - since : 0, 0);
    track->node = node;
    track->state = seen->state;
    track->was_running = seen->state == ABI_SAMPLE_RUNNING;
    track->cpu_ns = seen->cpu_ns;
    track->since = since < time ? since : time;
    track->until = time;
    count_on_row(row, track);
    if (node != ABI_STACK_NO_NODE) {
        samp_add(&samp_tree_at(&writer->tables, node)->samples, 1);
        put_sample(writer, track, seen, is_full);
    }
}

/* The record is still that of this sample. */
static bool has_record(const struct samp_writer *writer, const struct samp_track *track)
{
    const struct samp_table *ring = &writer->tables.samples;

    return track->cell != NULL &&
           samp_table_count(ring) - track->position <= ring->section->capacity;
}

void samp_writer_idle(struct samp_writer *writer, struct samp_thread *thread, int64_t now_ns,
                      uint32_t state)
{
    struct samp_track *track = &thread->track;
    uint64_t time = (uint64_t)(now_ns - writer->tables.start_ns);

    if (track->session != writer->tables.session || track->until == 0 || time <= track->until) {
        return;
    }
    add_time(writer, track->node, state, time - track->until, 0);
    samp_add(&writer->tables.sampling->idle, 1);
    track->state = state;
    track->until = time;
    atomic_store_explicit(&row_at(writer, track->row)->last_time, time, memory_order_relaxed);
    if (has_record(writer, track)) {
        atomic_store_explicit(track->cell, time, memory_order_relaxed);
    }
}

void samp_writer_failure(struct samp_writer *writer, struct samp_thread *thread, int32_t code)
{
    struct abi_sample_thread *row = row_of(writer, thread);
    uint32_t place =
        code <= 0 && code > -(int32_t)ABI_AGCT_CODES ? (uint32_t)-code : ABI_AGCT_CODES - 1;

    if (row != NULL) {
        samp_add(&row->failed, 1);
        samp_add(&writer->tables.sampling->failed[place], 1);
    }
}

void samp_writer_usage(const struct samp_writer *writer, struct samp_thread *thread,
                       const struct beat_usage *usage)
{
    uint32_t session = writer->tables.session;

    if (thread->track.session != session || !usage->knows_queue) {
        return;
    }
    if (thread->told_session != session) {
        thread->told = thread->added_ns > writer->tables.start_ns ? thread->began : *usage;
        thread->told_session = session;
    }
    struct abi_sample_thread *row = row_at(writer, thread->track.row);
    if (thread->told.knows_queue) {
        samp_add(&row->ready_ns, usage->queued_ns - thread->told.queued_ns);
        atomic_store_explicit(&row->knows_ready, 1, memory_order_relaxed);
    }
    thread->told = *usage;
}

/* What it did since its last sample; it has gone on with that, as far as is known. */
static void add_rest(const struct samp_writer *writer, struct samp_thread *thread)
{
    const struct samp_track *track = &thread->track;
    uint64_t cpu_ns = thread->ended.cpu_ns;

    if (thread->ended.is_known && track->until > 0) {
        uint64_t rest_ns = cpu_ns > track->cpu_ns ? cpu_ns - track->cpu_ns : 0;
        add_time(writer, track->node, ABI_SAMPLE_RUNNING, rest_ns, rest_ns);
    }
    samp_writer_usage(writer, thread, &thread->ended);
}

void samp_writer_end(struct samp_writer *writer, struct samp_thread *thread)
{
    if (thread->track.session != 0 && thread->track.session == writer->tables.session) {
        if (row_at(writer, thread->track.row)->profile_row == 0) {
            (void)follow_records(writer, thread, find_profile_row(writer, thread->thread_id, true));
        }
        add_rest(writer, thread);
        atomic_store_explicit(&row_at(writer, thread->track.row)->has_ended, 1,
                              memory_order_relaxed);
    }
}

/* ---- Blocks ---- */

/* The number of a lock's class + 1; 0: no room. */
static uint32_t find_lock(struct samp_writer *writer, const char *name)
{
    struct samp_table *table = &writer->tables.locks;
    struct abi_lock *locks = (void *)table->records;
    uint32_t count = (uint32_t)samp_table_count(table);
    uint32_t index = 0;

    while (index < count && strcmp(locks[index].class_name, name) != 0) {
        index++;
    }
    if (index == count) {
        struct abi_lock *lock = samp_table_next(&writer->tables, table, &index);
        if (lock == NULL) {
            return 0;
        }
        assert(strlen(name) < sizeof(lock->class_name));
        memcpy(lock->class_name, name, strlen(name) + 1);
        samp_table_publish(table);
    }
    return index + 1;
}

/* Of an owner's stack: the innermost frame that takes a lock, if one does, or the innermost. */
static uint32_t find_taker(const struct samp_walk *walk)
{
    uint32_t first = 0;

    while (first < walk->count && walk->places[first].takes == SAMP_TAKES_NONE) {
        first++;
    }
    return first == walk->count ? 0 : first;
}

/* That frame of the stack; node without frames. */
static uint32_t find_walk(struct samp_writer *writer, uint32_t row, const struct samp_walk *walk,
                          uint32_t first, uint32_t node)
{
    bool is_full;
    const struct samp_stack stack = {row, &walk->places[first], walk->count - first,
                                     walk->count == SAMP_WAIT_DEPTH};

    return walk->count > 0 ? samp_tree_find(&writer->tree, &writer->tables, &stack, &is_full)
                           : node;
}

static void fill_block(struct samp_writer *writer, struct abi_block *block,
                       const struct samp_thread *thread, const struct samp_wait *wait,
                       const struct samp_lock *lock)
{
    struct samp_thread *owner = lock->owner;

    block->begin = time_of(writer, wait->begin_ns);
    atomic_store_explicit(&block->end, 0, memory_order_relaxed);
    block->lock = find_lock(writer, lock->name);
    block->owner = 0;
    block->owner_node = ABI_STACK_NO_NODE;
    block->kind = (uint16_t)lock->kind;
    block->was_asked = lock->asked_ns != 0 ? ABI_ASKED : 0;
    block->asked = time_of(writer, lock->asked_ns);
    if (owner != NULL && owner != thread && row_of(writer, owner) != NULL) {
        uint32_t taker = find_taker(&lock->holds);
        bool is_it = lock->holds.count > 0 && lock->holds.places[taker].takes == SAMP_TAKES_IT;
        block->owner = owner->track.row + 1;
        block->owner_node =
            find_walk(writer, owner->track.row, &lock->holds, taker, owner->track.node);
        block->was_asked = is_it ? ABI_ASKED_TAKER : ABI_ASKED;
    }
}

/* Its last stack was taken while it waited. */
static bool is_of_wait(const struct samp_writer *writer, const struct samp_track *track,
                       const struct samp_wait *wait)
{
    return track->until >= time_of(writer, wait->begin_ns) &&
           (wait->end_ns == 0 || track->since <= time_of(writer, wait->end_ns));
}

void samp_writer_block(struct samp_writer *writer, struct samp_thread *thread,
                       struct samp_wait *wait, const struct samp_lock *lock)
{
    struct samp_table *ring = &writer->tables.blocks;
    bool is_of_before = wait->end_ns != 0 && wait->end_ns <= writer->tables.start_ns;
    const struct abi_sample_thread *row = is_of_before ? NULL : row_of(writer, thread);
    struct abi_block *block =
        row != NULL ? samp_table_next_of_ring(&writer->tables, ring, &wait->position) : NULL;

    if (block != NULL) {
        fill_block(writer, block, thread, wait, lock);
        block->thread = thread->track.row;
        bool is_of = is_of_wait(writer, &thread->track, wait);
        block->node = find_walk(writer, block->thread, &lock->waits, 0,
                                is_of ? thread->track.node : ABI_STACK_NO_NODE);
        wait->session = writer->tables.session;
        samp_table_publish(ring);
    }
}

void samp_writer_block_end(const struct samp_writer *writer, const struct samp_wait *wait,
                           int64_t end_ns)
{
    const struct samp_table *ring = &writer->tables.blocks;
    struct abi_block *blocks = (void *)ring->records;

    if (wait->session == writer->tables.session &&
        samp_table_count(ring) - wait->position <= ring->section->capacity) {
        atomic_store_explicit(&blocks[wait->position % ring->section->capacity].end,
                              time_of(writer, end_ns), memory_order_relaxed);
    }
}
