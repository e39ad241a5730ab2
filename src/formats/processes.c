#include "formats/processes.h"

#include "answer/model.h"
#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The outermost call that took the longest. */
static const struct trace_node *find_root(const struct answer_thread *thread)
{
    const struct trace_node *root = NULL;

    for (size_t i = 0; i < thread->node_count; i++) {
        const struct trace_node *node = &thread->nodes[i];
        if (node->depth == 0 && (root == NULL || node->total > root->total)) {
            root = node;
        }
    }
    return root;
}

/* The main thread comes first. */
static void name_program(struct format_process *process, const struct answer_threads *threads,
                         const struct answer_names *names, struct mb_text other)
{
    const struct trace_node *root = NULL;
    struct mb_buf name = {0};

    for (size_t i = 0; root == NULL && i < threads->count; i++) {
        root = find_root(&threads->rows[i]);
    }
    if (root != NULL) {
        answer_put_name(&name, names, root->id);
    } else {
        mb_buf_put_printable(&name, other);
    }
    (void)snprintf(process->program, sizeof(process->program), "%.*s",
                   name.failed ? 0 : (int)name.size, name.size > 0 ? (char *)name.bytes : "");
    mb_buf_finish(&name);
}

static void sum_threads(struct format_process *process, const struct answer_threads *threads)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;

    for (size_t i = 0; i < threads->count; i++) {
        const struct answer_thread *thread = &threads->rows[i];
        const struct answer_time *time = &thread->time;
        process->calls += thread->calls;
        process->busy_ns += time->has_cpu ? time->cpu_ns : time->busy_ns - time->idle_ns;
        first = thread->calls > 0 && time->start_ns < first ? time->start_ns : first;
        last = thread->calls > 0 && time->end_ns > last ? time->end_ns : last;
    }
    process->wall_ns = last > first ? (int64_t)(last - first) : 0;
}

void format_process_read(struct format_process *process, const char *trace)
{
    const struct answer_options options = {.threshold_ns = INT64_MAX};
    const struct answer_source source = {.path = trace, .finds_map = true, .force = true};
    struct answer_trace loaded = {0};
    struct answer_model model = {0};
    struct mb_error err;

    *process = (struct format_process){.trace = trace};
    if (answer_trace_load(&loaded, &source, &err) == MB_OK &&
        answer_model_build(&model, &loaded, &options, NULL, &err) == MB_OK) {
        process->id = model.facts.process.id;
        sum_threads(process, &model.facts.threads);
        name_program(process, &model.facts.threads, &model.facts.methods.names,
                     model.facts.process.name);
        process->is_readable = true;
    }
    answer_model_finish(&model);
    answer_trace_finish(&loaded);
}

static int compare(const void *a, const void *b)
{
    const struct format_process *first = a;
    const struct format_process *second = b;

    if (first->is_readable != second->is_readable) {
        return first->is_readable ? -1 : 1;
    }
    return first->busy_ns != second->busy_ns ? (first->busy_ns < second->busy_ns ? 1 : -1)
                                             : strcmp(first->trace, second->trace);
}

void format_put_processes(struct mb_buf *out, struct format_process *processes, size_t count)
{
    qsort(processes, count, sizeof(*processes), compare);
    mb_buf_printf(out, "%zu processes, the busiest first\n\n", count);
    mb_buf_printf(out, "%8s  %9s  %9s  %12s  %-32s  %s\n", "PROCESS", "WALL s", "BUSY s", "CALLS",
                  "PROGRAM", "TRACE");
    for (size_t i = 0; i < count; i++) {
        const struct format_process *process = &processes[i];
        if (process->is_readable) {
            mb_buf_printf(out, "%8" PRIu32 "  %9.2f  %9.2f  %12" PRIu64 "  %-32s  ", process->id,
                          (double)process->wall_ns / MB_NS_PER_S,
                          (double)process->busy_ns / MB_NS_PER_S, process->calls, process->program);
        } else {
            mb_buf_printf(out, "%8s  %9s  %9s  %12s  %-32s  ", "?", "", "", "", "cannot be read");
        }
        mb_buf_put_printable(out, mb_text_of(process->trace));
        mb_buf_put_u1(out, '\n');
    }
    mb_buf_put_string(out, "\nThe report on the first; 'methodbeat report TRACE' shows another:\n");
}
