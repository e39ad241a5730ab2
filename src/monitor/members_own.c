#include "monitor/members.h"

#include "abi/issue.h"
#include "base/json.h"
#include "monitor/classes.h"
#include "monitor/figures.h"
#include "monitor/issue.h"

static void put_frames(struct mon_writing *w, const char *key, const struct mon_frames *frames)
{
    mb_json_open(&w->json, key, "[");
    for (uint32_t i = 0; i < frames->count; i++) {
        mb_json_key(&w->json, NULL);
        mb_buf_put_u1(w->json.out, '"');
        mon_put_frame(w, frames, i);
        mb_buf_put_u1(w->json.out, '"');
    }
    mb_json_close(&w->json, "]");
}

static void put_hottest(struct mon_writing *w)
{
    const struct mon_hottest *hottest = w->issue->hottest;

    if (mon_hottest_frames(w->issue) == NULL) {
        return;
    }
    mb_json_open(&w->json, ABI_OWN_HOTTEST, "{");
    if (hottest->samples > 0) {
        mb_json_number(&w->json, "weight_ms", mon_ms(hottest->weight_ns));
        mb_json_number(&w->json, "of_ms", mon_ms(hottest->of_ns));
        mb_json_number(&w->json, ABI_HOTTEST_SAMPLES, hottest->samples);
    }
    put_frames(w, ABI_STACK_FRAMES, hottest->frames);
    if (hottest->samples > 0) {
        mb_json_open(&w->json, ABI_HOTTEST_REPEATS, "[");
        for (uint32_t i = 0; i < hottest->frames->count; i++) {
            mb_json_number(&w->json, NULL, hottest->repeats[i]);
        }
        mb_json_close(&w->json, "]");
    }
    mb_json_close(&w->json, "}");
}

static void put_class(struct mon_writing *w)
{
    const struct mon_class class =
        mon_classify(mon_hottest_frames(w->issue), w->names, mb_text_of(w->options->platform));

    if (class.key1 != 0) {
        mb_json_word(&w->json, "key1", class.key1);
        mb_json_word(&w->json, "key2", class.key2);
    }
    if (class.key1 != 0 && w->options->platform[0] != '\0') {
        mb_json_string(&w->json, ABI_OWN_PLATFORM, w->options->platform);
    }
    if (class.app_key != 0) {
        mb_json_text(&w->json, ABI_OWN_APP_KEY, mon_writing_name(w, class.app_key));
    }
}

static void put_dumps(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;

    if (issue->dump_count == 0) {
        return;
    }
    mb_json_open(&w->json, "dumps", "[");
    for (uint32_t i = 0; i < issue->dump_count; i++) {
        mb_json_open(&w->json, NULL, "{");
        mb_json_number(&w->json, "after_ms", mon_ms(issue->dumps[i].at_ns - issue->span.begin_ns));
        put_frames(w, ABI_STACK_FRAMES, &issue->dumps[i].frames);
        mb_json_close(&w->json, "}");
    }
    mb_json_close(&w->json, "]");
    if (issue->dumps_left_out > 0) {
        mb_json_number(&w->json, "dumps_left_out", issue->dumps_left_out);
    }
}

static void put_losses(struct mon_writing *w)
{
    const struct mon_trace *trace = w->issue->trace;

    if (trace == NULL) {
        return;
    }
    mb_json_open(&w->json, "losses", "{");
    mb_json_flag(&w->json, "lapped", trace->is_lapped);
    mb_json_number(&w->json, "lost_entries", trace->lost_entries);
    mb_json_close(&w->json, "}");
}

static void put_times(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;

    if (issue->exit != NULL) {
        return; /* how long it did not respond is unknown */
    }
    mb_json_number(&w->json, ABI_OWN_BEGIN_NS, issue->span.begin_ns);
    mb_json_number(&w->json, ABI_OWN_COST_NS, issue->cost_ns);
    mb_json_number(&w->json, ABI_OWN_WATCHED_NS, issue->span.watched_ns);
    if (issue->drawn == NULL) { /* where the rest is not a gap: nothing was drawn */
        mb_json_number(&w->json, "gap_ns", issue->cost_ns - issue->span.watched_ns);
    }
    if (issue->cpu_ns >= 0) {
        mb_json_number(&w->json, "cpu_ns", issue->cpu_ns);
        mb_json_number(&w->json, "cpu_of_ns", issue->cpu_of_ns);
        mb_json_flag(&w->json, ABI_OWN_BUSY, issue->cpu_ns > issue->cpu_of_ns / 2);
    }
    if (issue->span.is_outside) {
        mb_json_number(&w->json, "since_before_ns", issue->span.before_ns);
    }
}

/* So long after its begin each stage was found. */
static void put_noticed(struct mon_writing *w)
{
    static const char *const keys[] = {[MON_NORMAL] = "late_ns",
                                       [MON_LAG] = "lag_ns",
                                       [MON_ANR] = "anr_ns",
                                       [MON_HANG] = "hang_ns"};
    const struct mon_issue *issue = w->issue;

    if (issue->span.noticed.at_ns[MON_NORMAL] == 0) {
        return;
    }
    mb_json_open(&w->json, "noticed", "{");
    for (enum mon_detail i = MON_NORMAL; i <= MON_HANG; i++) {
        if (issue->span.noticed.at_ns[i] != 0) {
            mb_json_number(&w->json, keys[i], issue->span.noticed.at_ns[i] - issue->span.begin_ns);
        }
    }
    mb_json_close(&w->json, "}");
}

