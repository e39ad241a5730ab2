#include "cli/format.h"

#include "base/platform.h"
#include "base/platform_process.h"
#include "base/text.h"
#include "cli/cli.h"

#include <stdlib.h>
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

/* ---- Showing a page ---- */

#define TRACE_EXTENSION ".mbtrace"
#define PAGE_EXTENSION ".html"

char *cli_page_path(const char *trace)
{
    size_t size = strlen(trace);
    size_t extension = strlen(TRACE_EXTENSION);
    char *path = malloc(size + sizeof(PAGE_EXTENSION));

    if (path == NULL) {
        return NULL;
    }
    if (size > extension && strcmp(trace + size - extension, TRACE_EXTENSION) == 0 &&
        trace[size - extension - 1] != '/') {
        size -= extension;
    }
    memcpy(path, trace, size);
    memcpy(path + size, PAGE_EXTENSION, sizeof(PAGE_EXTENSION));
    return path;
}

int cli_show_page(const char *path)
{
    struct mb_buf shown = {0};
    struct mb_buf place = {0};
    char *absolute = mb_path_real(path);

    mb_buf_put_string(&shown, "page: ");
    mb_buf_put_printable(&shown, mb_text_of(absolute != NULL ? absolute : path));
    free(absolute);
    mb_buf_put_u1(&shown, '\n');
    mb_buf_put_string(&place, path[0] == '-' ? "./" : ""); /* no option */
    mb_buf_put_string(&place, path);
    mb_buf_put_u1(&place, '\0');
    int code = CLI_DONE;
    if (shown.failed || place.failed) {
        code = cli_fail_memory();
    } else {
        struct mb_error err;
        cli_put_output(shown.bytes, shown.size);
        cli_flush_output();
        enum mb_status status = mb_show_page((const char *)place.bytes, &code, &err);
        if (status != MB_OK) {
            cli_print_error(&err);
        }
        code = status == MB_OK && code == 0 ? CLI_DONE : CLI_FAILED;
    }
    mb_buf_finish(&shown);
    mb_buf_finish(&place);
    return code;
}
