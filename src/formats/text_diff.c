/* Two traces side by side: the methods that changed by more than noise. */

#include "answer/diff.h"
#include "formats/text.h"

#include <inttypes.h>

static void put_calls(struct mb_buf *out, const struct trace_method *method)
{
    if (method != NULL) {
        answer_put_count(out, method->calls, 7);
    } else {
        mb_buf_printf(out, "%7s", "-");
    }
}

static void put_row(const struct format_look *look, const struct answer_diff *diff,
                    const struct answer_pair *pair, struct mb_buf *out)
{
    int64_t change = answer_pair_change(pair);

    mb_buf_put_string(out, change < 0 ? "  -" : "  +");
    answer_put_time(out, answer_size_of(change), 7);
    mb_buf_put_u1(out, ' ');
    format_put_time(out, pair->old_ns);
    answer_put_time(out, pair->new_ns, 8);
    put_calls(out, pair->old);
    put_calls(out, pair->new);
    mb_buf_printf(out, "  %-6s ", answer_pair_word(pair));
    format_put_method(look, &answer_pair_methods(diff, pair)->names, out, pair->id, 51);
    mb_buf_put_string(out, pair->is_muted ? " ~\n" : "\n");
}

static void put_rest(const struct format_look *look, const struct answer_diff *diff, size_t shown,
                     struct mb_buf *out)
{
    const struct answer_voice voice = {0};
    struct answer_findings findings = {0};

    if (diff->certain > shown) {
        mb_buf_printf(out, "  (%zu more)\n", diff->certain - shown);
    }
    answer_find_noise(&findings, diff);
    format_put_findings(look, out, &findings, &voice);
    answer_findings_finish(&findings);
}

static void put_pairs(const struct format_look *look, const struct answer_diff *diff,
                      struct mb_buf *out)
{
    const struct answer_pair *rows = diff->pairs.items;
    size_t shown = 0;

    if (diff->certain > 0) {
        mb_buf_printf(out, "  %8s %8s %8s%7s%7s\n", "own", "was", "is", "calls", "are");
    } else {
        mb_buf_put_string(out, "  (none for certain)\n");
    }
    for (; shown < diff->certain && shown < look->top; shown++) {
        put_row(look, diff, &rows[shown], out);
    }
    put_rest(look, diff, shown, out);
}

/* ---- Requests ---- */

/* "129 ms (121 ms to 140 ms)" */
static void put_quantile(const struct answer_quantile *quantile, struct mb_buf *out)
{
    answer_put_time(out, quantile->ns, 0);
    mb_buf_put_string(out, " (");
    answer_put_time(out, quantile->least_ns, 0);
    if (quantile->most_ns == INT64_MAX) {
        mb_buf_put_string(out, " or more)");
        return;
    }
    mb_buf_put_string(out, " to ");
    answer_put_time(out, quantile->most_ns, 0);
    mb_buf_put_u1(out, ')');
}

static void put_change(const char *label, const struct answer_tail_change *change,
                       struct mb_buf *out)
{
    mb_buf_printf(out, "    %s  ", label);
    put_quantile(change->new, out);
    mb_buf_put_string(out, ", was ");
    put_quantile(change->old, out);
    if (change->certain_percent > 0 || change->certain_percent < 0) {
        mb_buf_printf(out, ": %+.1f %%, %+.1f %% for certain\n", change->percent,
                      change->certain_percent);
    } else {
        mb_buf_put_string(out, change->is_known ? ": may be chance\n" : ": too few\n");
    }
}

static void put_causes(bool are_new, const struct answer_side *side,
                       const struct answer_side *other, const struct format_look *look,
                       struct mb_buf *out)
{
    for (size_t i = 0; i < side->request->excess_count; i++) {
        const struct answer_excess *excess = &side->request->excesses[i];
        if (answer_tail_lacks(excess, side, other, are_new ? ANSWER_GROWN : 0)) {
            mb_buf_printf(out, "    %s cause: %" PRIu64 " slow ones ", are_new ? "new" : "gone",
                          excess->count);
            format_put_cause(excess, &side->methods->names, look, out);
            mb_buf_put_u1(out, '\n');
        }
    }
}

static void put_tail(const struct format_look *look, const struct answer_diff *diff,
                     const struct answer_tail *tail, struct mb_buf *out)
{
    const struct answer_request *new = tail->new;
    const struct answer_request *old = tail->old;
    const struct answer_side is = {new, diff->new_methods};
    const struct answer_side was = {old, diff->old_methods};

    mb_buf_put_string(out, "  ");
    format_put_method(look, &diff->new_methods->names, out, new->id, 20);
    mb_buf_printf(out, old == NULL ? ": %" PRIu64 ", new\n" : ": %" PRIu64, new->lengths.calls);
    if (old != NULL) {
        mb_buf_printf(out, ", was %" PRIu64 "%s\n", old->lengths.calls,
                      tail->p99.is_on_processor ? ", without waits for a processor" : "");
        put_change("p50", &tail->p50, out);
        put_change("p99", &tail->p99, out);
        put_causes(true, &is, &was, look, out);
        put_causes(false, &was, &is, look, out);
    }
}

static void put_tails(const struct format_look *look, const struct answer_diff *diff,
                      struct mb_buf *out)
{
    size_t count = MB_VEC_COUNT(&diff->tails);
    size_t shown = 0;

    if (count > 0) {
        format_put_heading(look, out, "Changes of requests since the old trace");
    }
    for (; shown < count && shown < look->top; shown++) {
        put_tail(look, diff, &diff->tails.items[shown], out);
    }
    if (count > shown) {
        mb_buf_printf(out, "  (%zu more)\n", count - shown);
    }
}

void format_put_diff(const struct answer_facts *facts, const struct format_look *look,
                     struct mb_buf *out)
{
    struct answer_diff diff = {0};

    answer_diff_make(&diff, look->old, facts);
    if (!diff.pairs.buf.failed) {
        put_tails(look, &diff, out);
    }
    format_put_heading(look, out, "Changes of own time since the old trace");
    if (!diff.pairs.buf.failed) {
        put_pairs(look, &diff, out);
    }
    mb_buf_fail_with(out, &diff.pairs.buf);
    answer_diff_finish(&diff);
}
