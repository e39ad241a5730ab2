/* Preloaded, it cuts the file $METHODBEAT_CUT to nothing when the first staging folder is made:
 * inputs are open then, and their data is yet to be copied. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *mkdtemp(char *pattern)
{
    if (truncate(getenv("METHODBEAT_CUT"), 0) != 0) {
        perror("truncate");
    }
    memcpy(pattern + strlen(pattern) - 6, "folder", 6);
    return mkdir(pattern, 0700) == 0 ? pattern : NULL;
}
