#include "formats/perfetto.h"

#include "answer/cost.h"
#include "answer/marks.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* Clocks that Perfetto knows. One more is the sequence's: nanoseconds since the recorder
 * started. */
enum clock { CLOCK_WALL = 1, CLOCK_MONOTONIC_START = 3, CLOCK_BOOT = 6 };
#define FIRST_CLOCK 64u
#define CLOCK_COUNT 64u

#define FIRST_SEQUENCE (UINT32_C(1) << 16)
#define SEQUENCE_COUNT ((UINT32_C(1) << 21) - FIRST_SEQUENCE)

enum { STATE_BEGINS = 1, STATE_IS_NEEDED = 2 };

uint64_t format_perfetto_uuid(const struct answer_process *process, size_t thread,
                              enum format_perfetto_track track)
{
    uint64_t value = (uint64_t)process->wall_start_ns ^ (uint64_t)process->id << 32;

    value += (thread * FORMAT_PERFETTO_TRACK_COUNT + track + 1) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return (value ^ value >> 31) | 1;
}

/* Numbers of others are small; ours take three bytes, and are others in another trace. */
static uint32_t sequence_of(const struct format_writer *writer)
{
    const struct format_perfetto *state = writer->state;
    uint64_t chance = format_perfetto_uuid(writer->process, 0, FORMAT_PERFETTO_PROCESS);
    uint32_t thread = (uint32_t)(MB_VEC_COUNT(&state->threads));

    return FIRST_SEQUENCE + ((uint32_t)(chance >> 32) + thread) % SEQUENCE_COUNT;
}

/* Where two sequences have one number after all, they still have their own clocks. */
static uint32_t clock_of(const struct format_writer *writer)
{
    uint64_t chance = format_perfetto_uuid(writer->process, 0, FORMAT_PERFETTO_PROCESS);

    return FIRST_CLOCK + (uint32_t)(chance >> 8) % CLOCK_COUNT;
}

/* ---- Texts ---- */

static ProtobufCBinaryData as_bytes(const void *data, size_t size)
{
    return (ProtobufCBinaryData){size, (uint8_t *)(uintptr_t)data};
}

ProtobufCBinaryData format_perfetto_words(const char *string)
{
    return as_bytes(string, strlen(string));
}

/* What the buffer holds, to stay until the packet was put. */
static ProtobufCBinaryData keep_text(struct format_writer *writer)
{
    struct format_perfetto *state = writer->state;
    const char *copy = mb_arena_copy(&state->arena, state->text.bytes, state->text.size);

    writer->out.failed = writer->out.failed || state->text.failed || copy == NULL;
    return as_bytes(copy, copy != NULL ? state->text.size : 0);
}

ProtobufCBinaryData format_perfetto_text(struct format_writer *writer, struct mb_text text)
{
    struct format_perfetto *state = writer->state;

    mb_buf_reset(&state->text);
    mb_buf_put_printable(&state->text, text);
    return keep_text(writer);
}

ProtobufCBinaryData format_perfetto_name(struct format_writer *writer, uint32_t id)
{
    struct format_perfetto *state = writer->state;

    mb_buf_reset(&state->text);
    answer_put_name(&state->text, writer->names, id);
    return keep_text(writer);
}

/* ---- Packets ---- */

static void put_packet(struct format_writer *writer, FormatPerfetto__TracePacket *packet)
{
    struct format_perfetto *state = writer->state;
    FormatPerfetto__Trace trace = FORMAT_PERFETTO__TRACE__INIT;

    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = sequence_of(writer);
    trace.n_packet = 1;
    trace.packet = &packet;
    uint8_t *place = mb_buf_extend(&writer->out, format_perfetto__trace__get_packed_size(&trace));
    if (place != NULL) {
        (void)format_perfetto__trace__pack(&trace, place);
    }
    mb_arena_reset(&state->arena);
}

static FormatPerfetto__Clock make_clock(uint32_t id, int64_t start_ns)
{
    FormatPerfetto__Clock clock = FORMAT_PERFETTO__CLOCK__INIT;

    clock.has_clock_id = true;
    clock.clock_id = id;
    clock.has_timestamp = true;
    clock.timestamp = (uint64_t)start_ns;
    return clock;
}

/* Traces from before the boot clock was noted have the monotonic one, which is
 * the same until the machine sleeps. */
