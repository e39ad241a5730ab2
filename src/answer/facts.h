/* What a trace tells: facts, apart from the formats in which they are written. */

#ifndef ANSWER_FACTS_H
#define ANSWER_FACTS_H

#include "base/buf.h"
#include "base/text.h"
#include "trace/profile.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* The name of a method; empty if unknown. The text must last as long as the report. */
struct answer_names {
    struct mb_text (*find)(const void *context, uint32_t id);
    const void *context;
};

/* A thread, or several of one name that share a tree. */
struct answer_thread {
    struct mb_text name;
    uint32_t id;
    bool is_main;
    bool is_live;           /* had not ended when the recording did */
    bool is_virtual;        /* Java's virtual threads, all those of the name */
    bool is_profiled;       /* the tree is of the whole run; else of what its ring holds */
    bool has_cpu;           /* worked_ns and its like are known */
    bool knows_ready;       /* ready_ns, too: else waited_ns may be in part of it */
    uint64_t member_count;  /* threads that it stands for; 0: one */
    uint64_t lapped_words;  /* overwritten by newer ones in its ring */
    uint64_t missing_words; /* that the file is too short for */
    uint64_t dropped_calls; /* shorter than min_ns */
    uint64_t unseen_words;  /* overwritten, or not read yet, before the profile had them */
    uint64_t calls;         /* in the tree */
    struct trace_losses losses;
    uint64_t start_ns;        /* of the first call */
    uint64_t end_ns;          /* of the last word, or of calls that still run */
    uint64_t ring_start_ns;   /* of the first call that its ring still holds */
    uint64_t ring_end_ns;     /* of the last word there */
    int64_t busy_ns;          /* inside calls */
    int64_t cpu_ns;           /* if has_cpu: of all its time, in calls or not */
    int64_t worked_ns;        /* of busy_ns, at least: with a processor, */
    int64_t ready_ns;         /* without one, though it could run, */
    int64_t waited_ns;        /* and without, since it could not; the rest is not known */
    int64_t idle_ns;          /* of busy_ns, the own time of idle loops */
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
    uint64_t time_ns; /* from when on */
    uint64_t calls;   /* until then */
    int64_t total_ns; /* of these */
};

/* Calls of a muted method that came later are in the own time of what called it, or of what called
 * that where it is muted too. About so many, by the rate before. */
struct answer_held {
    uint32_t caller;
    uint32_t id; /* of the muted method */
    uint64_t calls;
    int64_t total; /* in units, by the mean before */
};

/* A suspend function of Kotlin. Its calls count starts and resumptions. */
struct answer_suspended {
    uint32_t id;
    uint64_t resumed; /* of its calls, at least; 0: they cannot be told apart */
};

#define ANSWER_UNKNOWN INT64_MIN

/* When something was, by clocks that other programs have too. */
struct answer_when {
    int64_t begin_ns; /* on CLOCK_MONOTONIC, or ANSWER_UNKNOWN */
    int64_t lasted_ns;
    int64_t until_ms; /* since 1970, or ANSWER_UNKNOWN */
    uint64_t mapping; /* of the method map; 0: not known */
};

/* What monitors have written of one cause. Empty texts: it does not say. */
struct answer_issue {
    struct mb_text label;  /* of the cause */
    struct mb_text detail; /* the rest is of the longest */
    struct mb_text until;
    struct mb_text process;
    struct mb_text scene;
    struct mb_text frames; /* a line each, innermost first */
    struct mb_text loop;
    struct mb_text message;
    struct mb_text told;    /* by the program itself */
    struct mb_text figures; /* in words, of an issue that has no stack */
    struct answer_when when;
    uint64_t count;
    int64_t total_ns;
    int64_t longest_ns; /* -1: not known */
};

/* What monitors told of a while of the process. Empty texts: it does not say. */
struct answer_event {
    struct mb_text detail; /* "LAG", "FPS" or a word of the program's own */
    struct mb_text label;  /* its cause */
    struct mb_text loop;   /* the thread, by name */
    struct mb_text message;
    struct mb_text scene;
    struct mb_text frames; /* a line each, innermost first */
    uint64_t start_ns;
    uint64_t duration_ns;
    bool has_fps; /* it tells how frames were drawn: */
    uint32_t fps; /* hundredths of frames a second */
};

/* Frames of a scene, summed up by monitors. */
#define ANSWER_LEVELS 5u /* from the best to frozen */
struct answer_drawn {
    struct answer_when when;
    struct mb_text until;
    struct mb_text scene;
    uint32_t frames;
    uint32_t levels[ANSWER_LEVELS]; /* of these */
    int64_t fps;                    /* hundredths of frames a second, of the display likewise */
    int64_t refresh;
    int64_t late_ns; /* lost by all of them */
    int64_t longest_ns;
    int64_t hitch_us; /* lost in a second of drawing */
};

/* What people see on request only. */
enum format_detail {
    FORMAT_THREADS = 1, /* each thread with its methods */
    FORMAT_STACKS = 2,  /* of all slow messages that top allows */
    FORMAT_CALLS = 4,   /* methods by number of calls */
    FORMAT_MUTED = 8,   /* methods that were muted */
};

