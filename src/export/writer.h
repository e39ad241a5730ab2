/* A report on its way into a format: pieces come in, text or bytes go out before all are there. */

#ifndef EXPORT_WRITER_H
#define EXPORT_WRITER_H

#include "export/export.h"

/* Takes what is written, a large piece at a time. */
struct export_sink {
    enum mb_status (*take)(void *context, const void *bytes, size_t size, struct mb_error *err);
    /* What is taken from now on is a file of that name, without extension. NULL: all is one. */
    enum mb_status (*begin_file)(void *context, const char *name, struct mb_error *err);
    void *context;
};

struct export_writer {
    const struct export_format *format;
    const struct export_report *report; /* borrowed, from begin on */
    struct export_sink sink;            /* without take: all stays in out */
    struct mb_buf out;                  /* formats append to it, and keep no place in it */
    void *state;                        /* of the format: state_size bytes, at first zeroed */
    struct mb_buf open;                 /* of export_walk_calls */
    uint64_t last_ns;                   /* likewise: where the thread's walk has come to */
    enum mb_status status;              /* of the sink; after a failure nothing is kept */
    struct mb_error error;
};

/* sink NULL: all stays in out. Fails without memory; finish also after that. */
MB_MUST_CHECK enum mb_status export_writer_init(struct export_writer *writer,
                                                const struct export_format *format,
                                                const struct export_sink *sink,
                                                struct mb_error *err);
void export_writer_finish(struct export_writer *writer);

/* In this order: begin once, thread once for each, with its calls behind it, a portion at a time,
 * end once, which lets the rest of the output go. */
void export_begin(struct export_writer *writer, const struct export_report *report);
void export_thread(struct export_writer *writer, const struct export_thread *thread);
void export_calls(struct export_writer *writer, const struct export_thread *thread,
                  const struct trace_stack *stack);
void export_end(struct export_writer *writer);

/* What went wrong until now: in the sink, or without memory. */
MB_MUST_CHECK enum mb_status export_writer_check(const struct export_writer *writer,
                                                 struct mb_error *err);

/* ---- For the formats ---- */

/* For whoever writes much in one call, as of a program that is one outermost call: lets go of what
 * is in out, if it is much. */
void export_drain(struct export_writer *writer);

/* What is written from now on is a file of its own, of the name without extension; false if there
 * is only one. */
bool export_begin_file(struct export_writer *writer, const char *name);

/* What happens at a time of a thread. A call that was open at the end leaves too: item->is_open. */
typedef void export_walk_fn(struct export_writer *writer, const struct trace_item *item,
                            uint64_t ns);
struct export_walk {
    export_walk_fn *enter;
    export_walk_fn *leave;
};

/* Entries and exits of a portion in the order in which they were. Time never falls, from the
 * thread's first portion to its last: what a damaged trace has earlier comes when its neighbour
 * did. */
void export_walk_calls(struct export_writer *writer, const struct trace_stack *stack,
                       const struct export_walk *walk);

#endif
