#include "recorder/tables.h"

#include "base/clock.h"
#include "recorder/clock.h"
#include "recorder/name.h"
#include "recorder/sections.h"

#include <assert.h>
#include <string.h>

#define CHUNK 16384u /* records that get disk blocks at a time */

static uint64_t load_count(const struct abi_trace_section *section)
{
    return atomic_load_explicit(&section->written, memory_order_relaxed);
}

/* The number of a table's records that have disk blocks: all, or on a full disk those that are
 * written. */
static uint32_t reserve_table(const struct beat_tables *tables,
                              const struct abi_trace_section *section)
{
    uint64_t count = load_count(section);
    uint64_t size = section->record_size;
    bool has_room = beat_memory_reserve(tables->memory, section->offset + count * size,
                                        (section->capacity - count) * size);

    return (uint32_t)(has_room ? section->capacity : count);
}

/* Disk blocks for everything but nodes and lengths, which get theirs as they come. */
static void reserve_tables(struct beat_tables *tables)
{
    tables->fd = tables->memory->fd;
    tables->tree.capacity = (uint32_t)load_count(tables->tree.section);
    tables->lengths.capacity = (uint32_t)load_count(tables->lengths.section);
    tables->slow.capacity = (uint32_t)load_count(tables->slow.section);
    tables->slow_room = reserve_table(tables, tables->slow_section);
    tables->pauses.room = reserve_table(tables, tables->pauses.section);
    tables->is_full = false;
    tables->row_room = reserve_table(tables, tables->row_section);
    tables->judge.room = reserve_table(tables, tables->judge.section);
}

static bool init_tree(struct prof_tree *tree, const struct beat_memory *memory, uint32_t kind)
{
    struct abi_trace_section *nodes = beat_sections_find(memory, kind);

    return prof_tree_init(tree, nodes, beat_sections_records(memory, nodes));
}

/* False without memory; finish also then. */
static bool init_trees(struct beat_tables *tables, const struct beat_memory *memory)
{
    struct abi_trace_section *lengths = beat_sections_find(memory, ABI_SECTION_PROFILE_LENGTHS);
    bool fits =
        prof_lengths_init(&tables->lengths, lengths, beat_sections_records(memory, lengths));

    fits = init_tree(&tables->tree, memory, ABI_SECTION_PROFILE_NODES) && fits;
    fits = init_tree(&tables->slow, memory, ABI_SECTION_PROFILE_SLOW_NODES) && fits;
    tables->tree.lengths = &tables->lengths;
    return fits;
}

static void finish_trees(struct beat_tables *tables)
{
    prof_tree_finish(&tables->tree);
    prof_tree_finish(&tables->slow);
    prof_lengths_finish(&tables->lengths);
}

bool beat_tables_init(struct beat_tables *tables, const struct beat_recorder *recorder)
{
    const struct beat_memory *memory = recorder->memory;
    struct abi_trace_section *mutes = beat_sections_find(memory, ABI_SECTION_PROFILE_MUTES);

    tables->slow_section = beat_sections_find(memory, ABI_SECTION_PROFILE_SLOW);
    tables->slow_rows = beat_sections_records(memory, tables->slow_section);
    tables->pauses =
        (struct beat_pauses){.section = beat_sections_find(memory, ABI_SECTION_PROFILE_PAUSES)};
    tables->pauses.rows = beat_sections_records(memory, tables->pauses.section);
    tables->row_section = beat_sections_find(memory, ABI_SECTION_PROFILE_THREADS);
    tables->rows = beat_sections_records(memory, tables->row_section);
    tables->judge = (struct beat_judge){.section = mutes,
                                        .rows = beat_sections_records(memory, mutes),
                                        .header = recorder->header,
                                        .is_on = recorder->options->throttle == BEAT_ON,
                                        .budget_percent = recorder->options->budget,
                                        .cpu_ns = beat_clock_cpu_ns(),
                                        .is_first = true};
    tables->judge.begin_cpu_ns = tables->judge.cpu_ns;
    if (!init_trees(tables, memory)) {
        finish_trees(tables);
        return false;
    }
    tables->tree.slow_from =
        abi_trace_units(atomic_load_explicit(&recorder->header->ns_per_unit, memory_order_relaxed),
                        recorder->options->slow * (uint64_t)MB_NS_PER_MS);
    beat_mutes_take_over(&tables->judge, &tables->tree);
    beat_memory_pin(&tables->memory, recorder->memory);
    beat_memory_begin_reading(tables->memory);
    reserve_tables(tables);
    return true;
}

