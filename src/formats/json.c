/* For scripts: everything the text has, times in ns. */

#include "base/json.h"
#include "answer/cost.h"
#include "answer/diff.h"
#include "answer/finding.h"
#include "answer/headline.h"
#include "answer/marks.h"
#include "answer/trust.h"
#include "answer/waits.h"
#include "formats/writer.h"

#include <stdio.h>

/* ---- Members ---- */

static void put_flag_if(struct mb_json *json, const char *key, bool flag)
{
    if (flag) {
        mb_json_flag(json, key, true);
    }
}

static void put_name(struct mb_json *json, const char *key, const struct answer_names *names,
                     uint32_t id)
{
    mb_json_key(json, key);
    answer_put_json_name(json->out, names, id);
}

static void put_id(struct mb_json *json, const struct answer_names *names, uint32_t id)
{
    mb_json_count(json, "id", id);
    put_name(json, "name", names, id);
}

/* As Matrix writes it: "171|". */
static void put_key(struct mb_json *json, const struct answer_names *names, uint32_t key)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%" PRIu32 "|", key);
    mb_json_string(json, "key", text);
    put_name(json, "keyName", names, key);
}

static void put_percent(struct mb_json *json, const char *key, double percent)
{
    mb_json_key(json, key);
    mb_buf_printf(json->out, "%.1f", percent);
}

/* On a line of its own, as all rows of a list. */
static void open_row(struct mb_json *json)
{
    mb_json_break(json, "\n");
    mb_json_open(json, NULL, "{");
}

static void open_list(struct mb_json *json, const char *key)
{
    mb_json_break(json, "\n");
    mb_json_open(json, key, "[");
}

/* ---- Methods ---- */

