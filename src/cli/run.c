/* methodbeat run */

#include "base/buf.h"
#include "cli/agent_options.h"
#include "cli/cli.h"
#include "cli/control_stop.h"
#include "cli/format.h"
#include "cli/options.h"
#include "cli/parts.h"
#include "cli/run_child.h"
#include "cli/run_launch.h"
#include "cli/run_report.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_FILE "methodbeat-%p.mbtrace"
#define MOST_SECONDS 86400
#define VARIABLE "JAVA_TOOL_OPTIONS" /* every JVM reads it, however started */

struct arguments {
    const char *agent;
    struct cli_agent_options probes;
    const char *file;       /* of the settings, or the environment's, or the default */
    struct mb_buf settings; /* const char *: "name=value" */
    struct cli_run_report report;
    const struct format *format;
    uint64_t seconds; /* 0: to the end */
    char **command;   /* ended by NULL */
};

/* What is known of the program that runs. */
struct session {
    const struct arguments *arguments;
    struct timespec since; /* files that are older are not its */
    bool is_reported;
};

#define PLACE(field) offsetof(struct arguments, field)

static const struct cli_option rows[] = {
    {.name = "agent", .take = cli_take_text, .offset = PLACE(agent)},
    {.name = "focus", .take = cli_take_text, .offset = PLACE(probes.focus)},
    {.name = "blacklist", .take = cli_take_text, .offset = PLACE(probes.blacklist)},
    {.name = "for",
     .take = cli_take_seconds,
     .offset = PLACE(seconds),
     .least = 1,
     .most = MOST_SECONDS},
    {.name = "format", .take = cli_take_format, .offset = PLACE(format)},
    {.name = "output", .letter = 'o', .take = cli_take_text, .offset = PLACE(report.output)},
    {.name = "open", .take = cli_take_flag, .offset = PLACE(report.opens)},
};

