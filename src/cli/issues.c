/* methodbeat issues */

#include "base/number.h"
#include "cli/cli.h"
#include "cli/colour.h"
#include "cli/options.h"
#include "issues/output.h"
#include "issues/retrace.h"

#include <getopt.h>
#include <time.h>

#define DEFAULT_TOP 10
#define MOST_SECONDS 86400000000

struct arguments {
    struct issues_map_source source;
    struct issues_filter filter;
    int grouping; /* enum issues_grouping, as a choice gives it */
    const struct issues_format *format;
    enum cli_colour colour;
    uint64_t top;
    uint64_t since_s; /* so long ago; 0: at any time */
    bool is_wide;
    bool is_strict;
};

static const struct cli_choice groupings[] = {
    {"key", ISSUES_BY_KEY}, {"detail", ISSUES_BY_DETAIL}, {"scene", ISSUES_BY_SCENE},
    {"app", ISSUES_BY_APP}, {"day", ISSUES_BY_DAY},       {NULL, 0}};

static int take_format(const struct cli_parser *parser, const struct cli_option *option,
                       void *place, const char *argument)
{
    char list[64] = "";

    for (size_t i = 0; issues_format_at(i) != NULL; i++) {
        const struct issues_format *format = issues_format_at(i);
        if (strcmp(format->name, argument) == 0) {
            *(const struct issues_format **)place = format;
            return CLI_DONE;
        }
        cli_put_alternative(list, sizeof(list), format->name, issues_format_at(i + 1) == NULL);
    }
    return cli_refuse(parser, option, argument, list);
}

#define PLACE(field) offsetof(struct arguments, field)

static const struct cli_option rows[] = {
    {.name = "method-map", .take = cli_take_map, .offset = PLACE(source.map)},
    {.name = "mapping", .take = cli_take_text, .offset = PLACE(source.mapping)},
    {.name = "group", .take = cli_take_choice, .offset = PLACE(grouping), .choices = groupings},
    {.name = "detail", .take = cli_take_text, .offset = PLACE(filter.details)},
    {.name = "since",
     .take = cli_take_seconds,
     .offset = PLACE(since_s),
     .least = 1,
     .most = MOST_SECONDS},
    {.name = "top", .take = cli_take_number, .offset = PLACE(top), .most = INT32_MAX},
    {.name = "format", .take = take_format, .offset = PLACE(format)},
    {.name = "wide", .take = cli_take_flag, .offset = PLACE(is_wide)},
    {.name = "color", .take = cli_take_choice, .offset = PLACE(colour), .choices = cli_colours},
    {.name = "strict", .take = cli_take_flag, .offset = PLACE(is_strict)},
};

static int parse_issues(struct arguments *arguments, int argc, char **argv)
{
    const struct cli_parser parser = {"issues", rows, MB_COUNT(rows), arguments, .operand = NULL};
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (arguments->since_s > 0) {
        arguments->filter.since_ms =
            mb_max_i64(((int64_t)time(NULL) - (int64_t)arguments->since_s) * 1000, 1);
    }
    arguments->source.paths = (const char *const *)(argv + optind);
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
                                     .top = (size_t)arguments->top,
                                     .colour = cli_wants_colour(arguments->colour),
                                     .columns = arguments->is_wide ? 0 : cli_columns()};
    struct mb_buf out = {0};
    enum mb_status status = issues_group(
        &groups, all, names, (enum issues_grouping)arguments->grouping, &arguments->filter, err);

    if (status == MB_OK) {
        arguments->format->put(&page, &out);
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
    } else if (all->missing_count > 0 || (arguments->is_strict && all->damage_count > 0)) {
        code = CLI_FAILED;
    }
    const struct mb_error *damage = issues_damage(all, &damage_count);
    cli_print_warnings(damage, damage_count);
    issues_names_destroy(names);
    return code;
}

static int run_issues(int argc, char **argv)
{
    struct arguments arguments = {.format = &issues_text, .top = DEFAULT_TOP};
    struct issues_collection all;
    int code = parse_issues(&arguments, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (!issues_collection_init(&all)) {
        return cli_fail_memory();
    }
    code = show_issues(&arguments, &all);
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
        "- for standard input. Issues of Matrix's TraceCanary are read too, also from log lines.\n"
        "\n"
        "      --method-map PATH  methodMapping.txt of the program, or folders to search for\n"
        "                         the map with the hash that the issues name, separated by\n"
        "                         colons; default: beside the inputs\n"
        "      --mapping FILE     restore original names: mapping.txt of ProGuard or R8\n"
        "      --group BY         key (default): the method that explains the issue; detail,\n"
        "                         scene, app, day\n"
        "      --detail LIST      only these: NORMAL, LAG, ANR, HANG, OFTEN, CPU, FPS and others\n"
        "      --since AGE        only the last 30m, 12h, 2d\n"
        "      --top N            number of groups, default 10\n"
        "      --format FORMAT    text (default), json, csv\n"
        "      --wide             print names in full, whatever the terminal\n"
        "      --color WHEN       auto (default: on a terminal, unless NO_COLOR is set),\n"
        "                         always or never\n"
        "      --strict           exit with 1 if any input or issue is unreadable\n"
        "\n"
        "example: methodbeat issues --since 1d /var/spool/app\n",
    .run = run_issues,
};
