/* The monitors: rules that turn events into actions (questions, notes and issues). Pure functions
 * of their input, without clock, thread, file, or memory of their own.
 *
 *   events ... TICK --order by time--> rules --> questions, notes, issues
 *
 * A tick closes a batch, whose events may be fed in any order. Answers are events of a later batch.
 * Events that come a tick late are judged by their own times. */

#ifndef MONITOR_MONITOR_H
#define MONITOR_MONITOR_H

#include "base/text.h"
#include "monitor/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MON_LOOP_COUNT 16u /* loop 0 is the main one */
#define MON_FRAME_COUNT 64u
#define MON_ITEM_COUNT 30u /* TRACE_TRIMMED_MAX */
#define MON_THREAD_COUNT 8u

/* ---- Events ---- */

enum mon_kind {
#define MON_EVENT(KIND, name) MON_##KIND,
#include "monitor/fields.h"
    MON_KIND_COUNT
};

/* Names of functions, innermost first, with the file and line of each in 16 bits (a number of a
 * kept name, a line as in class files). Frames with equal functions are equal. */
struct mon_frames {
    uint32_t count;
    uint32_t names[MON_FRAME_COUNT];
    uint16_t files[MON_FRAME_COUNT]; /* 0: the place is not known */
    uint16_t lines[MON_FRAME_COUNT];
};

/* One line of a method trace, as Matrix has it. */
struct mon_item {
    uint32_t depth;
    uint32_t id;
    uint32_t count;
    int64_t ms;
};

struct mon_items {
    uint32_t count;
    struct mon_item items[MON_ITEM_COUNT];
};

struct mon_thread {
    uint32_t id;
    uint32_t name;
    int64_t cpu_ns;
};

struct mon_threads {
    uint32_t count;
    struct mon_thread threads[MON_THREAD_COUNT];
};

/* Changes of a WINDOW; FOCUSED and UNFOCUSED concern input. */
enum mon_window_what {
    MON_WINDOW_CREATED,
    MON_WINDOW_STARTED,
    MON_WINDOW_RESUMED,
    MON_WINDOW_PAUSED,
    MON_WINDOW_STOPPED,
    MON_WINDOW_DESTROYED,
    MON_WINDOW_DRAWN, /* for the first time */
    MON_WINDOW_FOCUSED,
    MON_WINDOW_UNFOCUSED,
    MON_WINDOW_WHAT_COUNT
};

/* Moments of an APP's start. */
enum mon_app_what {
    MON_APP_PROCESS,   /* the process was started */
    MON_APP_REQUESTED, /* its start was asked for */
    MON_APP_FIRST,     /* its first record */
    MON_APP_INSTALLED, /* the monitors began */
    MON_APP_CREATED,   /* the first message after the application was created */
    MON_APP_REASON,    /* the system's reason */
    MON_APP_DRAWN,     /* fully, as the program reports */
    MON_APP_WHAT_COUNT
};

enum mon_reason { MON_REASON_UNKNOWN, MON_REASON_WINDOW, MON_REASON_OTHER };

#define MON_STAGE_CUT (-100)
#define MON_STAGE_ODD (-1) /* the device reported what cannot be */

/* struct mon_tick, struct mon_poll ... */
#define MON_EVENT(KIND, name) struct mon_##name {
#define MON_TIME(event, field) int64_t field;
#define MON_WALL(event, field) int64_t field;
#define MON_WORD(event, field) uint64_t field;
#define MON_COUNT(event, field) uint32_t field;
#define MON_FLAG(event, field) bool field;
#define MON_NAME(event, field) uint32_t field;
#define MON_FRAMES(event, field) struct mon_frames field;
#define MON_ITEMS(event, field) struct mon_items field;
#define MON_THREADS(event, field) struct mon_threads field;
#define MON_END \
    }           \
    ;
#include "monitor/fields.h"

