#include "abi/tracefile.h"

#include "abi/section.h"

#include <inttypes.h>
#include <string.h>

/* value * numerator / denominator in two steps, so that no product passes 64 bits for any time of
 * 43 bits; 0 for what has no denominator. */
static uint64_t scale_value(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    if (denominator == 0) {
        return 0;
    }
    return value / denominator * numerator + value % denominator * numerator / denominator;
}

uint64_t abi_trace_ns(uint64_t ns_per_unit, uint64_t time)
{
    return scale_value(time, ns_per_unit >> 32, ns_per_unit & UINT32_MAX);
}

uint64_t abi_trace_units(uint64_t ns_per_unit, uint64_t ns)
{
    return scale_value(ns, ns_per_unit & UINT32_MAX, ns_per_unit >> 32);
}

uint64_t abi_trace_whole_pages(uint64_t size)
{
    return (size + ABI_TRACE_PAGE - 1) / ABI_TRACE_PAGE * ABI_TRACE_PAGE;
}

uint64_t abi_trace_marks_offset(uint32_t ring_count)
{
    return ABI_TRACE_PAGE + ring_count * (uint64_t)sizeof(struct abi_trace_ring);
}

uint64_t abi_trace_words_offset(uint32_t ring_count, uint32_t mark_count)
{
    return abi_trace_whole_pages(abi_trace_marks_offset(ring_count) +
                                 mark_count * (uint64_t)sizeof(struct abi_trace_mark));
}

uint64_t abi_trace_words_size(uint64_t capacity)
{
    return abi_trace_whole_pages(capacity * sizeof(uint64_t));
}

static void end_name(char *name, size_t size)
{
    name[size - 1] = '\0';
}

static bool table_fits(const struct abi_tracefile *trace, uint64_t offset, uint32_t count,
                       size_t entry_size)
{
    return offset <= trace->size && count <= (trace->size - offset) / entry_size;
}

static enum mb_status check_identity(const struct abi_trace_header *header, struct mb_error *err)
{
    if (memcmp(header->magic, ABI_TRACE_MAGIC, sizeof(header->magic)) != 0) {
        return mb_fail(err, MB_BAD_TRACE, 0, "not a trace file");
    }
    if (header->byte_order != ABI_TRACE_BYTE_ORDER) {
        return mb_fail(err, MB_BAD_TRACE, offsetof(struct abi_trace_header, byte_order),
                       "written on a machine of another byte order");
    }
    if (header->version != ABI_TRACE_VERSION) {
        return mb_fail(err, MB_BAD_TRACE, offsetof(struct abi_trace_header, version),
                       "written by %s methodbeat (version %" PRIu32 "); this one reads version %u",
                       header->version < ABI_TRACE_VERSION ? "an older" : "a newer",
                       header->version, ABI_TRACE_VERSION);
    }
    return MB_OK;
}

static enum mb_status check_tables(const struct abi_tracefile *trace, struct mb_error *err)
{
    const struct abi_trace_header *header = &trace->header;

    if (header->ring_size != sizeof(struct abi_trace_ring) ||
        header->ring_count > ABI_TRACE_MAX_RINGS ||
        !table_fits(trace, header->ring_table_offset, header->ring_count, header->ring_size)) {
        return mb_fail(err, MB_BAD_TRACE, offsetof(struct abi_trace_header, ring_table_offset),
                       "the table of %" PRIu32
                       " rings does not fit in the file of %zu bytes: if it "
                       "was cut off, copy it again",
                       header->ring_count, trace->size);
    }
    if (header->mark_size != sizeof(struct abi_trace_mark) ||
        header->mark_count > ABI_TRACE_MAX_MARKS ||
        !table_fits(trace, header->mark_table_offset, header->mark_count, header->mark_size)) {
        return mb_fail(err, MB_BAD_TRACE, offsetof(struct abi_trace_header, mark_table_offset),
                       "the table of %" PRIu32 " marks does not fit in the file",
                       header->mark_count);
    }
    return MB_OK;
}

static enum mb_status check_sections(const struct abi_tracefile *trace, struct mb_error *err)
{
    const struct abi_trace_header *header = &trace->header;

