/* Slow messages: by what they spent their time on, and with their stacks. */

#include "formats/text.h"

#include "answer/marks.h"

#include <inttypes.h>

#define MAX_GROUPS 5
#define MAX_INDENT 24
#define STACK_COLUMN 18

static const char *root_name(const struct answer_recording *recording, bool is_one)
{
    if (recording->has_messages) {
        return is_one ? "message" : "messages";
    }
    return is_one ? "outermost call" : "outermost calls";
}

static void put_item(const struct answer_clock *clock, const struct answer_methods *methods,
                     const struct format_look *look, const struct trace_item *item,
                     struct mb_buf *out)
{
    size_t indent = item->depth < 0 ? 0 : (size_t)item->depth;

    indent = indent < MAX_INDENT ? indent : MAX_INDENT;
    mb_buf_put_string(out, "  ");
    format_put_time(out, answer_ns(clock, item->duration));
    answer_put_count(out, item->count, 5);
    mb_buf_printf(out, "  %*s", (int)indent, "");
    format_put_method(look, &methods->names, out, item->id, STACK_COLUMN + 2 + indent);
    answer_put_marks(methods, out, item->id, item->is_open != 0);
    answer_put_inferred(out, item->is_inferred, 1);
    if (item->count > 1 && item->longest > 0 && item->longest < item->duration) {
        mb_buf_put_string(out, ", longest ");
        answer_put_time(out, answer_ns(clock, item->longest), 0);
    }
    mb_buf_put_u1(out, '\n');
}

static void put_stack(const struct answer_clock *clock, const struct answer_methods *methods,
                      const struct format_look *look, const struct answer_slow *slow,
                      struct mb_buf *out)
{
    struct trace_item rows[TRACE_TRIMMED_MAX];
    size_t count = trace_fold(slow->items, slow->item_count, rows);

    mb_buf_put_string(out, "\n  ");
    answer_put_time(out, slow->duration_ns, 0);
    mb_buf_put_string(out, " at ");
    answer_put_time(out, (int64_t)slow->start_ns, 0);
    mb_buf_put_string(out, " in ");
    mb_buf_put_printable(out, slow->thread->name);
    mb_buf_put_string(out, slow->is_open ? ", still running" : "");
    mb_buf_put_string(out, slow->item_count < TRACE_TRIMMED_MAX ? "\n" : "; its longest calls\n");
    mb_buf_printf(out, "  %8s %5s\n", "time", "calls");
    for (size_t i = 0; i < count; i++) {
        put_item(clock, methods, look, &rows[i], out);
    }
}

static void put_groups(const struct answer_messages *messages, const struct answer_names *names,
                       const struct format_look *look, struct mb_buf *out)
{
    size_t most = look->details & FORMAT_STACKS ? look->top : MAX_GROUPS;

    mb_buf_printf(out, "  %8s %5s %8s  %s\n", "total", "count", "longest", "mostly in");
    for (size_t i = 0; i < messages->group_count && i < most; i++) {
        const struct answer_group *group = &messages->groups[i];
        mb_buf_put_string(out, "  ");
        format_put_time(out, group->total_ns);
        answer_put_count(out, group->count, 5);
        mb_buf_put_u1(out, ' ');
        answer_put_time(out, group->longest_ns, 8);
        mb_buf_put_string(out, "  ");
        format_put_method(look, names, out, group->key, 27);
        mb_buf_put_u1(out, '\n');
    }
    if (messages->group_count > most) {
        mb_buf_printf(out, "  (%zu more)\n", messages->group_count - most);
    }
}

void format_put_slow(const struct answer_recording *recording,
                     const struct answer_messages *messages, const struct answer_clock *clock,
                     const struct answer_methods *methods, const struct format_look *look,
                     struct mb_buf *out)
{
    size_t stacks = look->details & FORMAT_STACKS ? look->top : 1;
    struct mb_buf limit = {0};

    if (messages->slow_count == 0) {
        return;
    }
    answer_put_time(&limit, messages->threshold_ns, 0);
    mb_buf_put_u1(&limit, 0);
    format_put_heading(look, out, "Slow %s (%s or more)", root_name(recording, false),
                       limit.failed ? "" : (const char *)limit.bytes);
    mb_buf_finish_part(out, &limit);
    put_groups(messages, &methods->names, look, out);
    for (size_t i = 0; i < messages->slow_count && i < stacks; i++) {
        put_stack(clock, methods, look, &messages->slow[i], out);
    }
    if (messages->slow_count > stacks) {
        mb_buf_printf(out, "\n  (%zu more: --show=stacks)\n", messages->slow_count - stacks);
    }
}
