#include "cli/progress.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <stdio.h>

TestSuite(progress, .init = cr_redirect_stderr);

static void expect_drawn(const char *text)
{
    (void)fflush(stderr);
    cr_assert_stderr_eq_str(text);
}

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
    expect_drawn("\r[##############################          ]  75%"
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
    expect_drawn("end");
}
