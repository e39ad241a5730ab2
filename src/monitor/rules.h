/* Inside src/monitor: the rules and the facts that they share. */

#ifndef MONITOR_RULES_H
#define MONITOR_RULES_H

#include "base/number.h"
#include "monitor/identity_sums.h"
#include "monitor/monitor.h"
#include "monitor/pace.h"

/* What several rules need to know. */
struct mon_facts {
    int64_t now_ns; /* of the last tick */
    struct mon_gaps gaps;
    struct mon_scene scene;     /* foreground before the first SCENE or WINDOW */
    uint32_t backgrounds;       /* how often it went to the background */
    struct mon_process process; /* the last event */
    bool has_process;
    uint32_t last_request;
    uint32_t last_number; /* of incidents */
    struct mon_counters counters;
    struct mon_sums sums; /* of all frames and starts */
};

struct mon_context {
    const struct mon_options *options;
    const struct mon_names *names;
    const struct mon_sink *sink;
    struct mon_facts *facts;
};

/* State starts zeroed. */
struct mon_rule {
    size_t state_size;
    void (*feed)(void *state, const struct mon_event *event, const struct mon_context *context);
    /* NULL: it waits for nothing. */
    int64_t (*next_ns)(const void *state, const struct mon_context *context);
};

extern const struct mon_rule mon_scene_rule; /* keeps facts->scene: before the others */
extern const struct mon_rule mon_stall_rule;
extern const struct mon_rule mon_cpu_rule;
extern const struct mon_rule mon_exit_rule;
extern const struct mon_rule mon_report_rule;
extern const struct mon_rule mon_fps_rule;
extern const struct mon_rule mon_start_rule;

/* Ask a question; returns its number. */
uint32_t mon_ask(const struct mon_context *context, enum mon_action_kind kind, uint32_t loop);

/* Emit a note or an issue; start and process are filled in. */
void mon_emit(const struct mon_context *context, enum mon_action_kind kind,
              struct mon_issue *issue);

#endif
