#include "cli/run_map.h"

#include "abi/methodmap.h"
#include "base/check.h"
#include "base/path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The map in a folder, of which size bytes count; "" is the working directory. */
static char *map_in(const char *folder, size_t size)
{
    size_t room = size + sizeof("/" ABI_METHODMAP_NAME);
    char *path = malloc(room);

    if (path == NULL) {
        return NULL;
    }
    (void)snprintf(path, room, "%.*s%s" ABI_METHODMAP_NAME, (int)size, folder, size > 0 ? "/" : "");
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

typedef char *search_fn(struct cli_run_launch *launch, const char *path);

static char *map_near(struct cli_run_launch *launch, const char *path)
{
    char *map = map_in(path, strlen(path));

    (void)launch;
    return map != NULL ? map : map_in(path, parent_size(path, strlen(path)));
}

/* Output that was written as a folder, or moved into one later, has the map further up. */
static char *map_above(struct cli_run_launch *launch, const char *path)
{
    const char *whole;
    char *map = NULL;

    if (mb_path_resolve(path, &launch->arena, &whole, NULL) != MB_OK) {
        return NULL;
    }
    for (size_t size = strlen(whole); map == NULL && size > 1;) {
        size = parent_size(whole, size);
        map = map_in(whole, size);
    }
    return map;
}

static char *search_parts(struct cli_run_launch *launch, search_fn *find)
{
    const struct mb_buf *const lists[] = {&launch->classes, &launch->modules};
    char *map = NULL;

    for (size_t l = 0; l < MB_COUNT(lists); l++) {
        const char *path;
        for (size_t i = 0; map == NULL && (path = cli_run_item(lists[l], i)) != NULL; i++) {
            map = find(launch, path);
        }
    }
    return map == NULL && launch->script != NULL ? find(launch, launch->script) : map;
}

char *cli_run_map(struct cli_run_launch *launch)
{
    char *map = search_parts(launch, map_near);

    return map != NULL ? map : search_parts(launch, map_above);
}