    if (header->section_count != 0 && (header->section_size != sizeof(struct abi_trace_section) ||
                                       header->section_count > ABI_TRACE_MAX_SECTIONS ||
                                       !table_fits(trace, header->section_table_offset,
                                                   header->section_count, header->section_size))) {
        return mb_fail(err, MB_BAD_TRACE, offsetof(struct abi_trace_header, section_table_offset),
                       "the table of %" PRIu32 " sections does not fit in the file",
                       header->section_count);
    }
    return MB_OK;
}

static enum mb_status read_header(struct abi_tracefile *trace, struct mb_error *err)
{
    struct abi_trace_header *header = &trace->header;

    if (trace->size < sizeof(*header)) {
        return mb_fail(err, MB_BAD_TRACE, trace->size, "too short for a trace file");
    }
    memcpy(header, trace->bytes, sizeof(*header));
    end_name(header->process_name, sizeof(header->process_name));
    return check_identity(header, err);
}

static enum mb_status check_clock(const struct abi_trace_header *header, struct mb_error *err)
{
    if ((header->ns_per_unit & UINT32_MAX) == 0 || header->ns_per_unit >> 32 == 0) {
        return mb_fail(err, MB_BAD_TRACE, offsetof(struct abi_trace_header, ns_per_unit),
                       "the clock has no rate");
    }
    if (header->clock_kind != ABI_CLOCK_COUNTER && header->clock_kind != ABI_CLOCK_COARSE) {
        return mb_fail(err, MB_BAD_TRACE, offsetof(struct abi_trace_header, clock_kind),
                       "unknown kind of clock %" PRIu32, header->clock_kind);
    }
    return MB_OK;
}

enum mb_status abi_tracefile_open(struct abi_tracefile *trace, const void *bytes, size_t size,
                                  struct mb_error *err)
{
    *trace = (struct abi_tracefile){.bytes = bytes, .size = size};
    MB_TRY(read_header(trace, err));
    MB_TRY(check_tables(trace, err));
    MB_TRY(check_sections(trace, err));
    return check_clock(&trace->header, err);
}

struct mb_text abi_tracefile_mapping_path(const struct abi_tracefile *trace)
{
    uint64_t place = trace->header.mapping_path;
    uint64_t offset = place >> 32;
    uint64_t size = place & UINT32_MAX;

    if (size == 0 || size >= ABI_TRACE_MAPPING_SIZE || offset > trace->size ||
        size > trace->size - offset || trace->bytes[offset] != '/') {
        return MB_TEXT("");
    }
    return (struct mb_text){(const char *)trace->bytes + offset, (size_t)size};
}

static uint64_t ring_offset(const struct abi_tracefile *trace, uint32_t index)
{
    return trace->header.ring_table_offset + index * (uint64_t)sizeof(struct abi_trace_ring);
}

static void read_entry(const struct abi_tracefile *trace, uint32_t index,
                       struct abi_trace_ring *entry)
{
    memcpy(entry, trace->bytes + ring_offset(trace, index), sizeof(*entry));
    end_name(entry->thread_name, sizeof(entry->thread_name));
}

/* The oldest position that is surely whole: see the top of the header. */
static uint64_t oldest_position(const struct abi_trace_ring *entry, bool closed)
{
    uint64_t end = entry->written + (closed ? 0 : 1);

    return end - entry->base <= entry->capacity ? entry->base : end - entry->capacity;
}

/* Words of slots [slot, slot + count) that the file really has. */
static size_t find_run(const struct abi_tracefile *trace, const struct abi_trace_ring *entry,
                       uint64_t slot, uint64_t count, const uint64_t **words)
{
    uint64_t offset = entry->words_offset + slot * sizeof(uint64_t);

    if (offset > trace->size) {
        return 0;
    }
    uint64_t there = (trace->size - offset) / sizeof(uint64_t);
    *words = (const uint64_t *)(const void *)(trace->bytes + offset);
    return (size_t)(count < there ? count : there);
}

