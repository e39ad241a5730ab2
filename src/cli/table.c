/* The table of options, and how those of a kind of their own take their values. */

#include "cli/cli.h"
#include "cli/values.h"

#include <limits.h>
#include <string.h>

#define SECONDS_A_DAY 86400
#define MOST_SECONDS_AGO 86400000000
#define MOST_THRESHOLD_MS 1000000000

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
    if (strchr(argument, ':') != NULL) {
        return cli_fail_usage(parser->command, "--%s is N%%, p50:N%% or p99:N%%, not '%s'",
                              option->name, argument);
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
