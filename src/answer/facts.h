/* What a trace tells: facts, apart from the formats in which they are written. */

#ifndef ANSWER_FACTS_H
#define ANSWER_FACTS_H

#include "abi/weaving.h"
#include "answer/issue.h"
#include "base/buf.h"
#include "trace/profile.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct answer_finding;

/* The name of a method; empty if unknown. The text lasts as long as the facts. */
struct answer_names {
    struct mb_text (*find)(const void *context, uint32_t id);
    const void *context;
};

/* Where the time of a thread went, as far as that is known. */
struct answer_time {
    bool has_cpu;           /* cpu_ns to waited_ns are known */
    bool knows_ready;       /* ready_ns, too: else waited_ns may be in part of it */
    uint64_t start_ns;      /* of the first call */
    uint64_t end_ns;        /* of the last word, or of calls that still run */
    uint64_t ring_start_ns; /* of the first call that its ring still holds */
    uint64_t ring_end_ns;   /* of the last word there */
    int64_t busy_ns;        /* inside calls */
    int64_t cpu_ns;         /* of all its time, in calls or not */
    int64_t worked_ns;      /* of busy_ns: with a processor, */
    int64_t ready_ns;       /* without one, though it could run, */
    int64_t waited_ns;      /* and without, since it could not; any rest is not known */
    int64_t idle_ns;        /* of busy_ns, the own time of idle loops */
};

/* What of a thread's records is in its tree, and what is not. */
struct answer_losses {
    uint64_t lapped_words;  /* overwritten by newer ones in its ring */
    uint64_t missing_words; /* that the file is too short for */
    uint64_t unseen_words;  /* overwritten, or not read yet, before the profile had them */
    uint64_t exact_words;   /* of those read, at least, have exact times; 0: not known */
    struct trace_losses read;
};

/* What samples saw of a thread. */
struct answer_seen {
    uint64_t stacks; /* of it that are in the tree */
    int64_t met_ns;  /* CPU time between two samples that both met it running, less all other */
};

/* A thread, or several of one name that share a tree. */
struct answer_thread {
    struct mb_text name;
    uint32_t id;
    bool is_main;
    bool is_live;          /* had not ended when the recording did */
    bool is_virtual;       /* Java's virtual threads, all those of the name */
    bool is_profiled;      /* the tree is of the whole run; else of what its ring holds */
    uint64_t member_count; /* threads that it stands for; 0: one */
    uint64_t calls;        /* in the tree, recorded */
    const struct answer_losses *losses; /* NULL: it has no records */
    const struct answer_seen *seen;     /* NULL: it was not sampled */
    struct answer_time time;
    const uint32_t *idle_ids; /* their methods, outermost first */
    size_t idle_count;
    const struct trace_node *nodes; /* callers first; times in units */
    size_t node_count;
    const struct trace_method *methods; /* in no order; times in units */
    size_t method_count;
};

/* A message, or an outermost call where no messages were recorded. */
struct answer_slow {
    const struct answer_thread *thread;
    uint64_t start_ns;
    int64_t duration_ns;
    uint32_t id;
    uint32_t key;
    bool is_open;
    bool is_parked;                 /* of a main thread that waits for what others do */
    const struct trace_item *items; /* trimmed; depths count from the message; times in units */
    size_t item_count;
};

/* Slow messages of one key. */
struct answer_group {
    uint32_t key;
    bool is_parked; /* all of them */
    uint64_t count;
    int64_t total_ns;
    int64_t longest_ns;
};

/* A method whose probes were silenced while the program ran: from then on its time is its callers'.
 */
struct answer_mute {
    uint32_t id;
    bool was_before;  /* a recording before this one has done it */
    bool is_budget;   /* for what all probes together took, not for what its own did */
    uint64_t time_ns; /* from when on */
    uint64_t calls;   /* until then */
    int64_t total_ns; /* of these */
};

/* Later calls of a muted method are in the own time of the nearest caller that is not muted. */
struct answer_held {
    uint32_t caller;
    uint32_t id;    /* of the muted method */
    uint64_t calls; /* of that by this caller, until it was muted */
};

/* What a call of a method usually takes. */
struct answer_usual {
    uint32_t id;
    uint32_t calls; /* that say so */
    double own_ns;
    double made; /* calls that it makes */
};

/* A suspend function of Kotlin. Its calls count starts and resumptions. */
struct answer_suspended {
    uint32_t id;
    uint64_t resumed; /* of its calls, at least; 0: they cannot be told apart */
};

/* An issue in the time of the trace. */
struct answer_event {
    const struct answer_issue *issue;
    struct mb_text label; /* its cause */
    uint64_t start_ns;
    uint64_t duration_ns;
};

