#include "cli/cli.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <errno.h>
#include <stdio.h>

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
    cr_expect(eq(int, cli_fail_usage("dump", "no %s", "\xc2\x9binput"), CLI_USAGE));
    cr_expect(eq(int, cli_fail_usage(NULL, "nothing"), CLI_USAGE));
    expect_said("methodbeat: in\\x0aput: @ 0x7: a reason with \\x1b[2J\n"
                "methodbeat: out of memory\n"
                "methodbeat dump: no \\xc2\\x9binput\nTry 'methodbeat help dump'.\n"
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
