#include "cli/cli.h"

#include "base/text.h"
#include "rules/builds.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* Room for all fields of an error and their separators. */
#define LINE_SIZE (sizeof(struct mb_error) + 64)

#define MESSAGE_SIZE 1024 /* of a wrong command line; a longer argument is cut */

static int output_error;

static void keep_output_error(void)
{
    if (output_error == 0) {
        output_error = errno;
    }
}

void cli_put_output(const void *bytes, size_t size)
{
    if (size > 0 && fwrite(bytes, 1, size, stdout) != size) {
        keep_output_error();
    }
}

void cli_flush_output(void)
{
    if (fflush(stdout) != 0) {
        keep_output_error();
    }
}

int cli_output_error(void)
{
    return output_error;
}

/* On standard error and without memory; as mb_buf_put_printable. */
static void put_printable(const char *terminated)
{
    struct mb_text text = mb_text_of(terminated);

    while (text.size > 0) {
        size_t size = mb_text_printable(text);
        (void)fwrite(text.data, 1, size, stderr);
        if (size < text.size) {
            (void)fprintf(stderr, "\\x%02x", (unsigned)(unsigned char)text.data[size++]);
        }
        text.data += size;
        text.size -= size;
    }
}

static void print_line(const char *kind, const struct mb_error *err)
{
    char line[LINE_SIZE];

    cli_flush_output();
    (void)fprintf(stderr, "methodbeat: %s", kind);
    put_printable(mb_error_format(err, line, sizeof(line)));
    (void)fputc('\n', stderr);
}

void cli_print_error(const struct mb_error *err)
{
    print_line("", err);
}

void cli_print_warning(const struct mb_error *err)
{
    print_line("warning: ", err);
}

void cli_print_warnings(const struct mb_error *errors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cli_print_warning(&errors[i]);
    }
}

void cli_end_builds(struct rule_builds *builds)
{
    size_t count;
    const struct mb_error *faults = rule_builds_faults(builds, &count);

    cli_print_warnings(faults, count);
    rule_builds_finish(builds);
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
    char message[MESSAGE_SIZE];
    va_list args;

    command = command != NULL ? command : "";
    cli_flush_output();
    (void)fprintf(stderr, "methodbeat%s%s: ", gap, command);
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    put_printable(message);
    (void)fprintf(stderr, "\nTry 'methodbeat help%s%s'.\n", gap, command);
    return CLI_USAGE;
}
