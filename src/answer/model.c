#include "answer/building.h"

#include "abi/identity.h"
#include "abi/record.h"
#include "abi/section.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* The latest time that anything tells of. */
static uint64_t find_end(struct answer_building *b)
{
    const struct trace_tree_source *profile = &b->model->sections.source;
    uint64_t end = b->trace->file.header.now;

    for (size_t i = 0; i < profile->thread_count; i++) {
        uint64_t last = profile->threads[i].last_time;
        end = last > end ? last : end;
    }

    for (uint32_t i = 0; i < b->trace->file.header.ring_count; i++) {
        struct abi_ring_view view;
        bool used = false;
        if (abi_tracefile_ring(&b->trace->file, i, &view, &used, NULL) == MB_OK && used) {
            uint64_t last = answer_trace_time(b->trace, answer_last_word(&view));
            end = last > end ? last : end;
        }
    }
    return end;
}

/* An older recorder has fewer counts. */
static struct answer_weaving find_weaving(const struct abi_tracefile *trace)
{
    struct abi_section_view view;
    struct answer_weaving weaving = {
        .is_known = abi_tracefile_section(trace, ABI_SECTION_WEAVING, 0, sizeof(uint64_t), &view)};

    for (size_t i = 0; weaving.is_known && i < view.count && i < ABI_WEAVING_COUNT; i++) {
        memcpy(&weaving.counts[i], (const uint8_t *)view.records + i * view.entry.record_size,
               sizeof(uint64_t));
    }
    return weaving;
}

/* Where Java reads the time with each record of all threads, unless one makes more in a tick than
 * are to have it. */
static void find_busy_ticks(const struct abi_tracefile *file, struct answer_clock *clock)
{
    uint32_t exact = 0;
    uint32_t all = 0;

    for (uint32_t i = 0; i < file->header.ring_count; i++) {
        struct abi_ring_view view;
        bool used = false;
        if (abi_tracefile_ring(file, i, &view, &used, NULL) == MB_OK && used) {
            exact += view.entry.exact_words > 0;
            clock->busy_ticks = mb_max_u64(clock->busy_ticks, view.entry.coarse_ticks);
            all++;
        }
    }
    bool is_known = all > 0 && exact == all;
    clock->is_exact = is_known && clock->busy_ticks == 0;
    clock->busy_ticks = is_known ? clock->busy_ticks : 0;
}

static void start_facts(struct answer_building *b)
{
    const struct abi_trace_header *header = &b->trace->file.header;
    struct answer_findings *notes = &b->model->notes;

    b->model->facts = (struct answer_facts){
        .counted = b->options->counted,
        .process = {.name = answer_copy_text(b, header->process_name),
                    .app = abi_identity_of_trace(&b->trace->file),
                    .id = header->process_id,
                    .mapping_hash = header->mapping_hash,
                    .wall_start_ns = header->wall_start_ns,
                    .monotonic_start_ns = header->monotonic_start_ns,
                    .boottime_start_ns = header->boottime_start_ns},
        .clock = {.is_coarse = header->clock_kind == ABI_CLOCK_COARSE,
                  .ns_per_unit = header->ns_per_unit,
                  .resolution_ns = header->resolution_ns,
                  .slow_record_ns = header->slow_record_ns,
                  .slow_words = header->slow_words,
                  .quick_words = header->quick_words},
        .recording = {.is_closed = header->state == ABI_TRACE_CLOSED,
                      .refused_words = header->refused_words,
                      .recycled_words = header->recycled_words,
                      .weaving = find_weaving(&b->trace->file),
                      .ring_count = header->ring_count},
        .messages = {.threshold_ns = b->options->threshold_ns},
        .monitors = b->options->monitors,
        .methods = {.names = answer_map_names(&b->trace->names)},
        .trace_path = b->trace->path,
        .map_path = b->trace->map_path,
    };
    find_busy_ticks(&b->trace->file, &b->model->facts.clock);
    if (b->trace->found_map.size > 0) {
        const char *path = (const char *)b->trace->found_map.bytes;
        ANSWER_FIND(notes, NAMES_FROM, ANSWER_TEXT("path", mb_text_of(path)));
    }
    if (header->virtual_words > 0) {
        ANSWER_FIND(notes, VIRTUAL_LEFT_OUT, ANSWER_COUNT("records", header->virtual_words));
    }
    if (header->mapping_hash == 0 && !b->trace->has_own_names) {
        answer_find_plain(notes, ANSWER_KIND_NO_MAP_HASH);
    }
}

static void take_events(struct answer_building *b)
{
    struct answer_facts *facts = &b->model->facts;
    uint64_t end_ns = (uint64_t)answer_ns(&facts->clock, (int64_t)(b->end & INT64_MAX));

    answer_choose_events(&b->model->events, &facts->process, end_ns, &b->options->issues);
    facts->monitors.events = b->model->events.items;
    facts->monitors.event_count = MB_VEC_COUNT(&b->model->events);
}

