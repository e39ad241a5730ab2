#include "abi/section.h"

#include "abi/tracefile.h"

#include <string.h>

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

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
                           size_t record_size, struct abi_section_view *view)
{
    struct abi_trace_section *entry = &view->entry;

    *view = (struct abi_section_view){0};
    if (!find_entry(trace, kind, group, entry) || entry->record_size != record_size ||
        entry->offset % sizeof(uint64_t) != 0 || entry->offset > trace->size) {
        return false;
    }
    uint64_t whole = (trace->size - entry->offset) / record_size;
    view->records = trace->bytes + entry->offset;
    view->count = (size_t)lower(lower(entry->written, entry->capacity), whole);
    return true;
}
