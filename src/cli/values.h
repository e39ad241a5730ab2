/* What the options of all subcommands say: the places of the rows of table.c. A subcommand looks
 * at those of its own options only. */

#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include "answer/input.h"
#include "cli/format.h"
#include "cli/gate.h"
#include "cli/instrument_options.h"
#include "issues/fleet/ask.h"
#include "issues/fleet/load.h"
#include "issues/output.h"
#include "jvms/live/watch.h"
#include "jvms/process/words.h"
#include "monitor/fps/fps.h"

/* Of report alone. */
struct cli_report_values {
    const char *mark;
    const char *issues; /* a spool of the monitors, or NULL */
    const char *old_path;
    enum format_weight weight;
    unsigned shows; /* enum format_detail, several */
    uint64_t threshold_ms;
    const char *requests; /* NULL: as recorded */
    struct cli_limits fail_above;
};

/* Of issues alone. */
struct cli_issues_values {
    int format;   /* enum issues_format_number, as a choice gives it */
    int grouping; /* enum issues_grouping, as a choice gives it */
    const char *details;
};

/* Of the commands below fleet. */
struct cli_fleet_values {
    const char *output; /* of rows and ask */
    const char *into;
    struct fleet_rewrite rewrite;
    struct fleet_blanks blanks;
    struct fleet_engine engine;
    struct fleet_answer answer;
    int dialect; /* enum fleet_dialect of --sql; below 0: it was not given */
    bool prints_sql;
    bool is_page;
    bool fails;
    const struct fleet_question
        *question; /* an operand, as the lake, which is the engine's folder */
};

struct cli_values {
    struct cli_instrument_options build;

    /* What is recorded. */
    struct proc_agent_options probes;
    const char *agent;
    const char *trace; /* to be written */
    bool leaves;
    bool dumps;
    bool stops;
    uint64_t seconds;
    uint64_t timeout_s;

    /* What is read, and how it is shown. */
    struct answer_source source;
    struct rule_builds mapping; /* for source, if that is to use it */
    struct cli_report_wish report;
    struct cli_report_values detail;
    const char *thread; /* a name or an id; NULL: all */
    bool has_threads;
    int is_json;  /* as a choice gives it */
    uint64_t top; /* UINT64_MAX: the default of the format, of report */
    uint64_t percent;
    uint64_t interval_ms;
    uint64_t tables; /* 0: any number */
    int sort;        /* enum live_order, as a choice gives it */
    struct fps_arguments fps;

    /* Issues. */
    struct cli_issues_values issues;
    bool is_strict;

    struct cli_fleet_values fleet;
};

extern const struct cli_option cli_options[];

#endif
