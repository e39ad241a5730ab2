#include "cli/gate.h"

#include "base/number.h"
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>

bool cli_gate_is_set(const struct cli_limits *limits)
{
    bool is_set = limits->run != UINT64_MAX;

    for (size_t i = 0; i < ANSWER_SHARES; i++) {
        is_set = is_set || limits->shares[i] != UINT64_MAX;
    }
    return is_set;
}

static void take_name(char name[128], const struct answer_diff *diff,
                      const struct answer_tail *tail)
{
    struct mb_buf text = {0};

    answer_put_name(&text, &diff->new_methods->names, tail->new->id);
    (void)snprintf(name, 128, "%.*s", (int)text.size,
                   text.bytes != NULL ? (const char *)text.bytes : "");
    mb_buf_finish(&text);
}

/* The kind that needs fewest more, of those whose length is known if one is. */
static void take_needs(struct cli_gate *gate, const struct answer_diff *diff,
                       enum answer_share share, uint64_t limit, bool is_known)
{
    const struct answer_tail *needy = NULL;

    for (size_t i = 0; i < MB_VEC_COUNT(&diff->tails); i++) {
        const struct answer_tail *tail = &diff->tails.items[i];
        const struct answer_tail_change *change = answer_tail_change(tail, share);
        uint64_t needs = answer_tail_needs(change, (double)limit);
        bool is_one = tail->old != NULL && change->is_known == is_known;
        if (is_one && (needy == NULL || needs < gate->shares[share].needs)) {
            gate->shares[share].needs = needs;
            needy = tail;
        }
    }
    if (needy != NULL) {
        take_name(gate->shares[share].needy, diff, needy);
    }
}

static void take_share(struct cli_gate *gate, const struct answer_diff *diff,
                       enum answer_share share, uint64_t limit)
{
    const struct answer_tail *tail = answer_tails_slowest(&diff->tails, share);

    gate->shares[share].percent = -1;
    if (tail != NULL) {
        gate->shares[share].percent =
            mb_max_f64(answer_tail_change(tail, share)->certain_percent, 0);
        take_name(gate->shares[share].name, diff, tail);
    }
    take_needs(gate, diff, share, limit, tail != NULL);
}

void cli_gate_take(struct cli_gate *gate, const struct cli_limits *limits,
                   const struct answer_diff *diff)
{
    gate->slower = answer_diff_slower(diff);
    for (size_t i = 0; i < ANSWER_SHARES; i++) {
        take_share(gate, diff, (enum answer_share)i, limits->shares[i]);
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

static const char *const words[] = {[ANSWER_P50] = "p50", [ANSWER_P99] = "p99"};

/* Why a rise would not have been found. */
static int say_unknown(const struct cli_gate *gate, enum answer_share share, const char *trace)
{
    uint64_t needs = gate->shares[share].needs;
    struct mb_error err;

    if (needs == UINT64_MAX) {
        (void)mb_fail_in(&err, MB_BAD_TRACE, trace,
                         "--fail-above %s: cannot tell: the machine was too busy: threads of "
                         "%s, or those that it waits for, lacked a processor for too long",
                         words[share], gate->shares[share].needy);
    } else if (needs > 0) {
        (void)mb_fail_in(&err, MB_BAD_TRACE, trace,
                         "--fail-above %s: cannot tell: %s needs about %" PRIu64
                         " requests in each trace",
                         words[share], gate->shares[share].needy, needs);
    } else {
        (void)mb_fail_in(&err, MB_BAD_TRACE, trace,
                         "--fail-above %s: no kind of requests is in both traces", words[share]);
    }
    return cli_fail(&err);
}

static int judge_share(const struct cli_gate *gate, enum answer_share share, uint64_t limit,
                       const char *trace)
{
    double percent = gate->shares[share].percent;
    struct mb_error err;

    if (percent > (double)limit) {
        (void)mb_fail_in(&err, MB_BAD_TRACE, trace,
                         "%s of %s is slower by %.1f %% for certain, more than the %d %% of "
                         "--fail-above",
                         words[share], gate->shares[share].name, percent, (int)limit);
        cli_print_error(&err);
        return CLI_SLOWER;
    }
    return percent < 0 || gate->shares[share].needs > 0 ? say_unknown(gate, share, trace)
                                                        : CLI_DONE;
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
