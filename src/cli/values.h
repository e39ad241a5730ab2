/* What the options of all subcommands say: the places of the rows of table.c. A subcommand looks
 * at those of its own options only. */

#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include "answer/input.h"
#include "cli/colour.h"
#include "cli/format.h"
#include "cli/instrument_options.h"
#include "fps/fps.h"
#include "issues/output.h"
#include "live/watch.h"
#include "process/agent_options.h"

enum cli_children { CLI_CHILDREN_ON, CLI_CHILDREN_OFF };

/* Of report alone. */
struct cli_report_values {
    const char *mark;
    const char *issues; /* a spool of the monitors, or NULL */
    const char *old_path;
    enum format_weight weight;
    bool with_stacks;
    bool with_muted;
    bool with_trust;
    bool tells_size;
    uint64_t threshold_ms;
    uint64_t most_stacks; /* 0: any number */
    uint64_t fail_above;  /* percent; UINT64_MAX: whatever changed */
};

struct cli_values {
    struct cli_instrument_options build;

    /* What is recorded. */
    struct proc_agent_options probes;
    const char *agent;
    const char *trace; /* to be written */
    enum cli_children children;
    bool leaves;
    uint64_t process_id;
    uint64_t seconds;
    uint64_t timeout_s;
    uint64_t timeout_ms; /* of control */

    /* What is read, and how it is shown. */
    struct answer_source source;
    struct cli_report_wish report;
    struct cli_report_values detail;
    const char *thread; /* a name or an id; NULL: all */
    bool has_threads;
    bool is_wide;
    int is_json; /* as a choice gives it */
    enum cli_colour colour;
    uint64_t top;
    uint64_t percent;
    uint64_t interval_ms;
    uint64_t tables; /* 0: any number */
    const struct live_sort *sort;
    struct fps_arguments fps;

    /* Issues. */
    const struct issues_format *issues_format;
    int grouping; /* enum issues_grouping, as a choice gives it */
    const char *details;
    bool is_strict;
};

extern const struct cli_option cli_options[];

#endif
