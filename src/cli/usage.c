/* What --help of each command prints. */

#include "base/text.h"
#include "cli/cli.h"
#include "cli/values.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 26 /* where the lines of help begin */
#define LAST_COLUMN 80

/* The words of the text, in lines that begin at the column; the first is begun. */
static void put_wrapped(struct mb_buf *out, const char *text)
{
    struct mb_text rest = mb_text_of(text);
    size_t column = HELP_COLUMN;

    while (rest.size > 0) {
        struct mb_text word = mb_text_split(&rest, ' ');
        if (column > HELP_COLUMN && column + 1 + word.size > LAST_COLUMN) {
            mb_buf_printf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        mb_buf_printf(out, "%s%.*s", column > HELP_COLUMN ? " " : "", (int)word.size, word.data);
        column += word.size + (column > HELP_COLUMN);
    }
    mb_buf_put_string(out, "\n");
}

static void put_value(struct mb_buf *out, const struct cli_option *option)
{
    if (option->otherwise != NULL) {
        mb_buf_printf(out, "[=%s]", option->word);
    } else if (option->word[0] != '\0') {
        mb_buf_printf(out, " %s", option->word);
    }
    for (size_t i = 0; option->word[0] == '\0' && option->choices != NULL; i++) {
        if (option->choices[i].name == NULL) {
            break;
        }
        mb_buf_printf(out, "%c%s", i == 0 ? ' ' : '|', option->choices[i].name);
    }
}

/* The help of what began at this size of the text; what does not fit before the column has a line
 * of its own. */
static void put_help(struct mb_buf *out, size_t start, const char *help)
{
    size_t width = out->size - start;
    bool fits = width + 2 <= HELP_COLUMN;

    mb_buf_printf(out, "%s%*s", fits ? "" : "\n", (int)(HELP_COLUMN - (fits ? width : 0)), "");
    put_wrapped(out, help);
}

void cli_put_item(struct mb_buf *out, const char *name, const char *text)
{
    size_t start = out->size;

    mb_buf_printf(out, "  %s", name);
    put_help(out, start, text);
}

static void put_option(struct mb_buf *out, const struct cli_option *option)
{
    size_t start = out->size;

    if (option->letter != '\0') {
        mb_buf_printf(out, "  -%c, --%s", option->letter, option->name);
    } else {
        mb_buf_printf(out, "      --%s", option->name);
    }
    put_value(out, option);
    put_help(out, start, option->help);
}

void cli_put_options(struct mb_buf *out, const char *command)
{
    const struct cli_option *option = cli_next_option(command, cli_options);

    while (option->name != NULL) {
        if (option->group != NULL) {
            mb_buf_printf(out, "\n%s:\n", option->group);
        }
        put_option(out, option);
        option = cli_next_option(command, option + 1);
    }
}

/* The last word of its name. */
static const char *part_name(const struct cli_command *part)
{
    return strrchr(part->name, ' ') + 1;
}

const struct cli_command *cli_find_part(const struct cli_command *command, const char *name)
{
    for (size_t i = 0; command->parts != NULL && command->parts[i] != NULL; i++) {
        if (strcmp(part_name(command->parts[i]), name) == 0) {
            return command->parts[i];
        }
    }
    return NULL;
}

static void put_parts(struct mb_buf *out, const struct cli_command *command)
{
    mb_buf_put_string(out, command->parts != NULL ? "\nCommands:\n" : "");
    for (size_t i = 0; command->parts != NULL && command->parts[i] != NULL; i++) {
        const struct cli_command *part = command->parts[i];
        mb_buf_printf(out, "  %-12s %s\n", part_name(part), part->summary);
    }
}

int cli_print_option(const struct cli_command *command, const char *name)
{
    const struct cli_option *option = cli_next_option(command->name, cli_options);
    size_t dashes = strspn(name, "-");
    struct mb_buf out = {0};

    while (option->name != NULL && strcmp(option->name, name + dashes) != 0) {
        option = cli_next_option(command->name, option + 1);
    }
    if (option->name == NULL) {
        return cli_fail_usage(command->name, "there is no option %s", name);
    }
    put_option(&out, option);
    int code = out.failed ? cli_fail_memory() : CLI_DONE;
    cli_put_output(out.bytes, out.size);
    mb_buf_finish(&out);
    return code;
}

int cli_print_help(const struct cli_command *command)
{
    struct mb_buf out = {0};
    const struct cli_option *first = cli_next_option(command->name, cli_options);

    mb_buf_put_string(&out, command->usage);
    mb_buf_put_string(&out, first->name != NULL && first->group == NULL ? "\n" : "");
    cli_put_options(&out, command->name);
    put_parts(&out, command);
    if (command->put_list != NULL) {
        mb_buf_put_u1(&out, '\n');
        command->put_list(&out);
    }
    if (command->notes != NULL) {
        mb_buf_printf(&out, "\n%s", command->notes);
    }
    int code = out.failed ? cli_fail_memory() : CLI_DONE;
    cli_put_output(out.bytes, out.size);
    mb_buf_finish(&out);
    return code;
}
