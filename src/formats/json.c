/* For scripts: everything the text has, times in ns. */

#include "answer/cost.h"
#include "answer/diff.h"
#include "answer/marks.h"
#include "formats/writer.h"

#include <inttypes.h>

static void put_losses(const struct trace_losses *losses, struct mb_buf *out)
{
    mb_buf_printf(out,
                  "\"records\":%" PRIu64 ",\"exitsWithoutEntry\":%" PRIu64
                  ",\"entriesWithoutExit\":%" PRIu64 ",\"inferredExits\":%" PRIu64
                  ",\"endedBeforeStart\":%" PRIu64 ",\"openCalls\":%" PRIu64,
                  losses->words, losses->lost_entries, losses->lost_exits, losses->inferred_exits,
                  losses->time_went_back, losses->open_calls);
}

/* Of all threads: calls of muted methods that are in the method's own time. */
static void put_held(const struct answer_facts *report, uint32_t id, struct mb_buf *out)
{
    const struct answer_marks marks = answer_marks_of(report, id, 0, 0);

    for (size_t i = 0; i < marks.held_count; i++) {
        mb_buf_printf(out, "%s{\"id\":%" PRIu32 ",\"name\":", i > 0 ? "," : ",\"holds\":[",
                      marks.held[i].id);
        answer_put_json_name(out, &report->names, marks.held[i].id);
        mb_buf_printf(out, ",\"callsEstimate\":%" PRIu64 "}", marks.held[i].calls);
    }
    mb_buf_put_string(out, marks.held_count > 0 ? "]" : "");
}

static void put_suspended(const struct answer_facts *report, uint32_t id, struct mb_buf *out)
{
    const struct answer_suspended *suspended = answer_find_suspended(report, id);

    if (suspended != NULL) {
        mb_buf_put_string(out, ",\"suspend\":true");
    }
    if (suspended != NULL && suspended->resumed > 0) {
        mb_buf_printf(out, ",\"resumed\":%" PRIu64, suspended->resumed);
    }
}

static void put_method(const struct answer_facts *report, const struct trace_method *method,
                       struct mb_buf *out)
{
    mb_buf_printf(out, "{\"id\":%" PRIu32 ",\"name\":", method->id);
    answer_put_json_name(out, &report->names, method->id);
    mb_buf_printf(out, ",\"calls\":%" PRIu64 ",\"totalNs\":%" PRId64 ",\"selfNs\":%" PRId64,
                  method->calls, answer_ns(report, method->total), answer_ns(report, method->self));
    if (report->has_profile) {
        mb_buf_printf(out,
                      ",\"longestNs\":%" PRId64 ",\"readyNs\":%" PRId64 ",\"waitedNs\":%" PRId64
                      ",\"belowMinNs\":%" PRId64,
                      answer_ns(report, method->longest), answer_ns(report, method->ready),
                      answer_ns(report, method->waited), answer_ns(report, method->below_min));
    }
    if (method->inferred > 0) {
        mb_buf_printf(out, ",\"inferredNs\":%" PRId64, answer_ns(report, method->inferred));
    }
    if (method >= report->methods && method < report->methods + report->method_count) {
        put_held(report, method->id, out);
        put_suspended(report, method->id, out);
    }
    mb_buf_put_u1(out, '}');
}

static void put_methods(const struct answer_facts *report, const struct trace_method *methods,
                        size_t count, struct mb_buf *out)
{
    mb_buf_put_string(out, "\"methods\":[");
    for (size_t i = 0; i < count; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n" : "\n");
        put_method(report, &methods[i], out);
    }
    mb_buf_put_u1(out, ']');
}

/* What only a profile of the whole run knows. */
static void put_profiled(const struct answer_thread *thread, struct mb_buf *out)
{
    mb_buf_printf(out, ",\"unseenRecords\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"virtual\":%s",
                  thread->unseen_words, thread->member_count,
                  thread->is_virtual ? "true" : "false");
    if (thread->has_cpu) {
        mb_buf_printf(out,
                      ",\"workedNs\":%" PRId64 ",\"readyNs\":%" PRId64 ",\"waitedNs\":%" PRId64
                      ",\"knowsReady\":%s",
                      thread->worked_ns, thread->ready_ns, thread->waited_ns,
                      thread->knows_ready ? "true" : "false");
    }
}

static void put_mute(const struct answer_facts *report, const struct answer_mute *mute,
                     struct mb_buf *out)
{
    mb_buf_printf(out, "{\"id\":%" PRIu32 ",\"name\":", mute->id);
    answer_put_json_name(out, &report->names, mute->id);
    mb_buf_printf(out, ",\"atNs\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"totalNs\":%" PRId64,
                  mute->time_ns, mute->calls, mute->total_ns);
    mb_buf_put_string(out, mute->was_before ? ",\"before\":true}" : "}");
}

