/* A stall or slow message, from the first poll that finds it until its issue is emitted. */

#ifndef MONITOR_INCIDENT_H
#define MONITOR_INCIDENT_H

#include "monitor/gaps.h"
#include "monitor/monitor.h"
#include "monitor/rules.h"

#include <stdbool.h>
#include <stdint.h>

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

#endif
