/* Inside src/answer: a model in the making. */

#ifndef ANSWER_BUILDING_H
#define ANSWER_BUILDING_H

#include "answer/model.h"
#include "trace/graft.h"
#include "trace/trees.h"

/* The method is part of an idle loop in threads of the name. */
struct answer_idle_method {
    struct mb_text stem;
    uint32_t id;
};
MB_VEC_TYPE(answer_idle_methods, struct answer_idle_method);

struct answer_building {
    struct answer_model *model;
    const struct answer_trace *trace;
    const struct answer_options *options;
    const struct answer_listener *listener; /* or NULL */
    uint64_t end;                           /* the latest time of any thread, in units */
    struct answer_range mark;
    struct trace_decoder decoder;
    struct mb_buf merging;                    /* scratch of trace_merge */
    struct trace_profile profile;             /* of one thread */
    struct trace_methods methods;             /* of one thread */
    struct trace_graft graft;                 /* of one thread */
    struct trace_samples samples;             /* of all threads */
    struct trace_sampled_calls sampled_calls; /* of one thread */
    bool *sampled_taken;   /* [thread of the samples]: it is in a thread of the facts */
    bool has_profile_rows; /* samples name the profile row of their thread */
    size_t sampled_index;  /* of the present thread; beyond all: it was not sampled */
    union answer_idle_methods idle;
    union mb_numbers wait_kinds; /* [id] = what kind of wait its name says it is (idle.c) */
    bool lacks_memory;           /* for a text */
};

/* Owned by the model; empty without memory, which is reported at the end. */
struct mb_text answer_copy_text(struct answer_building *b, const char *text);

/* The model takes the tree of a thread over. */
void answer_keep_tree(struct answer_model *model, struct answer_thread *thread,
                      struct trace_profile *tree);

/* The last word of a ring that is no empty one; 0 if there is none. */
uint64_t answer_last_word(const struct abi_ring_view *view);

/* ---- Threads (threads.c) ---- */

/* All threads that were asked for, from the sections and from the rings. */
MB_MUST_CHECK enum mb_status answer_add_threads(struct answer_building *b, struct mb_error *err);

/* ---- The calls of a ring (calls.c) ---- */

/* Hand the calls to the listener, and keep what is slow. thread gets what only its ring tells; if
 * losses is not NULL, also its tree, from these calls, and losses what is not in it. */
MB_MUST_CHECK enum mb_status answer_add_calls(struct answer_building *b,
                                              struct answer_thread *thread,
                                              const struct abi_ring_view *view,
                                              struct trace_losses *losses, struct mb_error *err);

/* Hand what was sampled of a thread without a ring to the listener; on a track of its own if there
 * are recorded calls elsewhere. */
MB_MUST_CHECK enum mb_status answer_add_sampled_calls(struct answer_building *b,
                                                      struct answer_thread *thread, bool is_beside,
                                                      struct mb_error *err);

/* ---- Idle loops (idle.c) ---- */

/* Find which recorded calls wait for work, by how they go round: the outermost call of a thread
 * other than main that is nine tenths of its life and half of the recording, if it waits itself,
 * and a call in it to which it came back, oftener than to others. Threads of one name share what is
 * found of them. None are found where it is not known what threads waited. */
MB_MUST_CHECK enum mb_status answer_find_idle(struct answer_building *b, struct mb_error *err);

/* Mark the nodes of the thread's tree that are idle: such waits, those that are known by the names
 * of their methods, and the body that calls them; sampled ones as well. */
MB_MUST_CHECK enum mb_status answer_take_idle(struct answer_building *b,
                                              struct answer_thread *thread, struct mb_error *err);

/* Calls of the method are part of an idle loop if what called them is, or nothing. */
bool answer_is_idle(const struct answer_thread *thread, uint32_t id);

