/* Read all rings of a trace into what the formats of src/export write. */

#ifndef REPORT_MODEL_H
#define REPORT_MODEL_H

#include "export/writer.h"
#include "report/events.h"
#include "report/input.h"
#include "report/sections.h"

struct report_options {
    const char *thread; /* a name or an id; NULL: all */
    const char *mark;   /* the range of this one, by name or number; NULL: all */
    int64_t threshold_ns;
    size_t top;
    bool colour;
    size_t columns;                    /* export_report */
    unsigned details;                  /* export_report */
    enum export_weight weight;         /* export_report */
    const struct export_report *old;   /* export_report */
    const struct export_issue *issues; /* export_report; NULL: were not asked for */
    size_t issue_count;
    const struct report_told *told; /* what monitors told, of any process and time */
    size_t told_count;
    const struct export_drawn *drawn; /* export_report */
    size_t drawn_count;
    struct mb_text trace_path; /* export_report */
    struct mb_text map_path;   /* export_report */
};

/* Zeroed memory can be finished. report views the rest and the trace. */
struct report_model {
    struct export_report report;
    struct report_sections sections;
    struct trace_methods methods;
    struct mb_buf nodes;     /* struct mb_buf of struct trace_node, of threads without a profile */
    struct mb_buf threads;   /* struct export_thread */
    struct mb_buf slow;      /* struct export_slow */
    struct mb_buf groups;    /* struct export_group */
    struct mb_buf mutes;     /* struct export_mute */
    struct mb_buf held;      /* struct export_held */
    struct mb_buf suspended; /* struct export_suspended */
    struct mb_buf events;    /* struct export_event */
    struct mb_buf notes;     /* struct mb_text */
    struct mb_arena arena;
};

/* Lets the writer's format write; where that is NULL only the model is made. Fails as the writer
 * does, without memory, with MB_BAD_USAGE if no thread or mark is the one asked for, and with
 * MB_BAD_TRACE if the mark is not valid any more. A ring or section that makes no sense becomes a
 * note. */
MB_MUST_CHECK enum mb_status report_model_build(struct report_model *model,
                                                const struct report_trace *trace,
                                                const struct report_options *options,
                                                struct export_writer *writer, struct mb_error *err);
void report_model_finish(struct report_model *model);

#endif
