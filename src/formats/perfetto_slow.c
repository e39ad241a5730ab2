#include "formats/perfetto.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_FLOWS 4u /* of a message */

/* A slow message with what leads to it. */
struct slow {
    const struct answer_slow *row;
    uint64_t flows[MOST_FLOWS];
    size_t flow_count;
};

/* All of them: by thread and start, and by the thread's name and start. */
struct slow_messages {
    struct slow *by_thread;
    struct slow **by_name;
    size_t count;
};

static int compare_starts(const struct answer_slow *x, const struct answer_slow *y)
{
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int by_thread(const void *a, const void *b)
{
    const struct slow *x = a;
    const struct slow *y = b;
    int order = (x->row->thread > y->row->thread) - (x->row->thread < y->row->thread);

    return order != 0 ? order : compare_starts(x->row, y->row);
}

static int by_name(const void *a, const void *b)
{
    const struct answer_slow *x = (*(const struct slow *const *)a)->row;
    const struct answer_slow *y = (*(const struct slow *const *)b)->row;
    int order = mb_text_compare(x->thread->name, y->thread->name);

    return order != 0 ? order : compare_starts(x, y);
}

static void collect_slow(struct slow_messages *all, const struct answer_messages *messages)
{
    all->count = messages->slow_count;
    all->by_thread = calloc(all->count + 1, sizeof(*all->by_thread));
    all->by_name = calloc(all->count + 1, sizeof(*all->by_name));
    if (all->by_thread == NULL || all->by_name == NULL) {
        all->count = 0;
    }
    for (size_t i = 0; i < all->count; i++) {
        all->by_thread[i].row = &messages->slow[i];
    }
    if (all->count > 0) {
        qsort(all->by_thread, all->count, sizeof(*all->by_thread), by_thread);
        for (size_t i = 0; i < all->count; i++) {
            all->by_name[i] = &all->by_thread[i];
        }
        qsort(all->by_name, all->count, sizeof(*all->by_name), by_name);
    }
}

/* ---- What events of the monitors are about ---- */

/* The message that was under way in the middle of it, or NULL. */
static struct slow *find_slow(const struct slow_messages *all, const struct answer_event *event)
{
    uint64_t middle = event->start_ns + event->duration_ns / 2;
    size_t low = 0;

    for (size_t high = all->count; low < high;) { /* after the last that began until then */
        size_t at = low + (high - low) / 2;
        const struct answer_slow *row = all->by_name[at]->row;
        int order = mb_text_compare(row->thread->name, event->issue->loop);
        bool is_before = order < 0 || (order == 0 && row->start_ns <= middle);
        low = is_before ? at + 1 : low;
        high = is_before ? high : at;
    }
    struct slow *slow = low > 0 ? all->by_name[low - 1] : NULL;
    return slow != NULL && mb_text_equal(slow->row->thread->name, event->issue->loop) &&
                   middle - slow->row->start_ns <= (uint64_t)slow->row->duration_ns
               ? slow
               : NULL;
}

static void match_events(struct format_writer *writer, const struct slow_messages *all)
{
    const struct answer_monitors *monitors = &writer->facts->monitors;
    struct format_perfetto *state = writer->state;

    for (size_t i = 0; i < monitors->event_count; i++) {
        const struct answer_event *event = &monitors->events[i];
        struct slow *slow = event->issue->drawn.has_fps ? NULL : find_slow(all, event);
        uint64_t flow = slow != NULL ? format_perfetto_uuid(writer->process, UINT32_MAX + i,
                                                            FORMAT_PERFETTO_ISSUES)
                                     : 0;
        if (slow != NULL && slow->flow_count < MOST_FLOWS) {
            slow->flows[slow->flow_count++] = flow;
        }
        MB_VEC_PUSH(&state->flows, flow);
    }
    mb_buf_fail_with(&writer->out, &state->flows.buf);
}

/* ---- Slow messages ---- */

static void put_slow(struct format_writer *writer, struct slow *message, uint64_t track)
{
    const struct answer_slow *slow = message->row;
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;
    struct format_perfetto_notes notes = {.count = 0};
    ProtobufCBinaryData category = format_perfetto_words("slow");
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
    event.n_flow_ids = message->flow_count;
    event.flow_ids = message->flows;
    format_perfetto_put_slice(writer, &slice, &event);
    format_drain(writer);
}

static void put_child_track(struct format_writer *writer, const char *name, size_t thread,
                            enum format_perfetto_track track)
{
    format_perfetto_put_named_track(
        writer, name, format_perfetto_uuid(writer->process, thread, track),
        format_perfetto_uuid(writer->process, thread, FORMAT_PERFETTO_CALLS));
}

static void put_slow_of(struct format_writer *writer, size_t thread,
                        const struct slow_messages *all)
{
    const struct format_perfetto *state = writer->state;
    const struct answer_thread *wanted = state->threads.items[thread - 1];
    size_t first = 0;

    for (size_t end = all->count; first < end;) {
        size_t at = first + (end - first) / 2;
        bool is_before = all->by_thread[at].row->thread < wanted;
        first = is_before ? at + 1 : first;
        end = is_before ? end : at;
    }
    for (size_t i = first; i < all->count && all->by_thread[i].row->thread == wanted; i++) {
        if (i == first) {
            put_child_track(writer, "slow messages", thread, FORMAT_PERFETTO_SLOW);
        }
        put_slow(writer, &all->by_thread[i],
                 format_perfetto_uuid(writer->process, thread, FORMAT_PERFETTO_SLOW));
    }
}

static void put_lost(struct format_writer *writer, size_t thread)
{
    const struct format_perfetto *state = writer->state;
    const struct answer_thread *row = state->threads.items[thread - 1];
    const struct format_perfetto_slice slice = {
        .track = format_perfetto_uuid(writer->process, thread, FORMAT_PERFETTO_LOST),
        .start_ns = row->is_profiled ? row->time.start_ns : 0,
        .end_ns = row->time.ring_start_ns};
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;
    uint64_t lapped_words = answer_losses_of(row)->lapped_words;
    char name[64];

    if (lapped_words > 0 && slice.end_ns > slice.start_ns) {
        (void)snprintf(name, sizeof(name), "%" PRIu64 " records overwritten", lapped_words);
        event.has_name = true;
        event.name = format_perfetto_words(name);
        put_child_track(writer, "lost records", thread, FORMAT_PERFETTO_LOST);
        format_perfetto_put_slice(writer, &slice, &event);
    }
}

void format_perfetto_put_slow(struct format_writer *writer, size_t thread_count)
{
    struct slow_messages all;

    collect_slow(&all, &writer->facts->messages);
    writer->out.failed = writer->out.failed || all.count < writer->facts->messages.slow_count;
    match_events(writer, &all);
    for (size_t thread = 1; thread <= thread_count; thread++) {
        put_lost(writer, thread);
        put_slow_of(writer, thread, &all);
    }
    free(all.by_name);
    free(all.by_thread);
}