/* The process that was recorded. */
struct answer_process {
    struct mb_text name;
    struct mb_text app; /* checked pairs (abi/identity.h); empty: not known */
    uint32_t id;
    uint64_t mapping_hash;      /* of the method map; 0: not known */
    int64_t wall_start_ns;      /* time 0: since 1970, */
    int64_t monotonic_start_ns; /* on CLOCK_MONOTONIC, */
    int64_t boottime_start_ns;  /* and on CLOCK_BOOTTIME; 0: not known */
};

/* What recorded times mean. Those of answer_facts are in ns from time 0, if they end in _ns; the
 * rest is in units. */
struct answer_clock {
    bool is_coarse;
    bool is_exact;        /* though coarse: each record was made at the time that it has */
    uint64_t busy_ticks;  /* of the thread that had most with more records than have exact times; 0:
                           * not known */
    uint64_t ns_per_unit; /* abi/tracefile.h, as all below */
    uint64_t resolution_ns;
    uint64_t slow_record_ns;
    uint64_t slow_words;
    uint64_t quick_words;
};

/* What became of the program's classes, where they got their probes while it ran. */
struct answer_weaving {
    bool is_known;
    uint64_t counts[ABI_WEAVING_COUNT]; /* enum abi_weaving */
};

/* What was recorded, and what could not be. */
struct answer_recording {
    bool is_closed;    /* the recorder stopped in good order */
    bool has_profile;  /* of the whole run */
    bool has_messages; /* else outermost calls stand in for them */
    uint64_t refused_words;
    uint64_t recycled_words;
    uint64_t absorbed_calls; /* of chains for which the profile had no room: in no method's */
    struct answer_weaving weaving;
    uint32_t ring_count;                /* of all threads; 1: only the main thread was recorded */
    const struct answer_finding *notes; /* what could not be read */
    size_t note_count;
};

/* Stacks that were sampled. */
struct answer_sampling {
    bool is_known;      /* there are samples */
    const char *engine; /* what walked them */
    bool is_of_late;    /* only late loops were sampled */
    bool is_of_gaps;    /* they tell what muted methods took, and nothing else */
    int64_t main_ns;    /* the interval that was asked for, of the main thread; 0: none */
    int64_t threads_ns; /* of the others */
    int64_t widest_main_ns;
    int64_t widest_threads_ns; /* the budget made them so */
    uint64_t taken;
    uint64_t polled; /* of these: at the thread's next safepoint poll, beyond where it was */
    uint64_t failed;
    uint64_t left_out; /* threads without samples */
    uint64_t cut;      /* stacks that were deeper than: */
    uint32_t depth;
    uint64_t crowded;  /* classes without names in stacks, since many of their kind had come */
    uint64_t idle;     /* ticks at which a thread had not run: its last stack was still right */
    int64_t target_ns; /* what it took the program's threads */
    int64_t own_ns;    /* CPU time of the sampler's own */
};

/* A thread that could not go on for another. */
struct answer_block {
    struct mb_text thread;
    struct mb_text owner;    /* who had the lock; empty: not known */
    struct mb_text lock;     /* its class, internal form; empty: not known */
    uint32_t method;         /* where it waited; 0: not known */
    uint32_t program_method; /* the innermost of the program's there; that of the JVM without one */
    uint32_t owner_method;   /* where the owner had it when it was asked for */
    uint32_t thread_id;      /* of the system */
    uint32_t owner_id;       /* 0: not known */
    uint32_t thread_index;   /* numbers that tell threads of one name apart */
    uint32_t owner_index;    /* that of the owner + 1; 0: not known */
    bool is_open;            /* still waiting at the end */
    bool is_exact;           /* else times are right within the interval of samples */
    uint64_t start_ns;
    uint64_t asked_ns; /* when the owner was asked for; 0: never */
    int64_t duration_ns;
};

struct answer_blocks {
    const struct answer_block *rows; /* in order of time */
    size_t count;
};

struct answer_threads {
    const struct answer_thread *rows; /* main first */
    size_t count;
    bool have_bounds; /* their worked_ns to waited_ns are lower bounds, of an older recorder */
    uint64_t missing_words; /* of rings that no row has: those that the file is too short for */
};

/* Messages, or outermost calls. */
struct answer_messages {
    int64_t threshold_ns;           /* from which on they are slow */
    const struct answer_slow *slow; /* longest first */
    size_t slow_count;
    uint64_t root_count; /* slow or not, that rings still hold */
    int64_t longest_root_ns;
    uint64_t count; /* messages in the profile of the whole run, if there is one */
    int64_t longest_ns;
    const struct answer_group *groups; /* greatest total first */
    size_t group_count;
};

/* A length, and the interval that has the true one in 99 of 100 runs: by the order of the lengths,
 * whatever their distribution. */
