/* Facts about this process and its machine, from the system. Nothing here fails: unreadable values
 * are 0 or empty. */

#ifndef WATCH_PROCESS_H
#define WATCH_PROCESS_H

#include "monitor/monitor.h"
#include "watch/names.h"

#include <stdint.h>

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

/* A stable id of this device: the hash of the text or, if that is empty, of its machine id. */
uint64_t watch_process_device(const char *text);

#endif
