#include "cli/cli.h"
#include "cli/commit.h"

const char cli_version[] = "methodbeat " MB_VERSION " (" MB_COMMIT ", " MB_TARGET ")";
