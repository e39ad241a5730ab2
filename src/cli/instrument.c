/* methodbeat instrument */

#include "base/mapping.h"
#include "base/publish.h"
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/instrument_options.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* More warnings are only in --json. */
#define PRINTED_WARNINGS 20

struct session {
    struct cli_instrument_options options;
    struct cli_progress progress;
    uint64_t warning_count;
};

static void warn(void *context, const struct mb_error *warning)
{
    struct session *session = context;

    cli_progress_clear(&session->progress);
    if (session->warning_count++ < PRINTED_WARNINGS) {
        cli_print_warning(warning);
    }
}

static void progress(void *context, uint64_t done, uint64_t total)
{
    struct session *session = context;

    cli_progress_show(&session->progress, done, total);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_summary(const struct session *session, const struct ins_counts *counts)
{
    if (session->warning_count > PRINTED_WARNINGS) {
        (void)fprintf(stderr, "methodbeat: and %" PRIu64 " more warnings (all are in --json)\n",
                      session->warning_count - PRINTED_WARNINGS);
    }
    if (session->options.is_quiet) {
        return;
    }
    (void)printf("traced %" PRIu64 " method%s in %" PRIu64 " of %" PRIu64 " class%s (%" PRIu64
                 " ignored)\n",
                 counts->traced_methods, plural(counts->traced_methods), counts->changed_classes,
                 counts->classes, counts->classes == 1 ? "" : "es", counts->ignored_methods);
}

/* In a signal handler: no more than system calls. The janitor tidies up. */
static void die_of_cut_input(const char *path)
{
    const char *const parts[] = {"methodbeat: ", path, ": was cut off while it was read\n"};

    for (size_t i = 0; i < MB_COUNT(parts); i++) {
        if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0) {
            break;
        }
    }
    _exit(CLI_FAILED);
}

static int instrument(struct session *session, int argc, char **argv, struct mb_arena *arena)
{
    struct ins_counts counts = {0};
    struct mb_error err;

    if (cli_expand_arguments(arena, &argc, &argv, &err) != MB_OK) {
        return cli_fail(&err);
    }
    int code = cli_parse_instrument(&session->options, arena, argc, argv);
    if (code != CLI_DONE) {
        return code;
    }
    session->options.run.context = session;
    session->options.run.warn = warn;
    session->options.run.progress = session->options.is_quiet ? NULL : progress;
    cli_progress_init(&session->progress);
    mb_interrupt_catch();
    mb_mapping_catch(die_of_cut_input);
    enum mb_status status = ins_instrument(&session->options.run, &counts, &err);
    cli_progress_clear(&session->progress);
    if (status != MB_OK) {
        return cli_fail(&err);
    }
    print_summary(session, &counts);
    return CLI_DONE;
}

static int run(int argc, char **argv)
{
    struct session session = {0};
    struct mb_arena arena = {0};
    int code = instrument(&session, argc, argv, &arena);

    mb_arena_finish(&arena);
    return code;
}

const struct cli_command cli_instrument = {
    .name = "instrument",
    .summary = "put probes into classes",
    .usage = cli_instrument_usage,
    .run = run,
};
