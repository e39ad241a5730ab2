/* A report on its way into a format: pieces come in, text or bytes go out before all are there. */

#ifndef FORMATS_WRITER_H
#define FORMATS_WRITER_H

#include "answer/model.h"
#include "base/vec.h"
#include "formats/format.h"

/* Takes what is written, a large piece at a time. */
struct format_sink {
    enum mb_status (*take)(void *context, const void *bytes, size_t size, struct mb_error *err);
    /* What is taken from now on is a file of that name, without extension. NULL: all is one. */
    enum mb_status (*begin_file)(void *context, const char *name, struct mb_error *err);
    void *context;
};

struct format_writer {
    const struct format *format;
    struct format_look look;
    const struct answer_process *process; /* borrowed, as the next two, from begin on */
    const struct answer_clock *clock;
    const struct answer_names *names;
    const struct answer_facts *facts;       /* borrowed; NULL until the end */
    struct format_sink sink;                /* without take: all stays in out */
    struct mb_buf out;                      /* formats append to it, and keep no place in it */
    void *state;                            /* of the format: state_size bytes, at first zeroed */
    MB_VEC(const struct trace_item *) open; /* of format_walk_calls */
    uint64_t last_ns;                       /* of format_walk_calls: where the walk is */
    enum mb_status status;                  /* of the sink; after a failure nothing is kept */
    struct mb_error error;
};

/* look NULL: nothing was asked for. sink NULL: all stays in out. Fails without memory; finish also
 * after that. */
MB_MUST_CHECK enum mb_status format_writer_init(struct format_writer *writer,
                                                const struct format *format,
                                                const struct format_look *look,
                                                const struct format_sink *sink,
                                                struct mb_error *err);
void format_writer_finish(struct format_writer *writer);

/* In this order: begin once, thread once for each, then its calls, a portion at a time,
 * end once, which lets the rest of the output go. */
void format_begin(struct format_writer *writer, const struct answer_facts *facts);
void format_thread(struct format_writer *writer, const struct answer_thread *thread);
void format_calls(struct format_writer *writer, const struct answer_thread *thread,
                  const struct trace_stack *stack);
void format_end(struct format_writer *writer, const struct answer_facts *facts);

/* All of that from a trace, whose model is made on the way. Fails as the writer does, and as
 * answer_model_build. */
MB_MUST_CHECK enum mb_status format_write(struct format_writer *writer, struct answer_model *model,
                                          const struct answer_trace *trace,
                                          const struct answer_options *options,
                                          struct mb_error *err);

/* What went wrong until now: in the sink, or without memory. */
MB_MUST_CHECK enum mb_status format_writer_check(const struct format_writer *writer,
                                                 struct mb_error *err);

/* ---- For the formats ---- */

/* For a format that writes much in one call, as of a program that is one outermost call: lets go of
 * what is in out, if it is much. */
void format_drain(struct format_writer *writer);

/* What is written from now on is a file of its own, of the name without extension; false if there
 * is only one. */
bool format_begin_file(struct format_writer *writer, const char *name);

/* What happens at a time of a thread. A call that was open at the end leaves too: item->is_open. */
typedef void format_walk_fn(struct format_writer *writer, const struct trace_item *item,
                            uint64_t ns);
struct format_walk {
    format_walk_fn *enter;
    format_walk_fn *leave;
};

/* Entries and exits of a portion in the order in which they were. Time never falls, from the
 * thread's first portion to its last: what a damaged trace has earlier comes when its neighbour
 * did. */
void format_walk_calls(struct format_writer *writer, const struct trace_stack *stack,
                       const struct format_walk *walk);

/* Of a JSON object that has others already; nothing if text is empty. */
void format_put_field(struct mb_buf *out, const char *name, struct mb_text text);

#endif
