/* The processes that a run recorded, where it is more than one: what each did, the busiest first.
 */

#ifndef FORMATS_PROCESSES_H
#define FORMATS_PROCESSES_H

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct format_process {
    const char *trace; /* its path; borrowed */
    uint32_t id;
    uint64_t calls;
    int64_t wall_ns;   /* from its first call to its last word */
    int64_t busy_ns;   /* of its threads: CPU time where that is known, else time in calls */
    char program[128]; /* the first method of its main thread, or of another */
    bool is_readable;
};

/* Read its trace. One that cannot be read comes last. */
void format_process_read(struct format_process *process, const char *trace);

/* Order them, the busiest first, and append a table. */
void format_put_processes(struct mb_buf *out, struct format_process *processes, size_t count);

#endif
