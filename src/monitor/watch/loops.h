/* The loops of the process, each with a cell and a thread. */

#ifndef MONITOR_WATCH_LOOPS_H
#define MONITOR_WATCH_LOOPS_H

#include "monitor/monitor.h"
#include "monitor/watch/cell.h"
#include "monitor/watch/methodbeat_watch.h"

#include <stdbool.h>
#include <stdint.h>

#define WATCH_LOOP_NAME_SIZE 64u

/* Push messages of at least this length. WATCH_NEVER_SLOW: the watcher does not run, and threads
 * without a loop get none. */
void watch_loops_listen(int64_t slow_ns);

/* In a forked child, where no other thread is: no thread has a loop. */
void watch_loops_forget(void);

/* ---- The watcher ---- */

/* The loop has a thread now. */
bool watch_loop_is_there(uint32_t loop);

/* The cell of a loop, with or without a thread. */
struct watch_cell *watch_loop_cell(uint32_t loop);

/* -1 if it has no thread. */
int32_t watch_loop_thread(uint32_t loop);

void watch_loop_name(uint32_t loop, char name[WATCH_LOOP_NAME_SIZE]);

bool watch_loop_can_ping(uint32_t loop);

/* False if the loop cannot be asked. The thread of the loop is not released meanwhile. */
bool watch_loop_ping(uint32_t loop, uint32_t request);
bool watch_loop_stack(uint32_t loop, struct watch_stack *stack);

/* A ping that came back since the last call. */
struct watch_pong {
    int64_t at_ns;
    uint32_t request;
    bool was_heard;
};
bool watch_loop_take_pong(uint32_t loop, struct watch_pong *pong);

/* The name of the calling thread: its loop's, or the system's. */
void watch_loops_name_caller(char name[WATCH_LOOP_NAME_SIZE]);

void watch_loops_count(struct watch_counters *counters);

#endif
