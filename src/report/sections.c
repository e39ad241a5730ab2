#include "report/sections.h"

#include "abi/section.h"

/* More than any recorder keeps: what tells threads apart looks at pairs of them. */
#define MAX_THREADS ((size_t)16384)

/* ---- Finding ---- */

/* The records of the section of this kind; none if there is no such section, or it makes no sense. */
static struct abi_section_view find(struct report_sections *sections,
                                    const struct report_trace *trace, enum abi_section_kind kind,
                                    size_t record_size)
{
    struct abi_section_view view;
    bool is_there = abi_tracefile_section(&trace->file, kind, 0, record_size, &view);

    if (!is_there) {
        sections->is_damaged = sections->is_damaged || view.entry.kind == kind;
        return (struct abi_section_view){0};
    }
    sections->missing += view.entry.written - view.count;
    return view;
}

void report_sections_find(struct report_sections *sections, const struct report_trace *trace)
{
    const struct abi_section_view threads =
        find(sections, trace, ABI_SECTION_PROFILE_THREADS, sizeof(struct abi_profile_thread));
    const struct abi_section_view nodes =
        find(sections, trace, ABI_SECTION_PROFILE_NODES, sizeof(struct abi_profile_node));
    const struct abi_section_view mutes =
        find(sections, trace, ABI_SECTION_PROFILE_MUTES, sizeof(struct abi_profile_mute));

    size_t thread_count = threads.count < MAX_THREADS ? threads.count : MAX_THREADS;

    sections->missing += threads.count - thread_count;
    sections->source = (struct trace_tree_source){
        .threads = threads.records,
        .thread_count = thread_count,
        .nodes = nodes.records,
        .node_count = nodes.count < TRACE_NO_NODE ? nodes.count : TRACE_NO_NODE - 1,
        .ns_per_unit = trace->file.header.ns_per_unit,
    };
    sections->mutes = mutes.records;
    sections->mute_count = mutes.count;
    sections->lost_threads = threads.entry.lost;
    sections->absorbed_calls = nodes.entry.lost;
    sections->lost_mutes = mutes.entry.lost;
    sections->are_there = threads.count > 0;
}

enum mb_status report_sections_make_trees(struct report_sections *sections, uint64_t end,
                                          struct mb_error *err)
{
    sections->source.end = end;
    MB_TRY(trace_trees_make(&sections->trees, &sections->source, err));
    sections->missing += sections->trees.damaged_nodes;
    return MB_OK;
}

void report_sections_finish(struct report_sections *sections)
{
    trace_trees_finish(&sections->trees);
}
