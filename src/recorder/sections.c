#include "recorder/sections.h"

#include "abi/sampling.h"
#include "abi/weaving.h"
#include "recorder/core.h"
#include "recorder/throttle.h"

#include <assert.h>
#include <string.h>

#define MIN_NODES 1024u
#define MAX_STACK_NODES 524288u         /* 29 MB, which take memory as they are written */
#define NAMES_SIZE (UINT32_C(64) << 20) /* half a million methods */
#define KINDS_SIZE (UINT32_C(16) << 10) /* where only kinds of messages are named */

/* In this order after the rings. */
static const struct kind {
    uint32_t kind;
    uint32_t record_size;
    uint32_t capacity; /* 0: as many as profile_nodes */
} kinds[BEAT_SECTION_COUNT] = {
    {ABI_SECTION_PROFILE_THREADS, sizeof(struct abi_profile_thread), 1024},
    {ABI_SECTION_PROFILE_MUTES, sizeof(struct abi_profile_mute), BEAT_MAX_MUTED},
    {ABI_SECTION_PROFILE_NODES, sizeof(struct abi_profile_node), 0},
    {ABI_SECTION_PROFILE_LENGTHS, sizeof(uint64_t), 262144}, /* of 10,000 methods */
    {ABI_SECTION_PROFILE_SLOW_NODES, sizeof(struct abi_profile_node), 16384},
    {ABI_SECTION_PROFILE_SLOW, sizeof(struct abi_profile_slow), 1024},
    {ABI_SECTION_PROFILE_PAUSES, sizeof(struct abi_profile_pause), 8192},
    {ABI_SECTION_WEAVING, sizeof(uint64_t), ABI_WEAVING_COUNT},
    {ABI_SECTION_NAMES, sizeof(uint64_t), NAMES_SIZE / sizeof(uint64_t)},
    {ABI_SECTION_SAMPLING, sizeof(struct abi_sampling), 1},
    {ABI_SECTION_SAMPLE_THREADS, sizeof(struct abi_sample_thread), 4096},
    {ABI_SECTION_STACKS, sizeof(struct abi_stack_node), MAX_STACK_NODES},
    {ABI_SECTION_SAMPLES, sizeof(struct abi_sample), 131072},
    {ABI_SECTION_BLOCKS, sizeof(struct abi_block), 16384},
    {ABI_SECTION_LOCKS, sizeof(struct abi_lock), 1024},
};

void beat_sections_expect_samples(void)
{
    struct beat_recorder *recorder = beat_lock();

    recorder->expects_samples = true;
    beat_unlock(recorder);
}

bool beat_sections_has_samples(const struct beat_options *options)
{
    bool wants_late = options->sample == BEAT_SAMPLE_ONLY || options->sample == BEAT_SAMPLE_BOTH;

    return beat_recorder.expects_names ? options->sample != BEAT_SAMPLE_OFF
                                       : beat_recorder.expects_samples && wants_late;
}

bool beat_sections_has_waits(const struct beat_options *options)
{
    return beat_recorder.expects_names || beat_sections_has_samples(options);
}

/* Without a profile, only the table of mutes is needed, if an earlier profile muted methods. */
static bool is_wanted(const struct kind *kind, const struct beat_options *options)
{
    size_t next = 0;
    uint32_t id;

    if (kind->kind == ABI_SECTION_WEAVING) {
        return beat_recorder.expects_names;
    }
    if (kind->kind == ABI_SECTION_NAMES) {
        return beat_sections_has_waits(options) || options->profile == BEAT_ON;
    }
    if (kind->kind >= ABI_SECTION_SAMPLING) {
        return kind->kind == ABI_SECTION_SAMPLES ? beat_sections_has_samples(options)
                                                 : beat_sections_has_waits(options);
    }
    return options->profile == BEAT_ON ||
           (kind->kind == ABI_SECTION_PROFILE_MUTES && beat_next_muted(&next, &id));
}

static uint32_t capacity_of(const struct kind *kind, const struct beat_options *options)
{
    bool is_short = kind->kind == ABI_SECTION_NAMES && !beat_sections_has_waits(options);

    return is_short             ? KINDS_SIZE / kind->record_size
           : kind->capacity > 0 ? kind->capacity
                                : options->profile_nodes;
}

