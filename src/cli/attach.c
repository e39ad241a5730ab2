/* methodbeat attach */

#include "abi/control.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/jvms.h"
#include "cli/output.h"
#include "cli/parts.h"
#include "cli/settings.h"
#include "cli/values.h"
#include "jvms/process/attachment.h"
#include "jvms/process/libc.h"
#include "jvms/process/request.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SECONDS 30

/* ---- A recorder that runs, asked through the trace that it writes ---- */

#define DEFAULT_TIMEOUT_S 10

/* Which process is asked for what. */
struct asking {
    uint64_t process_id;
    enum abi_control_command command;
};

/* ---- Messages ---- */

static int print_failure(const struct asking *asking, const char *why)
{
    (void)fprintf(stderr, "methodbeat attach: process %" PRIu64 " %s\n", asking->process_id, why);
    return CLI_FAILED;
}

static int fail_to_find(const struct asking *asking, enum proc_trace_found found)
{
    static const char *const whys[] = {
        [PROC_TRACE_NO_PROCESS] = "does not exist",
        [PROC_TRACE_NOT_OURS] = "is another user's",
        [PROC_TRACE_NO_TRACE] = "does not record into a file",
        [PROC_TRACE_SEVERAL] = "has several below it that record: give the number of one",
    };

    return print_failure(asking, whys[found]);
}

static int print_dump(const struct asking *asking, const struct proc_trace *trace, uint64_t number)
{
    char path[4096];

    if (!abi_control_dump_path(path, sizeof(path), trace->path, trace->header.process_id, number)) {
        return print_failure(asking, "has a trace whose name is too long");
    }
    (void)puts(path);
    return CLI_DONE;
}

static int print_answer(const struct asking *asking, const struct proc_trace *trace)
{
    uint64_t answered = trace->header.answered;

    switch (abi_control_detail(answered)) {
    case ABI_CONTROL_FAILED:
        return print_failure(asking, "could not do it: its own messages say why");
    case ABI_CONTROL_UNKNOWN:
        return print_failure(asking, "has a recorder that cannot do this");
    default:
        return print_dump(asking, trace, abi_control_number(answered));
    }
}

/* A stop is answered by the recorder that does not listen any more. */
static bool has_stopped(const struct asking *asking, const struct proc_trace *trace,
                        enum proc_answer answer)
{
    return asking->command == ABI_CONTROL_STOP && !proc_trace_is_open(trace) &&
           (answer == PROC_ANSWER_STOPPED || answer == PROC_ANSWER_DEAF);
}

static int print_silence(const struct asking *asking, const struct proc_trace *trace,
                         enum proc_answer answer)
{
    static const char *const whys[] = {
        [PROC_ANSWER_LATE] = "does not answer: it is stopped, or busy; try --timeout",
        [PROC_ANSWER_ENDED] = "ended before it answered",
        [PROC_ANSWER_STOPPED] = "stopped recording before it answered",
        [PROC_ANSWER_DEAF] = "does not listen: it has stopped recording",
        [PROC_ANSWER_CUT] = "has a trace that was cut short",
    };

    if (has_stopped(asking, trace, answer)) {
        (void)printf("%s %s\n", answer == PROC_ANSWER_STOPPED ? "stopped" : "was stopped already:",
                     trace->path);
        return CLI_DONE;
    }
    return print_failure(asking, whys[answer]);
}

/* Ask the process, or the one below it that records, wait for the answer, 10 s where timeout_s is
 * 0, and print it: the path of a dump, or the trace that is complete. An enum cli_exit. */
static int ask_recorder(uint64_t process_id, enum abi_control_command command, uint64_t timeout_s)
{
    struct asking asking = {process_id, command};
    struct proc_trace trace;
    uint64_t number;
    const uint64_t wait_s = timeout_s > 0 ? timeout_s : DEFAULT_TIMEOUT_S;
    const int64_t end_ns = mb_clock_now_ns() + (int64_t)wait_s * MB_NS_PER_S;
    enum proc_trace_found found = proc_trace_find_below(&asking.process_id);

    if (found == PROC_TRACE_FOUND) {
        found = proc_trace_find(&trace, asking.process_id);
    }
    if (found != PROC_TRACE_FOUND) {
        return fail_to_find(&asking, found);
    }
    const struct proc_request request = {asking.process_id, command, end_ns};
    enum proc_answer answer = proc_request(&request, &trace, &number);
    int code = answer == PROC_ANSWER_THERE ? print_answer(&asking, &trace)
                                           : print_silence(&asking, &trace, answer);
    proc_trace_finish(&trace);
    return code;
}

