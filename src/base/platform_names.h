/* Which names of files every system takes. */

#ifndef BASE_PLATFORM_NAMES_H
#define BASE_PLATFORM_NAMES_H

#include "base/text.h"

/* Whether Windows takes a part of a path for a device: CON, NUL, COM1 and others, in any case, and
 * with any extension. */
bool mb_name_is_device(struct mb_text name);

/* Whether files can have this name on every system: no device, no character that Windows keeps for
 * itself, neither a dot nor a space at the end, and UTF-8. */
bool mb_name_is_portable(struct mb_text name);

#endif
