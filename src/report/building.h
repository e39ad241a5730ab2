/* Inside src/report: a model in the making. */

#ifndef REPORT_BUILDING_H
#define REPORT_BUILDING_H

#include "report/model.h"
#include "trace/trees.h"

struct report_building {
    struct report_model *model;
    const struct report_trace *trace;
    const struct report_options *options;
    struct export_writer *writer; /* or NULL */
    uint64_t end;                 /* the latest time of any thread, in units */
    struct report_mark mark;
    struct trace_decoder decoder;
    struct mb_buf merging;        /* scratch of trace_merge */
    struct trace_profile profile; /* of one thread */
    struct trace_methods methods; /* of one thread */
    struct mb_buf idle;           /* struct idle_method of idle.c */
    bool lacks_memory;            /* for a text */
};

/* Something about the trace that people should know, in words. Without memory the notes fail. */
void report_put_note(struct report_building *b, const char *format, ...) MB_PRINTF(2, 3);

/* Owned by the model; empty without memory, which is reported at the end. */
struct mb_text report_copy_text(struct report_building *b, const char *text);

/* The last word of a ring that is no empty one; 0 if there is none. */
uint64_t report_last_word(const struct abi_ring_view *view);

/* ---- Threads (threads.c) ---- */

/* All threads that were asked for, from the sections and from the rings. */
MB_MUST_CHECK enum mb_status report_add_threads(struct report_building *b, struct mb_error *err);

/* ---- The calls of a ring (calls.c) ---- */

/* Hand the calls to the format, and keep what is slow. thread gets what only its ring tells; if
 * makes_tree, also its tree, from these calls. */
MB_MUST_CHECK enum mb_status report_add_calls(struct report_building *b,
                                              struct export_thread *thread,
                                              const struct abi_ring_view *view, bool makes_tree,
                                              struct mb_error *err);

/* ---- Idle loops (idle.c) ---- */

/* Mark the nodes of the profile's trees that are loops made to wait: the outermost call of a thread
 * other than main that is nine tenths of its life, half of the recording, and waits nine tenths of
 * that at least, if it makes no call or waits between several; and what it waits in, down to where
 * the thread came back to it. Threads of one name share what is found of them. Nothing is idle
 * where nobody knows what threads waited, nor where nothing else would be left but a main thread
 * that waits. */
MB_MUST_CHECK enum mb_status report_find_idle(struct report_building *b, struct mb_error *err);

/* What of that the thread has, out of its tree. */
MB_MUST_CHECK enum mb_status report_take_idle(struct report_building *b,
                                              struct export_thread *thread, struct mb_error *err);

/* Calls of the method are part of an idle loop if what called them is, or nothing. */
bool report_is_idle(const struct export_thread *thread, uint32_t id);

/* What the thread cost by method, out of its tree. */
MB_MUST_CHECK enum mb_status report_add_costs(struct report_building *b,
                                              struct export_thread *thread, struct mb_error *err);

/* What callers hold of muted methods (held.c); after methods and mutes. */
void report_make_held(struct report_model *model);

/* Which methods are suspend functions, and how often they were resumed (suspended.c); after
 * methods. */
void report_make_suspended(struct report_building *b);

/* Slow messages in order, and by key. */
void report_make_groups(struct report_model *model);

#endif
