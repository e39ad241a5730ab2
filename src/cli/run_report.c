#include "cli/run_report.h"

#include "abi/weaving.h"
#include "answer/model.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/cli.h"
#include "jvms/process/words.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_LINES 8u
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+,:@=-"

/* ---- The processes that a run recorded, the busiest first ---- */

struct process {
    const char *trace; /* its path; borrowed */
    uint32_t id;
    uint64_t calls;
    int64_t wall_ns;   /* from its first call to its last word */
    int64_t busy_ns;   /* of its threads: CPU time where that is known, else time in calls */
    char program[128]; /* the first method of its main thread, or of another */
    bool is_readable;
};

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
static void name_program(struct process *process, const struct answer_threads *threads,
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

static void sum_threads(struct process *process, const struct answer_threads *threads)
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

/* Read its trace. One that cannot be read comes last. */
static void read_process(struct process *process, const char *trace)
{
    const struct answer_options options = {.threshold_ns = INT64_MAX};
    const struct answer_source source = {.path = trace, .finds_map = true, .force = true};
    struct answer_trace loaded = {0};
    struct answer_model model = {0};
    struct mb_error err;

    *process = (struct process){.trace = trace};
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
    const struct process *first = a;
    const struct process *second = b;

    if (first->is_readable != second->is_readable) {
        return first->is_readable ? -1 : 1;
    }
    return first->busy_ns != second->busy_ns ? (first->busy_ns < second->busy_ns ? 1 : -1)
                                             : strcmp(first->trace, second->trace);
}

/* Order them, the busiest first, and append a table. */
static void put_processes(struct mb_buf *out, struct process *processes, size_t count)
{
    qsort(processes, count, sizeof(*processes), compare);
    mb_buf_printf(out, "%zu processes, the busiest first\n\n", count);
    mb_buf_printf(out, "%8s  %9s  %9s  %12s  %-32s  %s\n", "PROCESS", "WALL s", "BUSY s", "CALLS",
                  "PROGRAM", "TRACE");
    for (size_t i = 0; i < count; i++) {
        const struct process *process = &processes[i];
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

/* ---- What a run ends with ---- */

/* A word of a shell's, and of a terminal's: quoted where need be, and no option. */
static void put_shell_word(struct mb_buf *out, const char *word)
{
    struct mb_text text = mb_text_of(word);
    bool is_plain = text.size > 0 && strspn(word, PLAIN) == text.size;
    bool is_printable = mb_text_printable(text) == text.size;

    mb_buf_put_string(out, word[0] == '-' ? "./" : "");
    if (is_plain) {
        mb_buf_put_string(out, word);
        return;
    }
    mb_buf_put_string(out, is_printable ? "'" : "$'");
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)word[i];
        if (is_printable && c == '\'') {
            mb_buf_put_string(out, "'\\''");
        } else if (is_printable || (c > ' ' && c < 0x7F && c != '\'' && c != '\\')) {
            mb_buf_put_u1(out, c);
        } else {
            mb_buf_printf(out, "\\x%02x", c);
        }
    }
    mb_buf_put_string(out, "'");
}

/* That prints the report again. */
static void print_command(const char *path)
{
    struct mb_buf line = {0};

    mb_buf_put_string(&line, "\nmethodbeat report ");
    put_shell_word(&line, path);
    mb_buf_put_string(&line, "\n");
    if (line.failed) {
        (void)cli_fail_memory();
    } else {
        cli_put_output(line.bytes, line.size);
    }
    mb_buf_finish(&line);
}

static void report_trace(const struct cli_report_wish *report, const char *trace)
{
    print_command(trace);
    (void)cli_report_trace(report, trace);
}

/* As a person here would name it. */
static const char *name_from_here(const char *path)
{
    char here[PATH_MAX];
    size_t size = getcwd(here, sizeof(here)) != NULL ? strlen(here) : 0;

    return size > 1 && strncmp(path, here, size) == 0 && path[size] == '/' ? path + size + 1 : path;
}

/* Each trace once, though JVMs may have written it in turn. */
static void collect_traces(union mb_words *traces, const struct proc_notes *notes)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&notes->jvms); i++) {
        const char *trace = notes->jvms.items[i].trace;
        const char *path = trace != NULL ? name_from_here(trace) : NULL;
        const char *other = path != NULL ? "" : NULL;
        for (size_t j = 0; other != NULL && (other = proc_words_item(traces, j)) != NULL; j++) {
            if (strcmp(other, path) == 0) {
                path = NULL;
                break;
            }
        }
        if (path != NULL) {
            MB_VEC_PUSH(traces, path);
        }
    }
}

static void report_busiest(const struct cli_report_wish *report, const union mb_words *traces)
{
    size_t count = MB_VEC_COUNT(traces);
    struct process *processes = calloc(count, sizeof(*processes));
    struct mb_buf table = {0};

    for (size_t i = 0; processes != NULL && i < count; i++) {
        read_process(&processes[i], traces->items[i]);
    }
    if (processes != NULL) {
        put_processes(&table, processes, count);
        cli_put_output(table.bytes, table.size);
        report_trace(report, processes[0].trace);
    } else {
        (void)cli_fail_memory();
    }
    mb_buf_finish(&table);
    free(processes);
}

enum mb_status cli_run_print(const struct cli_report_wish *report, const struct proc_notes *notes,
                             struct mb_error *err)
{
    union mb_words traces = {0};

