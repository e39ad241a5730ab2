/* What a decoded trace tells, and the formats it can be written in: one file each behind one
 * table. Pure functions of their input. */

#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "base/buf.h"
#include "base/text.h"
#include "trace/profile.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* The name of a method; empty if unknown. The text must last as long as the report. */
struct export_names {
    struct mb_text (*find)(const void *context, uint32_t id);
    const void *context;
};

/* A thread, or several of one name that share a tree. */
struct export_thread {
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
struct export_slow {
    const struct export_thread *thread;
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
struct export_group {
    uint32_t key;
    bool is_parked; /* all of them */
    uint64_t count;
    int64_t total_ns;
    int64_t longest_ns;
};

/* A method whose probes were silenced while the program ran: from then on its time is its
 * callers'. */
struct export_mute {
    uint32_t id;
    bool was_before;  /* a recording before this one has done it */
    uint64_t time_ns; /* from when on */
    uint64_t calls;   /* until then */
    int64_t total_ns; /* of these */
};

/* Calls of a muted method that came later are in the own time of what called it, or of what called
 * that where it is muted too. About so many, by the rate before. */
struct export_held {
    uint32_t caller;
    uint32_t id; /* of the muted method */
    uint64_t calls;
    int64_t total; /* in units, by the mean before */
};

/* A suspend function of Kotlin. Its calls count starts and resumptions. */
struct export_suspended {
    uint32_t id;
    uint64_t resumed; /* of its calls, at least; 0: they cannot be told apart */
};

#define EXPORT_UNKNOWN INT64_MIN

/* When something was, by clocks that other programs have too. */
struct export_when {
    int64_t begin_ns; /* on CLOCK_MONOTONIC, or EXPORT_UNKNOWN */
    int64_t lasted_ns;
    int64_t until_ms; /* since 1970, or EXPORT_UNKNOWN */
    uint64_t mapping; /* of the method map; 0: not known */
};

/* What monitors have written of one cause. Empty texts: it does not say. */
struct export_issue {
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
    struct export_when when;
    uint64_t count;
    int64_t total_ns;
    int64_t longest_ns; /* -1: not known */
};

/* What monitors told of a while of the process. Empty texts: it does not say. */
struct export_event {
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
#define EXPORT_LEVELS 5u /* from the best to frozen */
struct export_drawn {
    struct export_when when;
    struct mb_text until;
    struct mb_text scene;
    uint32_t frames;
    uint32_t levels[EXPORT_LEVELS]; /* of these */
    int64_t fps;                    /* hundredths of frames a second, of the display likewise */
    int64_t refresh;
    int64_t late_ns; /* lost by all of them */
    int64_t longest_ns;
    int64_t hitch_us; /* lost in a second of drawing */
};

/* What people see on request only. */
enum export_detail {
    EXPORT_THREADS = 1, /* each thread with its methods */
    EXPORT_STACKS = 2,  /* of all slow messages that top allows */
    EXPORT_CALLS = 4,   /* methods by number of calls */
    EXPORT_MUTED = 8,   /* methods that were muted */
};

/* What the numbers of folded stacks are. */
enum export_weight {
    EXPORT_WEIGHT_NS, /* own time */
    EXPORT_WEIGHT_CALLS,
};

/* All borrowed. */
struct export_report {
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
    unsigned details; /* enum export_detail, several */
    enum export_weight weight;
    const struct export_report *old; /* what to compare with, for people; or NULL */
    struct mb_text trace_path;       /* what to call the trace and its map on a command line; */
    struct mb_text map_path;         /* empty: there is no name */

