#include "base/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

const char mb_path_nothing[] = "/dev/null";
const char mb_path_separator = ':';
const bool mb_path_has_devices = false;

void mb_path_accept(char *path)
{
    (void)path;
}

size_t mb_path_root_size(const char *path)
{
    return path[0] == '/' ? 1 : 0;
}

char *mb_path_real(const char *path)
{
    return realpath(path, NULL);
}

char *mb_path_working(void)
{
    return realpath(".", NULL);
}
