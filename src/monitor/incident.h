/* A stall or slow message, from the first poll that finds it until its issue is emitted. */

#ifndef MONITOR_INCIDENT_H
#define MONITOR_INCIDENT_H

#include "monitor/anneal.h"
#include "monitor/hottest.h"
#include "monitor/rules.h"

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
