#include "cli/gate.h"

#include "base/number.h"
#include "cli/cli.h"

#include <stdio.h>

bool cli_gate_is_set(const struct cli_limits *limits)
{
    bool is_set = limits->run != UINT64_MAX;

    for (size_t i = 0; i < ANSWER_SHARES; i++) {
        is_set = is_set || limits->shares[i] != UINT64_MAX;
    }
    return is_set;
}

static void take_share(struct cli_gate *gate, const struct answer_diff *diff,
                       enum answer_share share)
{
    const struct answer_tail *tail = answer_tails_slowest(&diff->tails, share);
    struct mb_buf name = {0};

    gate->shares[share].percent = -1;
    if (tail == NULL) {
        return;
    }
    gate->shares[share].percent = mb_max_f64(answer_tail_change(tail, share)->certain_percent, 0);
    answer_put_name(&name, &diff->new_methods->names, tail->new->id);
    (void)snprintf(gate->shares[share].name, sizeof(gate->shares[share].name), "%.*s",
                   (int)name.size, name.bytes != NULL ? (const char *)name.bytes : "");
    mb_buf_finish(&name);
}

void cli_gate_take(struct cli_gate *gate, const struct answer_diff *diff)
{
    gate->slower = answer_diff_slower(diff);
    for (size_t i = 0; i < ANSWER_SHARES; i++) {
        take_share(gate, diff, (enum answer_share)i);
    }
    answer_put_suspects(diff, &gate->suspects);
    mb_buf_put_u1(&gate->suspects, 0);
    mb_buf_fail_with(&gate->suspects, &diff->pairs.buf);
}

static int judge_run(const struct cli_gate *gate, uint64_t limit, const char *trace)
{
    struct mb_error err;

    if (gate->slower < 0) {
        (void)mb_fail_in(&err, MB_BAD_TRACE, trace,
                         "--fail-above: a ring of one of the traces holds the end of its run only");
        return cli_fail(&err);
    }
    if (gate->slower <= (double)limit) {
        return CLI_DONE;
    }
    (void)mb_fail_in(&err, MB_BAD_TRACE, trace,
                     "slower by %.1f %% for certain, more than the %d %% of --fail-above",
                     gate->slower, (int)limit);
    cli_print_error(&err);
    if (!gate->suspects.failed && gate->suspects.size > 1) {
        (void)fprintf(stderr, "methodbeat: %s\n", (const char *)gate->suspects.bytes);
    }
    return CLI_SLOWER;
}

static int judge_share(const struct cli_gate *gate, enum answer_share share, uint64_t limit,
                       const char *trace)
{
    static const char *const words[] = {[ANSWER_P50] = "p50", [ANSWER_P99] = "p99"};
    double percent = gate->shares[share].percent;
    struct mb_error err;

    if (percent < 0) {
        (void)mb_fail_in(&err, MB_BAD_TRACE, trace,
                         "--fail-above %s: no kind of requests has enough of them in both traces",
                         words[share]);
        return cli_fail(&err);
    }
    if (percent <= (double)limit) {
        return CLI_DONE;
    }
    (void)mb_fail_in(&err, MB_BAD_TRACE, trace,
                     "%s of %s is slower by %.1f %% for certain, more than the %d %% of "
                     "--fail-above",
                     words[share], gate->shares[share].name, percent, (int)limit);
    cli_print_error(&err);
    return CLI_SLOWER;
}

/* That something is slower comes before that something is unknown. */
int cli_gate_judge(const struct cli_gate *gate, const struct cli_limits *limits, const char *trace)
{
    int code = limits->run != UINT64_MAX ? judge_run(gate, limits->run, trace) : CLI_DONE;

    for (size_t i = 0; i < ANSWER_SHARES; i++) {
        bool is_set = limits->shares[i] != UINT64_MAX;
        int one = is_set ? judge_share(gate, (enum answer_share)i, limits->shares[i], trace) : 0;
        code = one > code ? one : code;
    }
    return code;
}
