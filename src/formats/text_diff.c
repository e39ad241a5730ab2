/* Two traces side by side: the methods that changed by more than noise. */

#include "answer/diff.h"
#include "formats/text.h"

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

void format_put_diff(const struct answer_facts *facts, const struct format_look *look,
                     struct mb_buf *out)
{
    struct answer_diff diff = {0};

    format_put_heading(look, out, "Changes of own time since the old trace");
    answer_diff_make(&diff, look->old, facts);
    if (!diff.pairs.buf.failed) {
        put_pairs(look, &diff, out);
    }
    mb_buf_fail_with(out, &diff.pairs.buf);
    answer_diff_finish(&diff);
}