    const struct export_thread *threads; /* main first */
    size_t thread_count;
    const struct export_slow *slow; /* longest first */
    size_t slow_count;
    uint64_t root_count; /* messages, or outermost calls, slow or not, that rings still hold */
    int64_t longest_root_ns;
    uint64_t message_count; /* in the profile of the whole run, if there is one */
    int64_t longest_message_ns;
    const struct export_group *groups; /* greatest total first */
    size_t group_count;
    const struct trace_method *methods; /* in no order; times in units */
    size_t method_count;
    const struct export_mute *mutes; /* most calls first */
    size_t mute_count;
    const struct export_held
        *held; /* by caller, the longest first; those that are a part of its own */
    size_t held_count;
    const struct export_suspended *suspended; /* by id */
    size_t suspended_count;
    uint64_t absorbed_calls; /* of chains for which the profile had no room: in no method's */
    bool has_issues;         /* were asked for */
    const struct export_issue *issues;
    size_t issue_count;
    const struct export_event *events; /* those of the time that the trace is of, in order */
    size_t event_count;
    const struct export_drawn *drawn; /* in order of time */
    size_t drawn_count;
    const struct mb_text *notes; /* what could not be read, in words */
    size_t note_count;
    struct export_names names;
};

/* Begin comes before the first thread, thread before its calls, some whole outermost calls at a
 * time (export/writer.h); NULL where the format does not need it. Until the end report and threads
 * have no results yet. */
struct export_writer;
struct export_format {
    const char *name;
    const char *extension;       /* of its files, with the dot */
    const char *other_extension; /* by which it is known too; or NULL */
    bool is_binary;              /* nothing for a terminal */
    bool wants_calls;  /* each with its own times; else equal ones in a row come as one item */
    bool takes_issues; /* shows what monitors told */
    bool has_files;    /* one for each thread, where there is a folder for them */
    size_t state_size; /* of a writer's state */
    /* A pass over the same calls before all others, with the same state; or NULL. */
    const struct export_format *survey;
    void (*begin)(struct export_writer *writer);
    void (*thread)(struct export_writer *writer, const struct export_thread *thread);
    void (*calls)(struct export_writer *writer, const struct export_thread *thread,
                  const struct trace_stack *stack);
    void (*end)(struct export_writer *writer);
    void (*finish)(struct export_writer *writer); /* frees what state owns, also after a failure */
};

#define EXPORT_FORMAT(name) extern const struct export_format export_##name;
#define EXPORT_MISSING(name, reason)
#include "export/formats.def"
#undef EXPORT_MISSING
#undef EXPORT_FORMAT

/* NULL if there is no such format. */
const struct export_format *export_find(const char *name);

/* Why a format of this name is not there although there are programs that have it; NULL if none
 * has. */
const char *export_why_missing(const char *name);

/* The one with the longest extension that the path ends with; NULL if there is none. */
const struct export_format *export_find_extension(const char *path);

/* All formats by number, from 0; NULL behind the last. */
const struct export_format *export_format_at(size_t number);

/* ---- For the formats ---- */

/* The method's name as mb_buf_put_printable shows it, or "#id". */
void export_put_name(struct mb_buf *out, const struct export_names *names, uint32_t id);
void export_put_json_name(struct mb_buf *out, const struct export_names *names, uint32_t id);

/* What the trees of the threads show, in words. */
const char *export_tree_source(const struct export_report *report);

/* The name of a thread up to the number at its end; all of it if it has none. */
struct mb_text export_name_stem(struct mb_text name);

/* NULL if the method is no suspend function, as far as the map tells. */
const struct export_suspended *export_find_suspended(const struct export_report *report,
                                                     uint32_t id);

/* What the calls of a thread waited, one by one, in ns: those in idle loops, or the others. */
int64_t export_placed_waiting(const struct export_report *report,
                              const struct export_thread *thread, bool is_idle);

/* Units of the words as nanoseconds; negative ones too. */
int64_t export_ns(const struct export_report *report, int64_t units);

/* Method rows in the order of a table; NULL without memory. Free with free. */
enum export_order { EXPORT_BY_SELF, EXPORT_BY_CALLS, EXPORT_BY_ID };
struct trace_method *export_sort_methods(const struct trace_method *methods, size_t count,
                                         enum export_order order);

/* The next stretch of drawing, if it begins by the end of this one; else NULL. */
const struct export_event *export_next_drawn(const struct export_report *report,
                                             const struct export_event *event);

/* ---- Marks: what makes the times of a method uncertain (marks.c) ---- */

enum export_mark {
    EXPORT_MARK_MUTED,    /* its probes were silenced while the program ran */
    EXPORT_MARK_HOLDS,    /* a part of its own time may be calls of such methods */
    EXPORT_MARK_INFERRED, /* a part of its total is of calls whose end is inferred */
    EXPORT_MARK_COUNT,
};

struct export_mark_info {
    const char *sign;    /* behind a name */
    const char *word;    /* for formats in which people choose by it */
    const char *meaning; /* of the method that has it */
};
extern const struct export_mark_info export_mark_infos[EXPORT_MARK_COUNT];

#define EXPORT_MARK_SETS (1u << EXPORT_MARK_COUNT)
struct export_marks {
    unsigned set;                   /* 1 << enum export_mark, several */
    uint32_t inferred_percent;      /* of its total: so much of that may be too much */
    const struct export_held *held; /* of muted methods, the longest first */
    size_t held_count;
    uint64_t held_calls; /* of all of them */
};

static inline bool export_has_mark(const struct export_marks *marks, enum export_mark mark)
{
    return (marks->set >> mark & 1) != 0;
}

/* Of a method, and of calls of it with this total, a part of which is inferred. */
struct export_marks export_marks_of(const struct export_report *report, uint32_t id,
                                    int64_t inferred, int64_t total);

/* Of all calls of a method. rows: those of the report by id, of export_sort_methods. */
struct export_marks export_find_marks(const struct export_report *report,
                                      const struct trace_method *rows, uint32_t id);

/* In whole percent; 0 if that is less than one. */
uint32_t export_inferred_percent(int64_t inferred, int64_t total);

/* " ~ ^ ?61%", or nothing. */
void export_put_signs(struct mb_buf *out, const struct export_marks *marks);

/* "a.Main.run 61%, b.Other.load 4%": all methods with the mark, the greatest own time first. */
void export_put_marked(const struct export_report *report, struct mb_buf *out,
                       enum export_mark mark);

/* The same behind sign and meaning, for formats with no place at a method; nothing if no method has
 * it. */
void export_put_mark_note(const struct export_report *report, struct mb_buf *out,
                          enum export_mark mark);

/* ---- What recording has cost, roughly (overhead.c) ---- */

/* A record with the clock that was used, as it was measured once. */
uint64_t export_record_ns(const struct export_report *report);

/* What the probes of one call cost, in ns: with the finer clock 2.5 times what the cheapest of
 * the methods that call no other take, which is next to nothing but probes; two records where no
 * method has calls enough to tell. */
double export_probe_ns(const struct export_report *report);

/* Code with probes is larger, and takes a JVM longer to compile: so much more CPU time programs
 * took (tests/bench/programs, and the Scala compiler), probes included. No trace tells of it. */
#define EXPORT_CODE_LEAST_PERCENT 5
#define EXPORT_CODE_MOST_PERCENT 60

/* What calling the probes took. All records, also those of a time that the report has not; and
 * those of the time that it has. */
int64_t export_overhead_ns(const struct export_report *report);
int64_t export_shown_overhead_ns(const struct export_report *report);

/* Sums over the threads. */
struct export_sums {
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
struct export_sums export_sum(const struct export_report *report);

#endif
