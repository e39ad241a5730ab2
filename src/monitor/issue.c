#include "monitor/issue.h"

#include "abi/hash.h"
#include "abi/issue.h"
#include "monitor/classes.h"
#include "monitor/members.h"
#include "monitor/start.h"
#include "trace/trace.h"

/* The hash of detail and key, each with its end. */
static uint64_t custom_key(const struct mon_report *report, const struct mon_names *names)
{
    const struct mb_text detail = mon_name(names, report->detail);
    const struct mb_text key = mon_name(names, report->key);
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
    const struct mon_frames *frames = mon_hottest_frames(issue);

    if (issue->report != NULL) {
        return custom_key(issue->report, names);
    }
    if (issue->detail == MON_FPS || issue->detail == MON_START) {
        return key_of_figures(issue, names);
    }

    if (issue->trace != NULL && issue->trace->key != TRACE_NO_KEY) {
        return issue->trace->key;
    }
    return frames != NULL ? mon_classify(frames, names, (struct mb_text){"", 0}).key1 : 0;
}

/* Matrix's name for it, or the nearest. */
static const char *matrix_detail(const struct mon_issue *issue)
{
    if (issue->detail == MON_NORMAL || issue->detail == MON_SLOW_START) {
        return mon_detail_name(issue->detail);
    }
    return mon_is_anr(issue) ? ABI_DETAIL_ANR : ABI_DETAIL_LAG;
}

/* How we call it, or the program does. */
struct mb_text mon_issue_detail(const struct mon_issue *issue, const struct mon_names *names)
{
    return issue->report != NULL ? mon_name(names, issue->report->detail)
                                 : mb_text_of(mon_detail_name(issue->detail));
}

static void put_verdict(struct mb_json *json, const struct mon_verdict *verdict)
{
    if (verdict == NULL) {
        return;
    }
    mb_json_flag(json, "report", verdict->is_reported);
    mb_json_open(json, ABI_OWN_COUNTED, "{");
    mb_json_number(json, ABI_COUNTED_SAME_KEY, verdict->same_key_today);
    mb_json_close(json, "}");
}

/* Goes on after the last member of methodbeat. */
static struct mb_json reopen_json(struct mb_buf *out)
{
    out->size -= out->size >= 2 ? 2 : 0; /* of methodbeat, and of the issue */
    return (struct mb_json){.out = out, .has_member = true};
}

void mon_issue_add_verdict(struct mb_buf *out, const struct mon_verdict *verdict)
{
    struct mb_json json = reopen_json(out);

    put_verdict(&json, verdict);
    mb_buf_put_string(out, "}}");
}

void mon_issue_confirm(struct mb_buf *out, const char *reason)
{
    struct mb_json json = reopen_json(out);

    if (reason != NULL) {
        mb_json_text(&json, ABI_OWN_REASON, mb_text_of(reason));
    }
    mb_json_flag(&json, "confirmed", true);
    mb_buf_put_string(out, "}}");
}

static void put_own(struct mon_writing *w, const struct mon_verdict *verdict)
{
    mb_json_open(&w->json, ABI_ISSUE_OWN, "{");
    mon_put_own_members(w);
    put_verdict(&w->json, verdict);
    mb_json_close(&w->json, "}");
}

static struct mon_writing start_writing(struct mb_buf *out, const struct mon_issue *issue,
                                        const struct mon_names *names,
                                        const struct mon_options *options)
{
    return (struct mon_writing){
        .json = {.out = out}, .issue = issue, .names = names, .options = options};
}

void mon_issue_put(struct mb_buf *out, const struct mon_issue *issue, const struct mon_names *names,
                   const struct mon_options *options, const struct mon_verdict *verdict)
{
    struct mon_writing w = start_writing(out, issue, names, options);

    mb_json_open(&w.json, NULL, "{");
    mon_put_matrix_members(&w, matrix_detail(issue));
    put_own(&w, verdict);
    mb_json_close(&w.json, "}");
}

bool mon_issue_put_copy(struct mb_buf *out, const struct mon_issue *issue,
                        const struct mon_names *names, const struct mon_options *options)
{
    struct mon_issue copy = *issue;
    struct mon_writing w = start_writing(out, &copy, names, options);

    if (issue->detail < MON_LAG || issue->detail > MON_HANG || issue->ended != MON_ENDED_NORMAL) {
        return false;
    }
    copy.detail = MON_NORMAL;
    mb_json_open(&w.json, NULL, "{");
    mon_put_matrix_members(&w, ABI_DETAIL_NORMAL);
    put_own(&w, NULL);
    mb_json_close(&w.json, "}");
    return true;
}