struct mon_event {
    int64_t at_ns;
    uint32_t kind;    /* enum mon_kind */
    uint32_t loop;    /* below MON_LOOP_COUNT */
    uint32_t request; /* of the question that this answers; 0 if none */
    union {
#define MON_EVENT(KIND, name) struct mon_##name name;
#include "monitor/fields.h"
    };
};

/* The texts of names; empty for 0. Texts stay as long as the monitors. */
struct mon_names {
    struct mb_text (*find)(const void *context, uint32_t name);
    const void *context;
};

static inline struct mb_text mon_name(const struct mon_names *names, uint32_t name)
{
    return name != 0 ? names->find(names->context, name) : (struct mb_text){"", 0};
}

/* ---- Issues ---- */

/* How bad, within a kind; the greater the worse. */
enum mon_detail {
    MON_NOTHING,
    MON_NORMAL, /* a slow message */
    MON_LAG,
    MON_ANR,
    MON_HANG,
    MON_OFTEN,      /* many stalls in a window */
    MON_BUSY,       /* CPU */
    MON_FPS,        /* how a scene is drawn */
    MON_START,      /* how long a start took */
    MON_SLOW_START, /* the same with its trace */
    MON_EXIT_ANR,   /* the system ended a process that did not respond; only it noticed */
    MON_CUSTOM,     /* reported by the program, which alone knows how bad it is */
    MON_DETAIL_COUNT
};

/* NORMAL, LAG ...; asserted. */
const char *mon_detail_name(enum mon_detail detail);

enum mon_ended {
    MON_ENDED_NORMAL,
    MON_ENDED_UNSEEN,  /* the loop went on; when exactly is not known: end_ns is the latest */
    MON_ENDED_STOPPED, /* the monitors were stopped before it did */
    MON_ENDED_KILLED,  /* the process died first */
    MON_ENDED_OPEN,    /* not yet: in notes only */
};

const char *mon_ended_name(enum mon_ended ended);

/* What explains a stall: the stack seen most. */
struct mon_hottest {
    const struct mon_frames *frames; /* NULL: no stack was seen */
    int64_t weight_ns;               /* time for which its top function was */
    int64_t of_ns;                   /* that the samples stand for */
    uint32_t samples;
    uint32_t repeats[MON_FRAME_COUNT]; /* samples that hold each of the frames */
};

/* A stack that differed from the stack before. */
struct mon_dump {
    int64_t at_ns;
    struct mon_frames frames;
};

/* When the stall was found to have reached each stage (NORMAL: the first poll); 0: not while it
 * lasted. */
struct mon_noticed {
    int64_t at_ns[MON_HANG + 1]; /* [enum mon_detail] */
};
struct mon_drawn;    /* monitor/drawn.h */
struct mon_starting; /* monitor/start.h */

/* A stretch in which a loop did not go on, a message that took long, or a window of time. */
struct mon_span {
    uint32_t number; /* of the incident in this process */
    uint32_t loop;
    uint32_t loop_name; /* 0 if none */
    uint32_t message;
    int64_t begin_ns;
    int64_t end_ns;
    int64_t watched_ns; /* the judged time: without gaps. FPS: time of drawing */
    int64_t before_ns;  /* it may have begun so much earlier: outside messages */
    uint64_t position;  /* with end_position: its words, as TAKE_TRACE has them */
    uint64_t end_position;
    bool is_outside; /* not in a message */
    struct mon_noticed noticed;
};

