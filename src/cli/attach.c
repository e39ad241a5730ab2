/* methodbeat attach */

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/copy.h"
#include "cli/jvm.h"
#include "cli/options.h"
#include "cli/parts.h"

#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_SECONDS 30
#define MOST_SECONDS 86400

struct arguments {
    uint64_t pid;
    uint64_t seconds;
    const char *focus;
    const char *blacklist;
    const char *agent;
    const char *output;
    struct mb_buf settings; /* of the recorder: ",name=value" */
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
    {.name = "focus", .take = cli_take_text, .offset = PLACE(focus)},
    {.name = "blacklist", .take = cli_take_text, .offset = PLACE(blacklist)},
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
    if (optind == argc || !mb_text_to_number(mb_text_of(argv[optind]), INT_MAX, &arguments->pid) ||
        arguments->pid == 0) {
        return cli_fail_usage("attach", "the number of a process is needed");
    }
    for (int i = optind + 1; i < argc; i++) {
        if (strchr(argv[i], '=') == NULL || strchr(argv[i], ',') != NULL) {
            return cli_fail_usage("attach", "'%s' is no setting: NAME=VALUE, without a comma",
                                  argv[i]);
        }
        mb_buf_printf(&arguments->settings, ",%s", argv[i]);
    }
    return CLI_DONE;
}

/* ---- Options of the agent ---- */

/* A path that the JVM understands, whatever its working folder. */
static void put_absolute(struct mb_buf *out, const char *name, const char *path)
{
    char *whole = realpath(path, NULL);

    mb_buf_printf(out, ",%s=%s", name, whole != NULL ? whole : path);
    free(whole);
}

static void make_options(struct mb_buf *out, const struct arguments *arguments, const char *trace)
{
    mb_buf_printf(out, "file=%s", trace);
    if (arguments->focus != NULL) {
        mb_buf_printf(out, ",focus=%s", arguments->focus);
    }
    if (arguments->blacklist != NULL) {
        put_absolute(out, "blacklist", arguments->blacklist);
    }
    mb_buf_put(out, arguments->settings.bytes, arguments->settings.size);
    mb_buf_put_u1(out, '\0');
}