/* What the numbers of folded stacks are. */
enum format_weight {
    FORMAT_WEIGHT_NS, /* own time */
    FORMAT_WEIGHT_CALLS,
};

/* All borrowed. */
struct answer_facts {
    struct mb_text process_name;
    uint32_t process_id;
    uint64_t mapping_hash; /* of the method map; 0: not known */
    bool is_closed;        /* the recorder stopped in good order */
    bool is_coarse_clock;
    uint64_t ns_per_unit; /* abi/tracefile.h; for times inside items */
    uint64_t resolution_ns;
    uint64_t min_ns;
    int64_t wall_start_ns;      /* time 0: since 1970, */
    int64_t monotonic_start_ns; /* on CLOCK_MONOTONIC, */
    int64_t boottime_start_ns;  /* and on CLOCK_BOOTTIME; 0: not known */
    uint64_t refused_words;
    uint64_t recycled_words;
    uint32_t ring_count; /* rings that there was room for; 1: only the main thread was recorded */
    bool has_profile;    /* of the whole run */
    bool has_messages;
    int64_t threshold_ns;
    size_t top; /* rows of a table that people read */
    bool colour;
    size_t columns;   /* of a line that people read; 0: names in full, whatever their length */
    unsigned details; /* enum format_detail, several */
    enum format_weight weight;
    const struct answer_facts *old; /* what to compare with, for people; or NULL */
    struct mb_text trace_path;      /* what to call the trace and its map on a command line; */
    struct mb_text map_path;        /* empty: there is no name */

    const struct answer_thread *threads; /* main first */
    size_t thread_count;
    const struct answer_slow *slow; /* longest first */
    size_t slow_count;
    uint64_t root_count; /* messages, or outermost calls, slow or not, that rings still hold */
    int64_t longest_root_ns;
    uint64_t message_count; /* in the profile of the whole run, if there is one */
    int64_t longest_message_ns;
    const struct answer_group *groups; /* greatest total first */
    size_t group_count;
    const struct trace_method *methods; /* in no order; times in units */
    size_t method_count;
    const struct answer_mute *mutes; /* most calls first */
    size_t mute_count;
    const struct answer_held
        *held; /* by caller, the longest first; those that are a part of its own */
    size_t held_count;
    const struct answer_suspended *suspended; /* by id */
    size_t suspended_count;
    uint64_t absorbed_calls; /* of chains for which the profile had no room: in no method's */
    bool has_issues;         /* were asked for */
    const struct answer_issue *issues;
    size_t issue_count;
    const struct answer_event *events; /* those of the time that the trace is of, in order */
    size_t event_count;
    const struct answer_drawn *drawn; /* in order of time */
    size_t drawn_count;
    const struct mb_text *notes; /* what could not be read, in words */
    size_t note_count;
    struct answer_names names;
};

/* The method's name as mb_buf_put_printable shows it, or "#id". */
void answer_put_name(struct mb_buf *out, const struct answer_names *names, uint32_t id);
void answer_put_json_name(struct mb_buf *out, const struct answer_names *names, uint32_t id);

/* What the trees of the threads show, in words. */
const char *answer_tree_source(const struct answer_facts *report);

/* The name of a thread up to the number at its end; all of it if it has none. */
struct mb_text answer_name_stem(struct mb_text name);

/* NULL if the method is no suspend function, as far as the map tells. */
const struct answer_suspended *answer_find_suspended(const struct answer_facts *report,
                                                     uint32_t id);

/* What the calls of a thread waited, one by one, in ns: those in idle loops, or the others. */
int64_t answer_placed_waiting(const struct answer_facts *report, const struct answer_thread *thread,
                              bool is_idle);

/* Units of the words as nanoseconds; negative ones too. */
int64_t answer_ns(const struct answer_facts *report, int64_t units);

/* Method rows in the order of a table; NULL without memory. Free with free. */
enum answer_order { ANSWER_BY_SELF, ANSWER_BY_CALLS, ANSWER_BY_ID };
struct trace_method *answer_sort_methods(const struct trace_method *methods, size_t count,
                                         enum answer_order order);

/* The next stretch of drawing, if it begins by the end of this one; else NULL. */
const struct answer_event *answer_next_drawn(const struct answer_facts *report,
                                             const struct answer_event *event);

/* Sums over the threads. */
struct answer_sums {
    uint64_t words;
    uint64_t lapped_words;
    uint64_t unseen_words;
    uint64_t missing_words;
    uint64_t dropped_calls;
    uint64_t calls;
    uint64_t open_calls;
    uint64_t lost_entries;
    uint64_t lost_exits;
    uint64_t inferred_exits;
    uint64_t time_went_back;
    uint64_t start_ns; /* of the first call */
    uint64_t end_ns;
};
struct answer_sums answer_sum(const struct answer_facts *report);

/* Below this a time of the report says nothing: the tick of a coarse clock; else 0. */
int64_t answer_tick_ns(const struct answer_facts *report);

#endif
