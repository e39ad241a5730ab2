/* Perfetto's own format. Each thread is a sequence of packets: its track is their default, names
 * are told where they come first, and times are told as what passed since the packet before. */

#include "formats/perfetto.h"

/* Of its importer: it drops deeper begins, but lets their ends close the callers. */
#define MOST_DEPTH 512

static void put_process(struct format_writer *writer)
{
    FormatPerfetto__ProcessDescriptor process = FORMAT_PERFETTO__PROCESS_DESCRIPTOR__INIT;
    FormatPerfetto__TrackDescriptor track = FORMAT_PERFETTO__TRACK_DESCRIPTOR__INIT;

    process.has_pid = true;
    process.pid = (int32_t)writer->process->id;
    process.has_process_name = true;
    process.process_name = format_perfetto_text(writer, writer->process->name);
    track.process = &process;
    format_perfetto_put_track(writer, &track,
                              format_perfetto_uuid(writer->process, 0, FORMAT_PERFETTO_PROCESS), 0);
}

static void put_thread(struct format_writer *writer, const struct answer_thread *thread)
{
    struct format_perfetto *state = writer->state;
    FormatPerfetto__ThreadDescriptor row = FORMAT_PERFETTO__THREAD_DESCRIPTOR__INIT;
    FormatPerfetto__TrackDescriptor track = FORMAT_PERFETTO__TRACK_DESCRIPTOR__INIT;

    MB_VEC_PUSH(&state->threads, thread);
    mb_buf_fail_with(&writer->out, &state->threads.buf);
    format_ids_reset(&state->names);
    state->time_ns = 0;
    state->depth = 0;
    uint64_t uuid =
        format_perfetto_uuid(writer->process, MB_VEC_COUNT(&state->threads), FORMAT_PERFETTO_CALLS);
    format_perfetto_put_sequence(writer, uuid, true);
    row.has_pid = true;
    row.pid = (int32_t)writer->process->id;
    row.has_tid = true;
    row.tid = (int32_t)thread->id;
    row.has_thread_name = true;
    row.thread_name = format_perfetto_text(writer, thread->name);
    track.thread = &row;
    track.has_disallow_merging_with_system_tracks = true;
    track.disallow_merging_with_system_tracks = true; /* our times are finer */
    format_perfetto_put_track(writer, &track, uuid, 0);
}

static uint64_t since_last(struct format_writer *writer, uint64_t ns)
{
    struct format_perfetto *state = writer->state;
    uint64_t passed = ns - state->time_ns;

    state->time_ns = ns;
    return passed;
}

static void enter_call(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    struct format_perfetto *state = writer->state;
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;
    FormatPerfetto__EventName name = FORMAT_PERFETTO__EVENT_NAME__INIT;
    FormatPerfetto__InternedData interned = FORMAT_PERFETTO__INTERNED_DATA__INIT;
    FormatPerfetto__EventName *names[] = {&name};
    struct format_perfetto_notes notes = {.count = 0};
    bool is_new;

    if (++state->depth > MOST_DEPTH) {
        return;
    }
    event.type = FORMAT_PERFETTO__TRACK_EVENT__TYPE__BEGIN;
    event.has_name_iid = true;
    event.name_iid = format_ids_number(&state->names, item->id, &writer->out, &is_new);
    if (is_new) {
        name.has_iid = true;
        name.iid = event.name_iid;
        name.has_name = true;
        name.name = format_perfetto_name(writer, item->id);
        interned.n_event_names = 1;
        interned.event_names = names;
    }
    if (item->is_inferred || item->is_sampled) {
        format_perfetto_note_text(
            &notes, item->is_inferred ? "end" : "times",
            format_perfetto_words(item->is_inferred ? "inferred" : "sampled"));
    }
    if (state->depth == MOST_DEPTH) {
        format_perfetto_note_text(&notes, "calls in it", format_perfetto_words("left out"));
    }
    if (notes.count > 0) {
        format_perfetto_attach(&event, &notes);
    }
    format_perfetto_put_event(writer, since_last(writer, ns), &event, is_new ? &interned : NULL);
}

/* A call that was open at the end stays so. */
static void leave_call(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    struct format_perfetto *state = writer->state;
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;

    if (state->depth-- <= MOST_DEPTH && !item->is_open) {
        event.type = FORMAT_PERFETTO__TRACK_EVENT__TYPE__END;
        format_perfetto_put_event(writer, since_last(writer, ns), &event, NULL);
    }
}

static void put_calls(struct format_writer *writer, const struct answer_thread *thread,
                      const struct trace_stack *stack)
{
    (void)thread;
    format_walk_calls(writer, stack, &(struct format_walk){enter_call, leave_call});
}

/* What is known at the end, on a sequence of its own. */
static void put_rest(struct format_writer *writer)
{
    struct format_perfetto *state = writer->state;
    size_t thread_count = MB_VEC_COUNT(&state->threads);

    MB_VEC_PUSH(&state->threads, NULL);
    format_perfetto_put_sequence(
        writer, format_perfetto_uuid(writer->process, 0, FORMAT_PERFETTO_PROCESS), false);
    format_perfetto_put_slow(writer, thread_count);
    format_perfetto_put_requests(writer, thread_count);
    format_perfetto_put_blocked(writer, thread_count);
    format_perfetto_put_events(writer);
    format_perfetto_put_attributes(writer);
}

static void finish_state(struct format_writer *writer)
{
    struct format_perfetto *state = writer->state;

    mb_buf_finish(&state->threads.buf);
    mb_buf_finish(&state->flows.buf);
    format_ids_finish(&state->names);
    mb_buf_finish(&state->text);
    mb_arena_finish(&state->arena);
}

const struct format format_perfetto = {
    .name = "perfetto",
    .extension = ".pftrace",
    .is_binary = true,
    .wants_calls = true,
    .takes_issues = true,
    .state_size = sizeof(struct format_perfetto),
    .begin = put_process,
    .thread = put_thread,
    .calls = put_calls,
    .end = put_rest,
    .finish = finish_state,
};
