#include "monitor/issue.h"

#include "abi/hash.h"
#include "base/json.h"
#include "monitor/classes.h"
#include "monitor/figures.h"
#include "monitor/json.h"
#include "monitor/start.h"
#include "trace/trace.h"

#include <stdio.h>

#define SIMPLE_FRAMES 12u /* of threadStack: what Matrix shows */

/* One issue at work. */
struct writing {
    struct mon_json json;
    const struct mon_issue *issue;
    const struct mon_names *names;
    const struct mon_options *options;
};

static int64_t ms_of(int64_t ns)
{
    return ns / MON_NS_PER_MS;
}

static struct mb_text name_of(const struct writing *w, uint32_t name)
{
    return mon_name(w->names, name);
}

static const struct mon_frames *hottest_frames(const struct mon_issue *issue)
{
    return issue->hottest != NULL ? issue->hottest->frames : NULL;
}

/* Of detail and key, with what ends each. */
static uint64_t own_key(const struct mon_own *own, const struct mon_names *names)
{
    const struct mb_text detail = mon_name(names, own->detail);
    const struct mb_text key = mon_name(names, own->key);
    uint64_t hash = abi_hash(ABI_HASH_START, detail.data, detail.size);

    return abi_hash(abi_hash(hash, "", 1), key.data, key.size);
}

/* Of a scene, of a kind of start. */
static uint64_t key_of_figures(const struct mon_issue *issue, const struct mon_names *names)
{
    struct mb_text scene = mon_name(names, issue->scene);

    return issue->starting == NULL ? abi_hash(ABI_HASH_START, scene.data, scene.size)
                                   : (uint64_t)issue->starting->kind + 1;
}

uint64_t mon_issue_key(const struct mon_issue *issue, const struct mon_names *names)
{
    const struct mon_frames *frames = hottest_frames(issue);

    if (issue->own != NULL) {
        return own_key(issue->own, names);
    }
    if (issue->detail == MON_FPS || issue->detail == MON_START) {
        return key_of_figures(issue, names);
    }

    if (issue->trace != NULL && issue->trace->key != TRACE_NO_KEY) {
        return issue->trace->key;
    }
    return frames != NULL ? mon_classify(frames, names, (struct mb_text){"", 0}).key1 : 0;
}

/* ---- What Matrix has ---- */

/* A stall that took the process along is one, however long it was. */
static bool is_anr(const struct mon_issue *issue)
{
    return issue->detail == MON_ANR || issue->detail == MON_HANG ||
           (issue->detail == MON_LAG && issue->ended == MON_ENDED_KILLED);
}

/* How Matrix calls it, or what comes nearest there. */
static const char *matrix_detail(const struct mon_issue *issue)
{
    if (issue->detail == MON_NORMAL || issue->detail == MON_SLOW_START) {
        return mon_detail_name(issue->detail);
    }
    return is_anr(issue) ? "ANR" : "LAG";
}

/* How we call it, or the program does. */
struct mb_text mon_issue_detail(const struct mon_issue *issue, const struct mon_names *names)
{
    return issue->own != NULL ? mon_name(names, issue->own->detail)
                              : mb_text_of(mon_detail_name(issue->detail));
}

static int64_t wall_begin_ms(const struct mon_issue *issue)
{
    if (issue->wall_begin_ns != 0) {
        return ms_of(issue->wall_begin_ns);
    }
    return issue->process != NULL ? ms_of(issue->begin_ns + issue->process->wall_ns) : 0;
}

static int64_t wall_end_ms(const struct mon_issue *issue)
{
    return wall_begin_ms(issue) + ms_of(issue->end_ns - issue->begin_ns);
}

static void put_share(struct writing *w, const char *key, uint32_t of_10000)
{
    mon_json_key(&w->json, key);
    mb_buf_printf(w->json.out, "%u.%04u", of_10000 / 10000, of_10000 % 10000);
}

static const char *tag_of(const struct mon_issue *issue)
{
    if (issue->detail == MON_CUSTOM) {
        return "Custom";
    }
    if (issue->detail == MON_FPS) {
        return "Trace_FPS";
    }
    return issue->detail == MON_START ? "Trace_StartUp" : "Trace_EvilMethod";
}

