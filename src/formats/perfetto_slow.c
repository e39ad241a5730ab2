#include "formats/perfetto.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_FLOWS 4u /* of a message */

/* ---- What an event of the monitors is about ---- */

/* The message that was under way in the middle of it. */
static bool is_about(const struct answer_event *event, const struct answer_slow *slow)
{
    uint64_t middle = event->start_ns + event->duration_ns / 2;

    return !event->issue->drawn.has_fps && mb_text_equal(event->issue->loop, slow->thread->name) &&
           middle >= slow->start_ns && middle - slow->start_ns <= (uint64_t)slow->duration_ns;
}

static uint64_t flow_of(const struct answer_process *process, size_t event)
{
    return format_perfetto_uuid(process, UINT32_MAX + event, FORMAT_PERFETTO_ISSUES);
}

uint64_t format_perfetto_flow(const struct answer_facts *facts, size_t event)
{
    bool is_found = false;

    for (size_t i = 0; i < facts->messages.slow_count && !is_found; i++) {
        is_found = is_about(&facts->monitors.events[event], &facts->messages.slow[i]);
    }
    return is_found ? flow_of(&facts->process, event) : 0;
}

static size_t find_flows(const struct answer_facts *facts, const struct answer_slow *slow,
                         uint64_t flows[MOST_FLOWS])
{
    size_t count = 0;

    for (size_t i = 0; i < facts->monitors.event_count && count < MOST_FLOWS; i++) {
        if (is_about(&facts->monitors.events[i], slow)) {
            flows[count++] = flow_of(&facts->process, i);
        }
    }
    return count;
}

/* ---- Slow messages ---- */

static int by_start(const void *a, const void *b)
{
    const struct answer_slow *x = *(const struct answer_slow *const *)a;
    const struct answer_slow *y = *(const struct answer_slow *const *)b;

    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void put_slow(struct format_writer *writer, const struct answer_slow *slow, uint64_t track)
{
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;
    struct format_perfetto_notes notes = {.count = 0};
    ProtobufCBinaryData category = format_perfetto_words("slow");
    uint64_t flows[MOST_FLOWS];
    const struct format_perfetto_slice slice = {.track = track,
                                                .start_ns = slow->start_ns,
                                                .end_ns =
                                                    slow->start_ns + (uint64_t)slow->duration_ns,
                                                .is_open = slow->is_open};

    format_perfetto_note_text(&notes, "key", format_perfetto_name(writer, slow->key));
    format_perfetto_note_number(&notes, "threshold_ns",
                                (uint64_t)writer->facts->messages.threshold_ns);
    format_perfetto_attach(&event, &notes);
    event.n_categories = 1;
    event.categories = &category;
    event.has_name = true;
    event.name = format_perfetto_name(writer, slow->id);
    event.n_flow_ids = find_flows(writer->facts, slow, flows);
    event.flow_ids = flows;
    format_perfetto_put_slice(writer, &slice, &event);
    format_drain(writer);
}

static void put_child_track(struct format_writer *writer, const char *name, size_t thread,
                            enum format_perfetto_track track)
{
    const struct answer_facts *facts = writer->facts;

    format_perfetto_put_named_track(
        writer, name, format_perfetto_uuid(&facts->process, thread, track),
        format_perfetto_uuid(&facts->process, thread, FORMAT_PERFETTO_CALLS));
}

/* The slow messages of a thread out of all of them, which are in order of their start. */
static void put_slow_of(struct format_writer *writer, size_t thread,
                        const struct answer_slow *const *rows)
{
    const struct format_perfetto *state = writer->state;
    const struct answer_thread *const *threads = state->threads.items;
    bool has_track = false;

    for (size_t i = 0; i < writer->facts->messages.slow_count; i++) {
        if (rows[i]->thread == threads[thread - 1]) {
            if (!has_track) {
                put_child_track(writer, "slow messages", thread, FORMAT_PERFETTO_SLOW);
                has_track = true;
            }
            put_slow(writer, rows[i],
                     format_perfetto_uuid(&writer->facts->process, thread, FORMAT_PERFETTO_SLOW));
        }
    }
}

static void put_lost(struct format_writer *writer, size_t thread)
{
    const struct format_perfetto *state = writer->state;
    const struct answer_thread *row = state->threads.items[thread - 1];
    const struct format_perfetto_slice slice = {
        .track = format_perfetto_uuid(&writer->facts->process, thread, FORMAT_PERFETTO_LOST),
        .start_ns = row->is_profiled ? row->time.start_ns : 0,
        .end_ns = row->time.ring_start_ns};
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;
    char name[64];

    if (row->lapped_words > 0 && slice.end_ns > slice.start_ns) {
        (void)snprintf(name, sizeof(name), "%" PRIu64 " records overwritten", row->lapped_words);
        event.has_name = true;
        event.name = format_perfetto_words(name);
        put_child_track(writer, "lost records", thread, FORMAT_PERFETTO_LOST);
        format_perfetto_put_slice(writer, &slice, &event);
    }
}

void format_perfetto_put_slow(struct format_writer *writer, size_t thread_count)
{
    const struct answer_facts *facts = writer->facts;
    const struct answer_slow **rows = calloc(facts->messages.slow_count + 1, sizeof(*rows));

    if (rows == NULL) {
        writer->out.failed = true;
        return;
    }
    for (size_t i = 0; i < facts->messages.slow_count; i++) {
        rows[i] = &facts->messages.slow[i];
    }
    qsort(rows, facts->messages.slow_count, sizeof(*rows), by_start);
    for (size_t thread = 1; thread <= thread_count; thread++) {
        put_lost(writer, thread);
        put_slow_of(writer, thread, rows);
    }
    free(rows);
}