static void find_runs(const struct abi_tracefile *trace, struct abi_ring_view *view)
{
    const struct abi_trace_ring *entry = &view->entry;
    bool closed = trace->header.state == ABI_TRACE_CLOSED;
    uint64_t first = oldest_position(entry, closed);
    uint64_t count = entry->written - first;
    uint64_t slot = (first - entry->base) % entry->capacity;
    uint64_t before_wrap = entry->capacity - slot < count ? entry->capacity - slot : count;

    view->first_position = first;
    view->run_positions[0] = first;
    view->run_positions[1] = first + before_wrap;
    view->lapped_words = first - entry->base;
    view->run_counts[0] = find_run(trace, entry, slot, before_wrap, &view->runs[0]);
    view->run_counts[1] = find_run(trace, entry, 0, count - before_wrap, &view->runs[1]);
    view->missing_words = count - view->run_counts[0] - view->run_counts[1];
}

enum mb_status abi_tracefile_ring(const struct abi_tracefile *trace, uint32_t index,
                                  struct abi_ring_view *view, bool *used, struct mb_error *err)
{
    *view = (struct abi_ring_view){0};
    *used = false;
    read_entry(trace, index, &view->entry);
    const struct abi_trace_ring *entry = &view->entry;
    if (entry->state == ABI_RING_UNUSED) {
        return MB_OK;
    }
    if (entry->capacity == 0 || entry->capacity > UINT64_MAX / sizeof(uint64_t) / 2 ||
        entry->words_offset % sizeof(uint64_t) != 0 || entry->words_offset > UINT64_MAX / 2 ||
        entry->base > entry->written || entry->written == UINT64_MAX) {
        return mb_fail(err, MB_BAD_TRACE, (size_t)ring_offset(trace, index),
                       "entry %" PRIu32 " of the ring table makes no sense", index);
    }
    *used = true;
    find_runs(trace, view);
    return MB_OK;
}

void abi_ring_view_cut(struct abi_ring_view *view, uint64_t position)
{
    for (size_t r = 0; r < 2; r++) {
        uint64_t before = position > view->run_positions[r] ? position - view->run_positions[r] : 0;
        size_t cut = before < view->run_counts[r] ? (size_t)before : view->run_counts[r];
        view->runs[r] = cut > 0 ? view->runs[r] + cut : view->runs[r];
        view->run_counts[r] -= cut;
        view->run_positions[r] += cut;
    }
    if (position > view->first_position) {
        view->first_position = position;
        view->lapped_words = 0;
        view->missing_words =
            view->entry.written - position - view->run_counts[0] - view->run_counts[1];
    }
}

void abi_ring_view_cut_end(struct abi_ring_view *view, uint64_t end)
{
    if (end >= view->entry.written) {
        return;
    }
    for (size_t r = 0; r < 2; r++) {
        uint64_t most = end > view->run_positions[r] ? end - view->run_positions[r] : 0;
        view->run_counts[r] = view->run_counts[r] < most ? view->run_counts[r] : (size_t)most;
    }
    uint64_t count = view->run_counts[0] + view->run_counts[1];
    view->entry.written = end;
    view->missing_words =
        end > view->first_position + count ? end - view->first_position - count : 0;
}

enum abi_mark_state abi_tracefile_mark(const struct abi_tracefile *trace, uint32_t index,
                                       uint32_t *ring_index, struct abi_trace_mark *mark)
{
    struct abi_ring_view view;
    bool used;

    memcpy(mark, trace->bytes + trace->header.mark_table_offset + index * (uint64_t)sizeof(*mark),
           sizeof(*mark));
    end_name(mark->source, sizeof(mark->source));
    if (mark->in_use == 0) {
        return ABI_MARK_FREE;
    }
    if (mark->in_use > trace->header.ring_count ||
        abi_tracefile_ring(trace, mark->in_use - 1, &view, &used, NULL) != MB_OK || !used ||
        view.entry.claim != mark->claim || mark->position > view.entry.written) {
        return ABI_MARK_LOST;
    }
    *ring_index = mark->in_use - 1;
    return mark->position >= view.first_position ? ABI_MARK_VALID : ABI_MARK_LAPPED;
}
