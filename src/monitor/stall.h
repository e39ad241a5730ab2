/* Inside src/monitor: the rule of stalls, in three parts: polls find incidents, ends judge them,
 * and stall.c keeps them until their issues are emitted. */

#ifndef MONITOR_STALL_H
#define MONITOR_STALL_H

#include "base/clock.h"
#include "monitor/monitor.h"
#include "monitor/pace.h"
#include "monitor/rules.h"

#include <stdbool.h>
#include <stdint.h>

/* Frequent stalls: many of a length within a minute are as bad as a long one. */

struct mon_often_stall {
    int64_t end_ns;
    int64_t length_ns;
    uint64_t key;                    /* of its stack; 0: no stack */
    const struct mon_frames *frames; /* NULL if none */
    bool is_told;                    /* it has an issue of its own: limits of 1 need no other */
};

struct mon_often_row {
    uint32_t count; /* since the last alarm */
    int64_t ends[MON_LIMIT_STALLS];
    int64_t lengths[MON_LIMIT_STALLS];
    uint64_t keys[MON_LIMIT_STALLS];
    struct mon_frames frames[MON_LIMIT_STALLS];
};

/* Start with zeroed memory. */
struct mon_often {
    struct mon_often_row rows[MON_LIMIT_COUNT];
};

/* Bit i of the result: limit i is reached with this stall, and needs as many new ones for the next
 * time. */
uint32_t mon_often_add(struct mon_often *often, const struct mon_often_stall *stall,
                       const struct mon_options *options);

/* For a limit that was just reached: the latest stack of the most frequent key among its stalls.
 * NULL without stacks. Valid until the next add. */
const struct mon_frames *mon_often_stack(const struct mon_often *often, uint32_t limit,
                                         const struct mon_options *options);

/* Of such a limit: when the first of its stalls began, and how long all took. Until the next
 * add. */
void mon_often_times(const struct mon_often *often, uint32_t limit,
                     const struct mon_options *options, int64_t *begin_ns, int64_t *total_ns);

/* What a message that is over amounts to. */

#define MON_OPEN_MESSAGES 8u

/* The gaps in the earlier stretches of the open messages of a loop. Zeroed memory: no message is
 * open. */
struct mon_messages {
    struct mon_message {
        int64_t begin_ns;
        int64_t gap_ns;
    } open[MON_OPEN_MESSAGES];
    uint32_t count;
};

/* Lengths as they are judged: without gaps. */
struct mon_lengths {
    int64_t stretch_ns; /* for which the loop stood still */
    int64_t own_ns;     /* of the whole message, without nested messages; 0 while it is open */
    int64_t gap_ns;     /* left out of own */
};

/* Of a stretch that ended at end_ns. */
struct mon_lengths mon_measure(struct mon_messages *messages, const struct mon_slow *slow,
                               int64_t end_ns, const struct mon_gaps *gaps);

/* How long a loop may stand still until it is called that; INT64_MAX: it never is. */
int64_t mon_threshold_ns(const struct mon_options *options, enum mon_detail detail,
                         bool is_foreground);

/* The worst that a stretch is: LAG, ANR, HANG or NOTHING. */
enum mon_detail mon_judge_stall(const struct mon_options *options, int64_t stretch_ns,
                                bool is_foreground);

/* The same, and NORMAL for a message that is slow as a whole. */
enum mon_detail mon_judge(const struct mon_options *options, const struct mon_lengths *lengths,
                          bool is_foreground);

/* A stall or slow message, from the first poll that finds it until its issue is emitted. */

/* ---- When to sample ---- */

/* Start with zeroed memory. Intervals count check periods. */
struct mon_anneal {
    uint64_t key;      /* of the stack that was dumped last */
    uint32_t previous; /* the interval before */
    uint32_t interval; /* until the next sample */
    bool has_key;
};

enum mon_look_result {
    MON_LOOK_NEW,         /* to be dumped; the next sample follows after one period */
    MON_LOOK_SAME,        /* the interval is the sum of the last two: 1, 2, 3, 5, 8, 13 ... */
    MON_LOOK_MEANINGLESS, /* at most one frame; the next sample follows after one period */
};

/* A stack with that many frames and that key was seen. */
enum mon_look_result mon_anneal_look(struct mon_anneal *anneal, uint64_t key, uint32_t frames);

/* ---- The latest samples, and the stack that explains a stall best ---- */

#define MON_SAMPLE_COUNT 20u

struct mon_sample {
    int64_t at_ns;
    uint32_t top; /* mon_top */
    struct mon_frames frames;
};

/* A ring; zeroed memory is empty. */
struct mon_samples {
    struct mon_sample samples[MON_SAMPLE_COUNT];
    uint32_t count; /* ever */
};

/* Times must not decrease. */
void mon_samples_add(struct mon_samples *samples, int64_t at_ns, const struct mon_frames *frames,
                     uint32_t top);

/* The weight of a sample is the time until the next sample, or until end_ns, without gaps. Samples
 * with the same top function form one stack; the stack of the greatest weight wins, among equals
 * the latest. frames is its latest sample; NULL without samples. */
