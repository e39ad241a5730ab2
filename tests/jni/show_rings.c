/* One line per ring of a trace: its thread, how many records, and how many match. For run.sh.
 *
 * usage: show_rings TRACE */
#include "abi/names.h"
#include "abi/record.h"
#include "abi/tracefile.h"
#include "base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_DEPTH 1000000

struct count {
    uint64_t records;
    uint64_t unmatched;
    uint64_t backwards; /* times that go back */
    uint64_t before;
    uint32_t open[MAX_DEPTH];
    size_t depth;
};

static void count_word(struct count *count, uint64_t word)
{
    count->records++;
    count->backwards += abi_record_elapsed(count->before, word) > ABI_TIME_MASK / 2;
    count->before = word;
    if (abi_record_is_enter(word) && count->depth < MAX_DEPTH) {
        count->open[count->depth++] = abi_record_id(word);
    } else if (!abi_record_is_enter(word) && count->depth > 0 &&
               count->open[count->depth - 1] == abi_record_id(word)) {
        count->depth--;
    } else {
        count->unmatched++;
    }
}

static void show(const struct abi_ring_view *view)
{
    static struct count count;

    count = (struct count){.before = view->run_counts[0] > 0 ? view->runs[0][0] : 0};
    for (int r = 0; r < 2; r++) {
        for (size_t i = 0; i < view->run_counts[r]; i++) {
            count_word(&count, view->runs[r][i]);
        }
    }
    (void)printf("%s%s: %" PRIu64 " records, %" PRIu64 " unmatched, %zu open, %" PRIu64
                 " backwards\n",
                 view->entry.is_main ? "*" : "", view->entry.thread_name, count.records,
                 count.unmatched, count.depth, count.backwards);
}

int main(int argc, char **argv)
{
    struct mb_buf bytes = {0};
    struct mb_error err;
    struct abi_tracefile trace;
    struct abi_ring_view view;
    char line[512];
    bool used;

    if (argc != 2 || mb_file_read(&bytes, argv[1], &err) != MB_OK ||
        abi_tracefile_open(&trace, bytes.bytes, bytes.size, &err) != MB_OK) {
        (void)fprintf(stderr, "%s\n", argc == 2 ? mb_error_format(&err, line, sizeof(line)) : "?");
        return 1;
    }
    (void)printf("%s clock, %s\n",
                 trace.header.clock_kind == ABI_CLOCK_COUNTER ? "counter" : "coarse",
                 trace.header.state == ABI_TRACE_CLOSED ? "closed" : "open");
    for (uint32_t i = 0; i < trace.header.ring_count; i++) {
        if (abi_tracefile_ring(&trace, i, &view, &used, NULL) == MB_OK && used) {
            show(&view);
        }
    }
    mb_buf_finish(&bytes);
    return 0;
}
