/* Inside src/monitor: the rule of stalls, in three parts: polls find incidents, ends judge them,
 * and stall.c keeps them until their issues are emitted. */

#ifndef MONITOR_STALL_H
#define MONITOR_STALL_H

#include "base/clock.h"
#include "monitor/incident.h"
#include "monitor/message.h"
#include "monitor/often.h"

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
