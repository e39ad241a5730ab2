/* Inside src/monitor/watch: the watcher and its thread.
 *
 *   wait --> poll the cells --> feed, TICK last --> answer the rules --> feed, TICK ... */

#ifndef MONITOR_WATCH_WATCHER_H
#define MONITOR_WATCH_WATCHER_H

#include "monitor/monitor.h"
#include "monitor/options.h"
#include "monitor/spool/note.h"
#include "monitor/spool/spool.h"
#include "monitor/watch/cell.h"
#include "monitor/watch/methodbeat_watch.h"
#include "monitor/watch/names.h"

#include <stdbool.h>
#include <stdint.h>

/* Facts about this process and its machine, from the system. Nothing here fails: unreadable values
 * are 0 or empty. */

#define WATCH_THREAD_MOST 512u

/* What readings are compared with. */
struct watch_process {
    uint64_t start;
    char name[128];
    int64_t cpu_ns; /* of the last reading */
    int64_t cpu_at_ns;
    /* Threads, when they were first asked for. */
    int64_t threads_at_ns;
    uint32_t thread_count;
    struct watch_thread {
        int32_t id;
        int64_t cpu_ns;
    } threads[WATCH_THREAD_MOST];
};

/* name: NULL for the name of the started program. Sets start, the id of this run of the monitors.
 */
void watch_process_init(struct watch_process *process, const char *name);

void watch_process_read(struct watch_process *process, struct watch_names *names,
                        struct mon_process *read);

/* Its CPU clock, without threads. */
void watch_process_read_cpu(struct mon_cpu *cpu);

/* Which threads used most: begin, and read some time later. */
void watch_process_begin_threads(struct watch_process *process);
void watch_process_read_threads(const struct watch_process *process, struct watch_names *names,
                                struct mon_cpu *cpu);

/* A stable id of this device: the hash of what the setting app calls it, or else of its machine id.
 */
uint64_t watch_process_device(const char *app);

/* Exits: earlier processes of this name that the system ended because they did not respond. An exit
 * belongs to the stall that its process left open, or is an issue by itself. */

#define WATCH_EXIT_COUNT 16u
#define WATCH_EXITS_AT_A_TIME 4u /* so that they find room in the queue */

/* Zeroed memory has no exits. */
struct watch_exits {
    bool host_knows; /* that all are over */
    uint32_t count;
    struct {
        struct watch_exit exit; /* texts are its own */
        struct spool_incident noted;
        bool is_over; /* an issue by itself, or joined with a stall */
    } exits[WATCH_EXIT_COUNT];
};

/* If an exit belongs to the stall, add it to the issue; that exit is over. */
void watch_exits_join(struct watch_exits *exits, const struct spool_head *stall,
                      struct mb_buf *issue);

/* The incident is published: the exit that is this incident, or belongs to it, is over. */
void watch_exits_drop_published(struct watch_exits *exits, struct spool_incident incident);

/* Each exit is published, or on its way. */
bool watch_exits_are_over(const struct watch_exits *exits);

/* Take the next exit that belongs to no stall; false if none is left. */
bool watch_exits_take(struct watch_exits *exits, struct mon_event *event,
                      struct watch_names *names);

void watch_exits_forget(struct watch_exits *exits);

#define WATCH_QUESTION_COUNT 64u
#define WATCH_PLACE_COUNT 8u

/* A loop as it was polled last. */
struct watch_polled {
    bool is_used;                               /* a thread had it */
    bool is_still;                              /* unchanged since the poll before */
    uint64_t sequence;                          /* at the last poll */
    uint32_t place_count;                       /* ever */
    struct beat_here places[WATCH_PLACE_COUNT]; /* of the positions in events */
};

/* An unanswered question of the rules. */
struct watch_question {
    enum mon_action_kind kind;
    uint32_t loop;
    uint32_t request;
    uint64_t position;
    uint64_t end_position;
    int64_t due_ns;
};

/* The range of an issue in the trace. */
#define WATCH_MARK_COUNT 16u /* of the newest issues: twice as many marks, half of all */
struct watch_range {
    uint32_t number; /* of its incident */
    struct beat_mark begin;
    struct beat_mark end; /* missing while the stall is open, also if the process dies */
};

/* When the sums of a session went to their file last. */
struct watch_kept {
    int64_t at_ns; /* 0: never */
    bool is_foreground;
};

