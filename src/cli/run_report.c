#include "cli/run_report.h"

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/run_messages.h"
#include "cli/run_processes.h"
#include "cli/run_traces.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The words of a command, which may change them. */
struct words {
    char *list[12];
    int count;
    bool failed; /* no memory */
};

static void put_word(struct words *words, const char *word)
{
    char *copy = strdup(word);

    words->failed |= copy == NULL;
    words->list[words->count] = copy;
    words->count += copy != NULL;
}

static void put_option(struct words *words, const char *option, const char *value)
{
    if (value != NULL) {
        put_word(words, option);
        put_word(words, value);
    }
}

/* A name of a trace may begin as options do. */
static void report_trace(const struct cli_run_report *report, const char *trace)
{
    struct words words = {0};

    put_word(&words, "report");
    put_option(&words, "--method-map", report->method_map);
    put_option(&words, "--format", report->format);
    put_option(&words, "--output", report->output);
    if (report->opens) {
        put_word(&words, "--open");
    }
    put_option(&words, "--", trace);
    cli_run_print_report(trace);
    (void)(words.failed ? cli_fail_memory() : cli_report.run(words.count, words.list));
    while (words.count > 0) {
        free(words.list[--words.count]);
    }
}

/* Paths, each with its '\0'. */
static void put_path(void *context, const char *path)
{
    mb_buf_put(context, path, strlen(path) + 1);
}

static void report_busiest(const struct cli_run_report *report, const char *paths, size_t count)
{
    struct cli_run_process *processes = calloc(count, sizeof(*processes));
    struct mb_buf table = {0};

    for (size_t i = 0; processes != NULL && i < count; i++) {
        cli_run_process_read(&processes[i], paths, report->method_map);
        paths += strlen(paths) + 1;
    }
    if (processes != NULL) {
        cli_run_processes_put(&table, processes, count);
        cli_put_output(table.bytes, table.size);
        report_trace(report, processes[0].trace);
    } else {
        (void)cli_fail_memory();
    }
    mb_buf_finish(&table);
    free(processes);
}

enum mb_status cli_run_print(const struct cli_run_report *report, const char *pattern,
                             struct timespec since, size_t *count, struct mb_error *err)
{
    struct mb_buf paths = {0};

    *count = 0;
    cli_flush_output();
    enum mb_status status = dup2(STDERR_FILENO, STDOUT_FILENO) < 0
                                ? mb_fail_errno(err, "cannot report on standard error")
                                : cli_run_traces(pattern, since, put_path, &paths, count, err);
    status = status == MB_OK ? mb_buf_check(&paths, err) : status;
    if (status == MB_OK && *count == 1) {
        report_trace(report, (const char *)paths.bytes);
    } else if (status == MB_OK && *count > 1) {
        report_busiest(report, (const char *)paths.bytes, *count);
    }
    cli_flush_output(); /* the program may go on */
    mb_buf_finish(&paths);
    mb_error_in_input(err, pattern);
    return status;
}
