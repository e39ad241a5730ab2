/* Speedscope's own format: a profile of entries and exits for each thread. Frames come last in the
 * file, when all are known that are used. */

#include "answer/marks.h"
#include "base/vec.h"
#include "formats/ids.h"
#include "formats/writer.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of a thread, in the order of the file. */
struct profile {
    const struct answer_thread *thread;
    bool has_events;
};

struct speedscope {
    struct format_ids frames;
    MB_VEC(struct profile) profiles;
    bool has_event;
    uint64_t start_ns; /* of the first event of the profile, */
    uint64_t end_ns;   /* and of the last */
};

static void begin_file(struct format_writer *writer)
{
    struct mb_buf *out = &writer->out;

    mb_buf_put_string(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                           "\"exporter\":\"methodbeat " MB_VERSION "\",\"name\":");
    mb_buf_put_json_string(out, writer->process->name);
    mb_buf_put_string(out, ",\"profiles\":[");
}

/* Where the profile of the last thread begins and ends is known now. */
static void end_profile(struct format_writer *writer)
{
    struct speedscope *state = writer->state;
    size_t count = MB_VEC_COUNT(&state->profiles);

    if (count > 0) {
        state->profiles.items[count - 1].has_events = state->has_event;
        mb_buf_printf(&writer->out, "],\"startValue\":%" PRIu64 ",\"endValue\":%" PRIu64 "}",
                      state->start_ns, state->end_ns);
    }
}

static void begin_profile(struct format_writer *writer, const struct answer_thread *thread)
{
    struct speedscope *state = writer->state;
    struct mb_buf *out = &writer->out;

    end_profile(writer);
    mb_buf_put_string(out, state->profiles.buf.size > 0 ? ",\n" : "\n");
    mb_buf_put_string(out, "{\"type\":\"evented\",\"name\":");
    mb_buf_put_json_string(out, thread->name);
    mb_buf_put_string(out, ",\"unit\":\"nanoseconds\",\"events\":[");
    MB_VEC_PUSH(&state->profiles, (struct profile){.thread = thread});
    mb_buf_fail_with(out, &state->profiles.buf);
    state->has_event = false;
    state->start_ns = 0;
    state->end_ns = 0;
}

static void put_event(struct format_writer *writer, char type, uint32_t id, uint64_t ns)
{
    struct speedscope *state = writer->state;
    uint32_t number = format_ids_number(&state->frames, id, &writer->out, NULL);

    mb_buf_printf(&writer->out, "%s{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
                  state->has_event ? ",\n" : "\n", type, number - 1, ns);
    state->start_ns = state->has_event ? state->start_ns : ns;
    state->has_event = true;
    state->end_ns = ns;
}

static void open_frame(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    put_event(writer, 'O', item->id, ns);
}

static void close_frame(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    put_event(writer, 'C', item->id, ns);
}

static void put_calls(struct format_writer *writer, const struct answer_thread *thread,
                      const struct trace_stack *stack)
{
    (void)thread;
    format_walk_calls(writer, stack, &(struct format_walk){open_frame, close_frame});
}

/* What people look at first: the thread that answers messages, or that worked most. */
static int64_t rank_of(const struct answer_recording *recording, const struct profile *profile)
{
    const struct answer_thread *thread = profile->thread;

    return !profile->has_events ? -1
           : recording->has_messages && thread->is_main
               ? INT64_MAX
               : trace_subtract(thread->time.busy_ns, thread->time.waited_ns);
}

static size_t find_first(const struct format_writer *writer)
{
    const struct speedscope *state = writer->state;
    const struct profile *profiles = state->profiles.items;
    size_t first = 0;

    for (size_t i = 1; i < MB_VEC_COUNT(&state->profiles); i++) {
        bool is_more = rank_of(&writer->facts->recording, &profiles[i]) >
                       rank_of(&writer->facts->recording, &profiles[first]);
        first = is_more ? i : first;
    }
    return first;
}

/* A method has one frame, which has its marks after the name: there is no other place that people
 * see. */
static void put_frame(struct format_writer *writer, const struct trace_method *rows, uint32_t id)
{
    const struct answer_marks marks = answer_find_marks(&writer->facts->methods, rows, id);
    struct mb_buf *out = &writer->out;

    mb_buf_put_string(out, "{\"name\":");
    answer_put_json_name(out, writer->names, id);
    if (marks.set != 0 && !out->failed) {
        out->size--;
        answer_put_signs(out, &marks);
        mb_buf_put_u1(out, '"');
    }
    mb_buf_put_u1(out, '}');
}

static void put_frames(struct format_writer *writer)
{
    const struct speedscope *state = writer->state;
    const struct answer_methods *methods = &writer->facts->methods;
    struct trace_method *rows = answer_sort_methods(methods->rows, methods->count, ANSWER_BY_ID);
    size_t count = MB_VEC_COUNT(&state->frames.seen);
    const uint32_t *ids = state->frames.seen.items;

    writer->out.failed = writer->out.failed || rows == NULL;
    for (size_t i = 0; i < count; i++) {
        mb_buf_put_string(&writer->out, i > 0 ? ",\n" : "\n");
        put_frame(writer, rows, ids[i]);
        format_drain(writer);
    }
    free(rows);
}

static void end_file(struct format_writer *writer)
{
    struct mb_buf *out = &writer->out;

    end_profile(writer);
    mb_buf_put_string(out, "],\n\"shared\":{\"frames\":[");
    put_frames(writer);
    mb_buf_printf(out, "]},\n\"activeProfileIndex\":%zu}\n", find_first(writer));
}

static void finish_state(struct format_writer *writer)
{
    struct speedscope *state = writer->state;

    format_ids_finish(&state->frames);
    mb_buf_finish(&state->profiles.buf);
}

const struct format format_speedscope = {
    .name = "speedscope",
    .extension = ".speedscope.json",
    .wants_calls = true,
    .state_size = sizeof(struct speedscope),
    .begin = begin_file,
    .thread = begin_profile,
    .calls = put_calls,
    .end = end_file,
    .finish = finish_state,
};
