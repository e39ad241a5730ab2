/* What a command prints, and to whom. */

#include "cli/cli.h"
#include "cli/colour.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Colours ---- */

/* Standard output is no terminal here; test_report.py has one. */
Test(colour, a_word_goes_before_what_is_found_out)
{
    cr_assert(eq(int, setenv("TERM", "xterm", 1), 0));
    cr_assert(eq(int, setenv("NO_COLOR", "", 1), 0));
    cr_assert(eq(int, setenv("CLICOLOR_FORCE", "", 1), 0));
    cr_expect(not(cli_wants_colour(false)));
    cr_assert(eq(int, setenv("CLICOLOR_FORCE", "1", 1), 0));
    cr_expect(cli_wants_colour(false));
    cr_expect(cli_wants_colour(true));
    cr_assert(eq(int, setenv("NO_COLOR", "1", 1), 0));
    cr_expect(not(cli_wants_colour(false)));
}

Test(colour, lines_have_80_columns_at_least)
{
    cr_expect(ge(sz, cli_columns(), 80));
}

/* ---- Messages ---- */

TestSuite(print, .init = cr_redirect_stderr);

static struct mb_error make_error(enum mb_status status)
{
    struct mb_error err;

    (void)mb_fail(&err, status, 7, "a reason with \x1b[2J");
    mb_error_in_input(&err, "in\nput");
    return err;
}

static void expect_said(const char *text)
{
    (void)fflush(stderr);
    cr_assert_stderr_eq_str(text);
}

Test(print, errors_are_a_line_without_control_characters)
{
    const struct mb_error err = make_error(MB_IO);

    cr_expect(eq(int, cli_fail(&err), CLI_FAILED));
    expect_said("methodbeat: in\\x0aput: @ 0x7: a reason with \\x1b[2J\n");
}

Test(print, warnings_say_so)
{
    const struct mb_error err = make_error(MB_IO);

    cli_print_warning(&err);
    expect_said("methodbeat: warning: in\\x0aput: @ 0x7: a reason with \\x1b[2J\n");
}

Test(print, wrong_usage_has_its_own_code)
{
    const struct mb_error err = make_error(MB_BAD_USAGE);

    cr_expect(eq(int, cli_fail(&err), CLI_USAGE));
    cr_expect(eq(int, cli_fail_memory(), CLI_FAILED));
    cr_expect(eq(int, cli_fail_usage("issues", "no %s", "\xc2\x9binput"), CLI_USAGE));
    cr_expect(eq(int, cli_fail_usage(NULL, "nothing"), CLI_USAGE));
    expect_said("methodbeat: in\\x0aput: @ 0x7: a reason with \\x1b[2J\n"
                "methodbeat: out of memory\n"
                "methodbeat issues: no \\xc2\\x9binput\nTry 'methodbeat help issues'.\n"
                "methodbeat: nothing\nTry 'methodbeat help'.\n");
}

/* A page fits into the stream's buffer; more is written at once, and what failed must not be
 * forgotten. */
Test(print, why_standard_output_failed_is_kept)
{
    static const char large[100000];

    cr_assert(ne(ptr, freopen("/dev/full", "w", stdout), NULL));
    cr_expect(eq(int, cli_output_error(), 0));
    cli_put_output(large, sizeof(large));
    errno = EINTR;
    cli_put_output(large, 1);
    cli_flush_output();
    cr_expect(eq(int, cli_output_error(), ENOSPC));
}

Test(print, nothing_to_print_is_no_failure)
{
    cli_put_output(NULL, 0);
    cli_flush_output();
    cr_expect(eq(int, cli_output_error(), 0));
}

/* ---- The progress bar ---- */

TestSuite(progress, .init = cr_redirect_stderr);

Test(progress, is_drawn_when_its_time_has_come)
{
    struct cli_progress progress = {.is_terminal = true}; /* its time came long ago */

    cli_progress_show(&progress, 3, 4);
    cr_expect(progress.is_shown);
    cli_progress_show(&progress, 4, 4); /* within a tenth of a second */
    progress.next_ns = 0;
    cli_progress_show(&progress, 9, 4);
    cli_progress_clear(&progress);
    cli_progress_clear(&progress);
    expect_said("\r[##############################          ]  75%"
                "\r[########################################] 100%"
                "\r                                                \r");
}

Test(progress, is_not_drawn_for_files_nor_at_once)
{
    struct cli_progress piped = {.is_terminal = false};
    struct cli_progress young;

    cli_progress_show(&piped, 1, 2);
    cli_progress_init(&young);
    cr_expect(not(young.is_terminal));
    young.is_terminal = true;
    cli_progress_show(&young, 1, 2);
    young.next_ns = 0;
    cli_progress_show(&young, 0, 0);
    cr_expect(not(young.is_shown));
    cli_progress_clear(&young);
    (void)fputs("end", stderr);
    expect_said("end");
}