static void put_mutes(const struct answer_facts *report, struct mb_buf *out)
{
    mb_buf_put_string(out, "\"muted\":[");
    for (size_t i = 0; i < report->mute_count; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n" : "\n");
        put_mute(report, &report->mutes[i], out);
    }
    mb_buf_put_string(out, "],\n");
}

/* The methods of its idle loop, the outermost first, and their own time. */
static void put_idle(const struct answer_facts *report, const struct answer_thread *thread,
                     struct mb_buf *out)
{
    mb_buf_printf(out, ",\"idleNs\":%" PRId64 ",\"idle\":[", thread->idle_ns);
    for (size_t i = 0; i < thread->idle_count; i++) {
        mb_buf_printf(out, "%s{\"id\":%" PRIu32 ",\"name\":", i > 0 ? "," : "",
                      thread->idle_ids[i]);
        answer_put_json_name(out, &report->names, thread->idle_ids[i]);
        mb_buf_put_u1(out, '}');
    }
    mb_buf_put_u1(out, ']');
}

static void put_thread(const struct answer_facts *report, const struct answer_thread *thread,
                       struct mb_buf *out)
{
    mb_buf_put_string(out, "{\"name\":");
    mb_buf_put_json_string(out, thread->name);
    mb_buf_printf(
        out,
        ",\"id\":%" PRIu32 ",\"main\":%s,\"live\":%s,\"calls\":%" PRIu64 ",\"inCallsNs\":%" PRId64
        ",\"startNs\":%" PRIu64 ",\"endNs\":%" PRIu64 ",\"overwrittenRecords\":%" PRIu64
        ",\"missingRecords\":%" PRIu64 ",\"droppedCalls\":%" PRIu64 ",",
        thread->id, thread->is_main ? "true" : "false", thread->is_live ? "true" : "false",
        thread->calls, thread->busy_ns, thread->start_ns, thread->end_ns, thread->lapped_words,
        thread->missing_words, thread->dropped_calls);
    put_losses(&thread->losses, out);
    if (thread->is_profiled) {
        put_profiled(thread, out);
    }
    if (thread->idle_count > 0) {
        put_idle(report, thread, out);
    }
    mb_buf_put_u1(out, ',');
    put_methods(report, thread->methods, thread->method_count, out);
    mb_buf_put_u1(out, '}');
}

static void put_item(const struct answer_facts *report, const struct trace_item *item,
                     struct mb_buf *out)
{
    mb_buf_printf(out, "{\"depth\":%" PRId32 ",\"id\":%" PRIu32 ",\"name\":", item->depth,
                  item->id);
    answer_put_json_name(out, &report->names, item->id);
    mb_buf_printf(out, ",\"count\":%" PRIu32 ",\"ns\":%" PRId64 "%s%s}", item->count,
                  answer_ns(report, item->duration), item->is_open ? ",\"open\":true" : "",
                  item->is_inferred ? ",\"inferred\":true" : "");
}

static void put_slow(const struct answer_facts *report, const struct answer_slow *slow,
                     struct mb_buf *out)
{
    mb_buf_printf(out, "{\"thread\":%" PRIu32 ",\"startNs\":%" PRIu64 ",\"ns\":%" PRId64 "%s",
                  slow->thread->id, slow->start_ns, slow->duration_ns,
                  slow->is_open ? ",\"open\":true" : "");
    mb_buf_printf(out, ",\"key\":\"%" PRIu32 "|\",\"keyName\":", slow->key);
    answer_put_json_name(out, &report->names, slow->key);
    mb_buf_put_string(out, ",\"stack\":[");
    for (size_t i = 0; i < slow->item_count; i++) {
        mb_buf_put_string(out, i > 0 ? "," : "");
        put_item(report, &slow->items[i], out);
    }
    mb_buf_put_string(out, "]}");
}

static void put_group(const struct answer_facts *report, const struct answer_group *group,
                      struct mb_buf *out)
{
    mb_buf_printf(out, "{\"key\":\"%" PRIu32 "|\",\"keyName\":", group->key);
    answer_put_json_name(out, &report->names, group->key);
    mb_buf_printf(out, ",\"count\":%" PRIu64 ",\"totalNs\":%" PRId64 ",\"longestNs\":%" PRId64 "}",
                  group->count, group->total_ns, group->longest_ns);
}

