/* methodbeat issues */

#include "base/number.h"
#include "cli/cli.h"
#include "cli/colour.h"
#include "cli/values.h"
#include "issues/fleet/unpacker.h"
#include "issues/output.h"
#include "issues/retrace.h"

#include <getopt.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_TOP 10

struct arguments {
    struct cli_values given;
    struct issues_map_source source;
    struct issues_filter filter;
};

static int parse_issues(struct arguments *arguments, int argc, char **argv)
{
    struct cli_values *given = &arguments->given;
    const struct cli_parser parser = {"issues", cli_options, given, .operand = NULL};
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    arguments->filter.details = given->issues.details;
    if (given->seconds > 0) {
        arguments->filter.since_ms =
            mb_max_i64(((int64_t)time(NULL) - (int64_t)given->seconds) * 1000, 1);
    }
    arguments->source = (struct issues_map_source){given->source.map, &given->mapping,
                                                   (const char *const *)(argv + optind)};
    return argc > optind ? CLI_DONE : cli_fail_usage("issues", "a spool or a file is needed");
}

static enum mb_status read_all(struct issues_collection *all,
                               const struct issues_map_source *source, struct mb_error *err)
{
    for (const char *const *path = source->paths; *path != NULL; path++) {
        MB_TRY(issues_read(all, *path, err));
    }
    MB_TRY(issues_unite(all, err));
    return issues_retrace(all, source->mapping, err);
}

static enum mb_status print_issues(const struct arguments *arguments, struct issues_collection *all,
                                   struct issues_names *names, struct mb_error *err)
{
    struct issues_groups groups = {0};
    const struct issues_page page = {.all = all,
                                     .groups = &groups,
                                     .names = names,
                                     .top = (size_t)arguments->given.top,
                                     .colour = cli_wants_colour(false),
                                     .columns = isatty(STDOUT_FILENO) == 1 ? cli_columns() : 0};
    struct mb_buf out = {0};
    enum mb_status status =
        issues_group(&groups, all, names, (enum issues_grouping)arguments->given.issues.grouping,
                     &arguments->filter, err);

    if (status == MB_OK) {
        issues_format_at((size_t)arguments->given.issues.format)->put(&page, &out);
        status = mb_buf_check(&out, err);
    }
    if (status == MB_OK) {
        cli_put_output(out.bytes, out.size);
    }
    mb_buf_finish(&out);
    issues_groups_finish(&groups);
    return status;
}

static int show_issues(const struct arguments *arguments, struct issues_collection *all)
{
    struct mb_error err;
    struct issues_names *names = issues_names_create(&arguments->source, &err);
    int code = CLI_DONE;
    size_t damage_count;

    if (names == NULL || read_all(all, &arguments->source, &err) != MB_OK ||
        print_issues(arguments, all, names, &err) != MB_OK) {
        code = cli_fail(&err);
    } else if (all->missing_count > 0 || (arguments->given.is_strict && all->damage_count > 0)) {
        code = CLI_FAILED;
    }
    const struct mb_error *damage = issues_damage(all, &damage_count);
    cli_print_warnings(damage, damage_count);
    issues_names_destroy(names);
    return code;
}

static int run_issues(int argc, char **argv)
{
    struct arguments arguments = {.given.top = DEFAULT_TOP};
    struct issues_collection all;
    int code = parse_issues(&arguments, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (!issues_collection_init(&all)) {
        return cli_fail_memory();
    }
    all.unpacker = &fleet_unpacker;
    code = show_issues(&arguments, &all);
    cli_end_builds(&arguments.given.mapping);
    issues_collection_finish(&all);
    return code;
}

const struct cli_command cli_issues = {
    .name = "issues",
    .summary = "group the stalls that the monitors found, worst first",
    .usage =
        "usage: methodbeat issues [OPTION...] SPOOL|FILE...\n"
        "\n"
        "Group the stalls that the monitors of running programs reported, most expensive first:\n"
        "how often, where and how long. Inputs are folders with all issues below them, files, or\n"
        "- for standard input. Issues of Matrix's TraceCanary are read too, also from log lines.\n",
    .notes = "example: methodbeat issues --since 1d /var/spool/app\n",
    .run = run_issues,
};
