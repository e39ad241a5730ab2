#include "fleet/folder.h"

#include "base/platform_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum mb_status fleet_fail_at(const char *path, struct mb_error *err)
{
    return mb_fail_in(err, MB_IO, path, "%s", strerror(errno));
}

static enum mb_status take_one(const char *folder, const char *name, fleet_take *take,
                               void *context, struct mb_error *err)
{
    char path[FLEET_PATH_SIZE];
    int size = snprintf(path, sizeof(path), "%s/%s", folder, name);

    return size < (int)sizeof(path) ? take(context, path, name, err)
                                    : mb_fail_in(err, MB_IO, folder, "a path in it is too long");
}

enum mb_status fleet_folder_each(const char *folder, bool (*select)(const char *name),
                                 fleet_take *take, void *context, struct mb_error *err)
{
    struct mb_names names;
    enum mb_status status = MB_OK;

    if (!mb_names_list(&names, folder, select)) {
        return errno == ENOENT ? MB_OK : fleet_fail_at(folder, err);
    }
    for (size_t i = 0; status == MB_OK && i < names.count; i++) {
        status = take_one(folder, names.items[i], take, context, err);
    }
    mb_names_finish(&names);
    return status;
}