static void put_overview(const struct answer_facts *report, struct mb_buf *out)
{
    mb_buf_put_string(out, "{\"process\":");
    mb_buf_put_json_string(out, report->process_name);
    mb_buf_printf(out,
                  ",\"pid\":%" PRIu32 ",\"closed\":%s,\"clock\":\"%s\",\"resolutionNs\":%" PRIu64
                  ",\"wallStartNs\":%" PRId64 ",\"minNs\":%" PRIu64 ",\"refusedRecords\":%" PRIu64
                  ",\"recycledRecords\":%" PRIu64 ",\"overheadEstimateNs\":%" PRId64
                  ",\"overheadCovers\":\"probe calls\",\"largerCodePercent\":[%d,%d]"
                  ",\"messages\":%s,\"thresholdNs\":%" PRId64 ",\"roots\":%" PRIu64,
                  report->process_id, report->is_closed ? "true" : "false",
                  report->is_coarse_clock ? "coarse" : "counter", report->resolution_ns,
                  report->wall_start_ns, report->min_ns, report->refused_words,
                  report->recycled_words, answer_overhead_ns(report), ANSWER_CODE_LEAST_PERCENT,
                  ANSWER_CODE_MOST_PERCENT, report->has_messages ? "true" : "false",
                  report->threshold_ns, report->root_count);
    if (report->has_profile) {
        mb_buf_printf(out, ",\"profile\":true,\"absorbedCalls\":%" PRIu64, report->absorbed_calls);
    }
    mb_buf_put_string(out, ",\"notes\":[");
    for (size_t i = 0; i < report->note_count; i++) {
        mb_buf_put_string(out, i > 0 ? "," : "");
        mb_buf_put_json_string(out, report->notes[i]);
    }
    mb_buf_put_string(out, "]");
}

/* ---- What changed ---- */

static void put_change(const struct answer_change *change, const char *name, int64_t old,
                       int64_t new, struct mb_buf *out)
{
    mb_buf_printf(out,
                  ",\"%s\":{\"wasNs\":%" PRId64 ",\"isNs\":%" PRId64 ",\"certainNs\":%" PRId64 "}",
                  name, old, new, change->certain_ns);
}

static void put_pair(const struct answer_facts *report, const struct answer_pair *pair,
                     struct mb_buf *out)
{
    const struct answer_facts *named = pair->new != NULL ? report : report->old;

    mb_buf_put_string(out, "{\"name\":");
    answer_put_json_name(out, &named->names, pair->id);
    mb_buf_printf(out,
                  ",\"change\":\"%s\",\"wasSelfNs\":%" PRId64 ",\"isSelfNs\":%" PRId64
                  ",\"wasCalls\":%" PRIu64 ",\"isCalls\":%" PRIu64 "}",
                  answer_pair_word(pair), pair->old_ns, pair->new_ns,
                  pair->old != NULL ? pair->old->calls : 0,
                  pair->new != NULL ? pair->new->calls : 0);
}

static void put_diff(const struct answer_facts *report, struct mb_buf *out)
{
    struct answer_diff diff = {0};

    answer_diff_make(&diff, report);
    const struct answer_pair *pairs = (const void *)diff.pairs.bytes;
    double slower = answer_diff_slower(&diff);
    mb_buf_printf(out, "\"diff\":{\"noisePercent\":%.1f", diff.share * 100);
    if (slower >= 0) {
        mb_buf_printf(out, ",\"slowerPercent\":%.1f", slower);
        put_change(&diff.wall, "wall", diff.old.wall_ns, diff.new.wall_ns, out);
    }
    if (diff.old.has_cpu && diff.new.has_cpu) {
        put_change(&diff.cpu, "cpu", diff.old.cpu_ns, diff.new.cpu_ns, out);
    }
    mb_buf_put_string(out, ",\"methods\":[");
    for (size_t i = 0; i < diff.counts[ANSWER_CERTAIN] && !diff.pairs.failed; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n" : "\n");
        put_pair(report, &pairs[i], out);
    }
    mb_buf_printf(out, "],\"little\":%zu,\"noise\":%zu,\"mutedTime\":%zu,\"inferredTime\":%zu},\n",
                  diff.counts[ANSWER_LITTLE], diff.counts[ANSWER_NOISE],
                  diff.counts[ANSWER_MUTED_TIME], diff.counts[ANSWER_INFERRED_TIME]);
    out->failed = out->failed || diff.pairs.failed;
    answer_diff_finish(&diff);
}

static void put_end(struct format_writer *writer)
{
    const struct answer_facts *report = writer->report;
    struct mb_buf *out = &writer->out;

    put_overview(report, out);
    mb_buf_put_string(out, ",\n");
    if (report->old != NULL) {
        put_diff(report, out);
    }
    mb_buf_put_string(out, "\"threads\":[");
    for (size_t i = 0; i < report->thread_count; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n" : "\n");
        put_thread(report, &report->threads[i], out);
        format_drain(writer);
    }
    mb_buf_put_string(out, "],\n\"slow\":[");
    for (size_t i = 0; i < report->slow_count; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n" : "\n");
        put_slow(report, &report->slow[i], out);
        format_drain(writer);
    }
    mb_buf_put_string(out, "],\n\"groups\":[");
    for (size_t i = 0; i < report->group_count; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n" : "\n");
        put_group(report, &report->groups[i], out);
    }
    mb_buf_put_string(out, "],\n");
    if (report->has_profile || report->mute_count > 0) {
        put_mutes(report, out);
    }
    put_methods(report, report->methods, report->method_count, out);
    mb_buf_put_string(out, "}\n");
}

const struct format format_json = {
    .name = "json",
    .extension = ".json",
    .end = put_end,
};
