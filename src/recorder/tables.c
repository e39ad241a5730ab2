#include "recorder/tables.h"

#include "recorder/clock.h"
#include "recorder/sections.h"

#define NODE_CHUNK 16384u /* nodes that get disk blocks at a time */

static uint64_t load_count(const struct abi_trace_section *section)
{
    return atomic_load_explicit(&section->written, memory_order_relaxed);
}

/* How many records of a table have memory behind them: all, or on a full disk those that are
 * there. */
static uint32_t reserve_table(const struct beat_tables *tables,
                              const struct abi_trace_section *section)
{
    uint64_t count = load_count(section);
    uint64_t size = section->record_size;
    bool has_room = beat_memory_reserve(tables->memory, section->offset + count * size,
                                        (section->capacity - count) * size);

    return (uint32_t)(has_room ? section->capacity : count);
}

/* Disk blocks for everything but nodes, which get theirs as they come. */
static void reserve_tables(struct beat_tables *tables)
{
    tables->fd = tables->memory->fd;
    tables->tree.capacity = (uint32_t)load_count(tables->tree.section);
    tables->is_full = false;
    tables->row_room = reserve_table(tables, tables->row_section);
    tables->judge.room = reserve_table(tables, tables->judge.section);
}

bool beat_tables_init(struct beat_tables *tables, const struct beat_recorder *recorder)
{
    const struct beat_memory *memory = recorder->memory;
    struct abi_trace_section *nodes = beat_sections_find(memory, ABI_SECTION_PROFILE_NODES);
    struct abi_trace_section *mutes = beat_sections_find(memory, ABI_SECTION_PROFILE_MUTES);

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
    if (!prof_tree_init(&tables->tree, nodes, beat_sections_records(memory, nodes))) {
        prof_tree_finish(&tables->tree);
        return false;
    }
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
    prof_tree_finish(&tables->tree);
    tables->memory = NULL;
}

void beat_tables_follow_file(struct beat_tables *tables)
{
    if (tables->fd != tables->memory->fd) {
        reserve_tables(tables);
    }
}

void beat_tables_make_room(struct beat_tables *tables, uint32_t count)
{
    struct prof_tree *tree = &tables->tree;
    uint64_t size = tree->section->record_size;

    if (load_count(tree->section) + count <= tree->capacity ||
        tree->capacity == tree->section->capacity || tables->is_full) {
        return;
    }
    uint64_t left = tree->section->capacity - tree->capacity;
    uint64_t more = left < NODE_CHUNK ? left : NODE_CHUNK;
    if (beat_memory_reserve(tables->memory, tree->section->offset + tree->capacity * size,
                            more * size)) {
        tree->capacity += (uint32_t)more;
    } else {
        tables->is_full = true;
    }
}
