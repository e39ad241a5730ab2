/* Perfetto's own format. Each thread is a sequence of packets: its track is their default, names are
 * told where they come first, and times are told as what passed since the packet before. */

#include "export/ids.h"
#include "export/perfetto.pb-c.h"
#include "export/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Clocks that Perfetto knows, and one of the sequence: nanoseconds since the recorder started. */
enum clock { CLOCK_WALL = 1, CLOCK_MONOTONIC_START = 3, CLOCK_BOOT = 6, CLOCK_OWN = 64 };

enum { STATE_BEGINS = 1, STATE_IS_NEEDED = 2 };

/* Tracks of a thread; each has a number of its own. */
enum track { TRACK_PROCESS, TRACK_CALLS, TRACK_SLOW, TRACK_LOST, TRACK_COUNT };

#define FIRST_SEQUENCE 1000u /* numbers of other writers are small */

struct perfetto {
    struct mb_buf threads; /* const struct export_thread *, in the order of their sequences */
    struct export_ids names;
    uint64_t time_ns; /* of the last packet */
    struct mb_buf texts[2];
};

static uint32_t sequence_of(const struct perfetto *state)
{
    return FIRST_SEQUENCE + (uint32_t)(state->threads.size / sizeof(struct export_thread *));
}

/* The same for the same trace, and another in another process: files can be put together. */
static uint64_t make_uuid(const struct export_report *report, size_t thread, enum track track)
{
    uint64_t value = (uint64_t)report->wall_start_ns ^ (uint64_t)report->process_id << 32;

    value += (thread * TRACK_COUNT + track + 1) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return (value ^ value >> 31) | 1;
}

/* ---- Texts ---- */

static ProtobufCBinaryData as_bytes(const void *data, size_t size)
{
    return (ProtobufCBinaryData){size, (uint8_t *)(uintptr_t)data};
}

static ProtobufCBinaryData as_text(const char *string)
{
    return as_bytes(string, strlen(string));
}

/* The content of the scratch buffer, until its next use. */
static ProtobufCBinaryData end_text(struct export_writer *writer, const struct mb_buf *text)
{
    writer->out.failed = writer->out.failed || text->failed;
    return as_bytes(text->bytes, text->size);
}

static ProtobufCBinaryData printable(struct export_writer *writer, struct mb_text name)
{
    struct perfetto *state = writer->state;

    mb_buf_reset(&state->texts[0]);
    mb_buf_put_printable(&state->texts[0], name);
    return end_text(writer, &state->texts[0]);
}

static ProtobufCBinaryData name_of(struct export_writer *writer, uint32_t id, size_t scratch)
{
    struct perfetto *state = writer->state;

    mb_buf_reset(&state->texts[scratch]);
    export_put_name(&state->texts[scratch], &writer->report->names, id);
    return end_text(writer, &state->texts[scratch]);
}

/* ---- Packets ---- */

static void put_packet(struct export_writer *writer, ExportPerfetto__TracePacket *packet)
{
    ExportPerfetto__Trace trace = EXPORT_PERFETTO__TRACE__INIT;

    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = sequence_of(writer->state);
    trace.n_packet = 1;
    trace.packet = &packet;
    uint8_t *place = mb_buf_extend(&writer->out, export_perfetto__trace__get_packed_size(&trace));
    if (place != NULL) {
        (void)export_perfetto__trace__pack(&trace, place);
    }
}

static ExportPerfetto__Clock make_clock(enum clock id, int64_t start_ns)
{
    ExportPerfetto__Clock clock = EXPORT_PERFETTO__CLOCK__INIT;

    clock.has_clock_id = true;
    clock.clock_id = id;
    clock.has_timestamp = true;
    clock.timestamp = (uint64_t)start_ns;
    return clock;
}

/* Time 0 on all clocks. Traces from before the boot clock was noted have the monotonic one, which is
 * the same until the machine sleeps. */
