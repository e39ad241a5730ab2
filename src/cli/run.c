/* methodbeat run */

#include "base/buf.h"
#include "cli/cache.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/parts.h"
#include "cli/run_report.h"
#include "cli/settings.h"
#include "cli/values.h"
#include "jvms/process/compact.h"
#include "jvms/process/launch.h"
#include "jvms/process/libc.h"
#include "jvms/process/notes.h"
#include "jvms/process/request.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_FILE "methodbeat-%p.mbtrace" /* in the cache, or here without one */

struct arguments {
    struct cli_values given; /* its trace is the option's, the settings', the environment's, or the
                              * default */
    struct proc_launch launch;
    char cached[PATH_MAX]; /* the trace, unless it has a name */
    bool is_cached;
};

/* What is known of the program that runs. */
struct session {
    const struct arguments *arguments;
    struct proc_notes notes;
    bool is_reported;
};

/* The settings are the words with a '=' that are no options. Returns the rest. */
static char **take_settings(struct arguments *arguments, char **words)
{
    for (; words[0] != NULL && words[0][0] != '-' && strchr(words[0], '=') != NULL; words++) {
        if (strncmp(words[0], "file=", strlen("file=")) == 0) {
            arguments->given.trace = words[0] + strlen("file=");
        }
        MB_VEC_PUSH(&arguments->launch.settings, *words);
    }
    return words;
}

/* Options and settings in any order, up to "--" or the command's own name. */
static int take_words(struct arguments *arguments, const struct cli_parser *parser, int argc,
                      char **argv)
{
    char **end = argv + argc;
    char **words = argv;
    bool is_ended = false;

    do {
        int code = cli_take_options(parser, (int)(end - words), words);
        if (code != CLI_DONE) {
            return code;
        }
        is_ended = strcmp(words[optind - 1], "--") == 0;
        words = take_settings(arguments, words + optind);
        is_ended = is_ended || words[0] == NULL || words[0][0] != '-' || words[0][1] == '\0';
        words -= is_ended ? 0 : 1; /* getopt passes over the first */
    } while (!is_ended);
    arguments->launch.command = words;
    return CLI_DONE;
}

/* Of the trace. Where a name of it is made by the process, the agent tells. */
static bool check_folder(const char *trace)
{
    const char *slash = strrchr(trace, '/');
    char *folder = slash != NULL && memchr(trace, '%', (size_t)(slash - trace)) == NULL
                       ? strndup(trace, (size_t)(slash - trace) + 1)
                       : NULL;
    struct mb_error err;
    bool is_there = folder == NULL || slash[1] == '\0' || access(folder, W_OK | X_OK) == 0;

    if (!is_there) {
        (void)mb_fail_file(&err, folder, "the trace cannot be written there");
        (void)cli_fail(&err);
    }
    free(folder);
    return is_there;
}

static int check_settings(const struct arguments *arguments)
{
    int code = cli_check_environment("run");
    const char *text;

    for (size_t i = 0;
         code == CLI_DONE && (text = proc_words_item(&arguments->launch.settings, i)) != NULL;
         i++) {
        code = cli_check_setting("run", text);
    }
    return code;
}

/* What report, the recorder or the agent would refuse is refused before the program starts. */
static int check_options(struct arguments *arguments)
{
    const struct format *format;

    if (cli_find_format(arguments->given.report.output, &format) != CLI_DONE) {
        return CLI_USAGE;
    }
    int code = check_settings(arguments);
    return code != CLI_DONE ? code
           : check_folder(arguments->given.trace)
               ? cli_check_agent_options("run", &arguments->given.probes)
               : CLI_FAILED;
}

static int parse_run(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {.command = "run",
                                      .options = cli_options,
                                      .values = &arguments->given,
                                      .stops_at_operand = true};

    arguments->given.trace = getenv("METHODBEAT_FILE");
    int code = take_words(arguments, &parser, argc, argv);
    if (code != CLI_DONE) {
        return code;
    }
    arguments->is_cached =
        arguments->given.trace == NULL && cli_cache_name(arguments->cached, DEFAULT_FILE);
    if (arguments->is_cached) {
        arguments->given.trace = arguments->cached;
    } else if (arguments->given.trace == NULL || strcmp(arguments->given.trace, "auto") == 0) {
        arguments->given.trace = DEFAULT_FILE; /* a name that we can look for */
    }
    if (arguments->launch.command[0] == NULL) {
        return cli_fail_usage("run", "a command is needed");
    }
    arguments->launch.file = arguments->given.trace;
    arguments->launch.probes = arguments->given.probes;
    return check_options(arguments);
}