void beat_tables_finish(struct beat_tables *tables, bool has_memory)
{
    if (tables->memory != NULL && has_memory) {
        beat_memory_end_reading(tables->memory);
        beat_memory_pin(&tables->memory, NULL);
    }
    finish_trees(tables);
    tables->memory = NULL;
}

void beat_tables_follow_file(struct beat_tables *tables)
{
    if (tables->fd != tables->memory->fd) {
        reserve_tables(tables);
    }
}

void beat_tables_extend(struct beat_tables *tables, const struct abi_trace_section *section,
                        uint32_t *capacity, uint32_t count)
{
    uint64_t size = section->record_size;

    if (load_count(section) + count <= *capacity || *capacity == section->capacity ||
        tables->is_full) {
        return;
    }
    uint64_t left = section->capacity - *capacity;
    uint64_t more = left < CHUNK ? left : CHUNK;
    if (beat_memory_reserve(tables->memory, section->offset + *capacity * size, more * size)) {
        *capacity += (uint32_t)more;
    } else {
        tables->is_full = true;
    }
}

void beat_tables_make_room(struct beat_tables *tables, uint32_t count)
{
    beat_tables_extend(tables, tables->tree.section, &tables->tree.capacity, count);
    beat_tables_extend(tables, tables->lengths.section, &tables->lengths.capacity, count);
}

/* ---- Rows of threads ---- */

static uint32_t flags_of(const struct abi_profile_thread *row)
{
    return atomic_load_explicit(&row->flags, memory_order_relaxed);
}

static bool can_share(const struct abi_profile_thread *row, const struct abi_trace_ring *ring,
                      bool is_scarce)
{
    uint32_t flags = flags_of(row);
    bool is_virtual = (flags & ABI_PROFILE_VIRTUAL) != 0;
    bool is_free = is_virtual || (flags & ABI_PROFILE_ENDED) != 0;

    if (!is_free || is_virtual != (ring->is_virtual != 0) || (flags & ABI_PROFILE_MAIN) != 0 ||
        ring->is_main) {
        return false;
    }
    return is_scarce ? beat_name_is_alike(row->name, ring->thread_name)
                     : strcmp(row->name, ring->thread_name) == 0;
}

static void fill_row(struct abi_profile_thread *row, const struct abi_trace_ring *ring,
                     uint32_t ring_index)
{
    uint32_t flags = (flags_of(row) & (ABI_PROFILE_BOUNDS | ABI_PROFILE_READY)) |
                     (ring->is_main ? ABI_PROFILE_MAIN : 0u) |
                     (ring->is_virtual ? ABI_PROFILE_VIRTUAL : 0u);

    memcpy(row->name, ring->thread_name, sizeof(row->name));
    row->thread_id = ring->thread_id;
    row->ring = ring_index + 1;
    row->claim = ring->claim;
    /* Relaxed, all: readers look only at rows below the section's count, or at a stopped
     * profile. */
    atomic_store_explicit(&row->flags, flags, memory_order_relaxed);
    atomic_store_explicit(&row->position, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&row->thread_count, 1, memory_order_relaxed);
}

uint32_t beat_rows_take(struct abi_trace_section *section, struct abi_profile_thread *rows,
                        uint32_t room, const struct abi_trace_ring *ring, uint32_t ring_index)
{
    uint32_t count = (uint32_t)atomic_load_explicit(&section->written, memory_order_relaxed);
    bool is_scarce = count >= room / 4 * 3;
    uint32_t found = 0;

    assert(room > 0);
    while (found < count && !can_share(&rows[found], ring, is_scarce)) {
        found++;
    }
    if (found == room) {
        found--;
        atomic_fetch_add_explicit(&section->lost, 1, memory_order_relaxed);
    }
    fill_row(&rows[found], ring, ring_index);
    if (found == count) {
        /* Release: who sees the count finds the row. */
        atomic_store_explicit(&section->written, count + 1, memory_order_release);
    }
    return found;
}