/* The settings are the words before the first one without a '='. Returns the rest. */
static char **take_settings(struct arguments *arguments, char **words)
{
    for (; words[0] != NULL && strchr(words[0], '=') != NULL; words++) {
        if (strncmp(words[0], "file=", strlen("file=")) == 0) {
            arguments->file = words[0] + strlen("file=");
        }
        mb_buf_put(&arguments->settings, words, sizeof(*words));
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
    arguments->command = words;
    return CLI_DONE;
}

/* What report or the agent would refuse is refused before the program starts. */
static int check_options(struct arguments *arguments)
{
    if (arguments->format == NULL) {
        int code = cli_find_format(arguments->report.output, &arguments->format);
        if (code != CLI_DONE) {
            return code;
        }
    } else {
        arguments->report.format = arguments->format->name;
    }
    return cli_agent_check_options("run", &arguments->probes);
}

static int parse_run(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {.command = "run",
                                      .options = rows,
                                      .count = MB_COUNT(rows),
                                      .values = arguments,
                                      .stops_at_operand = true};
    const char *file = getenv("METHODBEAT_FILE");

    arguments->file = file != NULL ? file : DEFAULT_FILE;
    int code = take_words(arguments, &parser, argc, argv);
    if (code != CLI_DONE) {
        return code;
    }
    if (strcmp(arguments->file, "auto") == 0) {
        arguments->file = DEFAULT_FILE; /* a name that we can look for */
    }
    if (arguments->command[0] == NULL) {
        return cli_fail_usage("run", "a command is needed");
    }
    return check_options(arguments);
}

/* ---- Options of the JVM ---- */

/* More of a word of the variable, whose parts in quotes the JVM joins. */
static void put_joined(struct mb_buf *out, const char *option, const char *value)
{
    mb_buf_put_string(out, option);
    while (*value != '\0') {
        const char *quote = *value == '\'' ? "\"" : "'";
        size_t size = strcspn(value, quote);
        mb_buf_put_string(out, quote);
        mb_buf_put(out, value, size);
        mb_buf_put_string(out, quote);
        value += size;
    }
}

static void put_word(struct mb_buf *out, const char *option, const char *value)
{
    mb_buf_put_u1(out, ' ');
    put_joined(out, option, value);
}

static void put_path(struct mb_buf *out, const char *option, const char *path)
{
    struct mb_buf whole = {0};

    cli_put_absolute(&whole, path);
    mb_buf_put_u1(&whole, '\0');
    put_word(out, option, whole.failed ? path : (const char *)whole.bytes);
    mb_buf_finish(&whole);
}

/* Options of the agent stand behind its path. */
static void put_agent(struct mb_buf *out, const struct arguments *arguments, const char *agent)
{
    struct mb_buf options = {0};

    cli_agent_put_options(&options, &arguments->probes);
    mb_buf_put_u1(&options, '\0');
    put_word(out, "-agentpath:", agent);
    if (options.size > 1) {
        put_joined(out, "=", (const char *)options.bytes);
    }
    out->failed = out->failed || options.failed;
    mb_buf_finish(&options);
}

static bool set_variable(const struct arguments *arguments, const char *agent)
{
    struct mb_buf value = {0};
    const char *before = getenv(VARIABLE);
    const char *text;

    mb_buf_put_string(&value, before != NULL ? before : "");
    put_agent(&value, arguments, agent);
    for (size_t i = 0; (text = cli_run_item(&arguments->settings, i)) != NULL; i++) {
        if (strncmp(text, "file=", strlen("file=")) != 0) {
            put_word(&value, "-Dmethodbeat.", text);
        }
    }
    put_path(&value, "-Dmethodbeat.file=", arguments->file);
    mb_buf_put_u1(&value, '\0');
    bool is_set = !value.failed && setenv(VARIABLE, (const char *)value.bytes, 1) == 0;
    mb_buf_finish(&value);
    return is_set;
}

/* ---- The reports ---- */

/* On standard error: standard output belongs to the program. */
static void report_traces(const struct session *session)
{
    const struct arguments *arguments = session->arguments;
    struct mb_error err;
    size_t count;

    if (cli_run_print(&arguments->report, arguments->file, session->since, &count, &err) != MB_OK) {
        cli_print_error(&err);
    } else if (count == 0) {
        (void)fputs("methodbeat run: nothing was recorded: no class that gets probes was called\n",
                    stderr);
    }
}

/* The program goes on without us. */
static void end_recording(void *context, pid_t child)
{
    struct session *session = context;
    size_t count = cli_control_stop_below((uint64_t)child);

    (void)fprintf(stderr, "methodbeat run: %s after %d s; the program goes on\n",
                  count > 0 ? "the recording ended" : "nothing records",
                  (int)session->arguments->seconds);
    report_traces(session);
    session->is_reported = true;
}

static int start_program(const struct arguments *arguments, const char *agent)
{
    struct session session = {.arguments = arguments};
    const struct cli_run_alarm alarm = {
        .seconds = arguments->seconds, .ring = end_recording, .context = &session};
    bool is_started;

    if (!set_variable(arguments, agent)) {
        return cli_fail_memory();
    }
    (void)fputs("methodbeat run: probes are put in as classes are loaded\n", stderr);
    (void)clock_gettime(CLOCK_REALTIME_COARSE, &session.since); /* the clock of file systems */
    int code = cli_run_child(arguments->command, &alarm, &is_started);
    if (is_started && !session.is_reported) {
        report_traces(&session);
    }
    return code;
}

static int run_run(int argc, char **argv)
{
    struct arguments arguments = {0};
    int code = parse_run(&arguments, argc, argv);

    if (code == CLI_DONE) {
        char *agent = cli_find_agent(arguments.agent);
        code = agent != NULL ? start_program(&arguments, agent) : CLI_FAILED;
        free(agent);
    }
    mb_buf_finish(&arguments.settings);
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
        "An agent puts probes in as classes are loaded; those that instrument put in record too.\n"
        "\n"
        "      --focus GLOBS      put probes only into these classes; several with ':' between\n"
        "      --blacklist FILE   put none into the methods that FILE lists\n"
        "      --agent FILE       libmethodbeat-agent.so; default: of this installation\n"
        "\n"
        "      --for TIME         record so long, as 90, 5m, 1h, then report; the program goes on\n"
        "      --format FORMAT    of the report, as for report; likewise:\n"
        "  -o, --output FILE      write it to FILE\n"
        "      --open             write it as a page and have the desktop show it\n"
        "\n"
        "Settings: RECORDING in the man page; file defaults to methodbeat-%p.mbtrace.\n"
        "\n"
        "example: methodbeat run java -jar app.jar\n",
    .run = run_run,
};