void format_perfetto_put_sequence(struct format_writer *writer, uint64_t track, bool is_incremental)
{
    const struct answer_process *process = writer->process;
    int64_t boot_ns =
        process->boottime_start_ns != 0 ? process->boottime_start_ns : process->monotonic_start_ns;
    FormatPerfetto__Clock clocks[] = {
        make_clock(CLOCK_BOOT, boot_ns),
        make_clock(CLOCK_MONOTONIC_START, process->monotonic_start_ns),
        make_clock(CLOCK_WALL, process->wall_start_ns),
        make_clock(clock_of(writer), 0),
    };
    FormatPerfetto__Clock *rows[] = {&clocks[0], &clocks[1], &clocks[2], &clocks[3]};
    FormatPerfetto__ClockSnapshot snapshot = FORMAT_PERFETTO__CLOCK_SNAPSHOT__INIT;
    FormatPerfetto__TrackEventDefaults event = FORMAT_PERFETTO__TRACK_EVENT_DEFAULTS__INIT;
    FormatPerfetto__TracePacketDefaults defaults = FORMAT_PERFETTO__TRACE_PACKET_DEFAULTS__INIT;
    FormatPerfetto__TracePacket packet = FORMAT_PERFETTO__TRACE_PACKET__INIT;

    clocks[3].has_is_incremental = true;
    clocks[3].is_incremental = is_incremental;
    snapshot.n_clocks = MB_COUNT(rows);
    snapshot.clocks = rows;
    event.has_track_uuid = true;
    event.track_uuid = track;
    defaults.track_event_defaults = &event;
    defaults.has_timestamp_clock_id = true;
    defaults.timestamp_clock_id = clock_of(writer);
    packet.clock_snapshot = &snapshot;
    packet.trace_packet_defaults = &defaults;
    packet.has_sequence_flags = true;
    packet.sequence_flags = STATE_BEGINS;
    packet.has_first_packet_on_sequence = true;
    packet.first_packet_on_sequence = true;
    put_packet(writer, &packet);
}

void format_perfetto_put_track(struct format_writer *writer, FormatPerfetto__TrackDescriptor *track,
                               uint64_t uuid, uint64_t parent)
{
    FormatPerfetto__TracePacket packet = FORMAT_PERFETTO__TRACE_PACKET__INIT;

    track->has_uuid = true;
    track->uuid = uuid;
    track->has_parent_uuid = parent != 0;
    track->parent_uuid = parent;
    packet.track_descriptor = track;
    put_packet(writer, &packet);
}

void format_perfetto_put_event(struct format_writer *writer, uint64_t ns,
                               FormatPerfetto__TrackEvent *event,
                               FormatPerfetto__InternedData *interned)
{
    FormatPerfetto__TracePacket packet = FORMAT_PERFETTO__TRACE_PACKET__INIT;

    packet.has_timestamp = true;
    packet.timestamp = ns;
    packet.has_sequence_flags = true;
    packet.sequence_flags = STATE_IS_NEEDED;
    packet.interned_data = interned;
    packet.track_event = event;
    event->has_type = true;
    put_packet(writer, &packet);
}

void format_perfetto_put_named_track(struct format_writer *writer, const char *name, uint64_t uuid,
                                     uint64_t parent)
{
    FormatPerfetto__TrackDescriptor track = FORMAT_PERFETTO__TRACK_DESCRIPTOR__INIT;

    track.has_name = true;
    track.name = format_perfetto_words(name);
    format_perfetto_put_track(writer, &track, uuid, parent);
}

void format_perfetto_put_slice(struct format_writer *writer,
                               const struct format_perfetto_slice *slice,
                               FormatPerfetto__TrackEvent *event)
{
    FormatPerfetto__TrackEvent end = FORMAT_PERFETTO__TRACK_EVENT__INIT;

    event->has_track_uuid = true;
    event->track_uuid = slice->track;
    event->type = FORMAT_PERFETTO__TRACK_EVENT__TYPE__BEGIN;
    format_perfetto_put_event(writer, slice->start_ns, event, NULL);
    if (!slice->is_open) {
        end.has_track_uuid = true;
        end.track_uuid = slice->track;
        end.type = FORMAT_PERFETTO__TRACK_EVENT__TYPE__END;
        format_perfetto_put_event(writer, slice->end_ns, &end, NULL);
    }
}

/* ---- Notes ---- */

