/* Read all rings of a trace into what the formats of src/export write. */

#ifndef CLI_REPORT_MODEL_H
#define CLI_REPORT_MODEL_H

#include "cli/trace_input.h"

struct cli_report_options {
    const char *thread; /* a name or an id; NULL: all */
    const char *mark;   /* the range of this one, by name or number; NULL: all */
    int64_t threshold_ns;
    size_t top;
    bool colour;
};

/* Zeroed memory can be finished. report views the rest and the trace. */
struct cli_report_model {
    struct export_report report;
    struct trace_methods methods;
    struct mb_buf threads; /* struct export_thread */
    struct mb_buf slow;    /* struct export_slow */
    struct mb_buf groups;  /* struct export_group */
    struct mb_buf notes;   /* struct mb_text */
    struct mb_arena arena;
};

/* Appends to out what the format writes. Fails without memory, with MB_BAD_USAGE if no thread or
 * mark is the one asked for, and with MB_BAD_TRACE if the mark is not valid any more. A ring that
 * makes no sense becomes a note. */
MB_MUST_CHECK enum mb_status cli_report_build(struct cli_report_model *model,
                                              const struct cli_trace *trace,
                                              const struct cli_report_options *options,
                                              const struct export_format *format,
                                              struct mb_buf *out, struct mb_error *err);
void cli_report_model_finish(struct cli_report_model *model);

#endif