static void put_sequence(struct export_writer *writer, uint64_t track, bool is_incremental)
{
    const struct export_report *report = writer->report;
    int64_t boot_ns =
        report->boottime_start_ns != 0 ? report->boottime_start_ns : report->monotonic_start_ns;
    ExportPerfetto__Clock clocks[] = {
        make_clock(CLOCK_BOOT, boot_ns),
        make_clock(CLOCK_MONOTONIC_START, report->monotonic_start_ns),
        make_clock(CLOCK_WALL, report->wall_start_ns),
        make_clock(CLOCK_OWN, 0),
    };
    ExportPerfetto__Clock *rows[] = {&clocks[0], &clocks[1], &clocks[2], &clocks[3]};
    ExportPerfetto__ClockSnapshot snapshot = EXPORT_PERFETTO__CLOCK_SNAPSHOT__INIT;
    ExportPerfetto__TrackEventDefaults event = EXPORT_PERFETTO__TRACK_EVENT_DEFAULTS__INIT;
    ExportPerfetto__TracePacketDefaults defaults = EXPORT_PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
    ExportPerfetto__TracePacket packet = EXPORT_PERFETTO__TRACE_PACKET__INIT;

    clocks[3].has_is_incremental = true;
    clocks[3].is_incremental = is_incremental;
    snapshot.n_clocks = MB_COUNT(rows);
    snapshot.clocks = rows;
    event.has_track_uuid = true;
    event.track_uuid = track;
    defaults.track_event_defaults = &event;
    defaults.has_timestamp_clock_id = true;
    defaults.timestamp_clock_id = CLOCK_OWN;
    packet.clock_snapshot = &snapshot;
    packet.trace_packet_defaults = &defaults;
    packet.has_sequence_flags = true;
    packet.sequence_flags = STATE_BEGINS;
    packet.has_first_packet_on_sequence = true;
    packet.first_packet_on_sequence = true;
    put_packet(writer, &packet);
}

static void put_track(struct export_writer *writer, ExportPerfetto__TrackDescriptor *track,
                      uint64_t uuid, uint64_t parent)
{
    ExportPerfetto__TracePacket packet = EXPORT_PERFETTO__TRACE_PACKET__INIT;

    track->has_uuid = true;
    track->uuid = uuid;
    track->has_parent_uuid = parent != 0;
    track->parent_uuid = parent;
    packet.track_descriptor = track;
    put_packet(writer, &packet);
}

static void put_event(struct export_writer *writer, uint64_t ns, ExportPerfetto__TrackEvent *event,
                      ExportPerfetto__InternedData *interned)
{
    ExportPerfetto__TracePacket packet = EXPORT_PERFETTO__TRACE_PACKET__INIT;

    packet.has_timestamp = true;
    packet.timestamp = ns;
    packet.has_sequence_flags = true;
    packet.sequence_flags = STATE_IS_NEEDED;
    packet.interned_data = interned;
    packet.track_event = event;
    event->has_type = true;
    put_packet(writer, &packet);
}

/* ---- Threads and calls ---- */

static void put_process(struct export_writer *writer)
{
    const struct export_report *report = writer->report;
    ExportPerfetto__ProcessDescriptor process = EXPORT_PERFETTO__PROCESS_DESCRIPTOR__INIT;
    ExportPerfetto__TrackDescriptor track = EXPORT_PERFETTO__TRACK_DESCRIPTOR__INIT;

    process.has_pid = true;
    process.pid = (int32_t)report->process_id;
    process.has_process_name = true;
    process.process_name = printable(writer, report->process_name);
    track.process = &process;
    put_track(writer, &track, make_uuid(report, 0, TRACK_PROCESS), 0);
}

static void put_thread(struct export_writer *writer, const struct export_thread *thread)
{
    const struct export_report *report = writer->report;
    struct perfetto *state = writer->state;
    ExportPerfetto__ThreadDescriptor row = EXPORT_PERFETTO__THREAD_DESCRIPTOR__INIT;
    ExportPerfetto__TrackDescriptor track = EXPORT_PERFETTO__TRACK_DESCRIPTOR__INIT;

    mb_buf_put(&state->threads, &thread, sizeof(thread));
    writer->out.failed = writer->out.failed || state->threads.failed;
    export_ids_reset(&state->names);
    state->time_ns = 0;
    uint64_t uuid = make_uuid(report, sequence_of(state) - FIRST_SEQUENCE, TRACK_CALLS);
    put_sequence(writer, uuid, true);
    row.has_pid = true;
    row.pid = (int32_t)report->process_id;
    row.has_tid = true;
    row.tid = (int32_t)thread->id;
    row.has_thread_name = true;
    row.thread_name = printable(writer, thread->name);
    track.thread = &row;
    track.has_disallow_merging_with_system_tracks = true;
    track.disallow_merging_with_system_tracks = true; /* our times are finer */
    put_track(writer, &track, uuid, 0);
}

static uint64_t since_last(struct export_writer *writer, uint64_t ns)
{
    struct perfetto *state = writer->state;
    uint64_t passed = ns - state->time_ns;

    state->time_ns = ns;
    return passed;
}