/* ---- The profile of the whole run ---- */

static int most_calls_first(const void *a, const void *b)
{
    const struct answer_mute *x = a;
    const struct answer_mute *y = b;
    int order = (x->calls < y->calls) - (x->calls > y->calls);

    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

static void take_mute(struct answer_building *b, const struct abi_profile_mute *from)
{
    const struct answer_facts *facts = &b->model->facts;
    const struct answer_mute mute = {
        .id = from->id,
        .was_before = from->reason == ABI_MUTED_BEFORE,
        .is_budget = from->reason == ABI_MUTED_BY_BUDGET,
        .time_ns = (uint64_t)answer_ns(&facts->clock, (int64_t)(from->time & INT64_MAX)),
        .calls = from->calls,
        .total_ns = answer_ns(&facts->clock, (int64_t)(from->total & INT64_MAX)),
    };

    if (from->id <= ABI_ID_MASK) {
        MB_VEC_PUSH(&b->model->mutes, mute);
    } else {
        b->model->sections.missing++;
    }
}

static void take_mutes(struct answer_building *b)
{
    const struct answer_sections *sections = &b->model->sections;
    struct answer_facts *facts = &b->model->facts;

    for (size_t i = 0; i < sections->mute_count; i++) {
        take_mute(b, &sections->mutes[i]);
    }
    facts->methods.mutes = b->model->mutes.items;
    facts->methods.mute_count = MB_VEC_COUNT(&b->model->mutes);
    MB_VEC_SORT(&b->model->mutes, most_calls_first);
}

static void note_damage(struct answer_building *b)
{
    const struct answer_sections *sections = &b->model->sections;
    struct answer_findings *notes = &b->model->notes;

    if (sections->is_damaged) {
        answer_find_plain(notes, ANSWER_KIND_SECTION_DAMAGED);
    }
    if (sections->missing > 0) {
        ANSWER_FIND(notes, PROFILE_DAMAGED, ANSWER_COUNT("records", sections->missing));
    }
    if (sections->lost_threads > 0) {
        ANSWER_FIND(notes, THREADS_LOST, ANSWER_COUNT("threads", sections->lost_threads));
    }
    if (sections->lost_mutes > 0) {
        ANSWER_FIND(notes, MUTES_LOST, ANSWER_COUNT("methods", sections->lost_mutes));
    }
    if (sections->lost_slow > 0) {
        ANSWER_FIND(notes, SLOW_LOST, ANSWER_COUNT("requests", sections->lost_slow));
    }
    if (sections->lost_slow_calls > 0) {
        ANSWER_FIND(notes, SLOW_FULL, ANSWER_COUNT("calls", sections->lost_slow_calls));
    }
    if (sections->lost_lengths > 0) {
        ANSWER_FIND(notes, LENGTHS_LOST, ANSWER_COUNT("calls", sections->lost_lengths));
    }
}

/* When waits are known. */
static void find_causes(struct answer_model *model)
{
    answer_place_locks(&model->facts.blocks, &model->sections, &model->asked);
    answer_sum_causes(&model->requests, &model->asked, &model->excesses);
}

static enum mb_status find_requests(struct answer_building *b, struct mb_error *err)
{
    MB_TRY(answer_find_idle(b, err));
    MB_TRY(answer_make_requests(b, err));
    return answer_make_excesses(b, err);
}

/* A mark is a place in a ring: what the profile tells is not only of what came after it. */
static enum mb_status take_profile(struct answer_building *b, struct mb_error *err)
{
    struct answer_sections *sections = &b->model->sections;

    if (b->options->mark == NULL) {
        MB_TRY(answer_sections_find(sections, b->trace, err));
    }
    b->end = find_end(b);
    MB_TRY(answer_sections_make_trees(sections, b->end, err));
    MB_TRY(find_requests(b, err));
    take_mutes(b);
    note_damage(b);
    b->model->facts.recording.has_profile = sections->are_there;
    b->model->facts.recording.absorbed_calls = sections->absorbed_calls;
    return MB_OK;
}

static enum mb_status check_memory(const struct answer_building *b, struct mb_error *err)
{
    const struct answer_model *model = b->model;
    bool failed = b->lacks_memory || model->slow.buf.failed || model->groups.buf.failed ||
                  model->notes.rows.buf.failed || model->nodes.buf.failed ||
                  model->mutes.buf.failed || model->events.buf.failed || model->blocks.buf.failed ||
                  model->requests.buf.failed || model->lengths.buf.failed ||
                  model->excesses.buf.failed || model->asked.buf.failed || model->pauses.buf.failed;

    return failed ? mb_fail_memory(err) : MB_OK;
}

static enum mb_status build_facts(struct answer_building *b, struct mb_error *err)
{
    struct answer_facts *facts = &b->model->facts;

    if (b->options->mark != NULL) {
        MB_TRY(answer_trace_find_mark(b->trace, b->options->mark, &b->mark, err));
    }
    start_facts(b);
    MB_TRY(take_profile(b, err));
    MB_TRY(answer_sampled_open(b, err));
    take_events(b);
    if (b->listener != NULL) {
        b->listener->begin(b->listener->context, facts);
    }
    MB_TRY(answer_add_threads(b, err));
    answer_sampled_make_blocks(b);
    find_causes(b->model);
    answer_make_groups(b->model);
    MB_TRY(check_memory(b, err));
    MB_TRY(answer_find_callers(b->model, err));
    facts->methods.rows = trace_methods_rows(&b->model->methods, &facts->methods.count);
    answer_make_held(b->model);
    answer_make_suspended(b);
    answer_make_usual(b->model);
    if (b->model->held.buf.failed || b->model->suspended.buf.failed ||
        b->model->exact_calls.buf.failed || b->model->usual.buf.failed) {
        return mb_fail_memory(err);
    }
    facts->recording.notes = b->model->notes.rows.items;
    facts->recording.note_count = MB_VEC_COUNT(&b->model->notes.rows);
    return MB_OK;
}

enum mb_status answer_model_build(struct answer_model *model, const struct answer_trace *trace,
                                  const struct answer_options *options,
                                  const struct answer_listener *listener, struct mb_error *err)
{
    struct answer_building b = {
        .model = model, .trace = trace, .options = options, .listener = listener};
    enum mb_status status = build_facts(&b, err);

    trace_profile_finish(&b.profile);
    trace_graft_finish(&b.graft);
    trace_sampled_calls_finish(&b.sampled_calls);
    trace_samples_finish(&b.samples);
    trace_methods_finish(&b.methods);
    trace_decoder_finish(&b.decoder);
    mb_buf_finish(&b.merging);
    mb_buf_finish(&b.idle.buf);
    mb_buf_finish(&b.wait_kinds.buf);
    return status;
}

/* Rows of asked stay by kind. */
static void leave_older(struct answer_model *model, uint64_t since)
{
    int64_t since_ns = answer_ns(&model->facts.clock, (int64_t)(since & INT64_MAX));
    struct answer_asked *rows = model->asked.items;
    size_t kept = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(&model->asked); i++) {
        int64_t start_ns = (int64_t)(rows[i].start_ns & INT64_MAX);
        rows[kept] = rows[i];
        kept += trace_add(start_ns, rows[i].length_ns) >= since_ns;
    }
    MB_VEC_CUT(&model->asked, kept);
}