/* Borrowed: valid while it is handed over. */
struct mon_issue {
    enum mon_detail detail;
    enum mon_ended ended;
    uint64_t start; /* with the span's number: which incident of all processes */
    struct mon_span span;
    int64_t cost_ns; /* by the clock, without messages nested in it */
    int64_t cpu_ns;  /* used by the thread in cpu_of_ns; -1 if unknown */
    int64_t cpu_of_ns;
    bool is_foreground;
    bool is_unreachable; /* a stack was asked for, and did not come */
    uint32_t scene;
    const struct mon_process *process; /* NULL: without a PROCESS event */
    const struct mon_trace *trace;     /* NULL if none */
    const struct mon_hottest *hottest;
    const struct mon_dump *dumps;
    uint32_t dump_count;
    uint32_t dumps_left_out;
    uint32_t all_stacks; /* name */
    /* OFTEN */
    struct mon_limit limit;
    int64_t window_ns;
    /* BUSY */
    int64_t busy_ns; /* CPU time used within watched_ns */
    bool is_average;
    const struct mon_cpu *cpu; /* with the threads, or NULL */
    /* CUSTOM */
    const struct mon_report *report; /* of a custom issue; else NULL */
    /* FPS */
    const struct mon_drawn *drawn;
    /* START, SLOW_START */
    const struct mon_starting *starting;
    /* EXIT_ANR */
    const struct mon_exit *exit; /* else NULL */
};

/* ---- Actions ---- */

enum mon_action_kind {
    MON_TAKE_STACK,   /* of the loop: STACK */
    MON_TAKE_STACKS,  /* of all threads: STACKS */
    MON_TAKE_TRACE,   /* of the loop, between the positions: TRACE */
    MON_TAKE_PROCESS, /* PROCESS */
    MON_TAKE_THREADS, /* CPU with threads */
    MON_PING,         /* the loop: PONG */
    MON_NOTE, /* keep the issue, should the process die: it has a new stage or trace, or lasts on */
    MON_NOTE_CLOSE, /* it is nothing: forget the note */
    MON_ISSUE,      /* it is over, and so is its note */
};

#define MON_TO_THE_END UINT64_MAX

/* Valid while it is handed over. */
struct mon_action {
    enum mon_action_kind kind;
    uint32_t loop;
    uint32_t request; /* for the answer */
    uint64_t position;
    uint64_t end_position;         /* MON_TO_THE_END: all there is */
    const struct mon_issue *issue; /* of notes and issues */
};

/* Called inside mon_feed for each action; must not call back. */
struct mon_sink {
    void (*take)(void *context, const struct mon_action *action);
    void *context;
};

/* ---- The machine ---- */

/* What was left out, and why. */
struct mon_counters {
    uint64_t debugged;          /* issues, since a debugger was there */
    uint64_t pings;             /* sent */
    uint64_t pings_moot;        /* the loop had moved before they came back */
    uint64_t stale_stacks;      /* of a message that was over */
    uint64_t early_batches;     /* worked through before their tick: too many events */
    uint64_t frames_left_out;   /* that cannot be: times without sense, doubles */
    uint64_t starts_broken_off; /* the user left before they were over */
    uint64_t starts_unseen;     /* for something else than a screen */
    uint64_t starts_odd;        /* took longer than 30 s, or less than nothing */
    uint64_t crowded;           /* issues emitted without their answers, because too many waited */
    uint64_t unknown;           /* events with a kind or loop that does not exist */
    int64_t gap_ns;             /* for which the watcher was stopped */
};

struct mon;

/* Bytes that mon_create needs, aligned as for malloc. */
size_t mon_size(void);

/* In the caller's memory; options are copied, the rest is borrowed. One thread at a time. */
struct mon *mon_create(void *memory, const struct mon_options *options,
                       const struct mon_names *names, const struct mon_sink *sink);

/* Each event of a tick may lead to actions. */
void mon_feed(struct mon *mon, const struct mon_event *event);

/* When the next tick is wanted at the latest; INT64_MAX: no rule waits. */
int64_t mon_next_ns(const struct mon *mon);

const struct mon_counters *mon_counters(const struct mon *mon);
const struct mon_options *mon_current_options(const struct mon *mon);
const struct mon_scene *mon_current_scene(const struct mon *mon);
const struct mon_process *mon_current_process(const struct mon *mon);

/* All frames and starts since the caller zeroed them last (monitor/identity_sums.h). */
struct mon_sums *mon_current_sums(struct mon *mon);

#endif