static void enter_call(struct export_writer *writer, const struct trace_item *item, uint64_t ns)
{
    struct perfetto *state = writer->state;
    ExportPerfetto__TrackEvent event = EXPORT_PERFETTO__TRACK_EVENT__INIT;
    ExportPerfetto__EventName name = EXPORT_PERFETTO__EVENT_NAME__INIT;
    ExportPerfetto__InternedData interned = EXPORT_PERFETTO__INTERNED_DATA__INIT;
    ExportPerfetto__EventName *names[] = {&name};
    bool is_new;

    event.type = EXPORT_PERFETTO__TRACK_EVENT__TYPE__BEGIN;
    event.has_name_iid = true;
    event.name_iid = export_ids_number(&state->names, item->id, &is_new);
    writer->out.failed = writer->out.failed || event.name_iid == 0;
    if (is_new) {
        name.has_iid = true;
        name.iid = event.name_iid;
        name.has_name = true;
        name.name = name_of(writer, item->id, 0);
        interned.n_event_names = 1;
        interned.event_names = names;
    }
    put_event(writer, since_last(writer, ns), &event, is_new ? &interned : NULL);
}

/* A call that was open at the end stays so. */
static void leave_call(struct export_writer *writer, const struct trace_item *item, uint64_t ns)
{
    ExportPerfetto__TrackEvent event = EXPORT_PERFETTO__TRACK_EVENT__INIT;

    if (!item->is_open) {
        event.type = EXPORT_PERFETTO__TRACK_EVENT__TYPE__END;
        put_event(writer, since_last(writer, ns), &event, NULL);
    }
}

static void put_calls(struct export_writer *writer, const struct export_thread *thread,
                      const struct trace_stack *stack)
{
    (void)thread;
    export_walk_calls(writer, stack, &(struct export_walk){enter_call, leave_call});
}

/* ---- What is known at the end ---- */

/* An event on a track of its own below the thread's. */
struct slice {
    uint64_t track;
    uint64_t start_ns;
    uint64_t end_ns;
    bool is_open;
};

static void put_slice(struct export_writer *writer, const struct slice *slice,
                      ExportPerfetto__TrackEvent *event)
{
    ExportPerfetto__TrackEvent end = EXPORT_PERFETTO__TRACK_EVENT__INIT;

    event->has_track_uuid = true;
    event->track_uuid = slice->track;
    event->type = EXPORT_PERFETTO__TRACK_EVENT__TYPE__BEGIN;
    put_event(writer, slice->start_ns, event, NULL);
    if (!slice->is_open) {
        end.has_track_uuid = true;
        end.track_uuid = slice->track;
        end.type = EXPORT_PERFETTO__TRACK_EVENT__TYPE__END;
        put_event(writer, slice->end_ns, &end, NULL);
    }
}

static void put_child_track(struct export_writer *writer, size_t thread, enum track kind,
                            const char *name)
{
    const struct export_report *report = writer->report;
    ExportPerfetto__TrackDescriptor track = EXPORT_PERFETTO__TRACK_DESCRIPTOR__INIT;

    track.has_name = true;
    track.name = as_text(name);
    put_track(writer, &track, make_uuid(report, thread, kind),
              make_uuid(report, thread, TRACK_CALLS));
}

