/* What two traces side by side tell, in words. */

#include "answer/diff.h"
#include "answer/words.h"

#include <inttypes.h>

/* ---- The verdict ---- */

static const char *find_word(const struct answer_diff *diff)
{
    bool is_slower = diff->cpu.certain_ns > 0 || diff->wall.certain_ns > 0;
    bool is_faster = diff->cpu.certain_ns < 0 || diff->wall.certain_ns < 0;

    if (!diff->old.is_whole || !diff->new.is_whole) {
        return "Not to be compared as a whole, since a ring holds the end of its run only";
    }
    return is_slower && is_faster ? "Slower by one clock, faster by the other"
           : is_slower            ? "Slower"
           : is_faster            ? "Faster"
                                  : "No certain change";
}

/* "6.82 s of CPU, was 6.10 s (+11.8 %, of which +1.2 % certain)". */
static void put_change(const struct answer_change *change, const char *what, int64_t old,
                       int64_t new, struct mb_buf *out)
{
    answer_put_time(out, new, 0);
    mb_buf_printf(out, " %s, was ", what);
    answer_put_time(out, old, 0);
    mb_buf_printf(out, " (%+.1f %%, ", change->percent);
    if (change->certain_ns != 0) {
        mb_buf_printf(out, "of which %+.1f %% certain)", change->certain_percent);
    } else {
        mb_buf_put_string(out, "none of it certain)");
    }
}

/* ", 500 ms that recording may have made of it". */
static void put_part(int64_t ns, const char *what, struct mb_buf *out)
{
    if (ns > 0) {
        mb_buf_put_string(out, ", ");
        answer_put_time(out, ns, 0);
        mb_buf_put_string(out, what);
    }
}

/* What of a change is not told as certain. */
static void put_rule(const struct answer_diff *diff, struct mb_buf *out)
{
    mb_buf_printf(
        out, " Certain is what is beyond %.0f %% of the run, as which runs of one program differ",
        diff->usual);
    put_part(diff->recording_ns, " that recording may have made of it", out);
    put_part(diff->ready_ns, " on the clock that threads had a processor more or less", out);
    mb_buf_put_u1(out, '.');
}

void answer_put_verdict(const struct answer_diff *diff, struct mb_buf *out)
{
    bool is_whole = diff->old.is_whole && diff->new.is_whole;
    bool has_cpu = diff->old.has_cpu && diff->new.has_cpu;

    mb_buf_put_string(out, find_word(diff));
    if (has_cpu) {
        mb_buf_put_string(out, ": ");
        put_change(&diff->cpu, "of CPU", diff->old.cpu_ns, diff->new.cpu_ns, out);
    }
    if (is_whole) {
        mb_buf_put_string(out, has_cpu ? "; " : ": ");
        put_change(&diff->wall, "on the clock", diff->old.wall_ns, diff->new.wall_ns, out);
    }
    mb_buf_put_u1(out, '.');
    if (has_cpu || is_whole) {
        put_rule(diff, out);
    }
}

/* ---- What is left out ---- */

static const char *find_reason(const struct answer_diff *diff)
{
    return diff->share >= 1                             ? "nothing is certain of a single one here"
           : diff->share <= ANSWER_METHOD_NOISE / 100.0 ? "runs of one program differ as much"
           : diff->share <= ANSWER_TIMES_MIDDLE * diff->middle
               ? "four times what the middle one changed by"
               : "time without a processor, or not seen";
}

static void put_left(size_t count, bool *has_more, struct mb_buf *out)
{
    mb_buf_printf(out, "%s%zu", *has_more ? ", " : "", count);
    *has_more = true;
}

void answer_put_noise(const struct answer_diff *diff, struct mb_buf *out)
{
    bool has_more = false;

    if (diff->counts[ANSWER_LITTLE] > 0) {
        put_left(diff->counts[ANSWER_LITTLE], &has_more, out);
        mb_buf_put_string(out, " changed by less than 0.2 % of the run");
    }
    if (diff->counts[ANSWER_NOISE] > 0) {
        put_left(diff->counts[ANSWER_NOISE], &has_more, out);
        mb_buf_printf(out, " by less than %.0f %% of their time (%s) and %.0f %% of the run",
                      diff->share * 100, find_reason(diff), diff->usual);
    }
    if (diff->counts[ANSWER_MUTED_TIME] > 0) {
        put_left(diff->counts[ANSWER_MUTED_TIME], &has_more, out);
        mb_buf_put_string(out, " by time that went from muted methods to their callers, sooner in "
                               "one run than in the other");
    }
    if (diff->counts[ANSWER_INFERRED_TIME] > 0) {
        put_left(diff->counts[ANSWER_INFERRED_TIME], &has_more, out);
        mb_buf_put_string(out, " by time that rests on inferred ends");
    }
}

const char *answer_pair_word(const struct answer_pair *pair)
{
    return pair->old == NULL              ? "new"
           : pair->new == NULL            ? "gone"
           : answer_pair_change(pair) > 0 ? "slower"
                                          : "faster";
}