struct answer_quantile {
    int64_t ns; /* right within 3 %, mostly 1 */
    int64_t least_ns;
    int64_t most_ns; /* INT64_MAX: too few calls for a bound */
};

/* Of the calls that a trace has lengths of. */
struct answer_lengths {
    uint64_t calls;
    struct answer_quantile p50;
    struct answer_quantile p90;
    struct answer_quantile p99;
};

/* Which calls and requests of a method. */
enum answer_which {
    ANSWER_CALLS,        /* all */
    ANSWER_REQUESTS,     /* of its kind */
    ANSWER_ON_PROCESSOR, /* those, less the time that they were ready without one; where known */
};

/* What a slow request did more than the usual ones. */
enum answer_state {
    ANSWER_STATE_MIXED,     /* no single cause */
    ANSWER_STATE_COLLECTED, /* paused: for garbage, */
    ANSWER_STATE_THROTTLED, /* by the container's limit of CPU time, */
    ANSWER_STATE_STOPPED,   /* or with the whole process */
    ANSWER_STATE_READY,     /* without a processor */
    ANSWER_STATE_TIME,      /* in a method; what it did there is not known */
    ANSWER_STATE_WORKED,    /* there, as all below */
    ANSWER_STATE_LOCKED,
    ANSWER_STATE_IO,
    ANSWER_STATE_WAITED,
    ANSWER_STATES
};

/* A slow request. */
struct answer_asked {
    uint32_t request; /* the kind */
    uint32_t thread_id;
    uint64_t start_ns;
    int64_t length_ns;
    enum answer_state state;
    uint32_t id;                      /* the method; 0: none is the cause */
    int64_t more_ns;                  /* by that cause, than usual */
    int64_t ready_ns;                 /* of that, what worked lacked a processor */
    int64_t waited_ns;                /* than usual, wherever, and */
    int64_t worked_ns;                /* 0: not known */
    enum answer_state other;          /* if no lock is the cause, rather this one: */
    int64_t other_ns;                 /* 0 without one */
    const struct answer_block *block; /* the longest wait for a lock there; NULL: none is known */
};

/* Slow requests of a kind that have one cause. */
struct answer_excess {
    enum answer_state state;
    uint32_t id;
    uint32_t below; /* the caller that tells most of it; 0: the kind itself, or several */
    uint64_t count;
    int64_t more_ns;                  /* of them all */
    int64_t ready_ns;                 /* of that, what worked lacked a processor */
    const struct answer_block *block; /* the longest wait, by the most frequent holder */
    uint64_t owner_count;             /* of them, so many had such a holder; 0: not known, */
    uint64_t known_count;             /* and so many a holder that is known */
    bool are_owners;                  /* which are threads of one pool */
};

/* A kind of requests: calls of a method whose length a person waits for. */
struct answer_request {
    uint32_t id;
    uint64_t calls;
    int64_t total_ns;
    int64_t used_ns;   /* of that, without being ready without a processor */
    int64_t waited_ns; /* of that, with what it calls, at least */
    int64_t own_ns;    /* of total_ns, without what it calls */
    bool is_pause;     /* it does nothing but wait, and others call it as well */
    int64_t longest_ns;
    struct answer_lengths lengths;
    enum answer_which which; /* calls lengths are of */
    struct answer_lengths
        on_processor;      /* of those of which it is known: less being ready without */
    uint64_t known_calls;  /* the last ones: before, it was not known that they are requests; */
    int64_t known_ns;      /* these took that long, */
    int64_t known_p50_ns;  /* and half of them that at most */
    uint64_t slow_count;   /* of them, of which more is known */
    int64_t slower_ns;     /* than the others, each of them */
    int64_t ready_ns;      /* each without a processor, of all, and */
    int64_t slow_ready_ns; /* of the slowest that are known */
    const struct answer_excess *excesses; /* most time first */
    size_t excess_count;
    const struct answer_asked *asked; /* the slowest that are known, in no order */
    size_t asked_count;
};

/* Of all threads, by the reason. */
struct answer_pause {
    enum answer_state state;
    uint64_t start_ns;
    int64_t length_ns;
};

struct answer_requests {
    const struct answer_request *rows; /* most time first */
    size_t count;
    const struct answer_request *left_out; /* not known but by name, number and length */
    size_t left_out_count;
    size_t short_count;  /* of them, steps of a loop, and rare ones, by their time */
    uint64_t lost_count; /* slow ones of which no cause could be kept */
    const struct answer_pause *pauses;
    size_t pause_count;
    const struct abi_profile_node *slow_nodes; /* what slow ones did (answer/requests.h) */
    size_t slow_node_count;
};

