#include "formats/perfetto.h"

#include "formats/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int by_thread(const void *a, const void *b)
{
    const struct answer_asked *x = *(const struct answer_asked *const *)a;
    const struct answer_asked *y = *(const struct answer_asked *const *)b;

    return x->thread_id != y->thread_id
               ? (x->thread_id > y->thread_id) - (x->thread_id < y->thread_id)
               : (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static const struct answer_asked **collect_asked(const struct answer_requests *requests,
                                                 size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < requests->count; i++) {
        *count += requests->rows[i].asked_count;
    }
    const struct answer_asked **all = calloc(*count + 1, sizeof(*all));
    size_t at = 0;
    for (size_t i = 0; all != NULL && i < requests->count; i++) {
        for (size_t k = 0; k < requests->rows[i].asked_count; k++) {
            all[at++] = &requests->rows[i].asked[k];
        }
    }
    if (all != NULL) {
        qsort(all, *count, sizeof(*all), by_thread);
    }
    return all;
}

/* Below its thread's calls, or below the process if the thread's ring is another's now. */
static uint64_t put_track(struct format_writer *writer, size_t thread_count, uint32_t thread_id)
{
    const struct format_perfetto *state = writer->state;
    char name[48] = "slow requests";
    size_t thread = 0;

    while (thread < thread_count && state->threads.items[thread]->id != thread_id) {
        thread++;
    }
    bool is_there = thread < thread_count;
    size_t number = is_there ? thread + 1 : (size_t)UINT32_MAX + thread_id;
    uint64_t track = format_perfetto_uuid(writer->process, number, FORMAT_PERFETTO_REQUESTS);
    uint64_t parent =
        format_perfetto_uuid(writer->process, is_there ? number : 0,
                             is_there ? FORMAT_PERFETTO_CALLS : FORMAT_PERFETTO_PROCESS);

    if (!is_there) {
        (void)snprintf(name, sizeof(name), "slow requests of thread %" PRIu32, thread_id);
    }
    format_perfetto_put_named_track(writer, name, track, parent);
    return track;
}

/* Slices of a track do not overlap: with a coarse clock one may seem to end after the next began.
 */
static void put_asked(struct format_writer *writer, const struct answer_asked *asked,
                      uint64_t track, uint64_t next_ns)
{
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;
    struct format_perfetto_notes notes = {.count = 0};
    ProtobufCBinaryData category = format_perfetto_words("request");
    uint64_t end_ns = asked->start_ns + (uint64_t)asked->length_ns;
    const struct format_perfetto_slice slice = {
        .track = track, .start_ns = asked->start_ns, .end_ns = end_ns < next_ns ? end_ns : next_ns};

    format_perfetto_note_text(&notes, "cause",
                              format_perfetto_words(answer_state_name(asked->state)));
    if (asked->id != 0) {
        format_perfetto_note_text(&notes, "in", format_perfetto_name(writer, asked->id));
    }
    format_perfetto_note_number(&notes, "more_ns", (uint64_t)asked->more_ns);
    if (asked->block != NULL && asked->block->owner.size > 0) {
        format_perfetto_note_text(&notes, "owner",
                                  format_perfetto_text(writer, asked->block->owner));
    }
    format_perfetto_attach(&event, &notes);
    event.n_categories = 1;
    event.categories = &category;
    event.has_name = true;
    event.name = format_perfetto_name(writer, asked->request);
    format_perfetto_put_slice(writer, &slice, &event);
    format_drain(writer);
}

void format_perfetto_put_requests(struct format_writer *writer, size_t thread_count)
{
    size_t count;
    const struct answer_asked **all = collect_asked(&writer->facts->requests, &count);
    uint64_t track = 0;

    writer->out.failed = writer->out.failed || all == NULL;
    for (size_t i = 0; i < count && !writer->out.failed; i++) {
        bool is_first = i == 0 || all[i - 1]->thread_id != all[i]->thread_id;
        bool is_last = i + 1 == count || all[i + 1]->thread_id != all[i]->thread_id;
        track = is_first ? put_track(writer, thread_count, all[i]->thread_id) : track;
        put_asked(writer, all[i], track, is_last ? UINT64_MAX : all[i + 1]->start_ns);
    }
    free(all);
}
