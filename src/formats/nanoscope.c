/* Nanoscope's text: a line for each entry and exit of one thread, "ns:+name" and "ns:POP". '+'
 * keeps the viewer from shortening the name, or from taking a part of it for something else. */

#include "formats/writer.h"

#include <inttypes.h>
#include <stdio.h>

struct nanoscope {
    const struct answer_thread
        *thread; /* of the file: where there is one only, the first with calls */
    unsigned file_count;
    uint64_t start_ns;
    bool has_started;
    struct mb_buf name;
};

/* The viewer is a page that has the text in a <script>: "</" must not stand there. */
static void put_name(struct format_writer *writer, uint32_t id)
{
    struct nanoscope *state = writer->state;

    mb_buf_reset(&state->name);
    answer_put_name(&state->name, writer->names, id);
    mb_buf_fail_with(&writer->out, &state->name);
    for (size_t i = 0; i < state->name.size; i++) {
        bool ends_tag = i > 0 && state->name.bytes[i - 1] == '<' && state->name.bytes[i] == '/';
        mb_buf_put_string(&writer->out, ends_tag ? " " : "");
        mb_buf_put_u1(&writer->out, state->name.bytes[i]);
    }
}

static void put_time(struct format_writer *writer, uint64_t ns)
{
    struct nanoscope *state = writer->state;

    if (!state->has_started) {
        state->start_ns = ns;
        state->has_started = true;
    }
    mb_buf_printf(&writer->out, "%" PRIu64 ":", ns - state->start_ns);
}

static void put_entry(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    put_time(writer, ns);
    mb_buf_put_u1(&writer->out, '+');
    put_name(writer, item->id);
    mb_buf_put_u1(&writer->out, '\n');
}

static void put_exit(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    (void)item;
    put_time(writer, ns);
    mb_buf_put_string(&writer->out, "POP\n");
}

/* "1-main": whatever the thread's name, that of a file, and no other thread's. */
static bool begin_file(struct format_writer *writer, const struct answer_thread *thread)
{
    struct nanoscope *state = writer->state;
    char name[96];
    int size = snprintf(name, sizeof(name), "%u-%.*s", ++state->file_count,
                        (int)(thread->name.size < 64 ? thread->name.size : 64), thread->name.data);

    for (int i = 0; i < size && i < (int)sizeof(name); i++) {
        bool is_plain = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
                        (name[i] >= '0' && name[i] <= '9');
        name[i] = is_plain || name[i] == '.' ? name[i] : '-';
    }
    state->has_started = false;
    return format_begin_file(writer, name);
}

static void put_calls(struct format_writer *writer, const struct answer_thread *thread,
                      const struct trace_stack *stack)
{
    struct nanoscope *state = writer->state;

    if (state->thread != thread && stack->count > 0 &&
        (begin_file(writer, thread) || state->thread == NULL)) {
        state->thread = thread;
    }
    if (state->thread == thread) {
        format_walk_calls(writer, stack, &(struct format_walk){put_entry, put_exit});
    }
}

static void finish_state(struct format_writer *writer)
{
    struct nanoscope *state = writer->state;

    mb_buf_finish(&state->name);
}

const struct format format_nanoscope = {
    .name = "nanoscope",
    .extension = ".nanoscope.txt",
    .wants_calls = true,
    .has_files = true,
    .state_size = sizeof(struct nanoscope),
    .calls = put_calls,
    .finish = finish_state,
};