/* The methods of all threads. */
struct answer_methods {
    struct answer_names names;
    int64_t sample_interval;         /* in units, the widest; 0 without samples */
    const struct trace_method *rows; /* in no order; times in units */
    size_t count;
    const struct answer_mute *mutes; /* most calls first */
    size_t mute_count;
    const struct answer_held *held; /* by caller, most calls first */
    size_t held_count;
    const struct answer_suspended *suspended; /* by id */
    size_t suspended_count;
    const struct answer_usual *usual; /* by id; none unless asked for */
    size_t usual_count;
    const uint64_t *lengths; /* of calls (abi/profile.h), by method */
    size_t length_count;
};

/* What the monitors found. */
struct answer_monitors {
    bool has_issues;                   /* were asked for */
    const struct answer_cause *causes; /* without drawing; the greatest total first */
    size_t cause_count;
    const struct answer_event *events; /* those of the time that the trace is of, in order */
    size_t event_count;
    const struct answer_issue *const *drawn; /* how scenes were drawn, in order of time */
    size_t drawn_count;
};

/* What of the time of calls in trees and tables counts. */
enum answer_counted {
    ANSWER_WALL,
    ANSWER_AWAKE, /* not what they waited, as far as that is known, */
    ANSWER_CPU,   /* nor for how long they could run without a processor */
};

/* All topics, all borrowed. Only who needs most of them takes this. */
struct answer_facts {
    enum answer_counted counted;
    int64_t left_out_ns; /* what does not count */
    struct answer_process process;
    struct answer_clock clock;
    struct answer_recording recording;
    struct answer_sampling sampling;
    struct answer_threads threads;
    struct answer_blocks blocks;
    struct answer_messages messages;
    struct answer_requests requests;
    struct answer_methods methods;
    struct answer_monitors monitors;
    struct mb_text trace_path; /* where it was read; empty: nowhere that has a name */
    struct mb_text map_path;   /* where the method map was read; or empty */
};

/* The name of a state for scripts: "collection". */
const char *answer_state_name(enum answer_state state);

/* The method's name as mb_buf_put_printable shows it, or "#id". */
void answer_put_name(struct mb_buf *out, const struct answer_names *names, uint32_t id);
void answer_put_json_name(struct mb_buf *out, const struct answer_names *names, uint32_t id);

/* The name of the method is one in which threads wait for work (idle.c). */
bool answer_waits_for_work(const struct answer_names *names, uint32_t id);

/* Classes without probes, for whatever reason. */
uint64_t answer_unwoven_classes(const struct answer_weaving *weaving);

/* What the trees of the threads show, in words. */
const char *answer_tree_source(const struct answer_recording *recording);

/* The name of a thread up to the number at its end; all of it if it has none. */
struct mb_text answer_name_stem(struct mb_text name);

/* In the order of ids, for qsort and bsearch of struct answer_suspended. */
int answer_by_suspended_id(const void *a, const void *b);

/* NULL unless the method is a suspend function, as far as the map tells. */
const struct answer_suspended *answer_find_suspended(const struct answer_methods *methods,
                                                     uint32_t id);

/* NULL if too few of its calls have exact times, or these differ too much. */
const struct answer_usual *answer_find_usual(const struct answer_methods *methods, uint32_t id);

/* Those of a thread, all 0 if it has no records. */
const struct answer_losses *answer_losses_of(const struct answer_thread *thread);

/* Units of the words as nanoseconds; negative ones too. */
int64_t answer_ns(const struct answer_clock *clock, int64_t units);

/* Most of its own time was spent waiting, or in idle loops, which costs nothing. */
bool answer_is_waiting(const struct trace_method *row);

/* Method rows in the order of a table; NULL without memory. Free with free. By cost: by own time,
 * those that wait last. */
enum answer_order { ANSWER_BY_COST, ANSWER_BY_SELF, ANSWER_BY_CALLS, ANSWER_BY_ID };
struct trace_method *answer_sort_methods(const struct trace_method *methods, size_t count,
                                         enum answer_order order);

/* The next stretch of drawing, if it begins by the end of this one; else NULL. */
const struct answer_event *answer_next_drawn(const struct answer_monitors *monitors,
                                             const struct answer_event *event);

/* Sums over the threads. */
struct answer_sums {
    struct answer_losses losses;
    uint64_t calls;
    uint64_t start_ns; /* of the first call */
    uint64_t end_ns;
};
struct answer_sums answer_sum(const struct answer_threads *threads);

/* It has calls, recorded or sampled. */
static inline bool answer_thread_has_calls(const struct answer_thread *thread)
{
    return thread->calls > 0 || (thread->seen != NULL && thread->seen->stacks > 0);
}

/* Below this a time says nothing: the tick of a coarse clock; else 0. */
int64_t answer_tick_ns(const struct answer_clock *clock);

#endif
