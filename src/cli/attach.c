/* methodbeat attach */

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/attachment.h"
#include "cli/cli.h"
#include "cli/jvm_find.h"
#include "cli/options.h"
#include "cli/parts.h"

#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_SECONDS 30
#define MOST_SECONDS 86400

struct arguments {
    const char *process; /* its number, or a name of its program */
    uint64_t seconds;
    struct cli_agent_options probes;
    const char *agent;
    const char *output;
    struct mb_buf settings; /* of the recorder: const char *, "name=value" */
    bool leaves;
    bool opens;
};

#define PLACE(field) offsetof(struct arguments, field)

static const struct cli_option rows[] = {
    {.name = "for",
     .take = cli_take_number,
     .offset = PLACE(seconds),
     .least = 1,
     .most = MOST_SECONDS},
    {.name = "focus", .take = cli_take_text, .offset = PLACE(probes.focus)},
    {.name = "blacklist", .take = cli_take_text, .offset = PLACE(probes.blacklist)},
    {.name = "output", .letter = 'o', .take = cli_take_text, .offset = PLACE(output)},
    {.name = "leave", .take = cli_take_flag, .offset = PLACE(leaves)},
    {.name = "open", .take = cli_take_flag, .offset = PLACE(opens)},
    {.name = "agent", .take = cli_take_text, .offset = PLACE(agent)},
};

static int parse_attach(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {
        .command = "attach", .options = rows, .count = MB_COUNT(rows), .values = arguments};
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (optind == argc) {
        return cli_fail_usage("attach", "the number of a process is needed, or a program's name");
    }
    arguments->process = argv[optind];
    for (int i = optind + 1; i < argc; i++) {
        if (strchr(argv[i], '=') == NULL || strchr(argv[i], ',') != NULL) {
            return cli_fail_usage("attach", "'%s' is no setting: NAME=VALUE, without a comma",
                                  argv[i]);
        }
        mb_buf_put(&arguments->settings, &argv[i], sizeof(argv[i]));
    }
    return cli_agent_check_options("attach", &arguments->probes);
}

/* ---- The time of recording ---- */

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* Until it is over, Ctrl-C, or the process is gone. */
static void wait_for_end(const struct cli_attachment *attachment, uint64_t seconds)
{
    const struct timespec step = {.tv_nsec = 50 * 1000000L};
    const struct sigaction action = {.sa_handler = interrupt};
    int64_t end_ns = mb_clock_now_ns() + (int64_t)seconds * MB_NS_PER_S;

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    while (is_interrupted == 0 && mb_clock_now_ns() < end_ns &&
           cli_attachment_is_alive(attachment)) {
        (void)nanosleep(&step, NULL);
    }
}

/* ---- The report ---- */

static int print_report(const struct arguments *arguments, const char *trace)
{
    char command[] = "report";
    char open[] = "--open";
    char end[] = "--";
    char *path = strdup(trace);
    char *words[5] = {command, NULL};
    int count = 1;

    if (path == NULL) {
        return cli_fail_memory();
    }
    if (arguments->opens) {
        words[count++] = open;
    }
    words[count++] = end;
    words[count++] = path;
    int code = cli_report.run(count, words);
    free(path);
    return code;
}

/* ---- All of it ---- */

static enum mb_status record(const struct arguments *arguments,
                             const struct cli_attachment *attachment, struct mb_error *err)
{
    const struct cli_attachment_wish wish = {.agent = arguments->probes,
                                             .settings = &arguments->settings};

    MB_TRY(cli_attachment_start(attachment, &wish, err));
    if (arguments->leaves) {
        return MB_OK;
    }
    (void)fprintf(stderr, "methodbeat attach: recording for %d s, or until Ctrl-C\n",
                  (int)arguments->seconds);
    wait_for_end(attachment, arguments->seconds);
    return cli_attachment_stop(attachment, err);
}

static enum mb_status fetch(const struct cli_attachment *attachment, const char *output,
                            struct mb_error *err)
{
    enum mb_status status = cli_attachment_fetch(attachment, output, err);

    if (status != MB_OK) {
        (void)fprintf(stderr, "methodbeat attach: the trace stays in %s of the process\n",
                      attachment->trace);
    }
    return status;
}

static int attach(const struct arguments *arguments, pid_t pid, const char *library)
{
    struct cli_attachment attachment;
    struct mb_error err;
    enum mb_status status = cli_attachment_open(&attachment, pid, library, &err);
    const char *output =
        arguments->output != NULL ? arguments->output : strrchr(attachment.trace, '/') + 1;

    if (status == MB_OK) {
        status = record(arguments, &attachment, &err);
    }
    if (status == MB_OK && !arguments->leaves) {
        status = fetch(&attachment, output, &err);
    }
    int code = status == MB_OK ? CLI_DONE : cli_fail(&err);
    if (status == MB_OK && arguments->leaves) {
        (void)fprintf(stderr, "methodbeat attach: probes stay; the trace is %s of the process\n",
                      attachment.trace);
    } else if (status == MB_OK) {
        code = print_report(arguments, output);
    }
    cli_attachment_finish(&attachment);
    return code;
}

static int run_attach(int argc, char **argv)
{
    struct arguments arguments = {.seconds = DEFAULT_SECONDS};
    char *library = NULL;
    pid_t pid = 0;
    int code = parse_attach(&arguments, argc, argv);

    if (code == CLI_DONE) {
        code = cli_jvm_find(arguments.process, &pid);
    }
    if (code == CLI_DONE) {
        library = cli_find_agent(arguments.agent);
        code = library != NULL ? attach(&arguments, pid, library) : CLI_FAILED;
    }
    free(library);
    mb_buf_finish(&arguments.settings);
    return code;
}

const struct cli_command cli_attach = {
    .name = "attach",
    .summary = "record a JVM that runs already, print a report",
    .usage =
        "usage: methodbeat attach [OPTION...] PID|NAME [SETTING=VALUE...]\n"
        "\n"
        "Put probes into a running JVM, record for a while, take the probes out again and\n"
        "print a report. Its files and options stay as they are. NAME is its main class or jar,\n"
        "or a part of it that no other has: methodbeat jvms lists them.\n"
        "\n"
        "      --for SECONDS      how long, default 30; Ctrl-C ends earlier\n"
        "      --focus GLOBS      put probes only into these classes; several with ':' between\n"
        "      --blacklist FILE   put none into the methods that FILE lists\n"
        "  -o, --output FILE      the trace; default: methodbeat-PID-TIME.mbtrace here\n"
        "      --leave            leave the probes in and the recorder on\n"
        "      --open             write the report as a page and have the desktop show it\n"
        "      --agent FILE       libmethodbeat-agent.so; default: of this installation\n"
        "\n"
        "Settings: RECORDING in the man page.\n"
        "\n"
        "example: methodbeat attach --for 10 --focus 'com/acme/**' 4711\n",
    .run = run_attach,
};