enum mb_status answer_model_explain(struct answer_model *model,
                                    const struct answer_sections *sections,
                                    struct answer_names names, uint64_t since, struct mb_error *err)
{
    static const struct answer_options options = {0};
    struct answer_building b = {.model = model, .options = &options, .end = sections->source.end};

    model->sections = *sections;
    model->facts.clock.ns_per_unit = sections->source.ns_per_unit;
    model->facts.methods.names = names;
    enum mb_status status = find_requests(&b, err);
    leave_older(model, since);
    find_causes(model);
    model->sections = (struct answer_sections){0};
    mb_buf_finish(&b.idle.buf);
    mb_buf_finish(&b.wait_kinds.buf);
    return status == MB_OK ? check_memory(&b, err) : status;
}

void answer_model_finish(struct answer_model *model)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&model->nodes); i++) {
        mb_buf_finish(&model->nodes.items[i]);
    }
    mb_buf_finish(&model->nodes.buf);
    trace_methods_finish(&model->methods);
    mb_buf_finish(&model->threads.buf);
    mb_buf_finish(&model->slow.buf);
    mb_buf_finish(&model->groups.buf);
    answer_findings_finish(&model->notes);
    mb_buf_finish(&model->mutes.buf);
    mb_buf_finish(&model->held.buf);
    mb_buf_finish(&model->exact_calls.buf);
    mb_buf_finish(&model->usual.buf);
    mb_buf_finish(&model->suspended.buf);
    mb_buf_finish(&model->events.buf);
    mb_buf_finish(&model->requests.buf);
    mb_buf_finish(&model->lengths.buf);
    mb_buf_finish(&model->excesses.buf);
    mb_buf_finish(&model->asked.buf);
    mb_buf_finish(&model->pauses.buf);
    mb_buf_finish(&model->blocks.buf);
    abi_sampling_finish(&model->sampled);
    answer_sections_finish(&model->sections);
    mb_arena_finish(&model->arena);
}