static void put_device(struct writing *w)
{
    static const struct mon_process unknown = {0};
    const struct mon_process *process = w->issue->process != NULL ? w->issue->process : &unknown;
    struct mb_text machine = name_of(w, process->machine);

    mon_json_string(&w->json, "tag", tag_of(w->issue));
    mon_json_text(&w->json, "process", name_of(w, process->name));
    mon_json_number(&w->json, "time", wall_end_ms(w->issue));
    mon_json_text(&w->json, "machine", machine.size > 0 ? machine : MB_TEXT("UN_KNOW"));
    put_share(w, "cpu_app", process->cpu_share);
    mon_json_number(&w->json, "mem", (int64_t)process->mem_bytes);
    mon_json_number(&w->json, "mem_free", (int64_t)process->mem_free_kb);
}

/* "66.33%" of the time that was seen; "" where it is not known. */
static void put_usage(struct writing *w)
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
    mon_json_string(&w->json, "usage", text);
}

static void put_trace(struct writing *w)
{
    const struct mon_trace *trace = w->issue->trace;

    mon_json_key(&w->json, "stack");
    mb_buf_put_u1(w->json.out, '"');
    for (uint32_t i = 0; trace != NULL && i < trace->items.count; i++) {
        const struct mon_item *item = &trace->items.items[i];
        mb_buf_printf(w->json.out, "%u,%u,%u,%" PRId64 "\\n", item->depth, item->id, item->count,
                      item->ms);
    }
    mb_buf_put_string(w->json.out, "\"");
    mon_json_key(&w->json, "stackKey");
    if (trace != NULL && trace->key != TRACE_NO_KEY) {
        mb_buf_printf(w->json.out, "\"%u|\"", trace->key);
    } else {
        mb_buf_put_string(w->json.out, "\"\"");
    }
}

/* Lines of a Java stack, in one string. */
static void put_thread_stack(struct writing *w)
{
    const struct mon_frames *frames = hottest_frames(w->issue);

    mon_json_key(&w->json, "threadStack");
    mb_buf_put_u1(w->json.out, '"');
    for (uint32_t i = 0; frames != NULL && i < frames->count && i < SIMPLE_FRAMES; i++) {
        mb_buf_put_string(w->json.out, "at ");
        mon_json_part(&w->json, name_of(w, frames->names[i]));
        mb_buf_put_string(w->json.out, "\\n");
    }
    mb_buf_put_u1(w->json.out, '"');
}

static void put_memory(struct writing *w)
{
    static const struct mon_process unknown = {0};
    const struct mon_process *process = w->issue->process != NULL ? w->issue->process : &unknown;

    mon_json_number(&w->json, "processPriority", process->priority);
    mon_json_number(&w->json, "processNice", process->nice);
    mon_json_key(&w->json, "memory");
    mon_json_open(&w->json, "{");
    mon_json_number(&w->json, "dalvik_heap", (int64_t)process->dalvik_kb);
    mon_json_number(&w->json, "native_heap", (int64_t)process->native_kb);
    mon_json_number(&w->json, "vm_size", (int64_t)process->vm_kb);
    mon_json_close(&w->json, "}");
}

/* False if the issue is not one of figures. */
static bool put_figures(struct writing *w)
{
    const struct mon_issue *issue = w->issue;

    if (issue->detail == MON_FPS) {
        mon_figures_put_drawn(&w->json, issue, name_of(w, issue->scene));
    } else if (issue->detail == MON_START) {
        mon_figures_put_start(&w->json, issue);
    }
    return issue->detail == MON_FPS || issue->detail == MON_START;
}

/* The keys of NORMAL; those of LAG and ANR beside them, so that whoever groups slow messages by key
 * finds the long ones too. */
