#include "cli/options.h"

#include "answer/map.h"
#include "base/platform.h"
#include "base/text.h"
#include "cli/cli.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- The most likely meaning of a mistyped word ---- */

#define MAX_SIZE 31 /* longer than all our names */

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Computes the table of prefixes row by row, keeping the last two and the current one. */
static size_t count_edits(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][MAX_SIZE + 1] = {{0}};

    for (size_t j = 0; j <= b_size; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t changed = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least_of(changed, least_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least_of(row[j], rows[(i + 1) % 3][j - 2] + 1);
            }
        }
    }
    return rows[a_size % 3][b_size];
}

void cli_nearest_offer(struct cli_nearest *nearest, const char *name)
{
    size_t word_size = strlen(nearest->word);
    size_t name_size = strlen(name);

    if (word_size == 0 || word_size > MAX_SIZE || name_size > MAX_SIZE) {
        return;
    }
    bool is_start = strncmp(nearest->word, name, word_size) == 0;
    size_t edits = is_start ? 0 : count_edits(nearest->word, word_size, name, name_size);
    if (edits * 3 <= name_size && (nearest->best == NULL || edits < nearest->distance)) {
        nearest->best = name;
        nearest->distance = edits;
    }
}

/* ---- Options ---- */

#define MAX_OPTIONS 64
#define NAME_SIZE 64
#define LIST_SIZE 128
#define FIRST_CODE 256 /* getopt returns this plus the row's number, or the row's letter */

int cli_refuse(const struct cli_parser *parser, const struct cli_option *option,
               const char *argument, const char *wanted)
{
    return cli_fail_usage(parser->command, "--%s cannot be '%s': it is %s", option->name, argument,
                          wanted);
}

void cli_put_alternative(char *text, size_t size, const char *name, bool is_last)
{
    size_t used = strlen(text);

    (void)snprintf(text + used, size - used, "%s%s",
                   used == 0 ? ""
                   : is_last ? " or "
                             : ", ",
                   name);
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
    return argument[0] != '\0' ? CLI_DONE : cli_refuse(parser, option, argument, "not empty");
}

int cli_take_map(const struct cli_parser *parser, const struct cli_option *option, void *place,
                 const char *argument)
{
    struct answer_map_place *map = place;
    struct mb_error err;
    struct mb_file_info info;
    bool is_there = mb_file_look(NULL, argument, &info);
    bool is_list =
        is_there ? info.type == MB_FILE_FOLDER : strchr(argument, mb_path_separator) != NULL;

    if (!is_there && errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG) {
        (void)mb_fail_file(&err, argument, "cannot stat");
        return cli_fail(&err);
    }
    return cli_take_text(parser, option, is_list ? &map->folders : &map->file, argument);
}

static const struct cli_choice *find_choice(const struct cli_option *option, struct mb_text name)
{
    const struct cli_choice *choice = option->choices;

    while (choice->name != NULL && !mb_text_is(name, choice->name)) {
        choice++;
    }
    return choice->name != NULL ? choice : NULL;
}

static int refuse_choice(const struct cli_parser *parser, const struct cli_option *option,
                         const char *argument)
{
    char list[LIST_SIZE] = "";

    for (const struct cli_choice *choice = option->choices; choice->name != NULL; choice++) {
        cli_put_alternative(list, sizeof(list), choice->name, choice[1].name == NULL);
    }
    return cli_refuse(parser, option, argument, list);
}

int cli_take_choice(const struct cli_parser *parser, const struct cli_option *option, void *place,
                    const char *argument)
{
    const struct cli_choice *choice = find_choice(option, mb_text_of(argument));

    if (choice == NULL) {
        return refuse_choice(parser, option, argument);
    }
    memcpy(place, &choice->value, sizeof(choice->value)); /* enums are as large */
    return CLI_DONE;
}

