#include "cli/cache.h"
#include "cli/cli.h"

#include <string.h>

static const char *const left_out[] = {
#ifdef MB_ONLY_COMMAND
#undef CLI_RECORDING
#define CLI_RECORDING(name) #name,
#define CLI_COMMAND(name)
#include "cli/commands.def"
#endif
    NULL};

bool cli_is_left_out(const char *name)
{
    size_t i = 0;

    while (left_out[i] != NULL && strcmp(left_out[i], name) != 0) {
        i++;
    }
    return left_out[i] != NULL;
}

#ifdef MB_ONLY_COMMAND
bool cli_cache_last(char path[PATH_MAX])
{
    path[0] = '\0';
    return false;
}
#endif