/* A text that is left out if absent. */
static void put_name(struct mon_writing *w, const char *key, uint32_t name)
{
    if (name != 0) {
        mb_json_text(&w->json, key, mon_writing_name(w, name));
    }
}

static void put_loop(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;

    if (issue->report != NULL) {
        return; /* any thread may report */
    }
    if (issue->span.loop_name != 0) {
        put_name(w, ABI_OWN_LOOP, issue->span.loop_name);
    } else {
        mb_json_number(&w->json, ABI_OWN_LOOP, issue->span.loop);
    }
    if (issue->span.is_outside) {
        mb_json_string(&w->json, ABI_OWN_MESSAGE, "(outside messages)");
    } else {
        put_name(w, ABI_OWN_MESSAGE, issue->span.message);
    }
}

/* What the program gave, as it is. */
static void put_value(struct mon_writing *w, uint32_t json)
{
    struct mb_text value = mon_writing_name(w, json);

    if (mb_json_is_value(value)) {
        mb_json_key(&w->json, ABI_TOLD_VALUE);
        mb_buf_put_json_value(w->json.out, value);
    } else {
        put_name(w, ABI_TOLD_VALUE, json);
    }
}

static void put_told(struct mon_writing *w)
{
    const struct mon_report *report = w->issue->report;

    if (report == NULL) {
        return;
    }
    mb_json_open(&w->json, ABI_OWN_TOLD, "{");
    put_name(w, ABI_TOLD_KEY, report->key);
    put_name(w, "thread", report->thread);
    put_value(w, report->json);
    mb_json_close(&w->json, "}");
}

static void put_often(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;

    mb_json_open(&w->json, ABI_OWN_OFTEN, "{");
    mb_json_number(&w->json, ABI_OFTEN_MS, issue->limit.ms);
    mb_json_number(&w->json, ABI_OFTEN_COUNT, issue->limit.count);
    mb_json_number(&w->json, ABI_OFTEN_WINDOW_MS, mon_ms(issue->window_ns));
    mb_json_close(&w->json, "}");
}

static void put_threads(struct mon_writing *w, const struct mon_cpu *cpu)
{
    mb_json_open(&w->json, ABI_CPU_THREADS, "[");
    for (uint32_t i = 0; i < cpu->threads.count; i++) {
        mb_json_open(&w->json, NULL, "{");
        mb_json_number(&w->json, "id", cpu->threads.threads[i].id);
        mb_json_text(&w->json, ABI_THREAD_NAME, mon_writing_name(w, cpu->threads.threads[i].name));
        mb_json_number(&w->json, ABI_THREAD_CPU_NS, cpu->threads.threads[i].cpu_ns);
        mb_json_close(&w->json, "}");
    }
    mb_json_close(&w->json, "]");
}

static void put_cpu(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;

    mb_json_open(&w->json, ABI_OWN_CPU, "{");
    mb_json_number(&w->json, ABI_CPU_USED_NS, issue->busy_ns);
    mb_json_number(&w->json, ABI_CPU_OF_NS, issue->span.watched_ns);
    mb_json_flag(&w->json, "average", issue->is_average);
    if (issue->cpu != NULL) {
        mb_json_number(&w->json, "cores", issue->cpu->cores);
        mb_json_number(&w->json, "threads_over_ns", issue->cpu->over_ns);
        put_threads(w, issue->cpu);
    }
    mb_json_close(&w->json, "}");
}

/* The end of the process, from the system. */
static void put_exit(struct mon_writing *w)
{
    const struct mon_exit *told = w->issue->exit;

    if (told == NULL) {
        return;
    }
    put_name(w, ABI_OWN_REASON, told->reason);
    mb_json_flag(&w->json, "confirmed", true);
    mb_json_number(&w->json, ABI_OWN_PID, told->pid);
    if (told->number != 0) {
        mb_json_key(&w->json, "noted");
        mb_buf_printf(w->json.out, "\"%" PRIx64 "-%u\"", told->start, told->number);
    }
}

void mon_put_own_members(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;

    mb_json_number(&w->json, "schema", 1);
    mb_json_key(&w->json, ABI_OWN_INCIDENT);
    mb_buf_printf(w->json.out, "\"%" PRIx64 "-%u\"", issue->start, issue->span.number);
    mb_json_text(&w->json, ABI_OWN_DETAIL, mon_issue_detail(issue, w->names));
    put_told(w);
    put_loop(w);
    put_times(w);
    put_noticed(w);
    mb_json_flag(&w->json, "foreground", issue->is_foreground);
    mb_json_string(&w->json, ABI_OWN_ENDED, mon_ended_name(issue->ended));
    put_exit(w);
    if (issue->is_unreachable) {
        mb_json_string(&w->json, "stack", "not reachable");
    }
    put_hottest(w);
    put_class(w);
    put_dumps(w);
    put_name(w, ABI_OWN_THREADS, issue->all_stacks);
    put_losses(w);
    if (issue->detail == MON_OFTEN) {
        put_often(w);
    } else if (issue->detail == MON_BUSY) {
        put_cpu(w);
    } else if (issue->drawn != NULL) {
        mon_figures_put_own_drawn(&w->json, issue);
    } else if (issue->starting != NULL) {
        mon_figures_put_own_start(&w->json, issue, mon_writing_name(w, issue->scene));
    }
    if (issue->process != NULL && issue->process->mapping != 0) {
        mb_json_word(&w->json, ABI_OWN_MAPPING, issue->process->mapping);
    }
}
