#include "abi/sampling.h"

#include "abi/names.h"
#include "abi/section.h"

#include <string.h>

/* Those that point to others come first: what these had when they were read, those have. */
static const struct kind {
    uint32_t kind;
    bool has_times;
    size_t size;
    size_t least; /* of traces before; 0: as now */
} kinds[] = {
    {ABI_SECTION_BLOCKS, true, sizeof(struct abi_block), 0},
    {ABI_SECTION_SAMPLES, true, sizeof(struct abi_sample), 0},
    {ABI_SECTION_STACKS, true, sizeof(struct abi_stack_node), 0},
    {ABI_SECTION_LOCKS, false, sizeof(struct abi_lock), 0},
    {ABI_SECTION_SAMPLE_THREADS, true, sizeof(struct abi_sample_thread), 0},
    {ABI_SECTION_SAMPLING, false, sizeof(struct abi_sampling),
     offsetof(struct abi_sampling, polled)},
};

enum { BLOCKS, SAMPLES, STACKS, LOCKS, THREADS, SAMPLING, KINDS };

_Static_assert(MB_COUNT(kinds) == KINDS, "one for each");
_Static_assert(MB_COUNT(((struct abi_sampling_view *)NULL)->copies) == KINDS, "one for each");

/* A view in the making. */
struct opening {
    struct abi_sampling_view *view;
    const struct abi_tracefile *trace;
    struct abi_section_view sections[KINDS]; /* with records of the size they have here */
};

/* ---- Sections ---- */

static uint64_t rate_of(const struct opening *o, size_t index)
{
    uint64_t rate = o->sections[index].entry.ns_per_unit;

    return rate != 0 ? rate : o->trace->header.ns_per_unit;
}

/* All times have the rate of those in the tree. */
static enum mb_status take_rows(struct opening *o, size_t index, bool is_there,
                                struct mb_error *err)
{
    const struct kind *kind = &kinds[index];
    struct abi_section_view *section = &o->sections[index];

    if (!is_there || (kind->has_times && rate_of(o, index) != o->view->ns_per_unit)) {
        o->view->damaged += section->entry.kind == kind->kind;
        *section = (struct abi_section_view){0};
        return MB_OK;
    }
    section->records = abi_section_rows(section, kind->size, &o->view->copies[index]);
    return section->records != NULL ? MB_OK : mb_fail_memory(err);
}

/* Empty if it is not there or makes no sense. */
static enum mb_status find_sections(struct opening *o, struct mb_error *err)
{
    bool are_there[KINDS];

    for (size_t i = 0; i < KINDS; i++) {
        size_t least = kinds[i].least != 0 ? kinds[i].least : kinds[i].size;
        are_there[i] = abi_tracefile_section(o->trace, kinds[i].kind, 0, least, &o->sections[i]);
    }
    o->view->ns_per_unit = rate_of(o, STACKS);
    for (size_t i = 0; i < KINDS; i++) {
        MB_TRY(take_rows(o, i, are_there[i], err));
    }
    return MB_OK;
}

/* ---- Tables ---- */

static size_t cut_table(struct opening *o, size_t index, size_t most)
{
    const struct abi_section_view *section = &o->sections[index];
    size_t count = section->count < most ? section->count : most;

    o->view->damaged += section->entry.written - count;
    return count;
}

/* Rows that can be changed. */
static enum mb_status copy_table(struct opening *o, size_t index, struct mb_error *err)
{
    struct abi_section_view *section = &o->sections[index];
    struct mb_buf *copies = &o->view->copies[index];

    if (copies->size == 0) {
        mb_buf_put(copies, section->records, section->count * kinds[index].size);
        section->records = copies->bytes;
    }
    return mb_buf_check(copies, err);
}

static enum mb_status take_threads(struct opening *o, struct mb_error *err)
{
    size_t count = cut_table(o, THREADS, ABI_STACK_NO_NODE);

    MB_TRY(copy_table(o, THREADS, err));
    struct abi_sample_thread *threads = (void *)o->view->copies[THREADS].bytes;
    for (size_t i = 0; i < count; i++) {
        threads[i].name[sizeof(threads[i].name) - 1] = '\0';
    }
    o->view->threads = threads;
    o->view->thread_count = count;
    o->view->lost_threads = o->sections[THREADS].entry.lost;
    return MB_OK;
}

static enum mb_status take_locks(struct opening *o, struct mb_error *err)
{
    size_t count = cut_table(o, LOCKS, ABI_STACK_NO_NODE);

    MB_TRY(copy_table(o, LOCKS, err));
    struct abi_lock *locks = (void *)o->view->copies[LOCKS].bytes;
    for (size_t i = 0; i < count; i++) {
        locks[i].class_name[sizeof(locks[i].class_name) - 1] = '\0';
    }
    o->view->locks = locks;
    o->view->lock_count = count;
    return MB_OK;
}

static bool is_node(const struct abi_sampling_view *view, size_t index)
{
    const struct abi_stack_node *node = &view->nodes[index];

    return node->thread < view->thread_count && node->id <= ABI_MAX_ID &&
           (node->parent == ABI_STACK_NO_NODE ||
            (node->parent < index && view->nodes[node->parent].thread == node->thread));
}

static void take_nodes(struct opening *o)
{
    struct abi_sampling_view *view = o->view;
    size_t count = cut_table(o, STACKS, ABI_STACK_NO_NODE);

    view->nodes = o->sections[STACKS].records;
    while (view->node_count < count && is_node(view, view->node_count)) {
        view->node_count++;
    }
    view->damaged += count - view->node_count;
    view->lost_nodes = o->sections[STACKS].entry.lost;
}

