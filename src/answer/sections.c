#include "answer/sections.h"

#include "abi/section.h"

/* More than any recorder keeps: what tells threads apart looks at pairs of them. */
#define MAX_THREADS ((size_t)16384)

/* ---- Finding ---- */

static const struct kind {
    uint32_t kind;
    size_t size;
    size_t least; /* of older recorders; 0: the same */
} kinds[] = {
    {ABI_SECTION_PROFILE_THREADS, sizeof(struct abi_profile_thread), 0},
    {ABI_SECTION_PROFILE_NODES, sizeof(struct abi_profile_node), 0},
    {ABI_SECTION_PROFILE_MUTES, sizeof(struct abi_profile_mute), 0},
    {ABI_SECTION_PROFILE_LENGTHS, sizeof(uint64_t), 0},
    {ABI_SECTION_PROFILE_SLOW_NODES, sizeof(struct abi_profile_node), 0},
    {ABI_SECTION_PROFILE_SLOW, sizeof(struct abi_profile_slow),
     offsetof(struct abi_profile_slow, worked)},
    {ABI_SECTION_PROFILE_PAUSES, sizeof(struct abi_profile_pause), 0},
};

enum { THREADS, NODES, MUTES, LENGTHS, SLOW_NODES, SLOW, PAUSES };

/* The section of each kind, its records of the size they have here; none if there is no such
 * section, or it makes no sense. */
static enum mb_status find_sections(struct answer_sections *sections,
                                    const struct answer_trace *trace,
                                    struct abi_section_view views[], struct mb_error *err)
{
    for (size_t i = 0; i < MB_COUNT(kinds); i++) {
        struct abi_section_view *view = &views[i];
        size_t least = kinds[i].least != 0 ? kinds[i].least : kinds[i].size;
        if (!abi_tracefile_section(&trace->file, kinds[i].kind, 0, least, view)) {
            sections->is_damaged = sections->is_damaged || view->entry.kind == kinds[i].kind;
            *view = (struct abi_section_view){0};
            continue;
        }
        sections->missing += view->entry.written - view->count;
        view->records = abi_section_rows(view, kinds[i].size, &sections->copies[i]);
        if (view->records == NULL) {
            return mb_fail_memory(err);
        }
    }
    return MB_OK;
}

enum mb_status answer_sections_find(struct answer_sections *sections,
                                    const struct answer_trace *trace, struct mb_error *err)
{
    struct abi_section_view views[MB_COUNT(kinds)];

    MB_TRY(find_sections(sections, trace, views, err));
    size_t node_count = views[NODES].count;
    size_t all_threads = views[THREADS].count;
    size_t thread_count = all_threads < MAX_THREADS ? all_threads : MAX_THREADS;
    sections->missing += all_threads - thread_count;
    sections->source = (struct trace_tree_source){
        .threads = views[THREADS].records,
        .thread_count = thread_count,
        .nodes = views[NODES].records,
        .node_count = node_count < TRACE_NO_NODE ? node_count : TRACE_NO_NODE - 1,
        .ns_per_unit = trace->file.header.ns_per_unit,
    };
    sections->mutes = views[MUTES].records;
    sections->mute_count = views[MUTES].count;
    sections->lengths = views[LENGTHS].records;
    sections->length_count = views[LENGTHS].count;
    sections->slow_nodes = views[SLOW_NODES].records;
    sections->slow_node_count = views[SLOW_NODES].count;
    sections->slow = views[SLOW].records;
    sections->slow_count = views[SLOW].count;
    sections->pauses = views[PAUSES].records;
    sections->pause_count = views[PAUSES].count;
    sections->lost_threads = views[THREADS].entry.lost;
    sections->absorbed_calls = views[NODES].entry.lost;
    sections->lost_mutes = views[MUTES].entry.lost;
    sections->lost_slow = views[SLOW].entry.lost;
    sections->lost_slow_calls = views[SLOW_NODES].entry.lost;
    sections->lost_lengths = views[LENGTHS].entry.lost;
    sections->are_there = all_threads > 0;
    return MB_OK;
}

enum mb_status answer_sections_make_trees(struct answer_sections *sections, uint64_t end,
                                          struct mb_error *err)
{
    sections->source.end = end;
    MB_TRY(trace_trees_make(&sections->trees, &sections->source, err));
    sections->missing += sections->trees.damaged_nodes;
    return MB_OK;
}

void answer_sections_finish(struct answer_sections *sections)
{
    trace_trees_finish(&sections->trees);
    for (size_t i = 0; i < MB_COUNT(sections->copies); i++) {
        mb_buf_finish(&sections->copies[i]);
    }
}