struct arguments {
    struct cli_values given;
    const char *process;     /* its number, or a name of its program */
    union mb_words settings; /* of the recorder: "name=value" */
};

/* What attach itself says to the agent is not a setting. */
static int take_setting(struct arguments *arguments, char **word)
{
    static const char *const own[] = {"file=", "detach=", "focus=", "blacklist="};

    if (strchr(*word, '=') == NULL || (*word)[0] == '=' || strchr(*word, ',') != NULL) {
        return cli_fail_usage("attach", "'%s' is no setting: NAME=VALUE, without a comma", *word);
    }
    for (size_t i = 0; i < MB_COUNT(own); i++) {
        if (strncmp(*word, own[i], strlen(own[i])) == 0) {
            return cli_fail_usage("attach", "'%s' is no setting here: an option says it", *word);
        }
    }
    MB_VEC_PUSH(&arguments->settings, *word);
    return cli_check_setting("attach", *word);
}

static int check_report(struct arguments *arguments)
{
    struct cli_report_wish *report = &arguments->given.report;
    const struct format *format;

    if (report->output != NULL && mb_text_ends(mb_text_of(report->output), MB_TEXT(".mbtrace"))) {
        return cli_fail_usage("attach", "--output is the report: --trace keeps the trace");
    }
    if (cli_find_format(report->output, &format) != CLI_DONE) {
        return CLI_USAGE;
    }
    report->format = report->opens ? NULL : format; /* what opens is a page */
    return CLI_DONE;
}

/* What a recorder is asked for needs neither probes nor a report. */
static int check_request(const struct arguments *arguments)
{
    const struct cli_values *given = &arguments->given;

    if (given->dumps && given->stops) {
        return cli_fail_usage("attach", "--dump and --stop exclude each other");
    }
    return MB_VEC_COUNT(&arguments->settings) == 0
               ? CLI_DONE
               : cli_fail_usage("attach", "settings do not apply to --%s",
                                given->dumps ? "dump" : "stop");
}

static int parse_attach(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {"attach", cli_options, &arguments->given, .operand = NULL};
    int code = cli_take_options(&parser, argc, argv);

    if (code == CLI_DONE && optind == argc) {
        code = cli_fail_usage("attach", "the number of a process is needed, or a program's name");
    }
    for (int i = optind + 1; code == CLI_DONE && i < argc; i++) {
        code = take_setting(arguments, &argv[i]);
    }
    if (code == CLI_DONE) {
        arguments->process = argv[optind];
        code = arguments->given.dumps || arguments->given.stops ? check_request(arguments)
                                                                : check_report(arguments);
    }
    return code == CLI_DONE ? cli_check_agent_options("attach", &arguments->given.probes) : code;
}

/* A process that records into a trace holds its lock. */
static enum mb_status check_unused(const char *path, struct mb_error *err)
{
    int fd = path != NULL ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    bool is_used = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (fd >= 0) {
        (void)close(fd);
    }
    if (!is_used) {
        return MB_OK;
    }
    return mb_fail_in(err, MB_IO, path, "a program is recording into it");
}

/* ---- The time of recording ---- */

/* Until it is over, a signal asks to stop, or the process is gone. */
static void wait_for_end(const struct proc_attachment *attachment, uint64_t seconds)
{
    const struct timespec step = {.tv_nsec = 50 * 1000000L};
    int64_t end_ns = mb_clock_now_ns() + (int64_t)seconds * MB_NS_PER_S;

    while (!mb_is_interrupted() && mb_clock_now_ns() < end_ns &&
           proc_foreign_is_alive(&attachment->jvm)) {
        (void)nanosleep(&step, NULL);
    }
}

/* ---- All of it ---- */

/* *is_recorded once there is a trace to be fetched. */
static enum mb_status record(const struct arguments *arguments, struct proc_attachment *attachment,
                             bool *is_recorded, struct mb_error *err)
{
    const struct proc_attachment_wish wish = {
        .agent = arguments->given.probes,
        .settings = &arguments->settings,
        .leaves = arguments->given.leaves,
        .most_ms = (unsigned)arguments->given.timeout_s * 1000,
        .advice = ": --focus chooses fewer, --sample needs none, --timeout waits longer",
        .wait = cli_wait_show,
    };
    cli_wait_begin("attach", arguments->given.probes.sample == PROC_SAMPLE_ONLY
                                 ? "looking for threads"
                                 : "putting probes in");
    enum mb_status status = proc_attachment_start(attachment, &wish, err);

    cli_wait_end();
    if (status != MB_OK || arguments->given.leaves) {
        return status;
    }
    (void)fprintf(stderr, "methodbeat attach: recording for %d s, or until Ctrl-C\n",
                  (int)arguments->given.seconds);
    wait_for_end(attachment, arguments->given.seconds);
    *is_recorded = true;
    cli_wait_begin("attach", attachment->has_probes ? "taking probes out" : "ending");
    status = proc_attachment_stop(attachment, &wish, err);
    cli_wait_end();
    return status;
}

