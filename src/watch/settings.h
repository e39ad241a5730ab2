/* What was set, for the next start. */

#ifndef WATCH_SETTINGS_H
#define WATCH_SETTINGS_H

#include "monitor/options.h"

#include <stdbool.h>

/* The defaults, the environment over them, and what was set by hand over that. Under a lock of who
 * calls. */
const struct mon_options *watch_settings_get(void);

/* False, with a line in the log, if there is no such option or it takes no such value. */
bool watch_settings_set(const char *name, const char *value);

/* It may change while the monitors run. */
bool watch_settings_is_live(const char *name);

#endif
