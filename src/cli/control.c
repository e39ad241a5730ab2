/* methodbeat control */

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/values.h"
#include "process/request.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 10000u

struct arguments {
    struct cli_values given;
    enum abi_control_command command;
};

static const struct cli_choice commands[] = {
    {"dump", ABI_CONTROL_DUMP},
    {"stop", ABI_CONTROL_STOP},
};

static int parse_control(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {"control", cli_options, &arguments->given, .operand = NULL};
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (arguments->given.process_id == 0) {
        return cli_fail_usage("control", "--pid is needed");
    }
    for (size_t i = 0; i < MB_COUNT(commands) && optind + 1 == argc; i++) {
        if (strcmp(commands[i].name, argv[optind]) == 0) {
            arguments->command = (enum abi_control_command)commands[i].value;
            return CLI_DONE;
        }
    }
    return cli_fail_usage("control", "dump or stop is needed");
}

/* ---- Messages ---- */

static int print_failure(const struct arguments *arguments, const char *why)
{
    (void)fprintf(stderr, "methodbeat control: process %" PRIu64 " %s\n",
                  arguments->given.process_id, why);
    return CLI_FAILED;
}

static int fail_to_find(const struct arguments *arguments, enum proc_trace_found found)
{
    static const char *const whys[] = {
        [PROC_TRACE_NO_PROCESS] = "does not exist",
        [PROC_TRACE_NOT_OURS] = "is another user's",
        [PROC_TRACE_NO_TRACE] = "does not record into a file",
        [PROC_TRACE_SEVERAL] = "has several below it that record: --pid names one of them",
    };

    return print_failure(arguments, whys[found]);
}

static int print_dump(const struct arguments *arguments, const struct proc_trace *trace,
                      uint64_t number)
{
    char path[4096];

    if (!abi_control_dump_path(path, sizeof(path), trace->path, trace->header.process_id, number)) {
        return print_failure(arguments, "has a trace whose name is too long");
    }
    (void)puts(path);
    return CLI_DONE;
}

static int print_answer(const struct arguments *arguments, const struct proc_trace *trace)
{
    uint64_t answered = trace->header.answered;

    switch (abi_control_detail(answered)) {
    case ABI_CONTROL_FAILED:
        return print_failure(arguments, "could not do it: its own messages say why");
    case ABI_CONTROL_UNKNOWN:
        return print_failure(arguments, "has a recorder that does not know this command");
    default:
        return print_dump(arguments, trace, abi_control_number(answered));
    }
}

/* To a stop the answer is that nobody listens any more. */
static bool has_stopped(const struct arguments *arguments, const struct proc_trace *trace,
                        enum proc_answer answer)
{
    return arguments->command == ABI_CONTROL_STOP && !proc_trace_is_open(trace) &&
           (answer == PROC_ANSWER_STOPPED || answer == PROC_ANSWER_DEAF);
}

static int print_silence(const struct arguments *arguments, const struct proc_trace *trace,
                         enum proc_answer answer)
{
    static const char *const whys[] = {
        [PROC_ANSWER_LATE] = "does not answer: it is stopped, or busy; try --timeout",
        [PROC_ANSWER_ENDED] = "ended before it answered",
        [PROC_ANSWER_STOPPED] = "stopped recording before it answered",
        [PROC_ANSWER_DEAF] = "does not listen: it has stopped recording, or control=off",
        [PROC_ANSWER_CUT] = "has a trace that was cut short",
    };

    if (has_stopped(arguments, trace, answer)) {
        (void)printf("%s %s\n", answer == PROC_ANSWER_STOPPED ? "stopped" : "was stopped already:",
                     trace->path);
        return CLI_DONE;
    }
    return print_failure(arguments, whys[answer]);
}

static int run_control(int argc, char **argv)
{
    struct arguments arguments = {.given.timeout_ms = DEFAULT_TIMEOUT_MS};
    struct proc_trace trace;
    uint64_t number;
    int code = parse_control(&arguments, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    const int64_t end_ns = mb_clock_now_ns() + (int64_t)arguments.given.timeout_ms * MB_NS_PER_MS;
    enum proc_trace_found found = proc_trace_find_below(&arguments.given.process_id);
    if (found == PROC_TRACE_FOUND) {
        found = proc_trace_find(&trace, arguments.given.process_id);
    }
    if (found != PROC_TRACE_FOUND) {
        return fail_to_find(&arguments, found);
    }
    const struct proc_request request = {arguments.given.process_id, arguments.command, end_ns};
    enum proc_answer answer = proc_request(&request, &trace, &number);
    code = answer == PROC_ANSWER_THERE ? print_answer(&arguments, &trace)
                                       : print_silence(&arguments, &trace, answer);
    proc_trace_finish(&trace);
    return code;
}

const struct cli_command cli_control = {
    .name = "control",
    .summary = "dump or stop the recording of a running program",
    .usage = "usage: methodbeat control --pid N dump | stop\n"
             "\n"
             "Send a command to the recorder of a running program, which records into a file.\n"
             "Only the owner of the process may do so.\n"
             "\n"
             "  dump  write the records so far to TRACE.PID-NUMBER.mbtrace, and print that path\n"
             "  stop  stop recording; the trace is complete\n"
             "\n"
             "      --pid N       the process, or methodbeat run or a shell that started it\n"
             "      --timeout MS  how long to wait for the answer, default 10000\n"
             "\n"
             "example: methodbeat report $(methodbeat control --pid 4711 dump)\n",
    .run = run_control,
};