static void put_matrix_keys(struct writing *w, const char *detail)
{
    const struct mon_issue *issue = w->issue;
    bool is_own = w->options->details == MON_DETAILS_OWN || issue->own != NULL;

    put_device(w);
    if (put_figures(w)) {
        return;
    }
    mon_json_text(&w->json, "detail",
                  is_own ? mon_issue_detail(issue, w->names) : mb_text_of(detail));
    mon_json_number(&w->json, "cost", ms_of(issue->watched_ns));
    put_usage(w);
    mon_json_text(&w->json, "scene", name_of(w, issue->scene));
    put_trace(w);
    if (issue->detail == MON_SLOW_START) {
        mon_figures_put_kind(&w->json, issue);
    }
    if (issue->detail == MON_NORMAL || issue->detail == MON_SLOW_START) {
        return;
    }
    put_thread_stack(w);
    mon_json_flag(&w->json, "isProcessForeground", issue->is_foreground);
    if (is_anr(issue)) {
        put_memory(w);
    }
}

/* ---- What it does not have ---- */

static void put_frames(struct writing *w, const char *key, const struct mon_frames *frames)
{
    mon_json_key(&w->json, key);
    mon_json_open(&w->json, "[");
    for (uint32_t i = 0; i < frames->count; i++) {
        mon_json_text(&w->json, NULL, name_of(w, frames->names[i]));
    }
    mon_json_close(&w->json, "]");
}

static void put_hottest(struct writing *w)
{
    const struct mon_hottest *hottest = w->issue->hottest;

    if (hottest_frames(w->issue) == NULL) {
        return;
    }
    mon_json_key(&w->json, "hottest");
    mon_json_open(&w->json, "{");
    if (hottest->samples > 0) {
        mon_json_number(&w->json, "weight_ms", ms_of(hottest->weight_ns));
        mon_json_number(&w->json, "of_ms", ms_of(hottest->of_ns));
        mon_json_number(&w->json, "samples", hottest->samples);
    }
    put_frames(w, "frames", hottest->frames);
    if (hottest->samples > 0) {
        mon_json_key(&w->json, "repeats");
        mon_json_open(&w->json, "[");
        for (uint32_t i = 0; i < hottest->frames->count; i++) {
            mon_json_number(&w->json, NULL, hottest->repeats[i]);
        }
        mon_json_close(&w->json, "]");
    }
    mon_json_close(&w->json, "}");
}

static void put_class(struct writing *w)
{
    const struct mon_class class =
        mon_classify(hottest_frames(w->issue), w->names, mb_text_of(w->options->platform));

    if (class.key1 != 0) {
        mon_json_word(&w->json, "key1", class.key1);
        mon_json_word(&w->json, "key2", class.key2);
    }
    if (class.app_key != 0) {
        mon_json_text(&w->json, "app_key", name_of(w, class.app_key));
    }
}

static void put_dumps(struct writing *w)
{
    const struct mon_issue *issue = w->issue;

    if (issue->dump_count == 0) {
        return;
    }
    mon_json_key(&w->json, "dumps");
    mon_json_open(&w->json, "[");
    for (uint32_t i = 0; i < issue->dump_count; i++) {
        mon_json_key(&w->json, NULL);
        mon_json_open(&w->json, "{");
        mon_json_number(&w->json, "after_ms", ms_of(issue->dumps[i].at_ns - issue->begin_ns));
        put_frames(w, "frames", &issue->dumps[i].frames);
        mon_json_close(&w->json, "}");
    }
    mon_json_close(&w->json, "]");
    if (issue->dumps_left_out > 0) {
        mon_json_number(&w->json, "dumps_left_out", issue->dumps_left_out);
    }
}

static void put_losses(struct writing *w)
{
    const struct mon_trace *trace = w->issue->trace;

    if (trace == NULL) {
        return;
    }
    mon_json_key(&w->json, "losses");
    mon_json_open(&w->json, "{");
    mon_json_flag(&w->json, "lapped", trace->is_lapped);
    mon_json_number(&w->json, "lost_entries", trace->lost_entries);
    mon_json_close(&w->json, "}");
}