/* ---- Rings ---- */

/* What of it is there, oldest first. */
struct ring {
    const uint8_t *runs[2];
    size_t counts[2];
    uint64_t lapped;
};

/* Rows of these slots that the file has. */
static size_t find_run(const struct abi_section_view *section, uint64_t slot, uint64_t count)
{
    uint64_t there = slot < section->count ? section->count - slot : 0;

    return (size_t)(count < there ? count : there);
}

/* As the words of a ring: see the top of abi/tracefile.h. */
static struct ring unroll_ring(struct opening *o, size_t index)
{
    const struct abi_section_view *section = &o->sections[index];
    uint64_t capacity = section->entry.capacity;
    uint64_t written = section->entry.written;

    if (section->count == 0 || written > UINT64_MAX / 2) {
        o->view->damaged += written > 0;
        return (struct ring){0};
    }
    uint64_t end = written + (o->trace->header.state == ABI_TRACE_CLOSED ? 0 : 1);
    uint64_t first = end > capacity ? end - capacity : 0;
    uint64_t slot = first % capacity;
    uint64_t before_wrap = capacity - slot < written - first ? capacity - slot : written - first;
    struct ring ring = {
        .runs = {(const uint8_t *)section->records + slot * kinds[index].size, section->records},
        .counts = {find_run(section, slot, before_wrap),
                   find_run(section, 0, written - first - before_wrap)},
        .lapped = first,
    };
    o->view->damaged += written - first - ring.counts[0] - ring.counts[1];
    ring.runs[0] = ring.counts[0] > 0 ? ring.runs[0] : section->records;
    return ring;
}

typedef bool is_whole_fn(const struct abi_sampling_view *view, const void *record);

static const void *record_at(const struct ring *ring, size_t size, size_t index)
{
    return index < ring->counts[0] ? ring->runs[0] + index * size
                                   : ring->runs[1] + (index - ring->counts[0]) * size;
}

/* Keep the last whole ones in a row. */
static void cut_ring(struct abi_sampling_view *view, struct ring *ring, size_t size,
                     is_whole_fn *is_whole)
{
    size_t all = ring->counts[0] + ring->counts[1];
    size_t end = all;

    while (end > 0 && !is_whole(view, record_at(ring, size, end - 1))) {
        end--;
    }
    size_t first = end;
    while (first > 0 && is_whole(view, record_at(ring, size, first - 1))) {
        first--;
    }
    view->damaged += all - (end - first);
    for (size_t r = 0; r < 2; r++) {
        size_t count = ring->counts[r];
        size_t cut = first < count ? first : count;
        ring->counts[r] = (end < count ? end : count) - cut;
        ring->runs[r] = cut > 0 ? ring->runs[r] + cut * size : ring->runs[r];
        first -= cut;
        end -= end < count ? end : count;
    }
}

static bool is_sample(const struct abi_sampling_view *view, const void *record)
{
    const struct abi_sample *sample = record;

    return sample->node < view->node_count && sample->state >= ABI_SAMPLE_RUNNING &&
           sample->state < ABI_SAMPLE_STATE_COUNT;
}

static void take_samples(struct opening *o)
{
    struct ring ring = unroll_ring(o, SAMPLES);

    cut_ring(o->view, &ring, sizeof(struct abi_sample), is_sample);
    for (size_t r = 0; r < 2; r++) {
        o->view->samples[r] = (const void *)ring.runs[r];
        o->view->sample_counts[r] = ring.counts[r];
    }
    o->view->lapped_samples = ring.lapped;
}

static bool is_node_or_none(const struct abi_sampling_view *view, uint32_t node)
{
    return node == ABI_STACK_NO_NODE || node < view->node_count;
}

static bool is_block(const struct abi_sampling_view *view, const void *record)
{
    const struct abi_block *block = record;

    return block->thread < view->thread_count && is_node_or_none(view, block->node) &&
           block->lock <= view->lock_count && block->owner <= view->thread_count &&
           is_node_or_none(view, block->owner_node) && block->kind >= ABI_BLOCK_MONITOR &&
           block->kind <= ABI_BLOCK_LOCK;
}

static void take_blocks(struct opening *o)
{
    struct ring ring = unroll_ring(o, BLOCKS);

    cut_ring(o->view, &ring, sizeof(struct abi_block), is_block);
    for (size_t r = 0; r < 2; r++) {
        o->view->blocks[r] = (const void *)ring.runs[r];
        o->view->block_counts[r] = ring.counts[r];
    }
    o->view->lost_blocks = o->sections[BLOCKS].entry.lost + ring.lapped;
}

/* ---- All ---- */

enum mb_status abi_sampling_open(struct abi_sampling_view *view, const struct abi_tracefile *trace,
                                 struct mb_error *err)
{
    struct opening o = {.view = view, .trace = trace};

    *view = (struct abi_sampling_view){0};
    MB_TRY(find_sections(&o, err));
    MB_TRY(take_threads(&o, err));
    MB_TRY(take_locks(&o, err));
    take_nodes(&o);
    take_samples(&o);
    take_blocks(&o);
    if (o.sections[SAMPLING].count > 0) {
        memcpy(&view->sampling, o.sections[SAMPLING].records, sizeof(view->sampling));
    }
    return MB_OK;
}

void abi_sampling_finish(struct abi_sampling_view *view)
{
    for (size_t i = 0; i < MB_COUNT(view->copies); i++) {
        mb_buf_finish(&view->copies[i]);
    }
}
