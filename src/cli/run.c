/* methodbeat run */

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_child.h"
#include "cli/run_map.h"
#include "cli/run_module.h"
#include "cli/run_traces.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_FILE "methodbeat-%p.mbtrace"
#define VARIABLE "JAVA_TOOL_OPTIONS" /* every JVM reads it, whoever starts it */

/* Of this installation, or where an option says. */
struct part {
    const char *name;
    const char *folder;
    const char *option;
};

static const struct part runtime_part = {"methodbeat-runtime.jar", MB_DATADIR "/java", "runtime"};
static const struct part library_part = {"libmethodbeat.so", MB_LIBDIR, "library"};

struct arguments {
    const char *runtime;
    const char *library;
    const char *method_map;
    const char *file; /* of the settings, or the environment's, or the default */
    char **settings;  /* "name=value" */
    size_t setting_count;
    char **command; /* ended by NULL */
};

#define PLACE(field) offsetof(struct arguments, field)

static const struct cli_option rows[] = {
    {.name = "method-map", .take = cli_take_text, .offset = PLACE(method_map)},
    {.name = "runtime", .take = cli_take_text, .offset = PLACE(runtime)},
    {.name = "library", .take = cli_take_text, .offset = PLACE(library)},
};

/* The settings are what comes before the first word without a '='. */
static void take_settings(struct arguments *arguments, char **words)
{
    arguments->settings = words;
    while (words[0] != NULL && strchr(words[0], '=') != NULL) {
        if (strncmp(words[0], "file=", strlen("file=")) == 0) {
            arguments->file = words[0] + strlen("file=");
        }
        words++;
        arguments->setting_count++;
    }
    arguments->command = words;
}

static int parse_run(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {
        .command = "run", .options = rows, .count = MB_COUNT(rows), .values = arguments};
    const char *file = getenv("METHODBEAT_FILE");
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    arguments->file = file != NULL ? file : DEFAULT_FILE;
    take_settings(arguments, argv + optind);
    if (strcmp(arguments->file, "auto") == 0) {
        arguments->file = DEFAULT_FILE; /* a name that we can look for */
    }
    return arguments->command[0] != NULL ? CLI_DONE
                                         : cli_fail_usage("run", "a command is needed behind --");
}

/* ---- Where our parts are ---- */

/* folder is below the prefix that this program is installed to, or absolute. */
static bool is_installed(char path[PATH_MAX], const char *own, const char *folder, const char *name)
{
    int size = folder[0] == '/' ? snprintf(path, PATH_MAX, "%s/%s", folder, name)
                                : snprintf(path, PATH_MAX, "%s/../%s/%s", own, folder, name);

    return size < PATH_MAX && access(path, R_OK) == 0;
}

/* In the installation that this program is part of, or in its build folder. */
static bool find_own(char path[PATH_MAX], const struct part *part)
{
    char own[PATH_MAX] = "";
    ssize_t size = readlink("/proc/self/exe", own, sizeof(own) - 1);
    char *end = size > 0 ? strrchr(own, '/') : NULL;

    if (end == NULL) {
        return false;
    }
    *end = '\0';
    return is_installed(path, own, part->folder, part->name) ||
           is_installed(path, own, "jni", part->name);
}

/* Absolute, for free(). NULL, and reported, if it is not there. */
static char *find_part(const struct part *part, const char *given)
{
    char path[PATH_MAX];
    struct mb_error err;

    if (given == NULL && !find_own(path, part)) {
        (void)mb_fail(&err, MB_IO, MB_NO_OFFSET, "cannot be found: --%s says where it is",
                      part->option);
        mb_error_in_input(&err, part->name);
        (void)cli_fail(&err);
        return NULL;
    }
    char *found = realpath(given != NULL ? given : path, NULL);
    if (found == NULL) {
        (void)mb_fail_errno(&err, "cannot find");
        mb_error_in_input(&err, given != NULL ? given : path);
        (void)cli_fail(&err);
    }
    return found;
}

/* ---- What the JVM is told ---- */