struct watch_watcher {
    struct mon_options options; /* as it began */
    struct watch_host host;
    bool has_host; /* attached */
    struct watch_names *names;
    struct mon_names view;
    struct mon *mon;
    struct mon_sink sink;
    struct spool *spool; /* NULL: no memory for it */
    struct watch_exits exits;
    uint32_t noted; /* number of the last incident noted with the system */
    struct watch_polled loops[WATCH_LOOP_COUNT];
    uint32_t question_count;
    struct watch_question questions[WATCH_QUESTION_COUNT];
    uint32_t mark_count; /* ever */
    struct watch_range marks[WATCH_MARK_COUNT];
    struct watch_process process;
    int64_t now_ns;     /* of this batch */
    int64_t planned_ns; /* when it was to wake up */
    int64_t blocked_ns; /* for which others kept it, in this batch */
    int64_t suspended_ns;
    int64_t cpu_ns; /* of the last CPU event */
    uint64_t answers_left_out;
    uint64_t looks;
    int64_t latest_ns;
    struct watch_kept kept;
};

/* ---- Looking (poll.c) ---- */

/* Feed the state of each loop, its pong and its slow messages. */
void watch_poll_loops(struct watch_watcher *watcher);

/* Drop slow messages that were meant for an earlier watcher. */
void watch_forget_slow(void);

/* No loop is inside a message, and no loop moved between the last two polls. */
bool watch_loops_rest(const struct watch_watcher *watcher);

/* No loop has moved since the last poll. */
bool watch_loops_are_unchanged(const struct watch_watcher *watcher);

/* The place of a position; the newest place of the loop if that is forgotten. */
struct beat_here watch_place_of(const struct watch_polled *loop, uint64_t position);

/* ---- Answering (answers.c) ---- */

/* For struct mon_sink; context is the watcher. */
void watch_take_action(void *context, const struct mon_action *action);

/* Feed the answers to the questions that are due. False if none was. */
bool watch_answer(struct watch_watcher *watcher);

/* When the first question is due; INT64_MAX without questions. */
int64_t watch_answer_due_ns(const struct watch_watcher *watcher);

/* Mark the range of an issue in the trace, if it has one: its begin with the first note, its end
 * with the issue. */
void watch_mark(struct watch_watcher *watcher, const struct mon_issue *issue);

/* ---- The spool (outbox.c) ---- */

/* If that fails, with a line in the log, no issue is written. */
void watch_open_spool(struct watch_watcher *watcher);

/* Have orphans published; then feed the exits of earlier processes. */
void watch_feed_exits(struct watch_watcher *watcher);

/* Pass a note or an issue to the spool, and a note to the host. */
void watch_send_issue(struct watch_watcher *watcher, const struct mon_action *action);

/* Waits up to two seconds for the writer. */
void watch_close_spool(struct watch_watcher *watcher);

/* ---- All ---- */

void watch_feed(struct watch_watcher *watcher, const struct mon_event *event);

/* ---- The thread (watcher.c) ---- */

/* What watch.c gives to the thread. */
struct watch_orders {
    struct mon_options options;
    struct watch_host host;
    _Atomic(bool) *stop;
    /* Counters of this watcher at the end of a batch; the other ones are 0. */
    void (*count)(const struct watch_counters *counters);
};

/* NULL, with a line in the log, without memory. */
struct watch_watcher *watch_watcher_create(const struct watch_orders *orders);

/* Returns when orders->stop is set. */
void watch_watcher_run(struct watch_watcher *watcher, const struct watch_orders *orders);
void watch_watcher_destroy(struct watch_watcher *watcher);

/* In a forked child: close the parent's files. */
void watch_watcher_forked(struct watch_watcher *watcher);

/* Have the sums of the session written (monitor/spool/identity.c) if it is time: each minute while
 * the program is used, when it goes to the background, and at the end. */
void watch_keep_session(struct watch_watcher *watcher, bool is_end);

/* The settings for the next start. */

/* Defaults, overridden by the environment, overridden by watch_settings_set. The caller holds a
 * lock. */
const struct mon_options *watch_settings_get(void);

/* False, with a line in the log, if the name is unknown or the value invalid. */
bool watch_settings_set(const char *name, const char *value);

/* The setting may change while the monitors run. */
bool watch_settings_is_live(const char *name);

#endif
