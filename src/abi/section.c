#include "abi/section.h"

#include "abi/tracefile.h"
#include "base/number.h"

#include <string.h>

/* The table lies in the file, as abi_tracefile_open has checked. */
static bool find_entry(const struct abi_tracefile *trace, uint32_t kind, uint32_t group,
                       struct abi_trace_section *entry)
{
    for (uint32_t i = 0; i < trace->header.section_count; i++) {
        memcpy(entry, trace->bytes + trace->header.section_table_offset + i * sizeof(*entry),
               sizeof(*entry));
        if (entry->kind == kind && entry->group == group) {
            return true;
        }
    }
    return false;
}

bool abi_tracefile_section(const struct abi_tracefile *trace, uint32_t kind, uint32_t group,
                           size_t least_size, struct abi_section_view *view)
{
    struct abi_trace_section *entry = &view->entry;

    *view = (struct abi_section_view){0};
    if (!find_entry(trace, kind, group, entry) || entry->record_size < least_size ||
        entry->record_size % sizeof(uint64_t) != 0 || entry->offset % sizeof(uint64_t) != 0 ||
        entry->offset > trace->size) {
        return false;
    }
    uint64_t whole = (trace->size - entry->offset) / entry->record_size;
    view->records = trace->bytes + entry->offset;
    view->count = (size_t)mb_min_u64(mb_min_u64(entry->written, entry->capacity), whole);
    return true;
}

const void *abi_section_rows(const struct abi_section_view *view, size_t record_size,
                             struct mb_buf *copies)
{
    size_t there = view->entry.record_size;
    size_t taken = there < record_size ? there : record_size;
    const uint8_t *from = view->records;

    if (there == record_size || view->count == 0) {
        return from;
    }
    mb_buf_reset(copies);
    uint8_t *to = view->count <= SIZE_MAX / record_size
                      ? mb_buf_extend(copies, view->count * record_size)
                      : NULL;
    for (size_t i = 0; to != NULL && i < view->count; i++) {
        memcpy(to + i * record_size, from + i * there, taken);
        memset(to + i * record_size + taken, 0, record_size - taken);
    }
    return to;
}
