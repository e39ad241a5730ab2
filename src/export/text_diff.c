/* Two traces side by side: the verdict, and the methods that changed by more than noise. */

#include "export/diff.h"
#include "export/text.h"

#include <inttypes.h>

/* ---- The verdict ---- */

static const char *find_word(const struct export_diff *diff)
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
static void put_change(const struct export_change *change, const char *what, int64_t old,
                       int64_t new, struct mb_buf *out)
{
    export_put_time(out, new, 0);
    mb_buf_printf(out, " %s, was ", what);
    export_put_time(out, old, 0);
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
        export_put_time(out, ns, 0);
        mb_buf_put_string(out, what);
    }
}

/* What of a change is not told as certain. */
static void put_rule(const struct export_diff *diff, struct mb_buf *out)
{
    mb_buf_printf(
        out, " Certain is what is beyond %.0f %% of the run, as which runs of one program differ",
        diff->usual);
    put_part(diff->recording_ns, " that recording may have made of it", out);
    put_part(diff->ready_ns, " on the clock that threads had a processor more or less", out);
    mb_buf_put_u1(out, '.');
}

void export_put_verdict(const struct export_diff *diff, struct mb_buf *out)
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

static const char *find_reason(const struct export_diff *diff)
{
    return diff->share >= 1                             ? "nothing is certain of a single one here"
           : diff->share <= EXPORT_METHOD_NOISE / 100.0 ? "runs of one program differ as much"
           : diff->share <= EXPORT_TIMES_MIDDLE * diff->middle
               ? "four times what the middle one changed by"
               : "time without a processor, or not seen";
}

static void put_left(size_t count, bool *has_more, struct mb_buf *out)
{
    mb_buf_printf(out, "%s%zu", *has_more ? ", " : "", count);
    *has_more = true;
}

void export_put_noise(const struct export_diff *diff, struct mb_buf *out)
{
    bool has_more = false;

    if (diff->counts[EXPORT_LITTLE] > 0) {
        put_left(diff->counts[EXPORT_LITTLE], &has_more, out);
        mb_buf_put_string(out, " changed by less than 0.2 % of the run");
    }
    if (diff->counts[EXPORT_NOISE] > 0) {
        put_left(diff->counts[EXPORT_NOISE], &has_more, out);
        mb_buf_printf(out, " by less than %.0f %% of their time (%s) and %.0f %% of the run",
                      diff->share * 100, find_reason(diff), diff->usual);
    }
    if (diff->counts[EXPORT_MUTED_TIME] > 0) {
        put_left(diff->counts[EXPORT_MUTED_TIME], &has_more, out);
        mb_buf_put_string(out, " by time that went from muted methods to their callers, sooner in "
                               "one run than in the other");
    }
    if (diff->counts[EXPORT_INFERRED_TIME] > 0) {
        put_left(diff->counts[EXPORT_INFERRED_TIME], &has_more, out);
        mb_buf_put_string(out, " by time that rests on inferred ends");
    }
}

/* ---- Rows ---- */

const char *export_pair_word(const struct export_pair *pair)
{
    return pair->old == NULL              ? "new"
           : pair->new == NULL            ? "gone"
           : export_pair_change(pair) > 0 ? "slower"
                                          : "faster";
}

static void put_calls(struct mb_buf *out, const struct trace_method *method)
{
    if (method != NULL) {
        export_put_count(out, method->calls, 7);
    } else {
        mb_buf_printf(out, "%7s", "-");
    }
}

static void put_row(const struct export_report *report, const struct export_pair *pair,
                    struct mb_buf *out)
{
    int64_t change = export_pair_change(pair);
    const struct export_report *named = pair->new != NULL ? report : report->old;
    struct export_report of = *report;

    of.names = named->names;
    mb_buf_put_string(out, change < 0 ? "  -" : "  +");
    export_put_time(out, export_size_of(change), 7);
    mb_buf_put_u1(out, ' ');
    export_put_time(out, pair->old_ns, 8);
    mb_buf_put_u1(out, ' ');
    export_put_time(out, pair->new_ns, 8);
    put_calls(out, pair->old);
    put_calls(out, pair->new);
    mb_buf_printf(out, "  %-6s ", export_pair_word(pair));
    export_put_method(&of, out, pair->id, 51);
    mb_buf_put_u1(out, '\n');
}

static void put_rest(const struct export_report *report, const struct export_diff *diff,
                     size_t shown, struct mb_buf *out)
{
    struct mb_buf text = {0};

    if (diff->counts[EXPORT_CERTAIN] > shown) {
        mb_buf_printf(out, "  (%zu more)\n", diff->counts[EXPORT_CERTAIN] - shown);
    }
    export_put_noise(diff, &text);
    if (text.size > 0) {
        export_put_item(report, out, "left out", &text);
    }
    out->failed = out->failed || text.failed;
    mb_buf_finish(&text);
}

static void put_pairs(const struct export_report *report, const struct export_diff *diff,
                      struct mb_buf *out)
{
    const struct export_pair *rows = (const void *)diff->pairs.bytes;
    size_t shown = 0;

    if (diff->counts[EXPORT_CERTAIN] > 0) {
        mb_buf_printf(out, "  %8s %8s %8s%7s%7s\n", "own", "was", "is", "calls", "are");
    } else {
        mb_buf_put_string(out, "  (none for certain)\n");
    }
    for (; shown < diff->counts[EXPORT_CERTAIN] && shown < report->top; shown++) {
        put_row(report, &rows[shown], out);
    }
    put_rest(report, diff, shown, out);
}

void export_put_diff(const struct export_report *report, struct mb_buf *out)
{
    struct export_diff diff = {0};

    export_put_heading(report, out, "Changes of own time since the old trace");
    export_diff_make(&diff, report);
    if (!diff.pairs.failed) {
        put_pairs(report, &diff, out);
    }
    out->failed = out->failed || diff.pairs.failed;
    export_diff_finish(&diff);
}