/* ---- The time of recording ---- */

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/* Until it is over, Ctrl-C, or the process is gone. */
static void wait_for_end(const struct cli_jvm *jvm, uint64_t seconds)
{
    const struct timespec step = {.tv_nsec = 50 * 1000000L};
    const struct sigaction action = {.sa_handler = interrupt};
    int64_t end_ns = mb_clock_now_ns() + (int64_t)seconds * MB_NS_PER_S;

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    while (is_interrupted == 0 && mb_clock_now_ns() < end_ns && kill(jvm->pid, 0) == 0) {
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

struct paths {
    char trace[128]; /* as the JVM sees it */
    char *library;   /* likewise */
    char output[PATH_MAX];
};

static enum mb_status record(const struct arguments *arguments, const struct cli_jvm *jvm,
                             const struct paths *paths, struct mb_error *err)
{
    struct mb_buf options = {0};

    make_options(&options, arguments, paths->trace);
    enum mb_status status =
        options.failed ? mb_fail_memory(err)
                       : cli_jvm_load(jvm, paths->library, (const char *)options.bytes, err);
    mb_buf_finish(&options);
    if (status != MB_OK || arguments->leaves) {
        return status;
    }
    (void)fprintf(stderr, "methodbeat attach: recording for %d s, or until Ctrl-C\n",
                  (int)arguments->seconds);
    wait_for_end(jvm, arguments->seconds);
    return kill(jvm->pid, 0) == 0 ? cli_jvm_load(jvm, paths->library, "detach=on", err) : MB_OK;
}

static enum mb_status take_trace(const struct cli_jvm *jvm, const struct paths *paths,
                                 struct mb_error *err)
{
    struct mb_buf from = {0};

    cli_jvm_put_path(&from, jvm, paths->trace);
    mb_buf_put_u1(&from, '\0');
    enum mb_status status = from.failed
                                ? mb_fail_memory(err)
                                : cli_copy_file((const char *)from.bytes, paths->output, 0600, err);
    if (status == MB_OK) {
        (void)unlink((const char *)from.bytes);
    }
    mb_buf_finish(&from);
    return status;
}

/* A copy of ours, whole: a second library beside the one that is loaded would start anew. */
static bool is_copy(const struct cli_jvm *jvm, const char *copy, const char *library)
{
    struct stat ours;
    struct stat there;

    return stat(library, &ours) == 0 && lstat(copy, &there) == 0 && S_ISREG(there.st_mode) &&
           (there.st_uid == geteuid() || there.st_uid == jvm->uid) && there.st_size == ours.st_size;
}

/* For a JVM that does not see our files, as in a container, a copy in its /tmp, which stays. */
static enum mb_status place_library(const struct cli_jvm *jvm, struct paths *paths,
                                    struct mb_error *err)
{
    static const char name[] = "/tmp/libmethodbeat-agent-" MB_VERSION ".so";
    struct mb_buf copy = {0};
    enum mb_status status = MB_OK;

    if (cli_jvm_sees(jvm, paths->library)) {
        return MB_OK;
    }
    cli_jvm_put_path(&copy, jvm, name);
    mb_buf_put_u1(&copy, '\0');
    if (copy.failed) {
        status = mb_fail_memory(err);
    } else if (!is_copy(jvm, (const char *)copy.bytes, paths->library)) {
        status = cli_copy_file(paths->library, (const char *)copy.bytes, 0755, err);
    }
    mb_buf_finish(&copy);
    char *place = strdup(name);
    if (status != MB_OK || place == NULL) {
        free(place);
        return status != MB_OK ? status : mb_fail_memory(err);
    }
    free(paths->library);
    paths->library = place;
    return MB_OK;
}

static int attach(const struct arguments *arguments, struct paths *paths)
{
    struct cli_jvm jvm;
    struct mb_error err;
    char name[32];

    (void)snprintf(name, sizeof(name), "process %d", (int)arguments->pid);
    (void)snprintf(paths->trace, sizeof(paths->trace), "/tmp/methodbeat-%d-%lld.mbtrace",
                   (int)arguments->pid, (long long)mb_clock_now_ns());
    (void)snprintf(paths->output, sizeof(paths->output), "%s",
                   arguments->output != NULL ? arguments->output : strrchr(paths->trace, '/') + 1);
    enum mb_status status = cli_jvm_open(&jvm, (pid_t)arguments->pid, &err);
    if (status == MB_OK) {
        status = place_library(&jvm, paths, &err);
    }
    if (status == MB_OK) {
        status = record(arguments, &jvm, paths, &err);
    }
    if (status != MB_OK) {
        mb_error_in_input(&err, name);
        return cli_fail(&err);
    }
    if (arguments->leaves) {
        (void)fprintf(stderr, "methodbeat attach: probes stay; the trace is %s of the process\n",
                      paths->trace);
        return CLI_DONE;
    }
    return take_trace(&jvm, paths, &err) == MB_OK ? print_report(arguments, paths->output)
                                                  : cli_fail(&err);
}

static int run_attach(int argc, char **argv)
{
    struct arguments arguments = {.seconds = DEFAULT_SECONDS};
    struct paths paths = {.library = NULL};
    int code = parse_attach(&arguments, argc, argv);

    if (code == CLI_DONE) {
        paths.library = cli_find_part(&cli_agent_part, arguments.agent);
        code = paths.library != NULL ? attach(&arguments, &paths) : CLI_FAILED;
    }
    free(paths.library);
    mb_buf_finish(&arguments.settings);
    return code;
}

const struct cli_command cli_attach = {
    .name = "attach",
    .summary = "record a JVM that runs already, print a report",
    .usage =
        "usage: methodbeat attach [OPTION...] PID [SETTING=VALUE...]\n"
        "\n"
        "Put probes into a running JVM, record for a while, take the probes out again and\n"
        "print a report. Its files and options stay as they are.\n"
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
