#include "formats/perfetto.h"

/* Of a stack, those next to where it stood. */
#define MOST_FRAMES 64u

static uint64_t track_of(const struct answer_process *process, enum format_perfetto_track track)
{
    return format_perfetto_uuid(process, 0, track);
}

static void put_process_track(struct format_writer *writer, const char *name,
                              enum format_perfetto_track track)
{
    format_perfetto_put_named_track(writer, name, track_of(writer->process, track),
                                    track_of(writer->process, FORMAT_PERFETTO_PROCESS));
}

/* ---- Issues ---- */

static void note_text(struct format_writer *writer, struct format_perfetto_notes *notes,
                      const char *name, struct mb_text text)
{
    if (text.size > 0) {
        format_perfetto_note_text(notes, name, format_perfetto_text(writer, text));
    }
}

/* Outermost first; in lines they are the other way round. */
static size_t read_frames(struct format_writer *writer, struct mb_text lines,
                          FormatPerfetto__Frame frames[MOST_FRAMES])
{
    struct mb_text rows[MOST_FRAMES];
    size_t count = 0;

    while (lines.size > 0 && count < MOST_FRAMES) {
        rows[count] = mb_text_split(&lines, '\n');
        count += rows[count].size > 0;
    }
    for (size_t i = 0; i < count; i++) {
        format_perfetto__frame__init(&frames[i]);
        frames[i].has_function_name = true;
        frames[i].function_name = format_perfetto_text(writer, rows[count - 1 - i]);
    }
    return count;
}

/* At once: stalls of several threads may overlap, and slices of a track may not. */
static void put_instant(struct format_writer *writer, const struct answer_event *row,
                        FormatPerfetto__TrackEvent *event)
{
    FormatPerfetto__Frame frames[MOST_FRAMES];
    FormatPerfetto__Frame *pointers[MOST_FRAMES];
    FormatPerfetto__Callstack stack = FORMAT_PERFETTO__CALLSTACK__INIT;

    stack.n_frames = read_frames(writer, row->issue->frames, frames);
    stack.frames = pointers;
    for (size_t i = 0; i < stack.n_frames; i++) {
        pointers[i] = &frames[i];
    }
    event->callstack = stack.n_frames > 0 ? &stack : NULL;
    event->type = FORMAT_PERFETTO__TRACK_EVENT__TYPE__INSTANT;
    event->has_track_uuid = true;
    event->track_uuid = track_of(writer->process, FORMAT_PERFETTO_ISSUES);
    format_perfetto_put_event(writer, row->start_ns, event, NULL);
}

static void put_issue(struct format_writer *writer, size_t number)
{
    const struct answer_event *row = &writer->facts->monitors.events[number];
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;
    struct format_perfetto_notes notes = {.count = 0};
    ProtobufCBinaryData category = format_perfetto_words("issue");
    const struct format_perfetto *state = writer->state;
    uint64_t flow = number < MB_VEC_COUNT(&state->flows) ? state->flows.items[number] : 0;

    note_text(writer, &notes, "cause", row->label);
    note_text(writer, &notes, "thread", row->issue->loop);
    note_text(writer, &notes, "message", row->issue->message);
    note_text(writer, &notes, "scene", row->issue->scene);
    format_perfetto_note_number(&notes, "duration_ns", row->duration_ns);
    format_perfetto_attach(&event, &notes);
    event.n_categories = 1;
    event.categories = &category;
    event.has_name = true;
    event.name = format_perfetto_text(writer, row->issue->detail);
    event.n_flow_ids = flow != 0;
    event.flow_ids = &flow;
    put_instant(writer, row, &event);
}

/* ---- Frames ---- */

static void put_counter(struct format_writer *writer, uint64_t ns, double value)
{
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;

    event.type = FORMAT_PERFETTO__TRACK_EVENT__TYPE__COUNTER;
    event.has_track_uuid = true;
    event.track_uuid = track_of(writer->process, FORMAT_PERFETTO_FPS);
    event.has_double_counter_value = true;
    event.double_counter_value = value;
    format_perfetto_put_event(writer, ns, &event, NULL);
}

/* A stretch of drawing, up to where the next one begins; the rate is its own until then. */
static void put_drawn(struct format_writer *writer, const struct answer_event *row)
{
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;
    const struct answer_event *next = answer_next_drawn(&writer->facts->monitors, row);
    uint64_t end_ns = row->start_ns + row->duration_ns;
    const struct format_perfetto_slice slice = {
        .track = track_of(writer->process, FORMAT_PERFETTO_FRAMES),
        .start_ns = row->start_ns,
        .end_ns = next != NULL ? next->start_ns : end_ns,
    };

    event.has_name = true;
    event.name = format_perfetto_text(writer, row->issue->scene.size > 0 ? row->issue->scene
                                                                         : row->issue->detail);
    format_perfetto_put_slice(writer, &slice, &event);
    put_counter(writer, row->start_ns, (uint32_t)row->issue->drawn.fps / 100.0);
    if (next == NULL) {
        put_counter(writer, end_ns, 0);
    }
}

/* ---- All ---- */

static bool has_any_frames(const struct answer_monitors *monitors)
{
    bool has_frames = false;

    for (size_t i = 0; i < monitors->event_count; i++) {
        has_frames = has_frames || monitors->events[i].issue->drawn.has_fps;
    }
    return has_frames;
}

static void put_tracks(struct format_writer *writer)
{
    FormatPerfetto__TrackDescriptor track = FORMAT_PERFETTO__TRACK_DESCRIPTOR__INIT;
    FormatPerfetto__CounterDescriptor counter = FORMAT_PERFETTO__COUNTER_DESCRIPTOR__INIT;

    put_process_track(writer, "issues", FORMAT_PERFETTO_ISSUES);
    if (has_any_frames(&writer->facts->monitors)) {
        put_process_track(writer, "frames", FORMAT_PERFETTO_FRAMES);
        track.has_name = true;
        track.name = format_perfetto_words("FPS");
        track.counter = &counter;
        format_perfetto_put_track(writer, &track, track_of(writer->process, FORMAT_PERFETTO_FPS),
                                  track_of(writer->process, FORMAT_PERFETTO_PROCESS));
    }
}

void format_perfetto_put_events(struct format_writer *writer)
{
    const struct answer_monitors *monitors = &writer->facts->monitors;

    if (monitors->event_count > 0) {
        put_tracks(writer);
    }
    for (size_t i = 0; i < monitors->event_count; i++) {
        if (monitors->events[i].issue->drawn.has_fps) {
            put_drawn(writer, &monitors->events[i]);
        } else {
            put_issue(writer, i);
        }
        format_drain(writer);
    }
}
