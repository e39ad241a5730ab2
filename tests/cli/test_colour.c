#include "cli/colour.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

/* Standard output is no terminal here; test_report.py has one. */
Test(colour, a_word_goes_before_what_is_found_out)
{
    cr_assert(eq(int, setenv("TERM", "xterm", 1), 0));
    cr_assert(eq(int, setenv("NO_COLOR", "1", 1), 0));
    cr_expect(cli_wants_colour(CLI_COLOUR_ALWAYS));
    cr_expect(not(cli_wants_colour(CLI_COLOUR_NEVER)));
    cr_expect(not(cli_wants_colour(CLI_COLOUR_AUTO)));
}

Test(colour, lines_have_80_columns_at_least)
{
    cr_expect(ge(sz, cli_columns(), 80));
}
