/* What is in folders, in the order of names. */

#ifndef FLEET_FOLDER_H
#define FLEET_FOLDER_H

#include "base/error.h"

#include <stdbool.h>

#define FLEET_PATH_SIZE 4096

/* MB_IO by errno, naming the path. */
MB_MUST_CHECK enum mb_status fleet_fail_at(const char *path, struct mb_error *err);

/* path is name in its folder. */
typedef enum mb_status fleet_take(void *context, const char *path, const char *name,
                                  struct mb_error *err);

/* Take each entry but "." and ".." whose name is selected, until one fails; select may be NULL. An
 * absent folder holds nothing; an error names the folder. */
MB_MUST_CHECK enum mb_status fleet_folder_each(const char *folder, bool (*select)(const char *name),
                                               fleet_take *take, void *context,
                                               struct mb_error *err);

#endif
