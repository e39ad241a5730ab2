#include "recorder/sections.h"

#include "base/check.h"

#define ROWS 1024u
#define MUTES 8192u
#define MIN_NODES 1024u

static uint64_t align_to_page(uint64_t size)
{
    return (size + ABI_TRACE_PAGE - 1) / ABI_TRACE_PAGE * ABI_TRACE_PAGE;
}

static struct abi_trace_section *put_section(struct abi_trace_section *section, uint32_t kind,
                                             uint32_t record_size, uint64_t capacity,
                                             uint64_t offset)
{
    section->record_size = record_size;
    section->capacity = capacity;
    section->offset = offset;
    section->kind = kind;
    return section + 1;
}

uint64_t beat_sections_plan(struct beat_options *options)
{
    if (options->profile != BEAT_ON) {
        return 0;
    }
    if (options->profile_nodes < MIN_NODES) {
        options->profile_nodes = MIN_NODES;
    }
    return align_to_page(ROWS * sizeof(struct abi_profile_thread)) +
           align_to_page(MUTES * sizeof(struct abi_profile_mute)) +
           align_to_page(options->profile_nodes * sizeof(struct abi_profile_node));
}

static struct abi_trace_section *table_of(const struct beat_memory *memory)
{
    const struct abi_trace_header *header = (const void *)memory->bytes;

    return (struct abi_trace_section *)(void *)(memory->bytes + header->section_table_offset);
}

void beat_sections_init(struct beat_recorder *recorder, uint64_t offset)
{
    struct abi_trace_header *header = recorder->header;
    const struct beat_options *options = &recorder->options;

    header->section_table_offset = sizeof(*header); /* in the same page */
    header->section_size = sizeof(struct abi_trace_section);
    if (options->profile != BEAT_ON) {
        return;
    }
    header->section_count = BEAT_SECTION_COUNT;
    struct abi_trace_section *next = table_of(recorder->memory);
    next = put_section(next, ABI_SECTION_PROFILE_THREADS, sizeof(struct abi_profile_thread), ROWS,
                       offset);
    offset += align_to_page(ROWS * sizeof(struct abi_profile_thread));
    next = put_section(next, ABI_SECTION_PROFILE_MUTES, sizeof(struct abi_profile_mute), MUTES,
                       offset);
    offset += align_to_page(MUTES * sizeof(struct abi_profile_mute));
    (void)put_section(next, ABI_SECTION_PROFILE_NODES, sizeof(struct abi_profile_node),
                      options->profile_nodes, offset);
}

struct abi_trace_section *beat_sections_find(const struct beat_memory *memory, uint32_t kind)
{
    const struct abi_trace_header *header = (const void *)memory->bytes;
    struct abi_trace_section *table = table_of(memory);

    for (uint32_t i = 0; i < header->section_count; i++) {
        if (table[i].kind == kind) {
            return &table[i];
        }
    }
    return NULL;
}

void *beat_sections_records(const struct beat_memory *memory,
                            const struct abi_trace_section *section)
{
    return memory->bytes + section->offset;
}

size_t beat_sections_used(const struct beat_memory *memory,
                          struct beat_extent extents[BEAT_SECTION_COUNT])
{
    const struct abi_trace_header *header = (const void *)memory->bytes;
    const struct abi_trace_section *table = table_of(memory);

    for (uint32_t i = 0; i < header->section_count; i++) {
        uint64_t written = atomic_load_explicit(&table[i].written, memory_order_relaxed);
        extents[i] = (struct beat_extent){table[i].offset, written * table[i].record_size};
    }
    return header->section_count;
}
