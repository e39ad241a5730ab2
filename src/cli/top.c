/* methodbeat top */

#include "base/clock.h"
#include "base/interrupt.h"
#include "cli/cli.h"
#include "cli/colour.h"
#include "cli/jvms.h"
#include "cli/parts.h"
#include "cli/values.h"
#include "jvms/live/watch.h"
#include "jvms/process/libc.h"
#include "jvms/process/request.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_INTERVAL_MS 1000
#define DEFAULT_TOP 20

struct arguments {
    struct cli_values given;
    const char *operand; /* trace, number or name */
};

static int parse_top(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {"top", cli_options, &arguments->given,
                                      .operand = "process or trace file"};
    int code = cli_take_options(&parser, argc, argv);

    arguments->operand = argv[optind];
    arguments->given.source.finds_map = true;
    return code;
}

/* ---- Blocks of text ---- */

/* A log, or a pipe. */
struct text_run {
    const struct arguments *arguments;
    struct live_watch *watch;
    struct mb_buf out;
    uint64_t tables;
};

static enum mb_status print_table(struct text_run *run, struct mb_error *err)
{
    const struct live_facts facts = live_watch_facts(run->watch);
    const struct live_layout look = {
        .view = run->arguments->given.has_threads ? LIVE_THREADS : LIVE_METHODS,
        .columns = isatty(STDOUT_FILENO) == 1 ? cli_columns() : 0,
        .top = (size_t)run->arguments->given.top,
        .selected = SIZE_MAX,
    };

    mb_buf_reset(&run->out);
    live_put_table(&run->out, &facts, &look);
    mb_buf_put_u1(&run->out, '\n');
    MB_TRY(mb_buf_check(&run->out, err));
    cli_put_output(run->out.bytes, run->out.size);
    cli_flush_output();
    run->tables++;
    return MB_OK;
}

static void sleep_until(int64_t ns)
{
    while (!mb_is_interrupted() && mb_clock_now_ns() < ns) {
        const struct timespec time = {.tv_sec = (time_t)(ns / MB_NS_PER_S),
                                      .tv_nsec = (long)(ns % MB_NS_PER_S)};
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    }
}

static bool is_enough(const struct text_run *run)
{
    return mb_is_interrupted() || live_watch_is_over(run->watch) || cli_output_error() != 0 ||
           (run->arguments->given.tables > 0 && run->tables >= run->arguments->given.tables);
}

/* What a look found. A recording that stands still is reported once. */
static enum mb_status print_step(struct text_run *run, struct mb_error *err)
{
    const struct live_news news = live_watch_news(run->watch);

    if (news.is_new_recording) {
        (void)fprintf(stderr, "methodbeat top: a new recording has begun\n");
    }
    return news.is_new_table ? print_table(run, err) : MB_OK;
}

static enum mb_status show_text(struct live_watch *watch, const struct arguments *arguments,
                                struct mb_error *err)
{
    const int64_t interval_ns = (int64_t)arguments->given.interval_ms * MB_NS_PER_MS;
    int64_t next = mb_clock_now_ns();
    struct text_run run = {.arguments = arguments, .watch = watch};
    enum mb_status status = print_step(&run, err);

    while (status == MB_OK && !is_enough(&run)) {
        next = next + interval_ns > mb_clock_now_ns() ? next + interval_ns : mb_clock_now_ns();
        sleep_until(next);
        if (mb_is_interrupted()) {
            break;
        }
        status = live_watch_step(watch, err);
        if (status == MB_OK) {
            status = print_step(&run, err);
        }
    }
    mb_buf_finish(&run.out);
    return status;
}

/* ---- All of it ---- */

/* A run of a certain length is for a log. */
static enum mb_status show(struct live_watch *watch, const struct arguments *arguments,
                           struct mb_error *err)
{
    const struct live_screen_wish wish = {
        .interval_ns = (int64_t)arguments->given.interval_ms * MB_NS_PER_MS,
        .has_threads = arguments->given.has_threads,
        .has_colour = cli_wants_colour(false),
    };
    bool is_log = arguments->given.tables > 0 || !live_screen_is_possible();

    return is_log ? show_text(watch, arguments, err) : live_show_screen(watch, &wish, err);
}

/* The process may begin another recording. */
static void renew(void *context)
{
    proc_recording_renew(context);
}