/* Shorten the tree of the thread to what counts (counted.c). Fails without memory only. */
MB_MUST_CHECK enum mb_status answer_count_times(struct answer_building *b,
                                                struct answer_thread *thread, struct mb_error *err);

/* What the thread cost by method, out of its tree. */
MB_MUST_CHECK enum mb_status answer_add_costs(struct answer_building *b,
                                              struct answer_thread *thread, struct mb_error *err);

/* What callers hold of muted methods (held.c); after methods and mutes. */
void answer_make_held(struct answer_model *model);

/* Which methods are suspend functions, and how often they were resumed (suspended.c); after
 * methods. */
void answer_make_suspended(struct answer_building *b);

/* Collect the calls of a ring of which all records have exact times, and take what is usual out of
 * all of them (usual.c). */
void answer_add_exact_calls(struct answer_building *b, const struct abi_ring_view *view);
void answer_make_usual(struct answer_model *model);

/* Kinds of requests (requests.c), of the trees as they are; after answer_find_idle. */
MB_MUST_CHECK enum mb_status answer_make_requests(struct answer_building *b, struct mb_error *err);

/* What slow requests did more than usual (excess.c), when their kinds are known. */
MB_MUST_CHECK enum mb_status answer_make_excesses(struct answer_building *b, struct mb_error *err);

/* The part of the request that is in that time as well. */
int64_t answer_asked_common(const struct answer_asked *asked, uint64_t start_ns, int64_t length_ns);

/* The locks that they waited for, when waits are known; and the requests of each cause, of rows of
 * asked that are in the order of their kinds (causes.c). */
void answer_place_locks(const struct answer_blocks *blocks, const struct answer_sections *sections,
                        union answer_asked_rows *asked);
void answer_sum_causes(union answer_request_rows *requests, const union answer_asked_rows *asked,
                       union answer_excesses *excesses);

/* Then the callers of what they did (slow_tree.c). */
MB_MUST_CHECK enum mb_status answer_find_callers(struct answer_model *model, struct mb_error *err);

/* Slow messages in order, and by key. */
void answer_make_groups(struct answer_model *model);

/* ---- Samples (sampled.c) ---- */

/* Open the sections of samples, and say in the facts what they are. Fails without memory only. */
MB_MUST_CHECK enum mb_status answer_sampled_open(struct answer_building *b, struct mb_error *err);

/* Where a thread's records are, each plus 1; 0 if unknown. */
struct answer_records_place {
    uint32_t ring;
    uint32_t profile_row;
};

/* Choose the sampled thread that this one is. What follows is of that. */
void answer_sampled_choose(struct answer_building *b, const struct answer_thread *thread,
                           struct answer_records_place place);

/* Put what was sampled of the thread into its tree. Fails without memory only. */
MB_MUST_CHECK enum mb_status answer_sampled_add(struct answer_building *b,
                                                struct answer_thread *thread, struct mb_error *err);

static inline bool answer_sampled_has(const struct answer_building *b)
{
    return b->sampled_index < b->model->sampled.thread_count;
}

/* True if the samples of the thread are drawn: not where they fill gaps of what was recorded. */
static inline bool answer_sampled_is_drawn(const struct answer_building *b)
{
    return answer_sampled_has(b) && !b->model->facts.sampling.is_of_gaps;
}

/* Next sampled thread without recorded calls, from *next on, with its sample tree; *is_there is
 * false after the last one. Fails only when out of memory. */
MB_MUST_CHECK enum mb_status answer_sampled_next(struct answer_building *b, size_t *next,
                                                 struct answer_thread *thread, bool *is_there,
                                                 struct mb_error *err);

/* Time of a sample, in ns of the trace. */
static inline uint64_t answer_sampled_ns(const struct answer_building *b, uint64_t time)
{
    return abi_trace_ns(b->model->sampled.ns_per_unit, time) & INT64_MAX;
}

/* Who waited for whom, when all threads are there (waits.c). */
void answer_sampled_make_blocks(struct answer_building *b);

#endif
