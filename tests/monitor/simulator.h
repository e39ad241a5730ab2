/* A program and its watcher on paper: one loop whose messages begin and end as a script says,
 * looked at as src/monitor asks. No clock, no thread. */

#ifndef TESTS_SIMULATOR_H
#define TESTS_SIMULATOR_H

#include "base/buf.h"
#include "monitor/monitor.h"

#define SIM_MS INT64_C(1000000)
#define SIM_NAMES 512
#define SIM_STEPS 4096
#define SIM_ISSUES 512
#define SIM_GAPS 32

/* A message begins or ends. */
struct sim_step {
    int64_t at_ns;
    bool is_begin;
    uint32_t stack; /* what the thread does from now on: name of its innermost function */
};

/* What is kept of an issue. */
struct sim_issue {
    enum mon_detail detail;
    enum mon_ended ended;
    int64_t begin_ns;
    int64_t end_ns;
    int64_t cost_ns;
    int64_t watched_ns;
    uint32_t number;
    uint32_t top; /* of the hottest stack; 0: none */
    uint32_t dump_count;
    uint32_t all_stacks;
    uint32_t trace_key; /* 0: no trace */
    bool is_outside;
    struct mon_limit limit;
};

struct sim {
    struct mon *mon;
    struct mon_options options;
    const char *names[SIM_NAMES];
    uint32_t name_count;
    struct mon_names finder;
    struct mon_sink sink;

    /* The program. */
    struct sim_step steps[SIM_STEPS]; /* in order of time */
    uint32_t step_count;
    int64_t gap_from[SIM_GAPS]; /* everything stands still */
    int64_t gap_to[SIM_GAPS];
    uint32_t gap_count;
    uint32_t frame_count; /* of its stacks; default 3 */
    bool has_debugger;
    bool hides_slow;   /* SLOW is never told */
    bool hides_stacks; /* no answer to TAKE_STACK */
    bool hides_traces;

    /* Where it is. */
    uint32_t next_step;
    int64_t now_ns;
    uint64_t sequence;
    uint32_t depth;
    int64_t since_ns;
    int64_t begun_ns[64];
    int64_t nested_ns[64];
    uint32_t stack;
    int64_t cpu_ns; /* of the thread; set by the test */

    /* The watcher: events of this tick, and what was found. */
    struct mon_event pending[64];
    uint32_t pending_count;
    uint64_t shuffle; /* not 0: a tick's events are fed in a random order */
    struct sim_issue issues[SIM_ISSUES];
    uint32_t issue_count;
    struct mb_buf text; /* the issues as JSON, a line each */
    uint32_t notes;
    uint32_t notes_closed;
    uint32_t stacks_taken;
    uint32_t pings;
    uint32_t ping_request;
    int64_t stack_times[256];
};

/* All options at their defaults; often and cpu off. Set others, then start. */
struct sim *sim_create(void);
void sim_start(struct sim *sim);
void sim_destroy(struct sim *sim);

uint32_t sim_name(struct sim *sim, const char *text);

/* A message; nested ones lie inside. Steps may be added in any order before sim_start. */
void sim_message(struct sim *sim, int64_t begin_ms, int64_t end_ms, const char *stack);
void sim_gap(struct sim *sim, int64_t from_ms, int64_t to_ms);

/* Let time pass: the watcher wakes when a rule asks, and each 300 ms. */
void sim_run(struct sim *sim, int64_t until_ms);

/* Feed it with the next tick. */
void sim_feed(struct sim *sim, const struct mon_event *event);

#endif