static int by_start(const void *a, const void *b)
{
    const struct export_slow *x = *(const struct export_slow *const *)a;
    const struct export_slow *y = *(const struct export_slow *const *)b;

    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void put_slow(struct export_writer *writer, const struct export_slow *slow, uint64_t track)
{
    ExportPerfetto__TrackEvent event = EXPORT_PERFETTO__TRACK_EVENT__INIT;
    ExportPerfetto__DebugAnnotation notes[] = {EXPORT_PERFETTO__DEBUG_ANNOTATION__INIT,
                                               EXPORT_PERFETTO__DEBUG_ANNOTATION__INIT};
    ExportPerfetto__DebugAnnotation *rows[] = {&notes[0], &notes[1]};
    ProtobufCBinaryData category = as_text("slow");
    const struct slice slice = {.track = track,
                                .start_ns = slow->start_ns,
                                .end_ns = slow->start_ns + (uint64_t)slow->duration_ns,
                                .is_open = slow->is_open};

    notes[0].has_name = true;
    notes[0].name = as_text("key");
    notes[0].has_string_value = true;
    notes[0].string_value = name_of(writer, slow->key, 0);
    notes[1].has_name = true;
    notes[1].name = as_text("threshold_ns");
    notes[1].has_uint_value = true;
    notes[1].uint_value = (uint64_t)writer->report->threshold_ns;
    event.n_debug_annotations = MB_COUNT(rows);
    event.debug_annotations = rows;
    event.n_categories = 1;
    event.categories = &category;
    event.has_name = true;
    event.name = name_of(writer, slow->id, 1);
    put_slice(writer, &slice, &event);
    export_drain(writer);
}

/* The slow messages of a thread out of all of them, which are in order of their start. */
static void put_slow_of(struct export_writer *writer, size_t thread,
                        const struct export_slow *const *rows)
{
    const struct perfetto *state = writer->state;
    const struct export_thread *const *threads = (const void *)state->threads.bytes;
    bool has_track = false;

    for (size_t i = 0; i < writer->report->slow_count; i++) {
        if (rows[i]->thread == threads[thread - 1]) {
            if (!has_track) {
                put_child_track(writer, thread, TRACK_SLOW, "slow messages");
                has_track = true;
            }
            put_slow(writer, rows[i], make_uuid(writer->report, thread, TRACK_SLOW));
        }
    }
}

static void put_lost(struct export_writer *writer, size_t thread)
{
    const struct perfetto *state = writer->state;
    const struct export_thread *row =
        ((const struct export_thread *const *)(const void *)state->threads.bytes)[thread - 1];
    const struct slice slice = {.track = make_uuid(writer->report, thread, TRACK_LOST),
                                .start_ns = row->is_profiled ? row->start_ns : 0,
                                .end_ns = row->ring_start_ns};
    ExportPerfetto__TrackEvent event = EXPORT_PERFETTO__TRACK_EVENT__INIT;
    char name[64];

    if (row->lapped_words > 0 && slice.end_ns > slice.start_ns) {
        (void)snprintf(name, sizeof(name), "%" PRIu64 " records overwritten", row->lapped_words);
        event.has_name = true;
        event.name = as_text(name);
        put_child_track(writer, thread, TRACK_LOST, "lost records");
        put_slice(writer, &slice, &event);
    }
}

static ExportPerfetto__TraceAttribute make_attribute(const char *key, int64_t value)
{
    ExportPerfetto__TraceAttribute attribute = EXPORT_PERFETTO__TRACE_ATTRIBUTE__INIT;

    attribute.has_key = true;
    attribute.key = as_text(key);
    attribute.has_long_value = true;
    attribute.long_value = value;
    return attribute;
}

static void put_attributes(struct export_writer *writer)
{
    const struct export_sums sums = export_sum(writer->report);
    ExportPerfetto__TraceAttribute attributes[] = {
        make_attribute("methodbeat.version", 0),
        make_attribute("methodbeat.overhead_ns", export_overhead_ns(writer->report)),
        make_attribute("methodbeat.lost_records", (int64_t)sums.lapped_words),
    };
    ExportPerfetto__TraceAttribute *rows[] = {&attributes[0], &attributes[1], &attributes[2]};
    ExportPerfetto__TraceAttributes all = EXPORT_PERFETTO__TRACE_ATTRIBUTES__INIT;
    ExportPerfetto__TracePacket packet = EXPORT_PERFETTO__TRACE_PACKET__INIT;

    attributes[0].has_long_value = false;
    attributes[0].has_string_value = true;
    attributes[0].string_value = as_text(MB_VERSION);
    all.n_attribute = MB_COUNT(rows);
    all.attribute = rows;
    packet.trace_attributes = &all;
    put_packet(writer, &packet);
}

/* On a sequence of their own. */
static void put_rest(struct export_writer *writer)
{
    const struct export_report *report = writer->report;
    struct perfetto *state = writer->state;
    size_t threads = state->threads.size / sizeof(struct export_thread *);
    const struct export_slow **rows = calloc(report->slow_count + 1, sizeof(*rows));
    const struct export_thread *none = NULL;

    if (rows == NULL) {
        writer->out.failed = true;
        return;
    }
    for (size_t i = 0; i < report->slow_count; i++) {
        rows[i] = &report->slow[i];
    }
    qsort(rows, report->slow_count, sizeof(*rows), by_start);
    mb_buf_put(&state->threads, &none, sizeof(none));
    put_sequence(writer, make_uuid(report, 0, TRACK_PROCESS), false);
    for (size_t thread = 1; thread <= threads; thread++) {
        put_lost(writer, thread);
        put_slow_of(writer, thread, rows);
    }
    put_attributes(writer);
    free(rows);
}

static void finish_state(struct export_writer *writer)
{
    struct perfetto *state = writer->state;

    mb_buf_finish(&state->threads);
    export_ids_finish(&state->names);
    mb_buf_finish(&state->texts[0]);
    mb_buf_finish(&state->texts[1]);
}

const struct export_format export_perfetto = {
    .name = "perfetto",
    .extension = ".pftrace",
    .is_binary = true,
    .wants_calls = true,
    .state_size = sizeof(struct perfetto),
    .begin = put_process,
    .thread = put_thread,
    .calls = put_calls,
    .end = put_rest,
    .finish = finish_state,
};
