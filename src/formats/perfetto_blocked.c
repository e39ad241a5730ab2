#include "formats/perfetto.h"

#include "answer/waits.h"

#include <stdlib.h>

/* Waits on a track of each thread that waited or was waited for. */
struct waiting {
    struct format_writer *writer;
    const struct answer_thread *const *threads;
    size_t thread_count;
    bool *has_track; /* [thread] */
};

/* As a number from 1; 0: it is not in the file. */
static size_t find_thread(const struct waiting *w, uint32_t id, struct mb_text name)
{
    size_t by_name = 0;

    for (size_t i = 0; i < w->thread_count; i++) {
        if (w->threads[i]->id == id && id != 0) {
            return i + 1;
        }
        by_name = mb_text_equal(w->threads[i]->name, name) ? i + 1 : by_name;
    }
    return name.size > 0 ? by_name : 0;
}

static uint64_t track_of(struct waiting *w, size_t thread)
{
    const struct answer_process *process = w->writer->process;
    uint64_t track = format_perfetto_uuid(process, thread, FORMAT_PERFETTO_BLOCKED);

    if (!w->has_track[thread - 1]) {
        format_perfetto_put_named_track(
            w->writer, "blocked", track,
            format_perfetto_uuid(process, thread, FORMAT_PERFETTO_CALLS));
        w->has_track[thread - 1] = true;
    }
    return track;
}

static ProtobufCBinaryData lock_name(struct format_writer *writer, const struct answer_block *block)
{
    struct mb_buf name = {0};

    answer_put_lock(&name, block->lock);
    ProtobufCBinaryData text = format_perfetto_text(
        writer, (struct mb_text){(const char *)name.bytes, name.failed ? 0 : name.size});
    mb_buf_finish_part(&writer->out, &name);
    return text;
}

/* What the owner did, as the wait's flow shows. */
static void put_owner(struct waiting *w, const struct answer_block *block, uint64_t flow)
{
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;
    size_t owner = find_thread(w, block->owner_id, block->owner);
    ProtobufCBinaryData category = format_perfetto_words("owner");

    if (owner == 0 || block->owner_index == 0) {
        return;
    }
    event.has_track_uuid = true;
    event.track_uuid = track_of(w, owner);
    event.type = FORMAT_PERFETTO__TRACK_EVENT__TYPE__INSTANT;
    event.n_categories = 1;
    event.categories = &category;
    event.has_name = true;
    event.name = block->owner_method > 0 ? format_perfetto_name(w->writer, block->owner_method)
                                         : format_perfetto_words("has the lock");
    event.n_flow_ids = 1;
    event.flow_ids = &flow;
    format_perfetto_put_event(w->writer, block->start_ns, &event, NULL);
}

/* Slices of a track do not overlap, but times that samples tell may. */
static uint64_t end_of(const struct answer_blocks *blocks, const struct answer_block *block)
{
    uint64_t end_ns = block->start_ns + (uint64_t)block->duration_ns;
    const struct answer_block *next = block + 1;

    while (next < blocks->rows + blocks->count && next->start_ns < end_ns &&
           next->thread_index != block->thread_index) {
        next++;
    }
    bool is_cut = next < blocks->rows + blocks->count && next->start_ns < end_ns;
    return is_cut ? next->start_ns : end_ns;
}

static void put_wait(struct waiting *w, const struct answer_block *block, uint64_t flow)
{
    struct format_writer *writer = w->writer;
    FormatPerfetto__TrackEvent event = FORMAT_PERFETTO__TRACK_EVENT__INIT;
    struct format_perfetto_notes notes = {.count = 0};
    ProtobufCBinaryData category = format_perfetto_words("blocked");
    const struct format_perfetto_slice slice = {
        .track = track_of(w, find_thread(w, block->thread_id, block->thread)),
        .start_ns = block->start_ns,
        .end_ns = end_of(&writer->facts->blocks, block),
        .is_open = block->is_open};

    if (block->owner.size > 0) {
        format_perfetto_note_text(&notes, "owner", format_perfetto_text(writer, block->owner));
        format_perfetto_note_number(&notes, "owner_tid", block->owner_id);
    }
    if (block->owner_method > 0) {
        format_perfetto_note_text(&notes, "owner_in",
                                  format_perfetto_name(writer, block->owner_method));
    }
    if (block->method > 0) {
        format_perfetto_note_text(&notes, "in", format_perfetto_name(writer, block->method));
    }
    if (!block->is_exact) {
        format_perfetto_note_text(&notes, "times", format_perfetto_words("sampled"));
    }
    format_perfetto_attach(&event, &notes);
    event.n_categories = 1;
    event.categories = &category;
    event.has_name = true;
    event.name = lock_name(writer, block);
    event.n_flow_ids = block->owner_index > 0;
    event.flow_ids = &flow;
    format_perfetto_put_slice(writer, &slice, &event);
    format_drain(writer);
}

void format_perfetto_put_blocked(struct format_writer *writer, size_t thread_count)
{
    const struct format_perfetto *state = writer->state;
    const struct answer_blocks *blocks = &writer->facts->blocks;
    struct waiting w = {.writer = writer,
                        .threads = state->threads.items,
                        .thread_count = thread_count,
                        .has_track = calloc(thread_count + 1, sizeof(bool))};

    writer->out.failed = writer->out.failed || w.has_track == NULL;
    for (size_t i = 0; i < blocks->count && !writer->out.failed; i++) {
        uint64_t flow =
            format_perfetto_uuid(writer->process, UINT32_MAX + i, FORMAT_PERFETTO_BLOCKED);
        if (find_thread(&w, blocks->rows[i].thread_id, blocks->rows[i].thread) > 0) {
            put_owner(&w, &blocks->rows[i], flow);
            put_wait(&w, &blocks->rows[i], flow);
        }
    }
    free(w.has_track);
}
