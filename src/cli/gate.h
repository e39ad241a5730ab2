/* report --fail-above: the exit code that tells scripts whether a run is slower. */

#ifndef CLI_GATE_H
#define CLI_GATE_H

#include "answer/diff.h"

/* In percent; UINT64_MAX: whatever changed. */
struct cli_limits {
    uint64_t run;
    uint64_t shares[ANSWER_SHARES]; /* of the lengths of requests */
};

/* What of a diff decides. Zeroed memory can be finished: mb_buf_finish of suspects. */
struct cli_gate {
    double slower;          /* than the old trace, certainly, in percent; below 0: unknown */
    struct mb_buf suspects; /* text: what of it is slower */
    struct {
        double percent; /* of the kind that became slower by most; below 0: unknown */
        char name[128];
        /* The requests that some kind needs so that its change can be told; 0: one has them. */
        uint64_t needs;
        char needy[128];
    } shares[ANSWER_SHARES];
};

bool cli_gate_is_set(const struct cli_limits *limits);
void cli_gate_take(struct cli_gate *gate, const struct cli_limits *limits,
                   const struct answer_diff *diff);

/* CLI_DONE, or prints what exceeds a limit, CLI_SLOWER, or what is unknown, CLI_FAILED. */
int cli_gate_judge(const struct cli_gate *gate, const struct cli_limits *limits, const char *trace);

#endif
