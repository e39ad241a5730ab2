#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

/* Room for every blank of an error and what stands between them. */
#define LINE_SIZE (sizeof(struct mb_error) + 64)

static void print_line(const char *kind, const struct mb_error *err)
{
    char line[LINE_SIZE];

    (void)fflush(stdout);
    (void)fprintf(stderr, "methodbeat: %s%s\n", kind, mb_error_format(err, line, sizeof(line)));
}

void cli_print_error(const struct mb_error *err)
{
    print_line("", err);
}

void cli_print_warning(const struct mb_error *err)
{
    print_line("warning: ", err);
}

int cli_fail(const struct mb_error *err)
{
    cli_print_error(err);
    return err->status == MB_BAD_USAGE ? CLI_USAGE : CLI_FAILED;
}

int cli_fail_memory(void)
{
    struct mb_error err;

    (void)mb_fail_memory(&err);
    return cli_fail(&err);
}

int cli_fail_usage(const char *command, const char *format, ...)
{
    const char *gap = command != NULL ? " " : "";
    va_list args;

    command = command != NULL ? command : "";
    (void)fflush(stdout);
    (void)fprintf(stderr, "methodbeat%s%s: ", gap, command);
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fprintf(stderr, "\nTry 'methodbeat help%s%s'.\n", gap, command);
    return CLI_USAGE;
}