/* process is whose trace it is, or NULL. */
static enum mb_status watch_trace(struct arguments *arguments, struct proc_recording *process,
                                  struct mb_error *err)
{
    const struct live_watch_wish wish = {.source = &arguments->given.source,
                                         .sort = &live_sorts[arguments->given.sort],
                                         .renew = process != NULL ? renew : NULL,
                                         .context = process};
    struct live_watch *watch;
    enum mb_status status = live_watch_open(&watch, &wish, err);

    if (status == MB_OK) {
        status = show(watch, arguments, err);
    }
    live_watch_finish(watch);
    return status;
}

/* ---- A process ---- */

/* A process has no trace yet, and is a JVM: the agent goes in. */
static enum mb_status attach_to(struct proc_recording *process, const struct arguments *arguments,
                                pid_t pid, struct mb_error *err)
{
    const struct proc_attachment_wish wish = {.agent = arguments->given.probes,
                                              .advice = ": --focus chooses fewer",
                                              .wait = cli_wait_show};
    char *library = cli_find_agent(NULL, proc_libc_is_musl(pid));

    if (library == NULL) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "the agent is needed to look into the process");
    }
    (void)fprintf(stderr, "methodbeat top: putting probes into process %d\n", (int)pid);
    cli_wait_begin("top", "putting probes in");
    enum mb_status status = proc_recording_attach(process, (uint64_t)pid, library, &wish, err);
    cli_wait_end();
    free(library);
    return status;
}

static enum mb_status watch_process(struct arguments *arguments, pid_t pid, struct mb_error *err)
{
    struct proc_recording process = {.fd = -1};
    struct mb_error closing;
    enum mb_status status =
        proc_recording_find(&process, (uint64_t)pid, arguments->given.source.map.folders, err);

    if (status == MB_OK && process.path.size == 0) {
        status = attach_to(&process, arguments, pid, err);
    }
    if (status == MB_OK && !process.is_attached && process.pid != (uint64_t)pid) {
        (void)fprintf(stderr,
                      "methodbeat top: process %d records nothing: shown is %" PRIu64
                      ", which it has started\n",
                      (int)pid, process.pid);
    }
    if (status == MB_OK) {
        arguments->given.source.path = (const char *)process.path.bytes;
        if (process.folders.size > 0) {
            arguments->given.source.map.folders = (const char *)process.folders.bytes;
        }
        status = watch_trace(arguments, &process, err);
    }
    if (proc_recording_close(&process, &closing) != MB_OK && status == MB_OK) {
        *err = closing;
        status = closing.status;
    }
    return status;
}

/* The name of a jar is that of the JVM that runs it, also where the jar lies. */
static bool is_path(const char *operand)
{
    const struct mb_text text = mb_text_of(operand);

    return strchr(operand, '/') != NULL || mb_text_ends(text, MB_TEXT(".mbtrace")) ||
           (access(operand, F_OK) == 0 && !mb_text_ends(text, MB_TEXT(".jar")));
}

static int run_top(int argc, char **argv)
{
    struct arguments arguments = {
        .given = {.interval_ms = DEFAULT_INTERVAL_MS, .top = DEFAULT_TOP}};
    struct mb_error err;
    pid_t pid = 0;
    int code = parse_top(&arguments, argc, argv);

    if (code == CLI_DONE && !is_path(arguments.operand)) {
        code = cli_jvm_find(arguments.operand, &pid);
    }
    if (code != CLI_DONE) {
        return code;
    }
    mb_interrupt_catch();
    arguments.given.source.path = arguments.operand;
    enum mb_status status =
        pid > 0 ? watch_process(&arguments, pid, &err) : watch_trace(&arguments, NULL, &err);
    if (status != MB_OK) {
        mb_error_in_input(&err, arguments.operand);
        return cli_fail(&err);
    }
    return CLI_DONE;
}

const struct cli_command cli_top = {
    .name = "top",
    .summary = "show which methods of a running program take the time",
    .usage =
        "usage: methodbeat top [OPTION...] PID|NAME|FILE\n"
        "\n"
        "Show each second what happened in it: for each method its own and total time, calls,\n"
        "mean, threads. A trace that is being written is read from outside; a process that\n"
        "records nothing, a JVM, gets probes until top ends. NAME is as for attach.\n",
    .notes = "example: methodbeat top --focus 'com/acme/**' 4711\n",
    .run = run_top,
};
