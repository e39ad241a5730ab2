/* For scripts: everything the text has, times in ns. */

#include "export/writer.h"

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

static void put_method(const struct export_report *report, const struct trace_method *method,
                       struct mb_buf *out)
{
    mb_buf_printf(out, "{\"id\":%" PRIu32 ",\"name\":", method->id);
    export_put_json_name(out, &report->names, method->id);
    mb_buf_printf(out, ",\"calls\":%" PRIu64 ",\"totalNs\":%" PRId64 ",\"selfNs\":%" PRId64,
                  method->calls, export_ns(report, method->total), export_ns(report, method->self));
    if (report->has_profile) {
        mb_buf_printf(out,
                      ",\"longestNs\":%" PRId64 ",\"waitedNs\":%" PRId64 ",\"belowMinNs\":%" PRId64,
                      export_ns(report, method->longest), export_ns(report, method->waited),
                      export_ns(report, method->below_min));
    }
    mb_buf_put_u1(out, '}');
}

static void put_methods(const struct export_report *report, const struct trace_method *methods,
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
static void put_profiled(const struct export_thread *thread, struct mb_buf *out)
{
    mb_buf_printf(out, ",\"unseenRecords\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"virtual\":%s",
                  thread->unseen_words, thread->member_count,
                  thread->is_virtual ? "true" : "false");
    if (thread->has_cpu) {
        mb_buf_printf(out, ",\"waitedNs\":%" PRId64, thread->waited_ns);
    }
}

static void put_mute(const struct export_report *report, const struct export_mute *mute,
                     struct mb_buf *out)
{
    mb_buf_printf(out, "{\"id\":%" PRIu32 ",\"name\":", mute->id);
    export_put_json_name(out, &report->names, mute->id);
    mb_buf_printf(out, ",\"atNs\":%" PRIu64 ",\"calls\":%" PRIu64 ",\"totalNs\":%" PRId64 "}",
                  mute->time_ns, mute->calls, mute->total_ns);
}

static void put_mutes(const struct export_report *report, struct mb_buf *out)
{
    mb_buf_put_string(out, "\"muted\":[");
    for (size_t i = 0; i < report->mute_count; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n" : "\n");
        put_mute(report, &report->mutes[i], out);
    }
    mb_buf_put_string(out, "],\n");
}

static void put_thread(const struct export_report *report, const struct export_thread *thread,
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
    mb_buf_put_u1(out, ',');
    put_methods(report, thread->methods, thread->method_count, out);
    mb_buf_put_u1(out, '}');
}

static void put_item(const struct export_report *report, const struct trace_item *item,
                     struct mb_buf *out)
{
    mb_buf_printf(out, "{\"depth\":%" PRId32 ",\"id\":%" PRIu32 ",\"name\":", item->depth,
                  item->id);
    export_put_json_name(out, &report->names, item->id);
    mb_buf_printf(out, ",\"count\":%" PRIu32 ",\"ns\":%" PRId64 "%s}", item->count,
                  export_ns(report, item->duration), item->is_open ? ",\"open\":true" : "");
}

static void put_slow(const struct export_report *report, const struct export_slow *slow,
                     struct mb_buf *out)
{
    mb_buf_printf(out, "{\"thread\":%" PRIu32 ",\"startNs\":%" PRIu64 ",\"ns\":%" PRId64 "%s",
                  slow->thread->id, slow->start_ns, slow->duration_ns,
                  slow->is_open ? ",\"open\":true" : "");
    mb_buf_printf(out, ",\"key\":\"%" PRIu32 "|\",\"keyName\":", slow->key);
    export_put_json_name(out, &report->names, slow->key);
    mb_buf_put_string(out, ",\"stack\":[");
    for (size_t i = 0; i < slow->item_count; i++) {
        mb_buf_put_string(out, i > 0 ? "," : "");
        put_item(report, &slow->items[i], out);
    }
    mb_buf_put_string(out, "]}");
}

static void put_group(const struct export_report *report, const struct export_group *group,
                      struct mb_buf *out)
{
    mb_buf_printf(out, "{\"key\":\"%" PRIu32 "|\",\"keyName\":", group->key);
    export_put_json_name(out, &report->names, group->key);
    mb_buf_printf(out, ",\"count\":%" PRIu64 ",\"totalNs\":%" PRId64 ",\"longestNs\":%" PRId64 "}",
                  group->count, group->total_ns, group->longest_ns);
}

static void put_overview(const struct export_report *report, struct mb_buf *out)
{
    mb_buf_put_string(out, "{\"process\":");
    mb_buf_put_json_string(out, report->process_name);
    mb_buf_printf(out,
                  ",\"pid\":%" PRIu32 ",\"closed\":%s,\"clock\":\"%s\",\"resolutionNs\":%" PRIu64
                  ",\"wallStartNs\":%" PRId64 ",\"minNs\":%" PRIu64 ",\"refusedRecords\":%" PRIu64
                  ",\"recycledRecords\":%" PRIu64 ",\"overheadEstimateNs\":%" PRId64
                  ",\"messages\":%s,\"thresholdNs\":%" PRId64 ",\"roots\":%" PRIu64,
                  report->process_id, report->is_closed ? "true" : "false",
                  report->is_coarse_clock ? "coarse" : "counter", report->resolution_ns,
                  report->wall_start_ns, report->min_ns, report->refused_words,
                  report->recycled_words, export_overhead_ns(report),
                  report->has_messages ? "true" : "false", report->threshold_ns,
                  report->root_count);
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

static void put_end(struct export_writer *writer)
{
    const struct export_report *report = writer->report;
    struct mb_buf *out = &writer->out;

    put_overview(report, out);
    mb_buf_put_string(out, ",\n\"threads\":[");
    for (size_t i = 0; i < report->thread_count; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n" : "\n");
        put_thread(report, &report->threads[i], out);
        export_drain(writer);
    }
    mb_buf_put_string(out, "],\n\"slow\":[");
    for (size_t i = 0; i < report->slow_count; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n" : "\n");
        put_slow(report, &report->slow[i], out);
        export_drain(writer);
    }
    mb_buf_put_string(out, "],\n\"groups\":[");
    for (size_t i = 0; i < report->group_count; i++) {
        mb_buf_put_string(out, i > 0 ? ",\n" : "\n");
        put_group(report, &report->groups[i], out);
    }
    mb_buf_put_string(out, "],\n");
    if (report->has_profile) {
        put_mutes(report, out);
    }
    put_methods(report, report->methods, report->method_count, out);
    mb_buf_put_string(out, "}\n");
}

const struct export_format export_json = {
    .name = "json",
    .extension = ".json",
    .end = put_end,
};