static enum mb_status fetch_trace(struct proc_attachment *attachment, const char *path,
                                  struct mb_error *err)
{
    struct cli_output output;
    enum mb_status status = check_unused(path, err);

    if (status == MB_OK) {
        status = cli_output_open(&output, path, err);
        if (status == MB_OK && fchmod(output.fd, 0600) != 0) {
            status = mb_fail_errno(err, "cannot keep the trace from others");
        }
        if (status == MB_OK) {
            status = proc_attachment_fetch(attachment, output.fd, err);
        }
        if (status == MB_OK) {
            status = cli_output_commit(&output, err);
        }
        cli_output_finish(&output);
    }
    return status;
}

static void name_trace(char path[64], pid_t pid)
{
    (void)snprintf(path, 64, "methodbeat-%d-%lld.mbtrace", (int)pid, (long long)mb_clock_now_ns());
}

static int attach(const struct arguments *arguments, pid_t pid, const char *library)
{
    struct proc_attachment attachment;
    struct mb_error err;
    char name[64];
    bool is_recorded = false;
    const char *path = arguments->given.trace != NULL ? arguments->given.trace : name;
    enum mb_status status = proc_attachment_open(&attachment, pid, library, &err);

    if (status == MB_OK) {
        status = record(arguments, &attachment, &is_recorded, &err);
    }
    if (status == MB_OK && is_recorded) {
        name_trace(name, pid);
        status = fetch_trace(&attachment, path, &err);
    }
    int code = status == MB_OK ? CLI_DONE : cli_fail(&err);
    proc_attachment_tell_rest(&attachment, "attach");
    if (status == MB_OK && is_recorded) {
        proc_attachment_discard(&attachment);
        code = cli_report_trace(&arguments->given.report, path);
    } else if (status == MB_OK || is_recorded) {
        proc_attachment_keep(&attachment);
        (void)fprintf(stderr, "methodbeat attach: %s %s of the process\n",
                      is_recorded             ? "the trace stays in"
                      : attachment.has_probes ? "probes stay; the trace is"
                                              : "stacks are taken on; the trace is",
                      attachment.trace);
    }
    proc_attachment_finish(&attachment);
    return code;
}

static int run_attach(int argc, char **argv)
{
    struct arguments arguments = {.given.seconds = DEFAULT_SECONDS};
    char *library = NULL;
    pid_t pid = 0;
    int code = parse_attach(&arguments, argc, argv);

    mb_interrupt_catch();
    if (code == CLI_DONE) {
        code = cli_jvm_find(arguments.process, &pid);
    }
    if (code == CLI_DONE && (arguments.given.dumps || arguments.given.stops)) {
        code =
            ask_recorder((uint64_t)pid, arguments.given.dumps ? ABI_CONTROL_DUMP : ABI_CONTROL_STOP,
                         arguments.given.timeout_s);
    } else if (code == CLI_DONE) {
        library = cli_find_agent(arguments.given.agent, proc_libc_is_musl(pid));
        code = library != NULL ? attach(&arguments, pid, library) : CLI_FAILED;
    }
    free(library);
    mb_buf_finish(&arguments.settings.buf);
    return code;
}

const struct cli_command cli_attach = {
    .name = "attach",
    .summary = "record a JVM that runs already, print a report",
    .usage =
        "usage: methodbeat attach [OPTION...] PID|NAME [SETTING=VALUE...]\n"
        "       methodbeat attach --dump | --stop [--timeout TIME] PID|NAME\n"
        "\n"
        "Put probes into a running JVM, or with --sample none, record for a while, take them\n"
        "out again and print a report. Its files and options stay as they are. NAME is its main\n"
        "class or jar, or a part of it that no other has: methodbeat jvms lists them.\n",
    .notes = "Settings: RECORDING in the man page.\n"
             "\n"
             "example: methodbeat attach --for 10 --focus 'com/acme/**' 4711\n",
    .run = run_attach,
};
