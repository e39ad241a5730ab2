#include "cli/format.h"

#include "base/platform.h"
#include "base/text.h"
#include "cli/cli.h"

#include <string.h>

static int refuse_format(const struct cli_parser *parser, const struct cli_option *option,
                         const char *argument)
{
    const char *reason = format_why_missing(argument);
    char list[256] = "";

    if (reason != NULL) {
        return cli_fail_usage(parser->command, "--format %s: %s", argument, reason);
    }
    for (size_t i = 0; format_at(i) != NULL; i++) {
        cli_put_alternative(list, sizeof(list), format_at(i)->name, format_at(i + 1) == NULL);
    }
    return cli_refuse(parser, option, argument, list);
}

int cli_take_format(const struct cli_parser *parser, const struct cli_option *option, void *place,
                    const char *argument)
{
    const struct format *format = format_find(argument);

    *(const struct format **)place = format;
    return format != NULL ? CLI_DONE : refuse_format(parser, option, argument);
}

bool cli_is_folder(const char *path)
{
    struct mb_file_info info;

    return mb_file_look(NULL, path, &info) && info.type == MB_FILE_FOLDER;
}

/* A file named page.htm is not meant to hold text. */
static int refuse_extension(const char *path)
{
    char list[256] = "";

    for (size_t i = 0; format_at(i) != NULL; i++) {
        cli_put_alternative(list, sizeof(list), format_at(i)->extension, format_at(i + 1) == NULL);
    }
    return cli_fail_usage(
        "report", "no format has the extension of '%s': give --format, or one of %s", path, list);
}

static bool has_extension(const char *path)
{
    const char *name = mb_last_part(path);

    return *name != '\0' && strchr(name + 1, '.') != NULL;
}

int cli_find_format(const char *path, const struct format **format)
{
    *format = path != NULL ? format_find_extension(path) : NULL;
    if (*format != NULL) {
        return CLI_DONE;
    }
    *format = &format_text;
    return path != NULL && has_extension(path) && !cli_is_folder(path) ? refuse_extension(path)
                                                                       : CLI_DONE;
}
