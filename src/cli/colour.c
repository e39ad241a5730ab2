#include "cli/colour.h"

#include "base/platform_system.h"

#include <stdlib.h>
#include <unistd.h>

#define LEAST_COLUMNS 80

static bool terminal_has_colours(void)
{
    const char *refused = getenv("NO_COLOR"); /* an empty value has no effect */

    return (refused == NULL || refused[0] == '\0') && mb_terminal_has_colours(STDOUT_FILENO);
}

bool cli_wants_colour(enum cli_colour colour)
{
    return colour == CLI_COLOUR_ALWAYS || (colour == CLI_COLOUR_AUTO && terminal_has_colours());
}

size_t cli_columns(void)
{
    unsigned columns = mb_terminal_columns(STDOUT_FILENO);

    return columns > LEAST_COLUMNS ? columns : LEAST_COLUMNS;
}