static void put_times(struct writing *w)
{
    const struct mon_issue *issue = w->issue;

    mon_json_number(&w->json, "begin_ns", issue->begin_ns);
    mon_json_number(&w->json, "cost_ns", issue->cost_ns);
    mon_json_number(&w->json, "watched_ns", issue->watched_ns);
    mon_json_number(&w->json, "gap_ns", issue->cost_ns - issue->watched_ns);
    if (issue->cpu_ns >= 0) {
        mon_json_number(&w->json, "cpu_ns", issue->cpu_ns);
        mon_json_number(&w->json, "cpu_of_ns", issue->cpu_of_ns);
        mon_json_flag(&w->json, "busy", issue->cpu_ns > issue->cpu_of_ns / 2);
    }
    if (issue->is_outside) {
        mon_json_number(&w->json, "since_before_ns", issue->before_ns);
    }
}

/* So long after its begin each stage was found. */
static void put_noticed(struct writing *w)
{
    static const char *const keys[] = {[MON_NORMAL] = "late_ns",
                                       [MON_LAG] = "lag_ns",
                                       [MON_ANR] = "anr_ns",
                                       [MON_HANG] = "hang_ns"};
    const struct mon_issue *issue = w->issue;

    if (issue->noticed.at_ns[MON_NORMAL] == 0) {
        return;
    }
    mon_json_key(&w->json, "noticed");
    mon_json_open(&w->json, "{");
    for (enum mon_detail i = MON_NORMAL; i <= MON_HANG; i++) {
        if (issue->noticed.at_ns[i] != 0) {
            mon_json_number(&w->json, keys[i], issue->noticed.at_ns[i] - issue->begin_ns);
        }
    }
    mon_json_close(&w->json, "}");
}

/* A text that is left out where there is none. */
static void put_name(struct writing *w, const char *key, uint32_t name)
{
    if (name != 0) {
        mon_json_text(&w->json, key, name_of(w, name));
    }
}

static void put_loop(struct writing *w)
{
    const struct mon_issue *issue = w->issue;

    if (issue->own != NULL) {
        return; /* any thread may tell */
    }
    if (issue->loop_name != 0) {
        put_name(w, "loop", issue->loop_name);
    } else {
        mon_json_number(&w->json, "loop", issue->loop);
    }
    if (issue->is_outside) {
        mon_json_string(&w->json, "message", "(outside messages)");
    } else {
        put_name(w, "message", issue->message);
    }
}

/* What the program gave, as it is. */
static void put_value(struct writing *w, uint32_t json)
{
    struct mb_text value = name_of(w, json);

    if (mb_json_is_value(value)) {
        mon_json_key(&w->json, "value");
        mb_buf_put_json_value(w->json.out, value);
    } else {
        put_name(w, "value", json);
    }
}

static void put_told(struct writing *w)
{
    const struct mon_own *own = w->issue->own;

    if (own == NULL) {
        return;
    }
    mon_json_key(&w->json, "told");
    mon_json_open(&w->json, "{");
    put_name(w, "key", own->key);
    put_name(w, "thread", own->thread);
    put_value(w, own->json);
    mon_json_close(&w->json, "}");
}

static void put_often(struct writing *w)
{
    const struct mon_issue *issue = w->issue;

    mon_json_key(&w->json, "often");
    mon_json_open(&w->json, "{");
    mon_json_number(&w->json, "ms", issue->limit.ms);
    mon_json_number(&w->json, "count", issue->limit.count);
    mon_json_number(&w->json, "window_ms", ms_of(issue->window_ns));
    mon_json_close(&w->json, "}");
}

static void put_threads(struct writing *w, const struct mon_cpu *cpu)
{
    mon_json_key(&w->json, "threads");
    mon_json_open(&w->json, "[");
    for (uint32_t i = 0; i < cpu->threads.count; i++) {
        mon_json_key(&w->json, NULL);
        mon_json_open(&w->json, "{");
        mon_json_number(&w->json, "id", cpu->threads.threads[i].id);
        mon_json_text(&w->json, "name", name_of(w, cpu->threads.threads[i].name));
        mon_json_number(&w->json, "cpu_ns", cpu->threads.threads[i].cpu_ns);
        mon_json_close(&w->json, "}");
    }
    mon_json_close(&w->json, "]");
}

