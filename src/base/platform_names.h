/* Which names of files every system takes. */

#ifndef BASE_PLATFORM_NAMES_H
#define BASE_PLATFORM_NAMES_H

#include "base/error.h"
#include "base/text.h"

/* True if files can have this name on every system: no device, no character that Windows keeps for
 * itself, neither a dot nor a space at the end, and UTF-8. */
bool mb_name_is_portable(struct mb_text name);

/* On Windows, MB_IO that names input and path unless each part of the path is such a name. */
MB_MUST_CHECK enum mb_status mb_name_check_path(const char *input, struct mb_text path,
                                                struct mb_error *err);

#endif
