/* methodbeat instrument */

#include "base/file.h"
#include "base/interrupt.h"
#include "base/mapping.h"
#include "base/platform_system.h"
#include "cli/cli.h"
#include "cli/colour.h"
#include "cli/instrument_options.h"
#include "publish/publish.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More warnings are only in --json. */
#define PRINTED_WARNINGS 20

struct session {
    struct cli_instrument_options options;
    struct cli_progress progress;
    uint64_t warning_count;
};

static void show_warning(void *context, const struct mb_error *warning)
{
    struct session *session = context;

    cli_progress_clear(&session->progress);
    if (session->warning_count++ < PRINTED_WARNINGS) {
        cli_print_warning(warning);
    }
}

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    struct session *session = context;

    cli_progress_show(&session->progress, done, total);
}

static const char *plural_suffix(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static const char *class_suffix(uint64_t count)
{
    return count == 1 ? "" : "es";
}

static void put_counts(struct mb_buf *out, const struct cli_instrument_options *options,
                       const struct ins_counts *counts)
{
    mb_buf_printf(
        out,
        "traced %" PRIu64 " method%s in %" PRIu64 " of %" PRIu64 " class%s (%" PRIu64 " ignored)\n",
        counts->traced_methods, plural_suffix(counts->traced_methods), counts->changed_classes,
        counts->classes, class_suffix(counts->classes), counts->ignored_methods);
    if (counts->huge_methods > 0) {
        mb_buf_printf(out,
                      "%" PRIu64 " method%s stayed without probes, with which HotSpot would never "
                      "compile %s: over 8,000 bytes (--trace-huge)\n",
                      counts->huge_methods, plural_suffix(counts->huge_methods),
                      counts->huge_methods == 1 ? "it" : "them");
    }
    if (counts->instrumented_classes > 0) {
        mb_buf_printf(out, "%" PRIu64 " class%s came with probes and stayed as %s\n",
                      counts->instrumented_classes, class_suffix(counts->instrumented_classes),
                      counts->instrumented_classes == 1 ? "it was" : "they were");
    }
    if (counts->renamed_outputs > 0) {
        mb_buf_printf(out, "%" PRIu64 " output%s got a number, since inputs have equal names\n",
                      counts->renamed_outputs, plural_suffix(counts->renamed_outputs));
    }
    if (counts->unsigned_jars > 0) {
        mb_buf_printf(out, "%" PRIu64 " signed jar%s lost the signature: classes changed\n",
                      counts->unsigned_jars, plural_suffix(counts->unsigned_jars));
    }
    if (counts->unhashed_modules > 0) {
        mb_buf_printf(out, "%" PRIu64 " module%s lost hashes of others: classes changed\n",
                      counts->unhashed_modules, plural_suffix(counts->unhashed_modules));
    }
    if (counts->mapping_hash != 0) {
        mb_buf_printf(out, "method map %s has the hash %016" PRIx64 "\n", options->run.method_map,
                      counts->mapping_hash);
    }
    if (options->lacks_catch) {
        mb_buf_printf(out,
                      "probes are those of --exceptions=finally, since %s may have no c(int): "
                      "--exceptions=catch if it has\n",
                      options->run.beat_class);
    }
}

/* The next step, for a program whose one input is a jar, or whose inputs are jars. */
static void put_next_step(struct mb_buf *out, const struct cli_instrument_options *options)
{
    const struct ins_options *run = &options->run;
    bool are_jars = run->output_dir != NULL;

    for (size_t i = 0; i < run->inputs.count; i++) {
        are_jars = are_jars && mb_text_ends(mb_text_of(run->inputs.items[i]), MB_TEXT(".jar"));
    }
    if (are_jars && run->inputs.count == 1) {
        mb_buf_printf(out, "record it: methodbeat run java -jar %s/%s\n", run->output_dir,
                      mb_last_part(run->inputs.items[0]));
    } else if (are_jars) {
        mb_buf_printf(out, "record them: methodbeat run java -cp '%s/*' MAINCLASS\n",
                      run->output_dir);
    }
}

/* Without stdio, whose failure would turn the exit code into that of a run without outputs: they
 * are in place. */
static void print_counts(const struct cli_instrument_options *options,
                         const struct ins_counts *counts)
{
    struct mb_buf lines = {0};
    struct mb_error err;

    put_counts(&lines, options, counts);
    if (counts->renamed_outputs == 0 && counts->changed_classes > 0) {
        put_next_step(&lines, options);
    }
    if (mb_buf_check(&lines, &err) != MB_OK ||
        mb_file_write_all(STDOUT_FILENO, lines.bytes, lines.size, &err) != MB_OK) {
        mb_error_in_input(&err, "standard output");
        cli_print_warning(&err);
    }
    mb_buf_finish(&lines);
}

static void print_summary(const struct session *session, const struct ins_counts *counts)
{
    if (session->warning_count > PRINTED_WARNINGS) {
        (void)fprintf(stderr, "methodbeat: and %" PRIu64 " more warnings (all are in --json)\n",
                      session->warning_count - PRINTED_WARNINGS);
    }
    if (!session->options.is_quiet) {
        print_counts(&session->options, counts);
    }
}

/* In a signal handler: no more than system calls. */
static void die_of_cut_input(const char *path)
{
    mb_system_complain("methodbeat: ");
    mb_system_complain(path);
    mb_system_complain(": was cut off while it was read\n");
    pub_abandon();
    mb_system_quit(CLI_FAILED);
}

static int run_step(struct session *session, enum ins_step step, int argc, char **argv,
                    struct mb_arena *arena)
{
    struct ins_counts counts = {0};
    struct mb_error err;

    if (cli_expand_arguments(arena, &argc, &argv, &err) != MB_OK) {
        return cli_fail(&err);
    }
    int code = cli_parse_step(step, &session->options, arena, argc, argv);
    if (code != CLI_DONE) {
        return code;
    }
    session->options.run.context = session;
    session->options.run.warn = show_warning;
    session->options.run.progress = session->options.is_quiet ? NULL : show_progress;
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

int cli_run_step(enum ins_step step, int argc, char **argv)
{
    struct session session = {0};
    struct mb_arena arena = {0};

    /* Zip time stamps are local times: the same input gives the same bytes in any time zone. */
    if (!mb_time_use_utc()) {
        return cli_fail_memory();
    }
    int code = run_step(&session, step, argc, argv, &arena);
    mb_arena_finish(&arena);
    return code;
}

static int run_instrument(int argc, char **argv)
{
    return cli_run_step(INS_ALL, argc, argv);
}

const struct cli_command cli_instrument = {
    .name = "instrument",
    .summary = "put probes into classes",
    .usage = "usage: methodbeat instrument (-o DIR | --output-jar FILE) [OPTION...] INPUT...\n"
             "\n"
             "Put probes into the classes of jars, folders, class files, AARs, WARs and the jars\n"
             "inside them, and write methodMapping.txt and ignoreMethodMapping.txt. @FILE stands\n"
             "for the lines of FILE.\n",
    .notes = "Examples:\n"
             "  methodbeat instrument -o out app.jar lib/\n"
             "  methodbeat instrument --output-jar all.jar --blacklist slow.txt @inputs.txt\n",
    .run = run_instrument,
};

/* ---- collect and number: steps of it ---- */

static int run_collect(int argc, char **argv)
{
    return cli_run_step(INS_COLLECT, argc, argv);
}

const struct cli_command cli_collect = {
    .name = "collect",
    .summary = "list an input's methods by hash, for number",
    .usage = "usage: methodbeat collect -o NAMES [OPTION...] INPUT...\n"
             "\n"
             "The first of three steps that do the work of instrument, so that a build system can\n"
             "keep the result of each: write which methods of an input get probes, and what the\n"
             "rewriting of other inputs depends on. Equal classes give equal files.\n"
             "instrument has to get the same options.\n",
    .notes = "Example:\n"
             "  methodbeat collect -o app.names app.jar; methodbeat collect -o lib.names lib.jar\n"
             "  methodbeat number --ledger old.map --slices ids -o new.map app.names lib.names\n"
             "  methodbeat instrument --ids ids/app.names -o out/app app.jar\n",
    .run = run_collect,
};

static int run_number(int argc, char **argv)
{
    return cli_run_step(INS_NUMBER, argc, argv);
}

const struct cli_command cli_number = {
    .name = "number",
    .summary = "give ids to the methods that collect listed",
    .usage = "usage: methodbeat number -o MAP --slices DIR [OPTION...] NAMES...\n"
             "\n"
             "The second of three steps (methodbeat help collect): give each method of all inputs\n"
             "an id, and write for each of NAMES a slice of the same name, which changes only if\n"
             "something changes that the rewriting of its input depends on.\n",
    .run = run_number,
};
