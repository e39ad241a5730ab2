/* Any bytes are a trace or are refused; of a trace every word lies in the file, and words are
 * accounted for: there, or missing. Wherever a view is cut, it has what lies behind. Of a section
 * every record lies in the file. */

#include "abi/profile.h"
#include "abi/section.h"
#include "abi/tracefile.h"
#include "fuzz.h"

#include <string.h>

static uint64_t count_words(const struct abi_ring_view *view)
{
    return (uint64_t)view->run_counts[0] + view->run_counts[1];
}

/* Touch every word, so that the sanitizer sees where it lies. */
static uint64_t sum_words(const struct abi_ring_view *view)
{
    uint64_t sum = 0;

    for (size_t r = 0; r < MB_COUNT(view->runs); r++) {
        for (size_t i = 0; i < view->run_counts[r]; i++) {
            sum += view->runs[r][i];
        }
    }
    return sum;
}

static void check_cut(struct abi_ring_view view, uint64_t position)
{
    uint64_t before = count_words(&view);
    uint64_t first = view.first_position > position ? view.first_position : position;

    abi_ring_view_cut(&view, position);
    PROMISE(view.first_position == first);
    PROMISE(count_words(&view) <= before);
    PROMISE(count_words(&view) + view.missing_words == view.entry.written - first);
    for (size_t r = 0; r < MB_COUNT(view.runs); r++) {
        PROMISE(view.run_counts[r] == 0 || view.run_positions[r] >= first);
    }
    (void)sum_words(&view);
}

static void check_ring(const struct abi_tracefile *trace, uint32_t index)
{
    struct abi_ring_view view;
    bool used = false;
    enum mb_status status = abi_tracefile_ring(trace, index, &view, &used, NULL);

    PROMISE(status == MB_OK || (status == MB_BAD_TRACE && !used));
    if (!used) {
        return;
    }
    PROMISE(memchr(view.entry.thread_name, 0, sizeof(view.entry.thread_name)) != NULL);
    (void)sum_words(&view);
    check_cut(view, view.entry.base);
    check_cut(view, view.run_positions[1]);
    check_cut(view, view.first_position + count_words(&view) / 2);
    check_cut(view, view.entry.written);
}

static void check_mark(const struct abi_tracefile *trace, uint32_t index)
{
    struct abi_trace_mark mark;
    struct abi_ring_view view;
    uint32_t ring = UINT32_MAX;
    bool used = false;

    if (abi_tracefile_mark(trace, index, &ring, &mark) == ABI_MARK_VALID) {
        PROMISE(ring < trace->header.ring_count);
        PROMISE(abi_tracefile_ring(trace, ring, &view, &used, NULL) == MB_OK && used);
        check_cut(view, mark.position);
    }
}

/* Touch every row as one of so many bytes. */
static void check_rows(const struct abi_section_view *view, size_t size)
{
    struct mb_buf copies = {0};
    uint64_t sum = 0;
    const uint64_t *rows = abi_section_rows(view, size, &copies);

    PROMISE(rows != NULL);
    for (size_t i = 0; i < view->count * size / sizeof(uint64_t); i++) {
        sum += rows[i];
    }
    (void)sum;
    mb_buf_finish(&copies);
}

static void check_section(const struct abi_tracefile *trace, uint32_t kind, size_t least_size)
{
    struct abi_section_view view;

    if (!abi_tracefile_section(trace, kind, 0, least_size, &view)) {
        return;
    }
    PROMISE(view.count <= view.entry.written && view.count <= view.entry.capacity);
    PROMISE(view.entry.record_size >= least_size);
    check_rows(&view, least_size);
    check_rows(&view, least_size + 16);
    check_rows(&view, view.entry.record_size);
}

static void check_sections(const struct abi_tracefile *trace)
{
    check_section(trace, ABI_SECTION_PROFILE_THREADS, sizeof(struct abi_profile_thread));
    check_section(trace, ABI_SECTION_PROFILE_NODES, sizeof(struct abi_profile_node));
    check_section(trace, ABI_SECTION_PROFILE_MUTES, sizeof(struct abi_profile_mute));
    check_section(trace, ABI_SECTION_PROFILE_LENGTHS, sizeof(uint64_t));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct abi_tracefile trace;
    uint8_t *copy = malloc(size > 0 ? size : 1); /* aligned, its end watched */

    PROMISE(copy != NULL);
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    enum mb_status status = abi_tracefile_open(&trace, copy, size, NULL);
    PROMISE(status == MB_OK || status == MB_BAD_TRACE);
    for (uint32_t i = 0; status == MB_OK && i < trace.header.ring_count; i++) {
        check_ring(&trace, i);
    }
    for (uint32_t i = 0; status == MB_OK && i < trace.header.mark_count; i++) {
        check_mark(&trace, i);
    }
    if (status == MB_OK) {
        check_sections(&trace);
    }
    free(copy);
    return 0;
}
