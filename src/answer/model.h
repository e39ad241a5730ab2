/* Read all of a trace into the facts that it tells. */

#ifndef ANSWER_MODEL_H
#define ANSWER_MODEL_H

#include "abi/sampling.h"
#include "answer/events.h"
#include "answer/finding.h"
#include "answer/input.h"
#include "answer/sections.h"
#include "base/vec.h"

struct answer_options {
    const char *thread; /* a name or an id; NULL: all */
    const char *mark;   /* the range of this one, by name or number; NULL: all */
    int64_t threshold_ns;
    enum answer_counted counted;
    bool wants_usual;                /* answer_find_usual */
    struct mb_text requests;         /* methods whose calls are: globs; empty: as recorded */
    struct answer_monitors monitors; /* but for events: they are chosen from issues */
    struct answer_issues issues;
};

MB_VEC_TYPE(answer_held_rows, struct answer_held);

/* Own time in units. */
struct answer_exact_call {
    uint32_t id;
    uint32_t own;
    uint32_t made; /* calls that it made */
};
MB_VEC_TYPE(answer_exact_calls, struct answer_exact_call);

MB_VEC_TYPE(answer_request_rows, struct answer_request);
MB_VEC_TYPE(answer_length_words, uint64_t);
MB_VEC_TYPE(answer_excesses, struct answer_excess);
MB_VEC_TYPE(answer_asked_rows, struct answer_asked);
MB_VEC_TYPE(answer_pauses, struct answer_pause);

/* Zeroed memory can be finished. facts views the rest and the trace. */
struct answer_model {
    struct answer_facts facts;
    struct answer_sections sections;
    struct trace_methods methods;
    MB_VEC(struct mb_buf) nodes; /* struct trace_node, of each thread without a profile */
    MB_VEC(struct answer_thread) threads;
    MB_VEC(struct answer_slow) slow;
    MB_VEC(struct answer_group) groups;
    MB_VEC(struct answer_mute) mutes;
    union answer_held_rows held;
    union answer_exact_calls exact_calls;
    MB_VEC(struct answer_usual) usual;
    MB_VEC(struct answer_suspended) suspended;
    union answer_request_rows requests;
    union answer_length_words lengths;
    union answer_excesses excesses;
    union answer_asked_rows asked;
    union answer_pauses pauses;
    union answer_events events;
    struct answer_findings notes;
    MB_VEC(struct answer_block) blocks;
    struct abi_sampling_view sampled;
    struct mb_arena arena;
};

/* Takes the calls while they are read, in this order: begin once, thread once for each, then its
 * calls, some whole outermost calls at a time. Until all are read, facts and threads have
 * no results. */
struct answer_listener {
    void *context;
    bool wants_calls; /* each with its own times; else equal ones in a row come as one item */
    void (*begin)(void *context, const struct answer_facts *facts);
    void (*thread)(void *context, const struct answer_thread *thread);
    enum mb_status (*calls)(void *context, const struct answer_thread *thread,
                            const struct trace_stack *stack, struct mb_error *err);
};

/* listener may be NULL. Fails as its calls does, without memory, with MB_BAD_USAGE if no thread or
 * mark is the one asked for, and with MB_BAD_TRACE if the mark is not valid any more. A ring or
 * section that makes no sense becomes a note. */
MB_MUST_CHECK enum mb_status answer_model_build(struct answer_model *model,
                                                const struct answer_trace *trace,
                                                const struct answer_options *options,
                                                const struct answer_listener *listener,
                                                struct mb_error *err);
void answer_model_finish(struct answer_model *model);

/* Into a zeroed model, to be finished: kinds of requests by the sections alone, and the causes of
 * slow ones that ended since then, in units; who held a lock is not known. The rows view the
 * sections until these are finished. Fails without memory only. */
MB_MUST_CHECK enum mb_status answer_model_explain(struct answer_model *model,
                                                  const struct answer_sections *sections,
                                                  struct answer_names names, uint64_t since,
                                                  struct mb_error *err);

#endif
