#include "sampler/tree.h"

#include "base/check.h"
#include "recorder/core.h"
#include "recorder/memory.h"
#include "recorder/sections.h"

#include <assert.h>
#include <string.h>

#define GAPS_US 50000u                   /* the intervals, at least, where samples fill gaps only */
#define CHUNK_SIZE (UINT64_C(512) << 10) /* bytes that get disk blocks at a time */

static struct samp_table find_table(const struct beat_memory *memory, uint32_t kind)
{
    struct abi_trace_section *section = beat_sections_find(memory, kind);

    return (struct samp_table){.section = section,
                               .records =
                                   section != NULL ? beat_sections_records(memory, section) : NULL};
}

static void slow_down(uint32_t *interval_us)
{
    *interval_us = *interval_us > 0 && *interval_us < GAPS_US ? GAPS_US : *interval_us;
}

/* Under both locks. */
static void take_session(struct samp_tables *tables, const struct beat_recorder *recorder)
{
    const struct beat_memory *memory = recorder->memory;

    assert(beat_has_lock() && tables->memory == NULL);
    tables->start_ns = recorder->header->monotonic_start_ns;
    tables->options = *recorder->options;
    if (tables->options.sample == BEAT_SAMPLE_GAPS) {
        slow_down(&tables->options.sample_main_us);
        slow_down(&tables->options.sample_threads_us);
    }
    tables->threads = find_table(memory, ABI_SECTION_SAMPLE_THREADS);
    tables->nodes = find_table(memory, ABI_SECTION_STACKS);
    tables->samples = find_table(memory, ABI_SECTION_SAMPLES);
    tables->blocks = find_table(memory, ABI_SECTION_BLOCKS);
    tables->locks = find_table(memory, ABI_SECTION_LOCKS);
    tables->profile = find_table(memory, ABI_SECTION_PROFILE_THREADS);
    beat_memory_pin(&tables->memory, recorder->memory);
    beat_memory_begin_reading(tables->memory);
}

/* Under both locks. */
static void leave_session(struct samp_tables *tables)
{
    assert(beat_has_lock());
    if (tables->memory != NULL) {
        beat_memory_end_reading(tables->memory);
        beat_memory_pin(&tables->memory, NULL);
    }
    *tables = (struct samp_tables){0};
}

/* The memory may have moved to a file: blocks are reserved there, from the beginning on. */
static void follow_file(struct samp_tables *tables)
{
    struct samp_table *all[] = {&tables->threads, &tables->nodes, &tables->samples, &tables->blocks,
                                &tables->locks};
    struct samp_table sampling = find_table(tables->memory, ABI_SECTION_SAMPLING);

    tables->fd = tables->memory->fd;
    for (size_t i = 0; i < MB_COUNT(all); i++) {
        all[i]->room = 0;
    }
    tables->sampling = samp_table_at(tables, &sampling, 0);
    if (tables->sampling != NULL) {
        atomic_store_explicit(&sampling.section->written, 1, memory_order_release);
    }
}

bool samp_tables_follow(struct samp_tables *tables, bool *is_new)
{
    struct beat_recorder *recorder = beat_lock();
    bool is_there = beat_is_present(recorder) && beat_sections_has_waits(recorder->options);

    *is_new = is_there && recorder->recorded_session != tables->session;
    if (!is_there || *is_new) {
        leave_session(tables);
    }
    if (*is_new) {
        tables->session = recorder->recorded_session;
        take_session(tables, recorder);
    }
    beat_unlock(recorder);
    if (*is_new || (is_there && tables->fd != tables->memory->fd)) {
        follow_file(tables);
    }
    return is_there && tables->sampling != NULL;
}

void samp_tables_finish(struct samp_tables *tables)
{
    struct beat_recorder *recorder = beat_lock();

    leave_session(tables);
    beat_unlock(recorder);
}

/* ---- Records ---- */

static void make_room(const struct samp_tables *tables, struct samp_table *table)
{
    const struct abi_trace_section *section = table->section;
    uint64_t chunk = (CHUNK_SIZE + section->record_size - 1) / section->record_size;
    uint64_t left = section->capacity - table->room;
    uint64_t more = left < chunk ? left : chunk;

    if (beat_memory_reserve(tables->memory, section->offset + table->room * section->record_size,
                            more * section->record_size)) {
        table->room += more;
    }
}

void *samp_table_at(struct samp_tables *tables, struct samp_table *table, uint64_t index)
{
    if (index >= table->section->capacity) {
        return NULL;
    }
    for (uint64_t before = UINT64_MAX; index >= table->room && before != table->room;) {
        before = table->room;
        make_room(tables, table);
    }
    return index < table->room ? table->records + index * table->section->record_size : NULL;
}

uint64_t samp_table_count(const struct samp_table *table)
{
    return atomic_load_explicit(&table->section->written, memory_order_relaxed);
}

void *samp_table_next(struct samp_tables *tables, struct samp_table *table, uint32_t *index)
{
    uint64_t count = samp_table_count(table);
    void *record = samp_table_at(tables, table, count);

    if (record == NULL) {
        samp_add(&table->section->lost, 1);
    }
    *index = (uint32_t)count;
    return record;
}

void *samp_table_next_of_ring(struct samp_tables *tables, struct samp_table *table,
                              uint64_t *position)
{
    *position = samp_table_count(table);
    void *record = samp_table_at(tables, table, *position % table->section->capacity);

    if (record == NULL) {
        samp_add(&table->section->lost, 1);
    }
    return record;
}

void samp_table_publish(struct samp_table *table)
{
    /* Release: who sees the count finds the record. */
    atomic_store_explicit(&table->section->written, samp_table_count(table) + 1,
                          memory_order_release);
}
