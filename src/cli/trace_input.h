/* What report and records read: a trace, and the names of its methods. An error that names no file
 * is one of the trace. */

#ifndef CLI_TRACE_INPUT_H
#define CLI_TRACE_INPUT_H

#include "abi/tracefile.h"
#include "cli/method_names.h"

/* Zeroed memory can be finished. */
struct cli_trace {
    struct mb_buf bytes;
    struct abi_tracefile file;
    struct cli_method_names names;
};

/* What the command line names; all borrowed. */
struct cli_trace_source {
    const char *path;
    const char *method_map; /* NULL: no names */
    const char *mapping;    /* a ProGuard or R8 file, or NULL */
    bool force;             /* use the map although the trace was recorded with another */
};

/* Read a trace and the names. MB_BAD_TRACE if the map is another one, unless forced. Finish also
 * after failure. */
MB_MUST_CHECK enum mb_status cli_trace_load(struct cli_trace *trace,
                                            const struct cli_trace_source *source,
                                            struct mb_error *err);
void cli_trace_finish(struct cli_trace *trace);

/* The time of a word in units, all 64 bits of it: near the latest time that the header knows. */
uint64_t cli_trace_time(const struct cli_trace *trace, uint64_t word);

/* Where the range of a mark starts; it ends with its ring. */
struct cli_mark {
    uint32_t ring;
    uint64_t position;
    char name[ABI_TRACE_NAME_SIZE];
};

/* The mark that is called so or, where none is, has that number. MB_BAD_USAGE if there is none, or
 * several that are valid; MB_BAD_TRACE if it is not valid any more. */
MB_MUST_CHECK enum mb_status cli_trace_find_mark(const struct cli_trace *trace, const char *wanted,
                                                 struct cli_mark *mark, struct mb_error *err);

/* True if the ring is of the thread that is called so, by name or id; NULL: of any. */
bool cli_trace_is_thread(const struct abi_ring_view *view, const char *wanted);

#endif
