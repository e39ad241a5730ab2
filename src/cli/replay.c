/* methodbeat replay */

#include "replay/replay.h"

#include "base/clock.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "monitor/issue.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTING_COUNT 64u

struct arguments {
    int json; /* as a choice gives it */
    struct replay_setting settings[SETTING_COUNT];
    size_t setting_count;
    struct mb_buf names[SETTING_COUNT]; /* of the settings: copies up to the '=' */
};

static const struct cli_choice formats[] = {{"text", false}, {"json", true}, {NULL, 0}};

/* name=value, checked here so that the log's line is not blamed for it. */
static int take_setting(const struct cli_parser *parser, const struct cli_option *option,
                        void *place, const char *argument)
{
    struct arguments *arguments = parser->values;
    const char *value = strchr(argument, '=');
    struct mon_options scratch;

    (void)place;
    if (value == NULL || arguments->setting_count == SETTING_COUNT) {
        return cli_refuse(parser, option, argument, "NAME=VALUE, at most 64 times");
    }
    struct mb_buf *name = &arguments->names[arguments->setting_count];
    mb_buf_put(name, argument, (size_t)(value - argument));
    mb_buf_put_u1(name, '\0');
    if (name->failed) {
        return cli_fail_memory();
    }
    mon_options_init(&scratch);
    if (!mon_options_set(&scratch, (const char *)name->bytes, value + 1)) {
        const char *instead = mon_option_gone((const char *)name->bytes);
        return cli_refuse(parser, option, argument,
                          instead != NULL ? instead
                                          : "a setting of the monitors with a value that it takes");
    }
    arguments->settings[arguments->setting_count++] =
        (struct replay_setting){(const char *)name->bytes, value + 1};
    return CLI_DONE;
}

static const struct cli_option rows[] = {
    {.name = "set", .take = take_setting, .offset = offsetof(struct arguments, settings)},
    {.name = "format",
     .take = cli_take_choice,
     .offset = offsetof(struct arguments, json),
     .choices = formats},
};

static int parse_replay(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {
        .command = "replay", .options = rows, .count = MB_COUNT(rows), .values = arguments};
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    return argc > optind ? CLI_DONE : cli_fail_usage("replay", "an event log is needed");
}

/* ---- Printing ---- */

struct printing {
    bool is_json;
    struct mb_buf out;
};

static void put_seconds(struct mb_buf *out, const char *before, int64_t ns)
{
    uint64_t ms = (uint64_t)(ns < 0 ? -ns : ns) / MB_NS_PER_MS;

    mb_buf_printf(out, "%s%s%" PRIu64 ".%03" PRIu64 " s", before, ns < 0 ? "-" : "", ms / 1000,
                  ms % 1000);
}

/* The name that explains the issue best. */
static struct mb_text find_reason(const struct mon_issue *issue, const struct mon_names *names)
{
    if (issue->hottest != NULL && issue->hottest->frames != NULL) {
        return mon_name(names, issue->hottest->frames->names[0]);
    }
    return mon_name(names, issue->report != NULL ? issue->report->key : issue->span.message);
}

static void put_issue_text(struct mb_buf *out, const struct mon_issue *issue,
                           const struct mon_names *names)
{
    struct mb_text detail = mon_issue_detail(issue, names);

    mb_buf_put_printable(out, detail);
    mb_buf_printf(out, "%*s", detail.size < 6 ? (int)(6 - detail.size) : 0, "");
    if (issue->exit == NULL) {
        put_seconds(out, " ", issue->span.watched_ns);
        put_seconds(out, ", from ", issue->span.begin_ns);
    }
    mb_buf_printf(out, ", loop %" PRIu32 ", %s", issue->span.loop, mon_ended_name(issue->ended));
    if (find_reason(issue, names).size > 0) {
        mb_buf_put_string(out, ": ");
        mb_buf_put_printable(out, find_reason(issue, names));
    }
    mb_buf_put_u1(out, '\n');
}

static void print_issue(void *context, const struct mon_issue *issue, const struct mon_names *names,
                        const struct mon_options *options)
{
    struct printing *printing = context;

    if (printing->is_json) {
        mon_issue_put(&printing->out, issue, names, options, NULL);
        mb_buf_put_u1(&printing->out, '\n');
    } else {
        put_issue_text(&printing->out, issue, names);
    }
}

static enum mb_status replay_file(struct replay *replay, const char *path, struct mb_error *err)
{
    struct mb_buf bytes = {0};
    enum mb_status status = mb_file_read(&bytes, path, err);

    if (status == MB_OK) {
        status =
            replay_text(replay, (struct mb_text){(const char *)bytes.bytes, bytes.size}, path, err);
    }
    mb_buf_finish(&bytes);
    return status;
}

static enum mb_status replay_files(const struct arguments *arguments, char **paths,
                                   struct mb_error *err)
{
    struct printing printing = {.is_json = arguments->json != 0};
    const struct replay_visitor visitor = {.issue = print_issue, .context = &printing};
    struct replay *replay = replay_create(&visitor, arguments->settings, arguments->setting_count);
    enum mb_status status = replay != NULL ? MB_OK : mb_fail_memory(err);

    for (; status == MB_OK && *paths != NULL; paths++) {
        status = replay_file(replay, *paths, err);
    }
    if (status == MB_OK) {
        status = mb_buf_check(&printing.out, err);
    }
    if (!printing.out.failed) {
        cli_put_output(printing.out.bytes, printing.out.size);
    }
    mb_buf_finish(&printing.out);
    replay_destroy(replay);
    return status;
}

static int run_replay(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct mb_error err;
    int code = parse_replay(&arguments, argc, argv);

    if (code == CLI_DONE && replay_files(&arguments, argv + optind, &err) != MB_OK) {
        code = cli_fail(&err);
    }
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        mb_buf_finish(&arguments.names[i]);
    }
    return code;
}

const struct cli_command cli_replay = {
    .name = "replay",
    .summary = "re-run the monitor rules over an event log",
    .usage =
        "usage: methodbeat replay [OPTION...] LOG...\n"
        "\n"
        "Run the monitor rules over an event log and print the resulting issues, byte for byte\n"
        "the same each time. Name the files of one log in order.\n"
        "\n"
        "      --set NAME=VALUE  override a setting of the monitors; the man page lists them\n"
        "      --format FORMAT   text (default), or json: one issue per line\n",
    .run = run_replay,
};
