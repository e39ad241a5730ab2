/* For scripts: everything the text has, times in ns. */

#include "formats/json.h"

#include "answer/cost.h"
#include "answer/marks.h"
#include "answer/requests.h"
#include "answer/waits.h"
#include "formats/format.h"
#include "formats/writer.h"

#include <stdio.h>

/* ---- Members ---- */

static void put_flag_if(struct mb_json *json, const char *key, bool flag)
{
    if (flag) {
        mb_json_flag(json, key, true);
    }
}

/* As Matrix writes it: "171|". */
static void put_key(struct mb_json *json, const struct answer_names *names, uint32_t key)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%" PRIu32 "|", key);
    mb_json_string(json, "key", text);
    format_json_put_name(json, "keyName", names, key);
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
        format_json_put_id(json, &methods->names, marks.held[i].id);
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

static void put_lengths(const struct answer_lengths *lengths, struct mb_json *json)
{
    if (lengths->calls > 0) {
        mb_json_number(json, "p50Ns", lengths->p50.ns);
        mb_json_number(json, "p90Ns", lengths->p90.ns);
        mb_json_number(json, "p99Ns", lengths->p99.ns);
    }
}

static void put_cause(enum answer_state state, uint32_t id, const struct answer_block *block,
                      const struct answer_names *names, struct mb_json *json)
{
    mb_json_string(json, "state", answer_state_name(state));
    if (id != 0) {
        format_json_put_id(json, names, id);
    }
    if (block != NULL) {
        mb_json_text(json, "owner", block->owner);
        if (block->owner_method != 0) {
            format_json_put_name(json, "ownerMethod", names, block->owner_method);
        }
    }
}

