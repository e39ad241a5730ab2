#include "monitor/members.h"

#include "abi/issue.h"
#include "monitor/figures.h"
#include "monitor/issue.h"
#include "trace/trace.h"

#include <stdio.h>

#define SIMPLE_FRAMES 12u /* of threadStack: what Matrix shows */

static int64_t wall_begin_ms(const struct mon_issue *issue)
{
    if (issue->exit != NULL) {
        return mon_ms(issue->exit->wall_ns);
    }
    return issue->process != NULL ? mon_ms(issue->span.begin_ns + issue->process->wall_ns) : 0;
}

static int64_t wall_end_ms(const struct mon_issue *issue)
{
    return wall_begin_ms(issue) + mon_ms(issue->span.end_ns - issue->span.begin_ns);
}

static void put_share(struct mon_writing *w, const char *key, uint32_t of_10000)
{
    mb_json_key(&w->json, key);
    mb_buf_printf(w->json.out, "%u.%04u", of_10000 / 10000, of_10000 % 10000);
}

static const char *tag_of(const struct mon_issue *issue)
{
    if (issue->detail == MON_CUSTOM) {
        return "Custom";
    }
    if (issue->detail == MON_FPS) {
        return ABI_TAG_TRACE "FPS";
    }
    return issue->detail == MON_START ? ABI_TAG_TRACE "StartUp" : ABI_TAG_TRACE "EvilMethod";
}

static void put_device(struct mon_writing *w)
{
    static const struct mon_process unknown = {0};
    const struct mon_process *process = w->issue->process != NULL ? w->issue->process : &unknown;
    struct mb_text machine = mon_writing_name(w, process->machine);

    mb_json_string(&w->json, ABI_ISSUE_TAG, tag_of(w->issue));
    mb_json_text(&w->json, ABI_ISSUE_PROCESS, mon_writing_name(w, process->name));
    mb_json_number(&w->json, ABI_ISSUE_TIME, wall_end_ms(w->issue));
    mb_json_text(&w->json, "machine", machine.size > 0 ? machine : MB_TEXT("UN_KNOW"));
    put_share(w, "cpu_app", process->cpu_share);
    mb_json_number(&w->json, "mem", (int64_t)process->mem_bytes);
    mb_json_number(&w->json, "mem_free", (int64_t)process->mem_free_kb);
}

/* "66.33%" of the time that was seen; "" where it is not known. */
static void put_usage(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;
    char text[32] = "";

    if (issue->cpu_ns >= 0 && issue->cpu_of_ns > 0) {
        int64_t of_10000 = issue->cpu_ns > INT64_MAX / 10000
                               ? issue->cpu_ns / (issue->cpu_of_ns / 10000 + 1)
                               : issue->cpu_ns * 10000 / issue->cpu_of_ns;
        (void)snprintf(text, sizeof(text), "%" PRId64 ".%02" PRId64 "%%", of_10000 / 100,
                       of_10000 % 100);
    }
    mb_json_string(&w->json, ABI_ISSUE_USAGE, text);
}

static void put_trace(struct mon_writing *w)
{
    const struct mon_trace *trace = w->issue->trace;

    mb_json_key(&w->json, ABI_ISSUE_STACK);
    mb_buf_put_u1(w->json.out, '"');
    for (uint32_t i = 0; trace != NULL && i < trace->items.count; i++) {
        const struct mon_item *item = &trace->items.items[i];
        mb_buf_printf(w->json.out, "%u,%u,%u,%" PRId64 "\\n", item->depth, item->id, item->count,
                      item->ms);
    }
    mb_buf_put_string(w->json.out, "\"");
    mb_json_key(&w->json, ABI_ISSUE_STACK_KEY);
    if (trace != NULL && trace->key != TRACE_NO_KEY) {
        mb_buf_printf(w->json.out, "\"%u|\"", trace->key);
    } else {
        mb_buf_put_string(w->json.out, "\"\"");
    }
}

void mon_put_frame(struct mon_writing *w, const struct mon_frames *frames, uint32_t index)
{
    mb_json_part(&w->json, mon_writing_name(w, frames->names[index]));
    if (frames->files[index] != 0) {
        mb_buf_put_u1(w->json.out, '(');
        mb_json_part(&w->json, mon_writing_name(w, frames->files[index]));
        mb_buf_printf(w->json.out, ":%" PRIu32 ")", frames->lines[index]);
    }
}

/* Lines of a Java stack, in one string. */
static void put_thread_stack(struct mon_writing *w)
{
    const struct mon_frames *frames = mon_hottest_frames(w->issue);

    mb_json_key(&w->json, ABI_ISSUE_THREAD_STACK);
    mb_buf_put_u1(w->json.out, '"');
    for (uint32_t i = 0; frames != NULL && i < frames->count && i < SIMPLE_FRAMES; i++) {
        mb_buf_put_string(w->json.out, ABI_STACK_LEAD);
        mon_put_frame(w, frames, i);
        mb_buf_put_string(w->json.out, "\\n");
    }
    mb_buf_put_u1(w->json.out, '"');
}

static void put_memory(struct mon_writing *w)
{
    static const struct mon_process unknown = {0};
    const struct mon_process *process = w->issue->process != NULL ? w->issue->process : &unknown;

    mb_json_number(&w->json, "processPriority", process->priority);
    mb_json_number(&w->json, "processNice", process->nice);
    mb_json_open(&w->json, "memory", "{");
    mb_json_number(&w->json, "dalvik_heap", (int64_t)process->dalvik_kb);
    mb_json_number(&w->json, "native_heap", (int64_t)process->native_kb);
    mb_json_number(&w->json, "vm_size", (int64_t)process->vm_kb);
    mb_json_close(&w->json, "}");
}

/* False unless the issue has figures. */
static bool put_figures(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;

    if (issue->detail == MON_FPS) {
        mon_figures_put_drawn(&w->json, issue, mon_writing_name(w, issue->scene));
    } else if (issue->detail == MON_START) {
        mon_figures_put_start(&w->json, issue);
    }
    return issue->detail == MON_FPS || issue->detail == MON_START;
}

void mon_put_matrix_members(struct mon_writing *w, const char *detail)
{
    const struct mon_issue *issue = w->issue;

    put_device(w);
    if (put_figures(w)) {
        return;
    }
    mb_json_text(&w->json, ABI_ISSUE_DETAIL,
                 issue->report != NULL ? mon_issue_detail(issue, w->names) : mb_text_of(detail));
    mb_json_number(&w->json, ABI_ISSUE_COST, mon_ms(issue->span.watched_ns));
    put_usage(w);
    mb_json_text(&w->json, ABI_ISSUE_SCENE, mon_writing_name(w, issue->scene));
    put_trace(w);
    if (issue->detail == MON_SLOW_START) {
        mon_figures_put_kind(&w->json, issue);
    }
    if (issue->detail == MON_NORMAL || issue->detail == MON_SLOW_START) {
        return;
    }
    put_thread_stack(w);
    mb_json_flag(&w->json, "isProcessForeground", issue->is_foreground);
    if (mon_is_anr(issue)) {
        put_memory(w);
    }
}