int cli_take_choices(const struct cli_parser *parser, const struct cli_option *option, void *place,
                     const char *argument)
{
    struct mb_text rest = mb_text_of(argument);

    do {
        const struct cli_choice *choice = find_choice(option, mb_text_split(&rest, ','));
        if (choice == NULL) {
            return refuse_choice(parser, option, argument);
        }
        *(unsigned *)place |= (unsigned)choice->value;
    } while (rest.size > 0);
    return CLI_DONE;
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

int cli_take_percent(const struct cli_parser *parser, const struct cli_option *option, void *place,
                     const char *argument)
{
    struct mb_text text = mb_text_of(argument);

    text.size -= mb_text_ends(text, MB_TEXT("%"));
    return mb_text_to_number(text, option->most, place)
               ? CLI_DONE
               : cli_fail_usage(parser->command,
                                "--%s is whole percents, 0%% to %" PRIu64 "%%, not '%s'",
                                option->name, option->most, argument);
}

int cli_take_seconds(const struct cli_parser *parser, const struct cli_option *option, void *place,
                     const char *argument)
{
    static const struct {
        char unit;
        uint64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    struct mb_text text = mb_text_of(argument);
    uint64_t factor = 1;
    uint64_t *seconds = place;

    for (size_t i = 0; i < MB_COUNT(units) && text.size > 1; i++) {
        if (argument[text.size - 1] == units[i].unit) {
            factor = units[i].seconds;
            text.size--;
            break;
        }
    }
    bool is_number = mb_text_to_number(text, option->most / factor, seconds);
    *seconds *= factor;
    return is_number && *seconds >= option->least
               ? CLI_DONE
               : cli_fail_usage(
                     parser->command,
                     "--%s is a number of seconds, as 90, 90s, 5m, 1h or 2d, from %" PRIu64
                     " to %" PRIu64 ", not '%s'",
                     option->name, option->least, option->most, argument);
}

const struct cli_option *cli_next_option(const char *command, const struct cli_option *option)
{
    for (; option->name != NULL && option->commands != NULL; option++) {
        struct mb_text rest = mb_text_of(option->commands);
        while (rest.size > 0) {
            struct mb_text name = mb_text_split(&rest, ',');
            if (mb_text_is(mb_text_trim(name), command)) {
                return option;
            }
        }
    }
    return option;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): the name of a variable takes none */
#define FOR_EACH_OPTION(option, parser)                                                           \
    for (const struct cli_option *option = cli_next_option((parser)->command, (parser)->options); \
         option->name != NULL; option = cli_next_option((parser)->command, option + 1))
/* NOLINTEND(bugprone-macro-parentheses) */

static const struct cli_option *find_option(const struct cli_parser *parser, int code)
{
    FOR_EACH_OPTION(option, parser)
    {
        if (code == FIRST_CODE + (int)(option - parser->options) ||
            (code == option->letter && code != '\0')) {
            return option;
        }
    }
    return NULL;
}

/* The arguments of getopt; its letters start with the plus that makes it stop at operands, and the
 * colon that reports a missing argument separately. */
static void describe_options(const struct cli_parser *parser, struct option *names, char *letters)
{
    size_t count = 0;

    *letters = '+';
    letters += parser->stops_at_operand;
    *letters++ = ':';
    FOR_EACH_OPTION(option, parser)
    {
        bool is_flag = option->take == cli_take_flag;
        assert(count + 1 < MAX_OPTIONS);
        names[count++] = (struct option){
            .name = option->name,
            .has_arg = is_flag                     ? no_argument
                       : option->otherwise != NULL ? optional_argument
                                                   : required_argument,
            .val = FIRST_CODE + (int)(option - parser->options),
        };
        if (option->letter != '\0') {
            *letters++ = option->letter;
            *letters = ':';
            letters += !is_flag;
        }
    }
    *letters = '\0';
}

/* The name goes up to a '='. It may be what an option with a list of values takes. */
static int fail_name(const struct cli_parser *parser, const char *argument)
{
    char name[NAME_SIZE];
    size_t size = strcspn(argument + 2, "=");
    struct cli_nearest nearest = {.word = name};

    (void)snprintf(name, sizeof(name), "%.*s", size < sizeof(name) ? (int)size : 0, argument + 2);
    FOR_EACH_OPTION(option, parser)
    {
        if (option->take == cli_take_choices && find_choice(option, mb_text_of(name)) != NULL) {
            return cli_fail_usage(parser->command, "there is no option %s: use --%s=%s", argument,
                                  option->name, name);
        }
        cli_nearest_offer(&nearest, option->name);
    }
    return nearest.best != NULL
               ? cli_fail_usage(parser->command, "there is no option %s: did you mean --%s?",
                                argument, nearest.best)
               : cli_fail_usage(parser->command, "there is no option %s", argument);
}

/* getopt gave ':' or '?', and in optopt the option, the unknown letter, or 0 for an unknown
 * name: then it was all of the last argument. */
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
    return fail_name(parser, last);
}

int cli_take_options(const struct cli_parser *parser, int argc, char **argv)
{
    struct option names[MAX_OPTIONS] = {0};
    char letters[2 * MAX_OPTIONS + 3];
    int code;

    describe_options(parser, names, letters);
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
        bool is_wrong = code == ':' || code == '?';
        const struct cli_option *option = find_option(parser, is_wrong ? optopt : code);
        if (option == NULL || is_wrong) {
            return fail_option(parser, option, code, argv[optind - 1]);
        }
        const char *argument = optarg != NULL ? optarg : option->otherwise;
        int result =
            option->take(parser, option, (char *)parser->values + option->offset, argument);
        if (result != CLI_DONE) {
            return result;
        }
    }
    return parser->operand == NULL || argc - optind == 1
               ? CLI_DONE
               : cli_fail_usage(parser->command, "one %s is needed", parser->operand);
}