/* Of all threads: calls of muted methods that are in the method's own time. */
static void put_held(const struct answer_methods *methods, uint32_t id, struct mb_json *json)
{
    const struct answer_marks marks = answer_marks_of(methods, id, 0, 0);

    if (marks.held_count == 0) {
        return;
    }
    mb_json_open(json, "holds", "[");
    for (size_t i = 0; i < marks.held_count; i++) {
        mb_json_open(json, NULL, "{");
        put_id(json, &methods->names, marks.held[i].id);
        mb_json_count(json, "callsEstimate", marks.held[i].calls);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_suspended(const struct answer_methods *methods, uint32_t id, struct mb_json *json)
{
    const struct answer_suspended *suspended = answer_find_suspended(methods, id);

    put_flag_if(json, "suspend", suspended != NULL);
    if (suspended != NULL && suspended->resumed > 0) {
        mb_json_count(json, "resumed", suspended->resumed);
    }
}

static void put_method(const struct answer_facts *facts, const struct trace_method *method,
                       struct mb_json *json)
{
    const struct answer_methods *all = &facts->methods;
    const struct answer_clock *clock = &facts->clock;

    put_id(json, &all->names, method->id);
    mb_json_count(json, "calls", method->calls);
    mb_json_number(json, "totalNs", answer_ns(clock, method->total));
    mb_json_number(json, "selfNs", answer_ns(clock, method->self));
    if (facts->recording.has_profile) {
        mb_json_number(json, "longestNs", answer_ns(clock, method->longest));
        mb_json_number(json, "readyNs", answer_ns(clock, method->ready));
        mb_json_number(json, "waitedNs", answer_ns(clock, method->waited));
    }
    if (method->inferred > 0) {
        mb_json_number(json, "inferredNs", answer_ns(clock, method->inferred));
    }
    if (method->sampled > 0) {
        mb_json_number(json, "sampledNs", answer_ns(clock, method->sampled));
        mb_json_count(json, "errorPercent",
                      answer_sampled_percent(all, method->sampled, method->total));
    }
    if (method >= all->rows && method < all->rows + all->count) {
        put_held(all, method->id, json);
        put_suspended(all, method->id, json);
    }
}

static void put_methods(const struct answer_facts *facts, const struct trace_method *methods,
                        size_t count, struct mb_json *json)
{
    mb_json_open(json, "methods", "[");
    for (size_t i = 0; i < count; i++) {
        open_row(json);
        put_method(facts, &methods[i], json);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_mutes(const struct answer_methods *methods, struct mb_json *json)
{
    open_list(json, "muted");
    for (size_t i = 0; i < methods->mute_count; i++) {
        const struct answer_mute *mute = &methods->mutes[i];
        open_row(json);
        put_id(json, &methods->names, mute->id);
        mb_json_count(json, "atNs", mute->time_ns);
        mb_json_count(json, "calls", mute->calls);
        mb_json_number(json, "totalNs", mute->total_ns);
        put_flag_if(json, "before", mute->was_before);
        put_flag_if(json, "budget", mute->is_budget);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

/* ---- Threads ---- */

static void put_losses(const struct trace_losses *losses, struct mb_json *json)
{
    mb_json_count(json, "records", losses->words);
    mb_json_count(json, "exitsWithoutEntry", losses->lost_entries);
    mb_json_count(json, "entriesWithoutExit", losses->lost_exits);
    mb_json_count(json, "inferredExits", losses->inferred_exits);
    if (losses->deep_calls > 0) {
        mb_json_count(json, "deepCalls", losses->deep_calls);
    }
    mb_json_count(json, "endedBeforeStart", losses->time_went_back);
    mb_json_count(json, "openCalls", losses->open_calls);
}

/* What only a profile of the whole run knows. */
static void put_profiled(const struct answer_thread *thread, struct mb_json *json)
{
    mb_json_count(json, "unseenRecords", thread->unseen_words);
    mb_json_count(json, "threads", thread->member_count);
    mb_json_flag(json, "virtual", thread->is_virtual);
    if (thread->time.has_cpu) {
        mb_json_number(json, "workedNs", thread->time.worked_ns);
        mb_json_number(json, "readyNs", thread->time.ready_ns);
        mb_json_number(json, "waitedNs", thread->time.waited_ns);
        mb_json_flag(json, "knowsReady", thread->time.knows_ready);
    }
}

/* The methods of its idle loop, the outermost first, and their own time. */
static void put_idle(const struct answer_methods *methods, const struct answer_thread *thread,
                     struct mb_json *json)
{
    mb_json_number(json, "idleNs", thread->time.idle_ns);
    mb_json_open(json, "idle", "[");
    for (size_t i = 0; i < thread->idle_count; i++) {
        mb_json_open(json, NULL, "{");
        put_id(json, &methods->names, thread->idle_ids[i]);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_thread(const struct answer_facts *facts, const struct answer_thread *thread,
                       struct mb_json *json)
{
    open_row(json);
    mb_json_text(json, "name", thread->name);
    mb_json_count(json, "id", thread->id);
    mb_json_flag(json, "main", thread->is_main);
    mb_json_flag(json, "live", thread->is_live);
    mb_json_count(json, "calls", thread->calls);
    if (thread->samples > 0) {
        mb_json_count(json, "samples", thread->samples);
    }
    mb_json_number(json, "inCallsNs", thread->time.busy_ns);
    mb_json_count(json, "startNs", thread->time.start_ns);
    mb_json_count(json, "endNs", thread->time.end_ns);
    mb_json_count(json, "overwrittenRecords", thread->lapped_words);
    mb_json_count(json, "missingRecords", thread->missing_words);
    put_losses(&thread->losses, json);
    if (thread->is_profiled) {
        put_profiled(thread, json);
    }
    if (thread->idle_count > 0) {
        put_idle(&facts->methods, thread, json);
    }
    put_methods(facts, thread->methods, thread->method_count, json);
    mb_json_close(json, "}");
}

/* ---- Slow messages ---- */

static void put_item(const struct answer_clock *clock, const struct answer_names *names,
                     const struct trace_item *item, struct mb_json *json)
{
    mb_json_open(json, NULL, "{");
    mb_json_number(json, "depth", item->depth);
    put_id(json, names, item->id);
    mb_json_count(json, "count", item->count);
    mb_json_number(json, "ns", answer_ns(clock, item->duration));
    put_flag_if(json, "open", item->is_open != 0);
    put_flag_if(json, "inferred", item->is_inferred != 0);
    put_flag_if(json, "sampled", item->is_sampled != 0);
    mb_json_close(json, "}");
}

static void put_slow(const struct answer_clock *clock, const struct answer_names *names,
                     const struct answer_slow *slow, struct mb_json *json)
{
    open_row(json);
    mb_json_count(json, "thread", slow->thread->id);
    mb_json_count(json, "startNs", slow->start_ns);
    mb_json_number(json, "ns", slow->duration_ns);
    put_flag_if(json, "open", slow->is_open);
    put_key(json, names, slow->key);
    mb_json_open(json, "stack", "[");
    for (size_t i = 0; i < slow->item_count; i++) {
        put_item(clock, names, &slow->items[i], json);
    }
    mb_json_close(json, "]");
    mb_json_close(json, "}");
}

static void put_groups(const struct answer_messages *messages, const struct answer_names *names,
                       struct mb_json *json)
{
    open_list(json, "groups");
    for (size_t i = 0; i < messages->group_count; i++) {
        const struct answer_group *group = &messages->groups[i];
        open_row(json);
        put_key(json, names, group->key);
        mb_json_count(json, "count", group->count);
        mb_json_number(json, "totalNs", group->total_ns);
        mb_json_number(json, "longestNs", group->longest_ns);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

/* ---- Who waits for whom ---- */

static void put_block(const struct answer_names *names, const struct answer_block *block,
                      struct mb_json *json)
{
    struct mb_buf lock = {0};

    open_row(json);
    mb_json_text(json, "threadName", block->thread);
    mb_json_count(json, "thread", block->thread_id);
    mb_json_count(json, "startNs", block->start_ns);
    mb_json_number(json, "ns", block->duration_ns);
    put_flag_if(json, "open", block->is_open);
    put_flag_if(json, "sampled", !block->is_monitor);
    if (block->lock.size > 0) {
        answer_put_lock(&lock, block->lock);
        mb_json_text(json, "lock", (struct mb_text){(const char *)lock.bytes, lock.size});
    }
    if (block->method > 0) {
        put_name(json, "in", names, block->method);
    }
    if (block->owner_index > 0) {
        mb_json_text(json, "ownerName", block->owner);
        mb_json_count(json, "owner", block->owner_id);
    }
    if (block->owner_method > 0) {
        put_name(json, "ownerIn", names, block->owner_method);
    }
    mb_json_close(json, "}");
    mb_buf_finish_part(json->out, &lock);
}

static void put_blocks(const struct answer_facts *facts, struct mb_json *json)
{
    if (!facts->sampling.is_known) {
        return;
    }
    open_list(json, "blocked");
    for (size_t i = 0; i < facts->blocks.count; i++) {
        put_block(&facts->methods.names, &facts->blocks.rows[i], json);
    }
    mb_json_close(json, "]");
}

/* ---- The run ---- */

static void put_weaving(const struct answer_weaving *weaving, struct mb_json *json)
{
    static const char *const names[] = {
        [ABI_WEAVING_CLASSES] = "classes",
        [ABI_WEAVING_DAMAGED] = "damagedClasses",
        [ABI_WEAVING_MEMORY] = "classesWithoutMemory",
        [ABI_WEAVING_REFUSED] = "refusedClasses",
        [ABI_WEAVING_METHODS] = "largeMethods",
        [ABI_WEAVING_THREADS] = "threadsInside",
        [ABI_WEAVING_INSIDE] = "callsInside",
        [ABI_WEAVING_CROWDED] = "crowdedClasses",
        [ABI_WEAVING_IDS] = "classesWithoutIds",
        [ABI_WEAVING_BOOT] = "bootClasses",
    };

    if (!weaving->is_known) {
        return;
    }
    mb_json_open(json, "weaving", "{");
    for (size_t i = 0; i < MB_COUNT(names); i++) {
        mb_json_count(json, names[i], weaving->counts[i]);
    }
    mb_json_close(json, "}");
}

static void put_recording(const struct answer_recording *recording, struct mb_json *json)
{
    if (recording->has_profile) {
        mb_json_flag(json, "profile", true);
        mb_json_count(json, "absorbedCalls", recording->absorbed_calls);
    }
    put_weaving(&recording->weaving, json);
}

static void put_overview(const struct answer_facts *facts, struct mb_json *json)
{
    const struct answer_recording *recording = &facts->recording;

    mb_json_text(json, "process", facts->process.name);
    mb_json_count(json, "pid", facts->process.id);
    mb_json_flag(json, "closed", recording->is_closed);
    mb_json_string(json, "clock", facts->clock.is_coarse ? "coarse" : "counter");
    mb_json_count(json, "resolutionNs", facts->clock.resolution_ns);
    mb_json_number(json, "wallStartNs", facts->process.wall_start_ns);
    mb_json_count(json, "refusedRecords", recording->refused_words);
    mb_json_count(json, "recycledRecords", recording->recycled_words);
    if (facts->counted != ANSWER_WALL) {
        mb_json_string(json, "counted", facts->counted == ANSWER_CPU ? "cpu" : "awake");
        mb_json_number(json, "leftOutNs", facts->left_out_ns);
    }
    mb_json_number(json, "overheadEstimateNs", answer_overhead_ns(&facts->clock, &facts->threads));
    mb_json_string(json, "overheadCovers", "probe calls");
    mb_json_open(json, "largerCodePercent", "[");
    mb_json_number(json, NULL, ANSWER_CODE_LEAST_PERCENT);
    mb_json_number(json, NULL, ANSWER_CODE_MOST_PERCENT);
    mb_json_close(json, "]");
    mb_json_flag(json, "messages", recording->has_messages);
    mb_json_number(json, "thresholdNs", facts->messages.threshold_ns);
    mb_json_count(json, "roots", facts->messages.root_count);
    put_recording(recording, json);
}

/* ---- What changed ---- */

static void put_change(const struct answer_change *change, const char *name, int64_t old,
                       int64_t new, struct mb_json *json)
{
    mb_json_open(json, name, "{");
    mb_json_number(json, "wasNs", old);
    mb_json_number(json, "isNs", new);
    mb_json_number(json, "certainNs", change->certain_ns);
    mb_json_close(json, "}");
}

static void put_pair(const struct answer_diff *diff, const struct answer_pair *pair,
                     struct mb_json *json)
{
    open_row(json);
    put_name(json, "name", &answer_pair_methods(diff, pair)->names, pair->id);
    mb_json_string(json, "change", answer_pair_word(pair));
    mb_json_number(json, "wasSelfNs", pair->old_ns);
    mb_json_number(json, "isSelfNs", pair->new_ns);
    mb_json_count(json, "wasCalls", pair->old != NULL ? pair->old->calls : 0);
    mb_json_count(json, "isCalls", pair->new != NULL ? pair->new->calls : 0);
    mb_json_close(json, "}");
}

static void put_runs(const struct answer_diff *diff, struct mb_json *json)
{
    double slower = answer_diff_slower(diff);

    put_percent(json, "noisePercent", diff->share * 100);
    if (slower >= 0) {
        put_percent(json, "slowerPercent", slower);
        put_change(&diff->wall, "wall", diff->old.wall_ns, diff->new.wall_ns, json);
    }
    if (diff->old.has_cpu && diff->new.has_cpu) {
        put_change(&diff->cpu, "cpu", diff->old.cpu_ns, diff->new.cpu_ns, json);
    }
}

static void put_diff(const struct answer_facts *old, const struct answer_facts *new,
                     struct mb_json *json)
{
    struct answer_diff diff = {0};

    answer_diff_make(&diff, old, new);
    const struct answer_pair *pairs = diff.pairs.items;
    mb_json_break(json, "\n");
    mb_json_open(json, "diff", "{");
    put_runs(&diff, json);
    mb_json_open(json, "methods", "[");
    for (size_t i = 0; i < diff.certain && !diff.pairs.buf.failed; i++) {
        put_pair(&diff, &pairs[i], json);
    }
    mb_json_close(json, "]");
    mb_json_count(json, "little", diff.little);
    mb_json_count(json, "noise", diff.noise);
    mb_json_count(json, "explained", diff.explained);
    mb_json_close(json, "}");
    mb_buf_fail_with(json->out, &diff.pairs.buf);
    answer_diff_finish(&diff);
}

/* ---- Findings ---- */

/* Under the name of its hole, and what its number is of. */
static void put_value(const struct answer_value *value, const struct answer_names *names,
                      struct mb_json *json)
{
    bool is_percent = value->unit >= ANSWER_UNIT_PERCENT && value->unit <= ANSWER_UNIT_CHANGE;
    char key[40];

    (void)snprintf(key, sizeof(key), "%s%s", value->name,
                   is_percent                      ? "Percent"
                   : value->unit == ANSWER_UNIT_NS ? "Ns"
                                                   : "");
    if (is_percent) {
        put_percent(json, key, value->percent);
    } else if (value->unit == ANSWER_UNIT_TEXT) {
        mb_json_text(json, key, value->text);
    } else if (value->unit == ANSWER_UNIT_METHOD) {
        mb_json_open(json, key, "{");
        put_id(json, names, (uint32_t)value->number);
        mb_json_close(json, "}");
    } else if (value->unit == ANSWER_UNIT_WORD) {
        mb_json_string(json, key, answer_kind_name((enum answer_kind)value->number));
    } else if (value->unit == ANSWER_UNIT_FLAG) {
        mb_json_flag(json, key, value->number != 0);
    } else {
        mb_json_number(json, key, value->number);
    }
}

static void put_values(const struct answer_finding *finding, const struct answer_names *names,
                       struct mb_json *json)
{
    mb_json_string(json, "kind", answer_kind_name(finding->kind));
    for (size_t i = 0; i < ANSWER_MOST_VALUES; i++) {
        if (finding->values[i].name != NULL) {
            put_value(&finding->values[i], names, json);
        }
    }
}

static void put_sentence(const struct answer_finding *finding, const struct answer_names *names,
                         struct mb_json *json)
{
    const struct answer_voice voice = {.names = names};
    struct mb_buf text = {0};

    answer_put_sentence(&text, finding, &voice);
    mb_json_text(json, "sentence", (struct mb_text){(const char *)text.bytes, text.size});
    mb_buf_finish_part(json->out, &text);
}

static void put_finding(const struct answer_finding *finding, const struct answer_names *names,
                        struct mb_json *json)
{
    open_row(json);
    mb_json_string(json, "topic", answer_topic(finding->kind));
    put_values(finding, names, json);
    if (finding->part_count > 0) {
        mb_json_open(json, "parts", "[");
        for (size_t i = 1; i <= finding->part_count; i++) {
            mb_json_open(json, NULL, "{");
            put_values(finding + i, names, json);
            mb_json_close(json, "}");
        }
        mb_json_close(json, "]");
    }
    put_sentence(finding, names, json);
    mb_json_close(json, "}");
}

/* All that the text says in sentences, in its order. */
static void put_findings(const struct answer_facts *facts, const struct answer_facts *old,
                         struct mb_json *json)
{
    struct answer_findings findings = {0};
    const struct answer_finding *finding = NULL;
    struct answer_lead lead = {0};
    struct answer_diff diff = {0};

    answer_lead_find(&lead, &facts->recording, &facts->clock, &facts->threads);
    if (old != NULL) {
        answer_diff_make(&diff, old, facts);
        answer_find_verdict(&findings, &diff);
        answer_find_noise(&findings, &diff);
    }
    answer_find_headline(&findings, &facts->recording, &facts->messages, &lead);
    answer_find_trust(&findings, facts);
    open_list(json, "findings");
    while ((finding = answer_next_finding(&findings, finding)) != NULL) {
        put_finding(finding, &facts->methods.names, json);
    }
    mb_json_close(json, "]");
    mb_buf_fail_with(json->out, &findings.rows.buf);
    mb_buf_fail_with(json->out, &diff.pairs.buf);
    mb_buf_fail_with(json->out, &lead.pools.buf);
    answer_findings_finish(&findings);
    answer_diff_finish(&diff);
    answer_lead_finish(&lead);
}

static void put_end(struct format_writer *writer)
{
    const struct answer_facts *facts = writer->facts;
    struct mb_json json = {.out = &writer->out};

    mb_json_open(&json, NULL, "{");
    put_overview(facts, &json);
    if (writer->look.old != NULL) {
        put_diff(writer->look.old, facts, &json);
    }
    open_list(&json, "threads");
    for (size_t i = 0; i < facts->threads.count; i++) {
        put_thread(facts, &facts->threads.rows[i], &json);
        format_drain(writer);
    }
    mb_json_close(&json, "]");
    open_list(&json, "slow");
    for (size_t i = 0; i < facts->messages.slow_count; i++) {
        put_slow(&facts->clock, &facts->methods.names, &facts->messages.slow[i], &json);
        format_drain(writer);
    }
    mb_json_close(&json, "]");
    put_groups(&facts->messages, &facts->methods.names, &json);
    put_blocks(facts, &json);
    if (facts->recording.has_profile || facts->methods.mute_count > 0) {
        put_mutes(&facts->methods, &json);
    }
    mb_json_break(&json, "\n");
    put_methods(facts, facts->methods.rows, facts->methods.count, &json);
    put_findings(facts, writer->look.old, &json);
    mb_json_end(&json);
}

const struct format format_json = {
    .name = "json",
    .extension = ".json",
    .end = put_end,
};