void mon_find_hottest(const struct mon_samples *samples, int64_t end_ns,
                      const struct mon_gaps *gaps, struct mon_hottest *hottest);

/* ---- The incident ---- */

#define MON_INCIDENT_COUNT 24u /* more than there are loops */
#define MON_DUMP_COUNT 8u

enum mon_incident_state {
    MON_INCIDENT_FREE,
    MON_INCIDENT_OPEN,
    MON_INCIDENT_MOVED,   /* the loop goes on; its SLOW event is missing */
    MON_INCIDENT_CLOSING, /* judged; waits for its trace and stacks */
};

/* The thread's CPU clock, when it was read first and last. */
struct mon_cpu_readings {
    int64_t first_ns; /* -1 if unknown */
    int64_t first_at_ns;
    int64_t last_ns;
    int64_t last_at_ns;
};

/* Numbers of pending requests; 0: none is. */
struct mon_asked {
    uint32_t stack;
    int64_t stack_at_ns;
    uint32_t trace;
    uint32_t stacks;
};

struct mon_incident {
    enum mon_incident_state state;
    enum mon_detail stage; /* the worst seen so far, then the verdict */
    enum mon_ended ended;
    uint64_t sequence;
    struct mon_span span; /* as it is reported; end_ns once it is over; MOVED: at the latest */
    int64_t since_ns;     /* of the stretch */
    int64_t nested_ns;
    int64_t changed_ns; /* when the state changed */
    int64_t next_look_ns;
    struct mon_scene scene;
    bool is_noted;
    int64_t noted_ns; /* watched_ns in its note */
    bool is_asked;    /* whether there is a debugger */
    bool is_debugged;
    bool has_trace;
    bool missed_stack;
    struct mon_cpu_readings cpu;
    struct mon_asked asked;
    uint32_t all_stacks;
    struct mon_trace trace;
    struct mon_samples samples;
    struct mon_anneal anneal;
    uint32_t dump_count;
    uint32_t dumps_left_out;
    struct mon_dump dumps[MON_DUMP_COUNT];
};

/* Keep a stack that differs from the earlier ones. */
void mon_incident_dump(struct mon_incident *incident, int64_t at_ns,
                       const struct mon_frames *frames);

/* Add a reading of the thread's CPU clock; -1 is ignored. */
void mon_incident_cpu(struct mon_incident *incident, int64_t at_ns, int64_t cpu_ns);

/* Ask for its trace; an earlier answer is dropped. */
void mon_incident_ask_trace(struct mon_incident *incident, uint64_t end_position,
                            const struct mon_context *context);

/* Hand it over as it is at end_ns. If a debugger was there, only the close of its note passes. */
void mon_incident_emit(struct mon_incident *incident, enum mon_action_kind kind, int64_t end_ns,
                       const struct mon_context *context);

/* Tell its issue, or count why not and close its note, and free it. */
void mon_incident_publish(struct mon_incident *incident, const struct mon_context *context);

struct mon_loop {
    struct mon_incident *current; /* OPEN; NULL if none */
    bool has_look;
    struct mon_poll poll;  /* the last one */
    int64_t looked_ns;     /* when that was */
    int64_t ended_ns;      /* of the last SLOW event */
    uint32_t ping_request; /* 0: no ping is pending */
    int64_t ping_ns;       /* of the last one */
    int64_t before_ping_ns;
    bool ping_is_back; /* CPU time since then is the ping's */
    struct mon_messages messages;
};

struct mon_stall {
    struct mon_loop loops[MON_LOOP_COUNT];
    struct mon_incident incidents[MON_INCIDENT_COUNT];
    struct mon_often often;
};

/* One event at work. */
struct mon_work {
    struct mon_stall *state;
    const struct mon_event *event;
    const struct mon_context *context;
    struct mon_loop *loop; /* the event's */
};

static inline int64_t mon_ns(int64_t ms)
{
    return ms * MB_NS_PER_MS;
}

static inline int64_t mon_stall_watched(const struct mon_work *w,
                                        const struct mon_incident *incident, int64_t end_ns)
{
    return mon_watched(&w->context->facts->gaps, incident->since_ns, end_ns);
}

/* A new open incident; if all are in use, the one that waits longest is emitted. */
struct mon_incident *mon_stall_add(const struct mon_work *w, int64_t since_ns);

void mon_stall_change(const struct mon_work *w, struct mon_incident *incident,
                      enum mon_incident_state state);

/* The incident is over; its issue waits for the trace. */
void mon_stall_close(const struct mon_work *w, struct mon_incident *incident,
                     enum mon_detail detail, enum mon_ended ended);

/* It is over since end_ns at the latest. */
void mon_stall_close_unseen(const struct mon_work *w, struct mon_incident *incident);

/* What the events do. */
void mon_stall_look(const struct mon_work *w);
void mon_stall_slow(const struct mon_work *w);
void mon_stall_pong(const struct mon_work *w);
void mon_stall_stop(const struct mon_work *w);

#endif
