#include "cli/parts.h"

#include "abi/names.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "libmethodbeat-agent.so"

/* Where it lies in an installation, or from the program's folder: there, packed, in the build. */
static const char *const places[] = {MB_LIBDIR, ("../" MB_LIBDIR), "../lib/methodbeat", "../agent"};

/* The folder of that place; false if it is not known or too long. */
static bool name_place(char folder[PATH_MAX], const char *place)
{
    char own[PATH_MAX] = "";
    ssize_t size = readlink("/proc/self/exe", own, sizeof(own) - 1);
    char *end = size > 0 ? strrchr(own, '/') : NULL;

    if (end != NULL) {
        *end = '\0';
    }
    bool is_absolute = place[0] == '/';
    int length =
        snprintf(folder, PATH_MAX, "%s%s%s", is_absolute ? "" : own, is_absolute ? "" : "/", place);
    return (end != NULL || is_absolute) && length < PATH_MAX;
}

/* In a folder of each of the places; "": in the place itself. */
static bool find_own(char path[PATH_MAX], const char *folder)
{
    for (size_t i = 0; i < MB_COUNT(places); i++) {
        if (name_place(path, places[i])) {
            size_t used = strlen(path);
            int length = snprintf(path + used, PATH_MAX - used, "/%s" NAME, folder);
            if (used + (size_t)length < PATH_MAX && access(path, R_OK) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void fail_to_find(void)
{
    char folder[PATH_MAX];
    struct mb_error err;

    (void)mb_fail_in(&err, MB_IO, NAME,
                     "cannot be found: give run or attach its path with --agent");
    (void)cli_fail(&err);
    for (size_t i = 0; i < MB_COUNT(places); i++) {
        if (name_place(folder, places[i])) {
            (void)fprintf(stderr, "methodbeat: looked in %s\n", folder);
        }
    }
}

/* A build for one C library has no folder for the other. */
static bool find_for(char path[PATH_MAX], bool is_musl)
{
    return (is_musl && find_own(path, "musl/")) || find_own(path, "");
}

static char *find_file(const char *given, bool is_musl)
{
    char path[PATH_MAX];
    struct mb_error err;

    if (given == NULL && !find_for(path, is_musl)) {
        fail_to_find();
        return NULL;
    }
    char *found = realpath(given != NULL ? given : path, NULL);
    if (found == NULL) {
        (void)mb_fail_file(&err, given != NULL ? given : path, "cannot find");
        (void)cli_fail(&err);
    }
    return found;
}

char *cli_find_agent(const char *given, bool is_musl)
{
    static const char mark[] = ABI_AGENT_MARK MB_VERSION; /* with its NUL */
    char *path = find_file(given, is_musl);
    struct mb_buf bytes = {0};
    struct mb_error err;

    if (path == NULL) {
        return NULL;
    }
    enum mb_status status = mb_file_read(&bytes, path, &err);
    if (status == MB_OK &&
        !mb_text_contains((struct mb_text){(const char *)bytes.bytes, bytes.size},
                          (struct mb_text){mark, sizeof(mark)})) {
        status =
            mb_fail_in(&err, MB_UNSUPPORTED, path,
                       "the agent of methodbeat " MB_VERSION " is needed: this is another file, "
                       "or of another version");
    }
    mb_buf_finish(&bytes);
    if (status != MB_OK) {
        (void)cli_fail(&err);
        free(path);
        return NULL;
    }
    return path;
}

int cli_check_agent_options(const char *command, const struct proc_agent_options *options)
{
    struct mb_error err;

    if (options->focus != NULL && access(options->focus, F_OK) == 0 &&
        strchr(options->focus, '.') != NULL) {
        return cli_fail_usage(command, "--focus takes names of classes, and '%s' is a file",
                              options->focus);
    }
    if ((options->focus != NULL && strchr(options->focus, ',') != NULL) ||
        (options->blacklist != NULL && strchr(options->blacklist, ',') != NULL) ||
        (options->only != NULL && strchr(options->only, ',') != NULL)) {
        return cli_fail_usage(command, "names that probes are for take no comma: ':' stands "
                                       "between them");
    }
    if (options->blacklist == NULL || access(options->blacklist, R_OK) == 0) {
        return CLI_DONE;
    }
    (void)mb_fail_file(&err, options->blacklist, "cannot open");
    return cli_fail(&err);
}

/* ---- How far it is ---- */

#define LINES_NS (5 * MB_NS_PER_S)

static struct {
    const char *command;
    const char *doing;
    int64_t next_ns; /* of a line */
    int width;       /* of what is on the terminal */
} waiting;

void cli_wait_begin(const char *command, const char *doing)
{
    waiting.command = command;
    waiting.doing = doing;
    waiting.next_ns = LINES_NS;
}

void cli_wait_show(const struct proc_progress *progress)
{
    bool is_terminal = isatty(STDERR_FILENO) == 1;
    char classes[64] = "";

    if (progress->ns < (is_terminal ? MB_NS_PER_S : waiting.next_ns)) {
        return;
    }
    if (progress->all > 0) {
        (void)snprintf(classes, sizeof(classes), " %" PRIu64 " of %" PRIu64 " classes,",
                       progress->done, progress->all);
    }
    int width = fprintf(stderr, "%smethodbeat %s: %s,%s %d s%s", is_terminal ? "\r" : "",
                        waiting.command, waiting.doing, classes, (int)(progress->ns / MB_NS_PER_S),
                        is_terminal ? " " : "\n");
    waiting.width = is_terminal ? width : 0;
    waiting.next_ns = progress->ns + LINES_NS;
}

void cli_wait_end(void)
{
    if (waiting.width > 0) {
        (void)fprintf(stderr, "\r%*s\r", waiting.width, "");
    }
    waiting.width = 0;
}
