/* A method trace of ART, version 2, for Android Studio and others: threads and methods in words,
 * then a record of ten bytes for each entry and exit. The words come from a survey of all calls.
 * Times are microseconds of 32 bits: shorter calls take none, and what comes after 71 minutes is as
 * if it came then. */

#include "answer/cost.h"
#include "base/clock.h"
#include "formats/ids.h"
#include "formats/writer.h"

#include <inttypes.h>

#define HEAD_SIZE 32u
#define RECORD_SIZE 10u
#define VERSION 2u

enum action { ENTER, LEAVE };

struct art {
    struct mb_buf threads; /* their rows in words */
    uint32_t thread_count; /* of the pass that is under way */
    struct format_ids methods;
    uint64_t calls;
    uint64_t end_us;
    struct mb_buf name;
};

/* Little endian, whatever the machine. */
static void put_little(struct mb_buf *out, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        mb_buf_put_u1(out, (unsigned)(value >> 8 * i & 0xff));
    }
}

/* ---- What there is ---- */

static uint64_t us_of(uint64_t ns)
{
    return ns / (uint64_t)MB_NS_PER_US < UINT32_MAX ? ns / (uint64_t)MB_NS_PER_US : UINT32_MAX;
}

static uint32_t number_of(struct format_writer *writer, uint32_t id)
{
    struct art *state = writer->state;

    return format_ids_number(&state->methods, id, &writer->out, NULL);
}

static void meet_thread(struct format_writer *writer, const struct answer_thread *thread)
{
    struct art *state = writer->state;

    mb_buf_printf(&state->threads, "%" PRIu32 "\t", ++state->thread_count);
    mb_buf_put_printable(&state->threads, thread->name);
    mb_buf_printf(&state->threads, " %" PRIu32 "\n", thread->id);
    mb_buf_fail_with(&writer->out, &state->threads);
}

static void meet_call(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    struct art *state = writer->state;

    (void)ns;
    (void)number_of(writer, item->id);
    state->calls++;
}

static void meet_end(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    struct art *state = writer->state;

    (void)item;
    state->end_us = us_of(ns) > state->end_us ? us_of(ns) : state->end_us;
}

static void meet_calls(struct format_writer *writer, const struct answer_thread *thread,
                       const struct trace_stack *stack)
{
    (void)thread;
    format_walk_calls(writer, stack, &(struct format_walk){meet_call, meet_end});
}

/* ---- The words before them ---- */

/* Tabs stand between columns; a printable text has none. */
static void put_column(struct mb_buf *out, const char *from, size_t size)
{
    mb_buf_put(out, from, size);
    mb_buf_put_u1(out, '\t');
}

/* "a.Main.run(int)" as class, method, signature and file: the last dot before the parameters parts
 * them. A name that has no such dot is a method of no class. */
static void put_method(struct format_writer *writer, uint32_t id, size_t number)
{
    struct art *state = writer->state;
    struct mb_buf *out = &writer->out;

    mb_buf_reset(&state->name);
    answer_put_name(&state->name, writer->names, id);
    mb_buf_fail_with(out, &state->name);
    const char *name = (const char *)state->name.bytes;
    size_t size = state->name.size;
    const char *parameters = size > 0 ? memchr(name, '(', size) : NULL;
    size_t end = parameters != NULL ? (size_t)(parameters - name) : size;
    size_t dot = end;
    while (dot > 0 && name[dot - 1] != '.') {
        dot--;
    }
    size_t class_size = dot > 0 ? dot - 1 : 0;
    size_t simple = class_size;
    while (simple > 0 && name[simple - 1] != '.') {
        simple--;
    }
    mb_buf_printf(out, "0x%zx\t", number << 2);
    put_column(out, name, class_size);
    put_column(out, name + dot, end - dot);
    put_column(out, end < size ? name + end : "()", end < size ? size - end : 2);
    mb_buf_put(out, name + simple, class_size - simple);
    mb_buf_put_string(out, ".java\n");
}

static void put_words(struct format_writer *writer)
{
    const struct art *state = writer->state;
    struct mb_buf *out = &writer->out;
    size_t count = MB_VEC_COUNT(&state->methods.seen);
    const uint32_t *ids = state->methods.seen.items;

    mb_buf_printf(out,
                  "*version\n%u\ndata-file-overflow=false\nclock=wall\nelapsed-time-usec=%" PRIu64
                  "\nnum-method-calls=%" PRIu64 "\nclock-call-overhead-nsec=%" PRIu64
                  "\nvm=art\npid=%" PRIu32 "\n*threads\n",
                  VERSION, state->end_us, state->calls, answer_record_ns(writer->clock),
                  writer->process->id);
    mb_buf_put(out, state->threads.bytes, state->threads.size);
    mb_buf_put_string(out, "*methods\n");
    for (size_t i = 0; i < count; i++) {
        put_method(writer, ids[i], i + 1);
    }
    mb_buf_put_string(out, "*end\n");
}

static void put_head(struct format_writer *writer)
{
    struct art *state = writer->state;
    struct mb_buf *out = &writer->out;

    put_words(writer);
    mb_buf_put_string(out, "SLOW");
    put_little(out, VERSION, 2);
    put_little(out, HEAD_SIZE, 2);
    put_little(out, (uint64_t)(writer->process->wall_start_ns / MB_NS_PER_US), 8);
    put_little(out, RECORD_SIZE, 2);
    put_little(out, 0, 8);
    put_little(out, 0, HEAD_SIZE - 26);
    state->thread_count = 0;
}

/* ---- Records ---- */

static void add_thread(struct format_writer *writer, const struct answer_thread *thread)
{
    struct art *state = writer->state;

    (void)thread;
    state->thread_count++;
}

static void put_record(struct format_writer *writer, uint32_t id, enum action action, uint64_t ns)
{
    const struct art *state = writer->state;

    put_little(&writer->out, state->thread_count, 2);
    put_little(&writer->out, number_of(writer, id) << 2 | action, 4);
    put_little(&writer->out, us_of(ns), 4);
}

static void enter_call(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    put_record(writer, item->id, ENTER, ns);
}

static void leave_call(struct format_writer *writer, const struct trace_item *item, uint64_t ns)
{
    put_record(writer, item->id, LEAVE, ns);
}

static void add_calls(struct format_writer *writer, const struct answer_thread *thread,
                      const struct trace_stack *stack)
{
    (void)thread;
    format_walk_calls(writer, stack, &(struct format_walk){enter_call, leave_call});
}

static void finish_state(struct format_writer *writer)
{
    struct art *state = writer->state;

    mb_buf_finish(&state->threads);
    format_ids_finish(&state->methods);
    mb_buf_finish(&state->name);
}

static const struct format survey = {
    .name = "art",
    .wants_calls = true,
    .thread = meet_thread,
    .calls = meet_calls,
};

const struct format format_art = {
    .name = "art",
    .extension = ".trace",
    .is_binary = true,
    .wants_calls = true,
    .survey = &survey,
    .state_size = sizeof(struct art),
    .begin = put_head,
    .thread = add_thread,
    .calls = add_calls,
    .finish = finish_state,
};