static void put_cpu(struct writing *w)
{
    const struct mon_issue *issue = w->issue;

    mon_json_key(&w->json, "cpu");
    mon_json_open(&w->json, "{");
    mon_json_number(&w->json, "used_ns", issue->busy_ns);
    mon_json_number(&w->json, "of_ns", issue->watched_ns);
    mon_json_flag(&w->json, "average", issue->is_average);
    if (issue->cpu != NULL) {
        mon_json_number(&w->json, "cores", issue->cpu->cores);
        mon_json_number(&w->json, "threads_over_ns", issue->cpu->over_ns);
        put_threads(w, issue->cpu);
    }
    mon_json_close(&w->json, "}");
}

static void put_verdict(struct mon_json *json, const struct mon_verdict *verdict)
{
    if (verdict == NULL) {
        return;
    }
    mon_json_flag(json, "report", verdict->is_reported);
    mon_json_key(json, "counted");
    mon_json_open(json, "{");
    mon_json_number(json, "same_key_today", verdict->same_key_today);
    mon_json_close(json, "}");
}

void mon_issue_add_verdict(struct mb_buf *out, const struct mon_verdict *verdict)
{
    struct mon_json json = {.out = out, .has_member = true};

    if (out->size >= 2) {
        out->size -= 2; /* of methodbeat, and of the issue */
        put_verdict(&json, verdict);
        mb_buf_put_string(out, "}}");
    }
}

static void put_own_keys(struct writing *w, const struct mon_verdict *verdict)
{
    const struct mon_issue *issue = w->issue;

    mon_json_key(&w->json, "methodbeat");
    mon_json_open(&w->json, "{");
    mon_json_number(&w->json, "schema", 1);
    mon_json_key(&w->json, "incident");
    mb_buf_printf(w->json.out, "\"%" PRIx64 "-%u\"", issue->start, issue->number);
    mon_json_text(&w->json, "detail", mon_issue_detail(issue, w->names));
    put_told(w);
    put_loop(w);
    put_times(w);
    put_noticed(w);
    mon_json_flag(&w->json, "foreground", issue->is_foreground);
    mon_json_string(&w->json, "ended", mon_ended_name(issue->ended));
    put_name(w, "reason", issue->reason);
    if (issue->is_unreachable) {
        mon_json_string(&w->json, "stack", "not reachable");
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
        mon_figures_put_own_start(&w->json, issue, name_of(w, issue->scene));
    }
    if (issue->process != NULL && issue->process->mapping != 0) {
        mon_json_word(&w->json, "mapping", issue->process->mapping);
    }
    put_verdict(&w->json, verdict);
    mon_json_close(&w->json, "}");
}

static struct writing start_writing(struct mb_buf *out, const struct mon_issue *issue,
                                    const struct mon_names *names,
                                    const struct mon_options *options)
{
    return (struct writing){
        .json = {.out = out}, .issue = issue, .names = names, .options = options};
}

void mon_issue_put(struct mb_buf *out, const struct mon_issue *issue, const struct mon_names *names,
                   const struct mon_options *options, const struct mon_verdict *verdict)
{
    struct writing w = start_writing(out, issue, names, options);

    mon_json_open(&w.json, "{");
    put_matrix_keys(&w, matrix_detail(issue));
    put_own_keys(&w, verdict);
    mon_json_close(&w.json, "}");
}

bool mon_issue_put_copy(struct mb_buf *out, const struct mon_issue *issue,
                        const struct mon_names *names, const struct mon_options *options)
{
    struct mon_issue copy = *issue;
    struct writing w = start_writing(out, &copy, names, options);

    if (issue->detail < MON_LAG || issue->detail > MON_HANG || issue->ended != MON_ENDED_NORMAL) {
        return false;
    }
    copy.detail = MON_NORMAL;
    mon_json_open(&w.json, "{");
    put_matrix_keys(&w, "NORMAL");
    put_own_keys(&w, NULL);
    mon_json_close(&w.json, "}");
    return true;
}