static void put_asked(const struct answer_request *request, const struct answer_names *names,
                      struct mb_json *json)
{
    mb_json_open(json, "slowest", "[");
    for (size_t i = 0; i < request->asked_count; i++) {
        const struct answer_asked *asked = &request->asked[i];
        format_json_open_row(json);
        mb_json_count(json, "thread", asked->thread_id);
        mb_json_count(json, "startNs", asked->start_ns);
        mb_json_number(json, "ns", asked->length_ns);
        mb_json_number(json, "moreNs", asked->more_ns);
        put_cause(asked->state, asked->id, asked->block, names, json);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_excesses(const struct answer_request *request, const struct answer_names *names,
                         struct mb_json *json)
{
    mb_json_open(json, "causes", "[");
    for (size_t i = 0; i < request->excess_count; i++) {
        const struct answer_excess *excess = &request->excesses[i];
        mb_json_open(json, NULL, "{");
        mb_json_count(json, "count", excess->count);
        mb_json_number(json, "moreNs", excess->more_ns);
        mb_json_number(json, "readyNs", excess->ready_ns);
        put_cause(excess->state, excess->id, excess->block, names, json);
        if (excess->below != 0) {
            format_json_put_name(json, "below", names, excess->below);
        }
        if (excess->owner_count > 0) {
            mb_json_count(json, "ownerCount", excess->owner_count);
            mb_json_count(json, "knownCount", excess->known_count);
        }
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_requests(const struct answer_facts *facts, struct mb_json *json)
{
    format_json_open_list(json, "requests");
    for (size_t i = 0; i < facts->requests.count; i++) {
        const struct answer_request *request = &facts->requests.rows[i];
        format_json_open_row(json);
        format_json_put_id(json, &facts->methods.names, request->id);
        mb_json_count(json, "count", request->calls);
        mb_json_number(json, "totalNs", request->total_ns);
        put_lengths(&request->lengths, json);
        mb_json_number(json, "longestNs", request->longest_ns);
        if (request->slow_count > 0) {
            mb_json_count(json, "slow", request->slow_count);
            mb_json_count(json, "slowOf", request->known_calls);
            mb_json_number(json, "slowerNs", request->slower_ns);
            put_excesses(request, &facts->methods.names, json);
            put_asked(request, &facts->methods.names, json);
        }
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_method(const struct answer_facts *facts, const struct trace_method *method,
                       struct mb_json *json)
{
    const struct answer_methods *all = &facts->methods;
    const struct answer_clock *clock = &facts->clock;

    format_json_put_id(json, &all->names, method->id);
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
        const struct answer_lengths lengths =
            answer_lengths_of(all, clock, method->id, ANSWER_CALLS);
        put_lengths(&lengths, json);
        put_held(all, method->id, json);
        put_suspended(all, method->id, json);
    }
}

static void put_methods(const struct answer_facts *facts, const struct trace_method *methods,
                        size_t count, struct mb_json *json)
{
    mb_json_open(json, "methods", "[");
    for (size_t i = 0; i < count; i++) {
        format_json_open_row(json);
        put_method(facts, &methods[i], json);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_mutes(const struct answer_methods *methods, struct mb_json *json)
{
    format_json_open_list(json, "muted");
    for (size_t i = 0; i < methods->mute_count; i++) {
        const struct answer_mute *mute = &methods->mutes[i];
        format_json_open_row(json);
        format_json_put_id(json, &methods->names, mute->id);
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

static void put_losses(const struct answer_losses *all, struct mb_json *json)
{
    const struct trace_losses *losses = &all->read;

    mb_json_count(json, "overwrittenRecords", all->lapped_words);
    mb_json_count(json, "missingRecords", all->missing_words);
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
    mb_json_count(json, "unseenRecords", answer_losses_of(thread)->unseen_words);
    mb_json_count(json, "exactRecords", answer_losses_of(thread)->exact_words);
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
        format_json_put_id(json, &methods->names, thread->idle_ids[i]);
        mb_json_close(json, "}");
    }
    mb_json_close(json, "]");
}

static void put_thread(const struct answer_facts *facts, const struct answer_thread *thread,
                       struct mb_json *json)
{
    format_json_open_row(json);
    mb_json_text(json, "name", thread->name);
    mb_json_count(json, "id", thread->id);
    mb_json_flag(json, "main", thread->is_main);
    mb_json_flag(json, "live", thread->is_live);
    mb_json_count(json, "calls", thread->calls);
    if (thread->seen != NULL && thread->seen->stacks > 0) {
        mb_json_count(json, "samples", thread->seen->stacks);
    }
    mb_json_number(json, "inCallsNs", thread->time.busy_ns);
    mb_json_count(json, "startNs", thread->time.start_ns);
    mb_json_count(json, "endNs", thread->time.end_ns);
    put_losses(answer_losses_of(thread), json);
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
    format_json_put_id(json, names, item->id);
    mb_json_count(json, "count", item->count);
    mb_json_number(json, "ns", answer_ns(clock, item->duration));
    put_flag_if(json, "open", item->is_open != 0);
    put_flag_if(json, "inferred", item->is_inferred != 0);
    mb_json_close(json, "}");
}

static void put_slow(const struct answer_clock *clock, const struct answer_names *names,
                     const struct answer_slow *slow, struct mb_json *json)
{
    format_json_open_row(json);
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
    format_json_open_list(json, "groups");
    for (size_t i = 0; i < messages->group_count; i++) {
        const struct answer_group *group = &messages->groups[i];
        format_json_open_row(json);
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

    format_json_open_row(json);
    mb_json_text(json, "threadName", block->thread);
    mb_json_count(json, "thread", block->thread_id);
    mb_json_count(json, "startNs", block->start_ns);
    mb_json_number(json, "ns", block->duration_ns);
    put_flag_if(json, "open", block->is_open);
    put_flag_if(json, "sampled", !block->is_exact);
    if (block->lock.size > 0) {
        answer_put_lock(&lock, block->lock);
        mb_json_text(json, "lock", (struct mb_text){(const char *)lock.bytes, lock.size});
    }
    if (block->method > 0) {
        format_json_put_name(json, "in", names, block->method);
    }
    if (block->owner_index > 0) {
        mb_json_text(json, "ownerName", block->owner);
        mb_json_count(json, "owner", block->owner_id);
    }
    if (answer_wait_unknown(block) != NULL) {
        mb_json_string(json, "ownerUnknown", answer_wait_unknown(block));
    }
    if (block->owner_method > 0) {
        format_json_put_name(json, "ownerIn", names, block->owner_method);
    }
    mb_json_close(json, "}");
    mb_buf_finish_part(json->out, &lock);
}

static void put_blocks(const struct answer_facts *facts, struct mb_json *json)
{
    if (!facts->sampling.is_known && facts->blocks.count == 0) {
        return;
    }
    format_json_open_list(json, "blocked");
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
    format_put_identity(json, facts->process.app);
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

static void put_end(struct format_writer *writer)
{
    const struct answer_facts *facts = writer->facts;
    struct mb_json json = {.out = &writer->out};

    mb_json_open(&json, NULL, "{");
    put_overview(facts, &json);
    if (writer->look.old != NULL) {
        format_json_put_diff(writer->look.old, facts, &json);
    }
    format_json_open_list(&json, "threads");
    for (size_t i = 0; i < facts->threads.count; i++) {
        put_thread(facts, &facts->threads.rows[i], &json);
        format_drain(writer);
    }
    mb_json_close(&json, "]");
    format_json_open_list(&json, "slow");
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
    if (facts->requests.count > 0) {
        put_requests(facts, &json);
        mb_json_count(&json, "shortRequestKinds", facts->requests.short_count);
    }
    mb_json_break(&json, "\n");
    put_methods(facts, facts->methods.rows, facts->methods.count, &json);
    format_json_put_findings(facts, writer->look.old, &json);
    mb_json_end(&json);
}

const struct format format_json = {
    .name = "json",
    .extension = ".json",
    .end = put_end,
};