/* ---- The reports ---- */

/* On standard error: standard output belongs to the program. */
static void report_traces(struct session *session, bool goes_on)
{
    struct mb_buf text = {0};
    struct mb_error err;

    enum mb_status status = proc_notes_read(&session->notes, &err);
    for (size_t i = 0; i < MB_VEC_COUNT(&session->notes.jvms); i++) {
        const struct proc_noted_jvm *jvm = &session->notes.jvms.items[i];
        if (jvm->trace != NULL && !jvm->is_foreign) {
            proc_compact_file(jvm->trace);
        }
    }
    if (session->arguments->is_cached) {
        cli_cache_tidy();
    }
    if (!goes_on) {
        proc_notes_close(&session->notes); /* before a closed pipe may end us */
    }
    if (status != MB_OK ||
        cli_run_print(&session->arguments->given.report, &session->notes, &err) != MB_OK) {
        cli_print_error(&err);
        return;
    }
    cli_run_explain(&text, &session->notes, proc_launch_is_java(&session->arguments->launch),
                    session->arguments->given.probes.focus);
    (void)fwrite(text.bytes, 1, text.failed ? 0 : text.size, stderr);
    mb_buf_finish(&text);
}

/* The program goes on without us. */
static void end_recording(void *context, pid_t child)
{
    struct session *session = context;
    size_t count = proc_stop_below((uint64_t)child);

    (void)fprintf(stderr, "methodbeat run: %s after %d s; the program goes on\n",
                  count > 0 ? "the recording ended" : "nothing records",
                  (int)session->arguments->given.seconds);
    report_traces(session, true);
    session->is_reported = true;
}

static int run_command(struct session *session, struct mb_buf *command)
{
    const struct proc_child_alarm alarm = {
        .seconds = session->arguments->given.seconds, .ring = end_recording, .context = session};
    struct mb_error err;
    int code;

    if (proc_child_run((char **)(void *)command->bytes, &alarm, &code, &err) != MB_OK) {
        cli_print_error(&err);
    } else if (!session->is_reported) {
        report_traces(session, false);
    }
    return code;
}

static int start_program(struct session *session)
{
    struct proc_words options = {0};
    struct mb_buf command = {0};
    struct mb_error err;
    int code = !proc_launch_prepare(&session->arguments->launch, &options, &command)
                   ? cli_fail_memory()
               : proc_notes_open(&session->notes, &err) != MB_OK ? cli_fail(&err)
                                                                 : run_command(session, &command);

    proc_notes_finish(&session->notes);
    mb_buf_finish(&command);
    proc_words_finish(&options);
    return code;
}

/* The program matters more than its recording. */
static void leave_agent(struct session *session, struct proc_launch *launch)
{
    const char *obstacle = proc_launch_obstacle(launch);

    if (obstacle != NULL) {
        (void)fprintf(stderr,
                      "methodbeat run: nothing is recorded: %s, %s: --agent names a copy of it\n",
                      obstacle, launch->agent);
        launch->agent = NULL;
        session->is_reported = true;
    }
}

static int run_run(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct session session = {.arguments = &arguments};
    int code = parse_run(&arguments, argc, argv);

    if (code == CLI_DONE) {
        bool is_musl = proc_libc_will_be_musl(arguments.launch.command[0]);
        char *found = cli_find_agent(arguments.given.agent, is_musl);
        char *agent = found != NULL ? proc_launch_share(&arguments.launch, found) : NULL;
        arguments.launch.agent = agent;
        if (agent != NULL) {
            leave_agent(&session, &arguments.launch);
        }
        code = agent != NULL ? start_program(&session) : CLI_FAILED;
        free(agent);
    }
    mb_buf_finish(&arguments.launch.settings.buf);
    return code;
}

const struct cli_command cli_run = {
    .name = "run",
    .summary = "run a Java program, record it, print a report",
    .usage =
        "usage: methodbeat run [OPTION...] [SETTING=VALUE...] [--] COMMAND [ARGUMENT...]\n"
        "\n"
        "Run a Java program, or a script that starts one, with the recorder, and print a report\n"
        "on its trace, or that of its busiest process, on standard error. Output and exit code are "
        "the program's.\n"
        "\n"
        "An agent puts probes in as classes are loaded; those that instrument put in record too.\n",
    .notes = "Settings: RECORDING in the man page.\n"
             "\n"
             "example: methodbeat run java -jar app.jar\n",
    .run = run_run,
};
