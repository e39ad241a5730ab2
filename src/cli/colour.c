#include "cli/colour.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_COLUMNS 80

const struct cli_choice cli_colours[] = {
    {"auto", CLI_COLOUR_AUTO},
    {"always", CLI_COLOUR_ALWAYS},
    {"never", CLI_COLOUR_NEVER},
    {NULL, 0},
};

static bool terminal_has_colours(void)
{
    const char *refused = getenv("NO_COLOR"); /* an empty value has no effect */
    const char *terminal = getenv("TERM");

    return (refused == NULL || refused[0] == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0 && isatty(STDOUT_FILENO) == 1;
}

bool cli_wants_colour(enum cli_colour colour)
{
    return colour == CLI_COLOUR_ALWAYS || (colour == CLI_COLOUR_AUTO && terminal_has_colours());
}

size_t cli_columns(void)
{
    struct winsize size = {0};
    bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;

    return is_known && size.ws_col > LEAST_COLUMNS ? size.ws_col : LEAST_COLUMNS;
}
