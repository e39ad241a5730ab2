#include "cli/run_messages.h"

#include "abi/methodmap.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/run_parts.h"

#include <stdio.h>
#include <string.h>

#define MOST_PARTS 8u /* that are named */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+,:@=-"

/* A word of a shell's, and of a terminal's: quoted where need be, and no option. */
static void put_shell_word(struct mb_buf *out, const char *word)
{
    struct mb_text text = mb_text_of(word);
    bool is_plain = text.size > 0 && strspn(word, PLAIN) == text.size;
    bool is_printable = mb_text_printable(text) == text.size;

    mb_buf_put_string(out, word[0] == '-' ? "./" : "");
    if (is_plain) {
        mb_buf_put_string(out, word);
        return;
    }
    mb_buf_put_string(out, is_printable ? "'" : "$'");
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)word[i];
        if (is_printable && c == '\'') {
            mb_buf_put_string(out, "'\\''");
        } else if (is_printable || (c > ' ' && c < 0x7F && c != '\'' && c != '\\')) {
            mb_buf_put_u1(out, c);
        } else {
            mb_buf_printf(out, "\\x%02x", c);
        }
    }
    mb_buf_put_string(out, "'");
}

void cli_run_print_report(const char *path)
{
    struct mb_buf line = {0};

    mb_buf_put_string(&line, "\nmethodbeat report ");
    put_shell_word(&line, path);
    mb_buf_put_string(&line, "\n");
    if (line.failed) {
        (void)cli_fail_memory();
    } else {
        cli_put_output(line.bytes, line.size);
    }
    mb_buf_finish(&line);
}

/* ---- The inputs ---- */

/* Part number index, of both paths. */
static const char *part_at(const struct cli_run_launch *launch, size_t index)
{
    size_t count = launch->classes.size / sizeof(char *);

    return index < count ? cli_run_item(&launch->classes, index)
                         : cli_run_item(&launch->modules, index - count);
}

/* The command that puts probes there. */
static void put_command(struct mb_buf *out, const struct cli_run_launch *launch)
{
    const char *part;

    mb_buf_put_string(out, "`methodbeat instrument --output out");
    for (size_t i = 0; i < MOST_PARTS && (part = part_at(launch, i)) != NULL; i++) {
        mb_buf_put_string(out, " ");
        put_shell_word(out, part);
    }
    mb_buf_put_string(out, part_at(launch, 0) == NULL            ? " JAR...`"
                           : part_at(launch, MOST_PARTS) != NULL ? " ...`"
                                                                 : "`");
}

/* The program that is started, by its first part. */
static void put_program(struct mb_buf *out, const struct cli_run_launch *launch)
{
    const char *part = part_at(launch, 0);
    const char *name = part != NULL ? part : launch->script;

    if (name != NULL && strcmp(name, ".") != 0) {
        put_shell_word(out, name);
    } else {
        mb_buf_put_string(out, part != NULL ? "the working folder" : "the program");
    }
    mb_buf_put_string(out, part_at(launch, 1) != NULL ? " and the other parts" : "");
}

static void print_line(struct mb_buf *line)
{
    mb_buf_put_string(line, "\n");
    if (!line->failed) {
        (void)fwrite(line->bytes, 1, line->size, stderr);
    }
    mb_buf_finish(line);
}

void cli_run_warn_missing_map(const struct cli_run_launch *launch)
{
    struct mb_buf line = {0};

    mb_buf_put_string(&line, "methodbeat run: no " ABI_METHODMAP_NAME " lies in, beside or above ");
    put_program(&line, launch);
    mb_buf_put_string(&line, ": without --method-map the report has no names; ");
    put_command(&line, launch);
    mb_buf_put_string(&line, " makes it, and puts probes in");
    print_line(&line);
}

void cli_run_warn_delegation(void)
{
    (void)fputs(
        "methodbeat run: the framework's org.osgi.framework.bootdelegation needs \"methodbeat\" "
        "added, or bundles with probes fail\n",
        stderr);
}

void cli_run_explain_nothing(const struct cli_run_launch *launch)
{
    enum cli_run_probes probes = cli_run_probes(launch);
    struct mb_buf line = {0};

    mb_buf_put_string(&line, "methodbeat run: nothing was recorded: ");
    if (probes == CLI_RUN_HAS_PROBES) {
        put_program(&line, launch);
        mb_buf_put_string(&line, " has probes, but the program called none of them");
    } else {
        mb_buf_put_string(&line, probes == CLI_RUN_NO_PROBES ? "" : "if ");
        put_program(&line, launch);
        mb_buf_put_string(&line,
                          part_at(launch, 1) != NULL ? " have no probes, " : " has no probes, ");
        put_command(&line, launch);
        mb_buf_put_string(&line, " adds them; then run the output in out");
    }
    print_line(&line);
}
