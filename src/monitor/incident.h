/* A stall or slow message from the first look at it until its issue is told. */

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
    MON_INCIDENT_MOVED,   /* the loop goes on; SLOW has not told when it did */
    MON_INCIDENT_CLOSING, /* judged; waits for its trace and stacks */
};

struct mon_incident {
    enum mon_incident_state state;
    enum mon_detail stage; /* the worst seen so far, then the verdict */
    enum mon_ended ended;
    uint32_t number;
    uint32_t loop;
    uint64_t sequence;
    int64_t begin_ns; /* of what is told: the stretch, or the message */
    int64_t since_ns; /* of the stretch */
    int64_t end_ns;   /* once it is over; MOVED: at the latest */
    int64_t nested_ns;
    int64_t watched_ns;
    int64_t changed_ns; /* when the state changed */
    int64_t before_ns;
    uint64_t position;
    uint64_t end_position;
    uint32_t loop_name;
    uint32_t message;
    struct mon_scene scene;
    bool is_outside;
    bool is_noted;
    int64_t noted_ns; /* watched_ns in its note */
    bool is_asked;    /* whether there is a debugger */
    bool is_debugged;
    bool has_trace;
    bool missed_stack;
    int64_t cpu_first_ns; /* -1: not known */
    int64_t cpu_first_at_ns;
    int64_t cpu_last_ns;
    int64_t cpu_last_at_ns;
    int64_t next_look_ns;
    uint32_t stack_request; /* 0: none is waited for */
    int64_t stack_asked_ns;
    uint32_t trace_request;
    uint32_t stacks_request;
    uint32_t all_stacks;
    struct mon_trace trace;
    struct mon_noticed noticed;
    struct mon_samples samples;
    struct mon_anneal anneal;
    uint32_t dump_count;
    uint32_t dumps_left_out;
    struct mon_dump dumps[MON_DUMP_COUNT];
};

/* Keep the stack as one that differs from those before. */
void mon_incident_dump(struct mon_incident *incident, int64_t at_ns,
                       const struct mon_frames *frames);

/* A reading of its thread's CPU clock; -1: none. */
void mon_incident_cpu(struct mon_incident *incident, int64_t at_ns, int64_t cpu_ns);

/* Ask for its trace, what came before is forgotten then. */
void mon_incident_ask_trace(struct mon_incident *incident, uint64_t end_position,
                            const struct mon_context *context);

/* Hand it over as it is at end_ns. If a debugger was there, only the close of its note passes. */
void mon_incident_tell(struct mon_incident *incident, enum mon_action_kind kind, int64_t end_ns,
                       const struct mon_context *context);

/* Tell its issue, or count why not and close its note, and free it. */
void mon_incident_publish(struct mon_incident *incident, const struct mon_context *context);

#endif