static FormatPerfetto__DebugAnnotation *add_note(struct format_perfetto_notes *notes,
                                                 const char *name)
{
    FormatPerfetto__DebugAnnotation *row = &notes->rows[notes->count];

    assert(notes->count < FORMAT_PERFETTO_NOTES);
    format_perfetto__debug_annotation__init(row);
    row->has_name = true;
    row->name = format_perfetto_words(name);
    notes->pointers[notes->count++] = row;
    return row;
}

void format_perfetto_note_number(struct format_perfetto_notes *notes, const char *name,
                                 uint64_t value)
{
    FormatPerfetto__DebugAnnotation *row = add_note(notes, name);

    row->has_uint_value = true;
    row->uint_value = value;
}

void format_perfetto_note_text(struct format_perfetto_notes *notes, const char *name,
                               ProtobufCBinaryData value)
{
    FormatPerfetto__DebugAnnotation *row = add_note(notes, name);

    row->has_string_value = true;
    row->string_value = value;
}

void format_perfetto_attach(FormatPerfetto__TrackEvent *event, struct format_perfetto_notes *notes)
{
    event->n_debug_annotations = notes->count;
    event->debug_annotations = notes->pointers;
}

/* ---- Of the whole file ---- */

static FormatPerfetto__TraceAttribute make_number(const char *key, int64_t value)
{
    FormatPerfetto__TraceAttribute attribute = FORMAT_PERFETTO__TRACE_ATTRIBUTE__INIT;

    attribute.has_key = true;
    attribute.key = format_perfetto_words(key);
    attribute.has_long_value = true;
    attribute.long_value = value;
    return attribute;
}

static FormatPerfetto__TraceAttribute make_text(const char *key, ProtobufCBinaryData value)
{
    FormatPerfetto__TraceAttribute attribute = FORMAT_PERFETTO__TRACE_ATTRIBUTE__INIT;

    attribute.has_key = true;
    attribute.key = format_perfetto_words(key);
    attribute.has_string_value = true;
    attribute.string_value = value;
    return attribute;
}

/* "methodbeat.mark.muted": the methods, and what the mark means. */
static size_t make_marks(struct format_writer *writer,
                         FormatPerfetto__TraceAttribute rows[ANSWER_MARK_COUNT])
{
    struct format_perfetto *state = writer->state;
    size_t count = 0;

    for (enum answer_mark i = 0; i < ANSWER_MARK_COUNT; i++) {
        mb_buf_reset(&state->text);
        answer_put_mark_note(&writer->facts->methods, &state->text, i);
        mb_buf_fail_with(&writer->out, &state->text);
        if (state->text.size > 0) {
            rows[count] = make_text("", keep_text(writer));
            mb_buf_reset(&state->text);
            mb_buf_printf(&state->text, "methodbeat.mark.%s", answer_mark_infos[i].word);
            rows[count++].key = keep_text(writer);
        }
    }
    return count;
}

void format_perfetto_put_attributes(struct format_writer *writer)
{
    const struct answer_threads *threads = &writer->facts->threads;
    const struct answer_sums sums = answer_sum(threads);
    char hash[17];
    FormatPerfetto__TraceAttribute attributes[4 + ANSWER_MARK_COUNT];
    FormatPerfetto__TraceAttribute *rows[MB_COUNT(attributes)];
    FormatPerfetto__TraceAttributes all = FORMAT_PERFETTO__TRACE_ATTRIBUTES__INIT;
    FormatPerfetto__TracePacket packet = FORMAT_PERFETTO__TRACE_PACKET__INIT;
    size_t count = 0;

    attributes[count++] = make_text("methodbeat.version", format_perfetto_words(MB_VERSION));
    attributes[count++] =
        make_number("methodbeat.overhead_ns", answer_overhead_ns(writer->clock, threads));
    attributes[count++] = make_number("methodbeat.lost_records", (int64_t)sums.losses.lapped_words);
    if (writer->process->mapping_hash != 0) {
        (void)snprintf(hash, sizeof(hash), "%016" PRIx64, writer->process->mapping_hash);
        attributes[count++] = make_text("methodbeat.mapping_hash", format_perfetto_words(hash));
    }
    count += make_marks(writer, attributes + count);
    for (size_t i = 0; i < count; i++) {
        rows[i] = &attributes[i];
    }
    all.n_attribute = count;
    all.attribute = rows;
    packet.trace_attributes = &all;
    put_packet(writer, &packet);
}