    cli_flush_output();
    collect_traces(&traces, notes);
    enum mb_status status = dup2(STDERR_FILENO, STDOUT_FILENO) < 0
                                ? mb_fail_errno(err, "cannot report on standard error")
                                : mb_buf_check(&traces.buf, err);
    if (status == MB_OK && MB_VEC_COUNT(&traces) == 1) {
        report_trace(report, traces.items[0]);
    } else if (status == MB_OK && MB_VEC_COUNT(&traces) > 0) {
        report_busiest(report, &traces);
    }
    cli_flush_output(); /* the program may go on */
    mb_buf_finish(&traces.buf);
    return status;
}

/* ---- Why nothing was recorded ---- */

/* Of classes that got no probes. */
static const struct {
    enum abi_weaving what;
    const char *reason;
} losses[] = {
    {ABI_WEAVING_DAMAGED, "cannot be read"},
    {ABI_WEAVING_MEMORY, "ran out of memory"},
    {ABI_WEAVING_REFUSED, "cannot be changed in this JVM"},
    {ABI_WEAVING_CROWDED, "came after too many of their kind"},
    {ABI_WEAVING_IDS, "got no method id"},
    {ABI_WEAVING_BOOT, "are of -Xbootclasspath/a"},
};

/* Of counts: the classes that were seen, then those of abi/weaving.h. */
static void put_classes(struct mb_buf *out, const char *text, const char *focus)
{
    uint64_t counts[1 + ABI_WEAVING_COUNT] = {0};
    char *next = NULL;

    for (size_t i = 0; i < MB_COUNT(counts) && *text != '\0'; i++, text = next) {
        counts[i] = strtoull(text, &next, 10);
    }
    if (counts[0] == 0) {
        mb_buf_put_string(out, "it loaded no class but the JDK's");
        return;
    }
    if (counts[1 + ABI_WEAVING_CLASSES] > 0) {
        mb_buf_printf(out, "%" PRIu64 " of its classes have probes, and none of these was called",
                      counts[1 + ABI_WEAVING_CLASSES]);
        return;
    }
    if (focus != NULL) {
        mb_buf_printf(out, "--focus %s matches no class with methods to record: it loaded %" PRIu64,
                      focus, counts[0]);
        return;
    }
    mb_buf_printf(out,
                  counts[0] == 1 ? "its only class has no probes"
                                 : "none of its %" PRIu64 " classes has probes",
                  counts[0]);
    for (size_t i = 0; i < MB_COUNT(losses); i++) {
        uint64_t count = counts[1 + losses[i].what];
        if (count > 0) {
            mb_buf_printf(out, ", %" PRIu64 " %s", count, losses[i].reason);
        }
    }
}

static void put_reason(struct mb_buf *out, const struct proc_noted_jvm *jvm, const char *focus)
{
    if (jvm->is_skipped) {
        mb_buf_put_string(out, "--only leaves it out");
    } else if (jvm->failure != NULL) {
        mb_buf_put_printable(out, mb_text_of(jvm->failure));
    } else if (jvm->ended == NULL) {
        mb_buf_put_string(out, "no probe was called; it still runs, or was killed");
    } else if (jvm->program[0] == '\0') {
        mb_buf_put_string(out, "it ran no program");
    } else {
        put_classes(out, jvm->ended, focus);
    }
}

static void put_line(struct mb_buf *out, const char *what, const struct proc_noted_jvm *jvm,
                     const char *focus)
{
    mb_buf_printf(out, "methodbeat run: %s: process %" PRIu32, what, jvm->id);
    if (jvm->program[0] != '\0') {
        mb_buf_put_string(out, " (");
        mb_buf_put_printable(out, mb_text_of(jvm->program));
        mb_buf_put_string(out, ")");
    }
    mb_buf_put_string(out, ": ");
    put_reason(out, jvm, focus);
    mb_buf_put_string(out, "\n");
}

static bool has_trace(const struct proc_notes *notes)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&notes->jvms); i++) {
        if (notes->jvms.items[i].trace != NULL) {
            return true;
        }
    }
    return false;
}

void cli_run_explain(struct mb_buf *out, const struct proc_notes *notes, bool is_java,
                     const char *focus)
{
    bool is_recorded = has_trace(notes);
    size_t count = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(&notes->jvms); i++) {
        const struct proc_noted_jvm *jvm = &notes->jvms.items[i];
        bool is_worth =
            jvm->trace == NULL && (!is_recorded || (jvm->program[0] != '\0' && !jvm->is_skipped));
        if (is_worth && count < MOST_LINES) {
            put_line(out, is_recorded ? "not recorded" : "nothing was recorded", jvm, focus);
        }
        count += is_worth;
    }
    if (count > MOST_LINES) {
        mb_buf_printf(out, "methodbeat run: and %zu other processes\n", count - MOST_LINES);
    }
    if (MB_VEC_COUNT(&notes->jvms) == 0) {
        mb_buf_put_string(out, is_java ? "methodbeat run: nothing was recorded: the JVM ended "
                                         "before it loaded the agent\n"
                                       : "methodbeat run: nothing was recorded: no JVM loaded the "
                                         "agent: the command started none, or one that does not "
                                         "see our JAVA_TOOL_OPTIONS (as under env -i, sudo, ssh "
                                         "or in a container), or one of another user\n");
    }
}
