/* Slow messages: by what they spent their time on, and with their stacks. */

#include "formats/text.h"

#include "answer/marks.h"

#include <inttypes.h>

#define MAX_GROUPS 5
#define MAX_INDENT 24
#define STACK_COLUMN 18

static const char *root_name(const struct answer_facts *report, bool is_one)
{
    if (report->has_messages) {
        return is_one ? "message" : "messages";
    }
    return is_one ? "outermost call" : "outermost calls";
}

static void put_item(const struct answer_facts *report, const struct trace_item *item,
                     struct mb_buf *out)
{
    size_t indent = item->depth < 0 ? 0 : (size_t)item->depth;

    indent = indent < MAX_INDENT ? indent : MAX_INDENT;
    mb_buf_put_string(out, "  ");
    answer_put_time(out, answer_ns(report, item->duration), 8);
    mb_buf_put_u1(out, ' ');
    answer_put_count(out, item->count, 5);
    mb_buf_printf(out, "  %*s", (int)indent, "");
    format_put_method(report, out, item->id, STACK_COLUMN + 2 + indent);
    answer_put_marks(report, out, item->id, item->is_open != 0);
    answer_put_inferred(out, item->is_inferred, 1);
    mb_buf_put_u1(out, '\n');
}

static void put_stack(const struct answer_facts *report, const struct answer_slow *slow,
                      struct mb_buf *out)
{
    mb_buf_put_string(out, "\n  ");
    answer_put_time(out, slow->duration_ns, 0);
    mb_buf_put_string(out, " at ");
    answer_put_time(out, (int64_t)slow->start_ns, 0);
    mb_buf_put_string(out, " in ");
    mb_buf_put_printable(out, slow->thread->name);
    mb_buf_put_string(out, slow->is_open ? ", still running\n" : "\n");
    mb_buf_printf(out, "  %8s %5s\n", "time", "calls");
    for (size_t i = 0; i < slow->item_count; i++) {
        put_item(report, &slow->items[i], out);
    }
}

static void put_groups(const struct answer_facts *report, struct mb_buf *out)
{
    size_t most = report->details & FORMAT_STACKS ? report->top : MAX_GROUPS;

    mb_buf_printf(out, "  %8s %5s %8s  %s\n", "total", "count", "longest", "mostly in");
    for (size_t i = 0; i < report->group_count && i < most; i++) {
        const struct answer_group *group = &report->groups[i];
        mb_buf_put_string(out, "  ");
        answer_put_time(out, group->total_ns, 8);
        mb_buf_put_u1(out, ' ');
        answer_put_count(out, group->count, 5);
        mb_buf_put_u1(out, ' ');
        answer_put_time(out, group->longest_ns, 8);
        mb_buf_put_string(out, "  ");
        format_put_method(report, out, group->key, 27);
        mb_buf_put_u1(out, '\n');
    }
    if (report->group_count > most) {
        mb_buf_printf(out, "  (%zu more)\n", report->group_count - most);
    }
}

void format_put_slow(const struct answer_facts *report, struct mb_buf *out)
{
    size_t stacks = report->details & FORMAT_STACKS ? report->top : 1;
    struct mb_buf limit = {0};

    if (report->slow_count == 0) {
        return;
    }
    answer_put_time(&limit, report->threshold_ns, 0);
    mb_buf_put_u1(&limit, 0);
    out->failed = out->failed || limit.failed;
    format_put_heading(report, out, "Slow %s (%s or more)", root_name(report, false),
                       limit.failed ? "" : (const char *)limit.bytes);
    mb_buf_finish(&limit);
    put_groups(report, out);
    for (size_t i = 0; i < report->slow_count && i < stacks; i++) {
        put_stack(report, &report->slow[i], out);
    }
    if (report->slow_count > stacks) {
        mb_buf_printf(out, "\n  (%zu more: --stacks)\n", report->slow_count - stacks);
    }
}
