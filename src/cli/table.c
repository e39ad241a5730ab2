/* The table of options, and how those of a kind of their own take their values. */

#include "cli/cli.h"
#include "cli/values.h"

#include <limits.h>
#include <string.h>

#define SECONDS_A_DAY 86400
#define MOST_SECONDS_AGO 86400000000
#define MOST_THRESHOLD_MS 1000000000

#ifndef MB_ONLY_COMMAND
static int cli_take_sort(const struct cli_parser *parser, const struct cli_option *option,
                         void *place, const char *argument)
{
    const struct live_sort **sort = place;
    char names[128] = "";

    for (size_t i = 0; i < live_sort_count; i++) {
        if (strcmp(argument, live_sorts[i].name) == 0) {
            *sort = &live_sorts[i];
            return CLI_DONE;
        }
        cli_put_alternative(names, sizeof(names), live_sorts[i].name, i + 1 == live_sort_count);
    }
    return cli_refuse(parser, option, argument, names);
}
#endif

static int cli_take_issues_format(const struct cli_parser *parser, const struct cli_option *option,
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

/* "10%", "p99:10%": struct cli_limits. */
static int cli_take_limit(const struct cli_parser *parser, const struct cli_option *option,
                          void *place, const char *argument)
{
    static const char *const prefixes[] = {[ANSWER_P50] = "p50:", [ANSWER_P99] = "p99:"};
    struct cli_limits *limits = place;

    for (size_t i = 0; i < MB_COUNT(prefixes); i++) {
        size_t size = strlen(prefixes[i]);
        if (strncmp(argument, prefixes[i], size) == 0) {
            return cli_take_percent(parser, option, &limits->shares[i], argument + size);
        }
    }
    return cli_take_percent(parser, option, &limits->run, argument);
}

#define CHOICES(...)                       \
    .choices = (const struct cli_choice[]) \
    {                                      \
        __VA_ARGS__,                       \
        {                                  \
            NULL, 0                        \
        }                                  \
    }
#define FROM(first, last) .least = (first), .most = (last)

const struct cli_option cli_options[] = {
#define CLI_OPTION(option, subcommands, kind, place, value, ...) \
    {.name = (option),                                           \
     .commands = (subcommands),                                  \
     .take = cli_take_##kind,                                    \
     .offset = offsetof(struct cli_values, place),               \
     .word = (value),                                            \
     .help = __VA_ARGS__},
#include "cli/options.def"
#undef CLI_OPTION
    {.name = NULL},
};
