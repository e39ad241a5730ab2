#include "monitor/members.h"

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
    mb_json_open(&w->json, "hottest", "{");
    if (hottest->samples > 0) {
        mb_json_number(&w->json, "weight_ms", mon_ms(hottest->weight_ns));
        mb_json_number(&w->json, "of_ms", mon_ms(hottest->of_ns));
        mb_json_number(&w->json, "samples", hottest->samples);
    }
    put_frames(w, "frames", hottest->frames);
    if (hottest->samples > 0) {
        mb_json_open(&w->json, "repeats", "[");
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
    if (class.app_key != 0) {
        mb_json_text(&w->json, "app_key", mon_writing_name(w, class.app_key));
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
        mb_json_number(&w->json, "after_ms", mon_ms(issue->dumps[i].at_ns - issue->begin_ns));
        put_frames(w, "frames", &issue->dumps[i].frames);
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
        return; /* nobody saw how long it did not respond */
    }
    mb_json_number(&w->json, "begin_ns", issue->begin_ns);
    mb_json_number(&w->json, "cost_ns", issue->cost_ns);
    mb_json_number(&w->json, "watched_ns", issue->watched_ns);
    if (issue->drawn == NULL) { /* where the rest is not a gap: nothing was drawn */
        mb_json_number(&w->json, "gap_ns", issue->cost_ns - issue->watched_ns);
    }
    if (issue->cpu_ns >= 0) {
        mb_json_number(&w->json, "cpu_ns", issue->cpu_ns);
        mb_json_number(&w->json, "cpu_of_ns", issue->cpu_of_ns);
        mb_json_flag(&w->json, "busy", issue->cpu_ns > issue->cpu_of_ns / 2);
    }
    if (issue->is_outside) {
        mb_json_number(&w->json, "since_before_ns", issue->before_ns);
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

    if (issue->noticed.at_ns[MON_NORMAL] == 0) {
        return;
    }
    mb_json_open(&w->json, "noticed", "{");
    for (enum mon_detail i = MON_NORMAL; i <= MON_HANG; i++) {
        if (issue->noticed.at_ns[i] != 0) {
            mb_json_number(&w->json, keys[i], issue->noticed.at_ns[i] - issue->begin_ns);
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

    if (issue->own != NULL) {
        return; /* any thread may tell */
    }
    if (issue->loop_name != 0) {
        put_name(w, "loop", issue->loop_name);
    } else {
        mb_json_number(&w->json, "loop", issue->loop);
    }
    if (issue->is_outside) {
        mb_json_string(&w->json, "message", "(outside messages)");
    } else {
        put_name(w, "message", issue->message);
    }
}

/* What the program gave, as it is. */
static void put_value(struct mon_writing *w, uint32_t json)
{
    struct mb_text value = mon_writing_name(w, json);

    if (mb_json_is_value(value)) {
        mb_json_key(&w->json, "value");
        mb_buf_put_json_value(w->json.out, value);
    } else {
        put_name(w, "value", json);
    }
}

static void put_told(struct mon_writing *w)
{
    const struct mon_own *own = w->issue->own;

    if (own == NULL) {
        return;
    }
    mb_json_open(&w->json, "told", "{");
    put_name(w, "key", own->key);
    put_name(w, "thread", own->thread);
    put_value(w, own->json);
    mb_json_close(&w->json, "}");
}

static void put_often(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;

    mb_json_open(&w->json, "often", "{");
    mb_json_number(&w->json, "ms", issue->limit.ms);
    mb_json_number(&w->json, "count", issue->limit.count);
    mb_json_number(&w->json, "window_ms", mon_ms(issue->window_ns));
    mb_json_close(&w->json, "}");
}

static void put_threads(struct mon_writing *w, const struct mon_cpu *cpu)
{
    mb_json_open(&w->json, "threads", "[");
    for (uint32_t i = 0; i < cpu->threads.count; i++) {
        mb_json_open(&w->json, NULL, "{");
        mb_json_number(&w->json, "id", cpu->threads.threads[i].id);
        mb_json_text(&w->json, "name", mon_writing_name(w, cpu->threads.threads[i].name));
        mb_json_number(&w->json, "cpu_ns", cpu->threads.threads[i].cpu_ns);
        mb_json_close(&w->json, "}");
    }
    mb_json_close(&w->json, "]");
}

static void put_cpu(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;

    mb_json_open(&w->json, "cpu", "{");
    mb_json_number(&w->json, "used_ns", issue->busy_ns);
    mb_json_number(&w->json, "of_ns", issue->watched_ns);
    mb_json_flag(&w->json, "average", issue->is_average);
    if (issue->cpu != NULL) {
        mb_json_number(&w->json, "cores", issue->cpu->cores);
        mb_json_number(&w->json, "threads_over_ns", issue->cpu->over_ns);
        put_threads(w, issue->cpu);
    }
    mb_json_close(&w->json, "}");
}

/* What the system says of the process's end. */
static void put_exit(struct mon_writing *w)
{
    const struct mon_exit *told = w->issue->exit;

    if (told == NULL) {
        return;
    }
    put_name(w, "reason", told->reason);
    mb_json_flag(&w->json, "confirmed", true);
    mb_json_number(&w->json, "pid", told->pid);
    if (told->number != 0) {
        mb_json_key(&w->json, "noted");
        mb_buf_printf(w->json.out, "\"%" PRIx64 "-%u\"", told->start, told->number);
    }
}

void mon_put_own_members(struct mon_writing *w)
{
    const struct mon_issue *issue = w->issue;

    mb_json_number(&w->json, "schema", 1);
    mb_json_key(&w->json, "incident");
    mb_buf_printf(w->json.out, "\"%" PRIx64 "-%u\"", issue->start, issue->number);
    mb_json_text(&w->json, "detail", mon_issue_detail(issue, w->names));
    put_told(w);
    put_loop(w);
    put_times(w);
    put_noticed(w);
    mb_json_flag(&w->json, "foreground", issue->is_foreground);
    mb_json_string(&w->json, "ended", mon_ended_name(issue->ended));
    put_exit(w);
    if (issue->is_unreachable) {
        mb_json_string(&w->json, "stack", "not reachable");
    }
    put_hottest(w);
    put_class(w);
    put_dumps(w);
    put_name(w, "threads", issue->all_stacks);
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
        mb_json_word(&w->json, "mapping", issue->process->mapping);
    }
}