/* A word of the variable, whose parts in quotes the JVM joins. */
static void put_word(struct mb_buf *out, const char *option, const char *value)
{
    mb_buf_put_u1(out, ' ');
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

/* A path as it is here: the program may go elsewhere before it uses it. */
static void put_path(struct mb_buf *out, const char *option, const char *path)
{
    char here[PATH_MAX] = "";
    struct mb_buf whole = {0};

    if (path[0] != '/' && getcwd(here, sizeof(here)) != NULL) {
        mb_buf_put_string(&whole, here);
        mb_buf_put_u1(&whole, '/');
    }
    mb_buf_put_string(&whole, path);
    mb_buf_put_u1(&whole, '\0');
    put_word(out, option, whole.failed ? path : (const char *)whole.bytes);
    mb_buf_finish(&whole);
}

/* The module that is started must be allowed to see our class. */
static void put_module(struct mb_buf *out, char **command)
{
    char *module = cli_run_module(command);

    if (module != NULL) {
        mb_buf_put_string(out, " --add-reads=");
        mb_buf_put_string(out, module);
        mb_buf_put_string(out, "=ALL-UNNAMED");
    }
    free(module);
}

static bool set_variable(const struct arguments *arguments, const char *runtime,
                         const char *library)
{
    struct mb_buf value = {0};
    const char *before = getenv(VARIABLE);

    mb_buf_put_string(&value, before != NULL ? before : "");
    put_word(&value, "-Xbootclasspath/a:", runtime);
    put_word(&value, "-Dmethodbeat.library=", library);
    for (size_t i = 0; i < arguments->setting_count; i++) {
        if (strncmp(arguments->settings[i], "file=", strlen("file=")) != 0) {
            put_word(&value, "-Dmethodbeat.", arguments->settings[i]);
        }
    }
    put_path(&value, "-Dmethodbeat.file=", arguments->file);
    if (arguments->method_map != NULL) {
        put_path(&value, "-Dmethodbeat.mapping=", arguments->method_map);
    }
    put_module(&value, arguments->command);
    mb_buf_put_u1(&value, '\0');
    bool is_set = !value.failed && setenv(VARIABLE, (const char *)value.bytes, 1) == 0;
    mb_buf_finish(&value);
    return is_set;
}

/* ---- The reports ---- */

static void report_trace(void *context, const char *path)
{
    const struct arguments *arguments = context;
    char command[] = "report";
    char option[] = "--method-map";
    char end[] = "--"; /* a name may begin as options do */
    char *trace = strdup(path);
    char *map = strdup(arguments->method_map != NULL ? arguments->method_map : "");

    if (trace != NULL && map != NULL) {
        char *with_map[] = {command, option, map, end, trace, NULL};
        char *without[] = {command, end, trace, NULL};
        bool has_map = arguments->method_map != NULL;
        (void)printf("\nmethodbeat report %s\n", path);
        (void)cli_report.run(has_map ? 5 : 3, has_map ? with_map : without);
    } else {
        (void)cli_fail_memory();
    }
    free(trace);
    free(map);
}

static enum mb_status put_reports(const struct arguments *arguments, struct timespec since,
                                  struct mb_error *err)
{
    if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        return mb_fail_errno(err, "cannot report on standard error");
    }
    return cli_run_traces(arguments->file, since, report_trace, (void *)(uintptr_t)arguments, err);
}

/* To standard error: the other one is the program's. */
static void report_traces(const struct arguments *arguments, struct timespec since)
{
    struct mb_error err;

    cli_flush_output();
    if (put_reports(arguments, since, &err) != MB_OK) {
        mb_error_in_input(&err, arguments->file);
        cli_print_error(&err);
    }
}

static int run_run(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct timespec since;
    int code = parse_run(&arguments, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    char *map = arguments.method_map == NULL ? cli_run_map(arguments.command) : NULL;
    arguments.method_map = map != NULL ? map : arguments.method_map;
    char *runtime = find_part(&runtime_part, arguments.runtime);
    char *library = runtime != NULL ? find_part(&library_part, arguments.library) : NULL;
    if (library == NULL) {
        code = CLI_FAILED;
    } else if (!set_variable(&arguments, runtime, library)) {
        code = cli_fail_memory();
    } else {
        (void)clock_gettime(CLOCK_REALTIME_COARSE, &since); /* the clock of file systems */
        code = cli_run_child(arguments.command);
        report_traces(&arguments, since);
    }
    free(map);
    free(runtime);
    free(library);
    return code;
}

const struct cli_command cli_run = {
    .name = "run",
    .summary = "run an instrumented program, record it, report at the end",
    .usage =
        "usage: methodbeat run [OPTION...] [SETTING=VALUE...] -- COMMAND [ARGUMENT...]\n"
        "\n"
        "Run a Java program, or a script that starts one, with the recorder, and report on its\n"
        "traces on standard error. Its output and its exit code are the program's.\n"
        "\n"
        "      --method-map FILE  methodMapping.txt of the instrumented program; default: beside\n"
        "                         its jar, or in or beside its class path\n"
        "      --runtime FILE     methodbeat-runtime.jar; default: of this installation\n"
        "      --library FILE     libmethodbeat.so; default: of this installation\n"
        "\n"
        "Settings: RECORDING in the man page. file is methodbeat-%p.mbtrace if not given.\n"
        "\n"
        "example: methodbeat run -- java -jar out/app.jar\n",
    .run = run_run,
};
