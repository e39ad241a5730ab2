#include "cli/run_map.h"

#include "base/check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "methodMapping.txt"

/* What java's paths of classes stand behind; those with two dashes also after '='. */
static const char *const options[] = {"-jar",         "-cp", "-classpath",
                                      "--class-path", "-p",  "--module-path"};

/* Of size bytes of folder, "" being where we are. */
static char *map_in(const char *folder, size_t size)
{
    size_t room = size + sizeof("/" NAME);
    char *path = malloc(room);

    if (path == NULL) {
        return NULL;
    }
    (void)snprintf(path, room, "%.*s%s" NAME, (int)size, folder, size > 0 ? "/" : "");
    if (access(path, R_OK) == 0) {
        return path;
    }
    free(path);
    return NULL;
}

static size_t parent_size(const char *path, size_t size)
{
    while (size > 0 && path[size - 1] == '/') {
        size--;
    }
    while (size > 0 && path[size - 1] != '/') {
        size--;
    }
    return size > 1 ? size - 1 : size;
}

/* In or beside the parts of a path. */
static char *map_of_path(const char *path)
{
    char *map = NULL;

    while (map == NULL && *path != '\0') {
        size_t size = strcspn(path, ":");
        map = size > 0 ? map_in(path, size) : NULL;
        map = map == NULL ? map_in(path, parent_size(path, size)) : map;
        path += size + (path[size] == ':');
    }
    return map;
}

/* What stands behind the option, in the word or in the next (which may be NULL); NULL: it is none. */
static const char *path_behind(const char *word, const char *next)
{
    for (size_t i = 0; i < MB_COUNT(options); i++) {
        size_t size = strlen(options[i]);
        if (strcmp(word, options[i]) == 0) {
            return next;
        }
        if (options[i][1] == '-' && strncmp(word, options[i], size) == 0 && word[size] == '=') {
            return word + size + 1;
        }
    }
    return NULL;
}

char *cli_run_map(char **command)
{
    char *map = NULL;

    for (; map == NULL && command[0] != NULL; command++) {
        const char *path = path_behind(command[0], command[1]);
        map = path != NULL ? map_of_path(path) : NULL;
    }
    return map;
}