static struct abi_trace_section section_of(const struct kind *kind,
                                           const struct beat_options *options, uint64_t offset)
{
    return (struct abi_trace_section){
        .kind = kind->kind,
        .record_size = kind->record_size,
        .capacity = capacity_of(kind, options),
        .offset = offset,
        .ns_per_unit = kind->kind >= ABI_SECTION_SAMPLING ? abi_ns_per_unit(1, 1) : 0,
    };
}

static uint64_t end_of(const struct abi_trace_section *section)
{
    return section->offset + abi_trace_whole_pages(section->capacity * section->record_size);
}

uint64_t beat_sections_plan(struct beat_options *options)
{
    uint64_t end = 0;

    if (options->profile_nodes < MIN_NODES) {
        options->profile_nodes = MIN_NODES;
    }
    for (size_t i = 0; i < BEAT_SECTION_COUNT; i++) {
        if (is_wanted(&kinds[i], options)) {
            struct abi_trace_section section = section_of(&kinds[i], options, end);
            end = end_of(&section);
        }
    }
    return end;
}

static struct abi_trace_section *table_of(const struct beat_memory *memory)
{
    return (void *)(memory->bytes + memory->header->section_table_offset);
}

void beat_sections_init(struct beat_recorder *recorder, uint64_t offset)
{
    struct abi_trace_header *header = recorder->header;

    header->section_table_offset = sizeof(*header); /* in the same page */
    header->section_size = sizeof(struct abi_trace_section);
    header->section_count = 0;
    struct abi_trace_section *table = table_of(recorder->memory);
    for (uint32_t i = 0; i < BEAT_SECTION_COUNT; i++) {
        if (is_wanted(&kinds[i], recorder->options)) {
            struct abi_trace_section *section = &table[header->section_count++];
            *section = section_of(&kinds[i], recorder->options, offset);
            offset = end_of(section);
        }
    }
}

struct abi_trace_section *beat_sections_find(const struct beat_memory *memory, uint32_t kind)
{
    const struct abi_trace_header *header = memory->header;
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
    const struct abi_trace_header *header = memory->header;
    const struct abi_trace_section *table = table_of(memory);

    for (uint32_t i = 0; i < header->section_count; i++) {
        uint64_t written = atomic_load_explicit(&table[i].written, memory_order_relaxed);
        uint64_t used = written < table[i].capacity ? written : table[i].capacity;
        uint64_t size = used * table[i].record_size;
        extents[i] = (struct beat_extent){table[i].offset, size, size};
    }
    return header->section_count;
}

/* ---- What became of classes ---- */

static uint64_t counts[ABI_WEAVING_COUNT]; /* under the recorder's lock */

/* All are records from the start on, so that their blocks are those of the file's. */
void beat_weaving_begin(const struct beat_recorder *recorder)
{
    struct abi_trace_section *section = beat_sections_find(recorder->memory, ABI_SECTION_WEAVING);

    assert(beat_has_lock());
    if (section != NULL) {
        memcpy(beat_sections_records(recorder->memory, section), counts, sizeof(counts));
        atomic_store_explicit(&section->written, ABI_WEAVING_COUNT, memory_order_release);
    }
}

/* A trace that is over stays as it is. */
static void publish_counts(const struct beat_recorder *recorder)
{
    if (beat_is_present(recorder)) {
        beat_weaving_begin(recorder);
    }
}

void beat_weaving_add(enum abi_weaving what, uint64_t count)
{
    struct beat_recorder *recorder = beat_lock();

    assert((size_t)what < MB_COUNT(counts));
    counts[what] += count;
    publish_counts(recorder);
    beat_unlock(recorder);
}

void beat_weaving_read(uint64_t values[ABI_WEAVING_COUNT])
{
    struct beat_recorder *recorder = beat_lock();

    memcpy(values, counts, sizeof(counts));
    beat_unlock(recorder);
}

void beat_weaving_reset(void)
{
    struct beat_recorder *recorder = beat_lock();

    memset(counts, 0, sizeof(counts));
    publish_counts(recorder);
    beat_unlock(recorder);
}
