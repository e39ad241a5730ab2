#include "cli/options.h"

#include "base/text.h"
#include "cli/cli.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define MAX_OPTIONS 64
#define FIRST_CODE 256 /* getopt returns this plus the row's number, or the row's letter */

int cli_refuse(const struct cli_parser *parser, const struct cli_option *option,
               const char *argument)
{
    return cli_fail_usage(parser->command, "--%s cannot be '%s'", option->name, argument);
}

int cli_take_flag(const struct cli_parser *parser, const struct cli_option *option, void *place,
                  const char *argument)
{
    (void)parser;
    (void)option;
    (void)argument;
    *(bool *)place = true;
    return CLI_DONE;
}

int cli_take_text(const struct cli_parser *parser, const struct cli_option *option, void *place,
                  const char *argument)
{
    *(const char **)place = argument;
    return argument[0] != '\0' ? CLI_DONE : cli_refuse(parser, option, argument);
}

int cli_take_choice(const struct cli_parser *parser, const struct cli_option *option, void *place,
                    const char *argument)
{
    for (const struct cli_choice *choice = option->choices; choice->name != NULL; choice++) {
        if (strcmp(choice->name, argument) == 0) {
            memcpy(place, &choice->value, sizeof(choice->value)); /* enums are as large */
            return CLI_DONE;
        }
    }
    return cli_refuse(parser, option, argument);
}

int cli_take_number(const struct cli_parser *parser, const struct cli_option *option, void *place,
                    const char *argument)
{
    uint64_t *number = place;

    if (!mb_text_to_number(mb_text_of(argument), option->most, number) || *number < option->least) {
        return cli_fail_usage(parser->command,
                              "--%s is a number from %" PRIu64 " to %" PRIu64 ", not '%s'",
                              option->name, option->least, option->most, argument);
    }
    return CLI_DONE;
}

static const struct cli_option *find_option(const struct cli_option *options, size_t count,
                                            int code)
{
    for (size_t i = 0; i < count; i++) {
        if (code == FIRST_CODE + (int)i || (code == options[i].letter && code != '\0')) {
            return &options[i];
        }
    }
    return NULL;
}

/* What getopt wants to know; letters start with the colon that tells a missing argument apart. */
static void describe(const struct cli_option *options, size_t count, struct option *names,
                     char *letters)
{
    *letters++ = ':';
    for (size_t i = 0; i < count; i++) {
        bool is_flag = options[i].take == cli_take_flag;
        names[i] = (struct option){
            .name = options[i].name,
            .has_arg = is_flag ? no_argument : required_argument,
            .val = FIRST_CODE + (int)i,
        };
        if (options[i].letter != '\0') {
            *letters++ = options[i].letter;
            *letters = ':';
            letters += !is_flag;
        }
    }
    *letters = '\0';
}

/* getopt gave ':' or '?', and in optopt the option, the letter that is none, or 0 for a name that is
 * none: then it was all of the last argument. */
static int fail_option(const struct cli_parser *parser, const struct cli_option *option, int code,
                       const char *last)
{
    if (option != NULL) {
        return cli_fail_usage(parser->command, "--%s %s argument", option->name,
                              code == ':' ? "needs an" : "takes no");
    }
    if (optopt != 0) {
        return cli_fail_usage(parser->command, "there is no option -%c", optopt);
    }
    return cli_fail_usage(parser->command, "there is no option %s", last);
}

int cli_take_options(const struct cli_parser *parser, const struct cli_option *options,
                     size_t count, int argc, char **argv)
{
    struct option names[MAX_OPTIONS] = {0};
    char letters[2 * MAX_OPTIONS + 2];
    int code;

    assert(count < MAX_OPTIONS);
    describe(options, count, names, letters);
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
        bool is_wrong = code == ':' || code == '?';
        const struct cli_option *option = find_option(options, count, is_wrong ? optopt : code);
        if (option == NULL || is_wrong) {
            return fail_option(parser, option, code, argv[optind - 1]);
        }
        int result = option->take(parser, option, (char *)parser->values + option->offset, optarg);
        if (result != CLI_DONE) {
            return result;
        }
    }
    return CLI_DONE;
}
