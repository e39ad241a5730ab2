/* The settings for the next start. */

#ifndef WATCH_SETTINGS_H
#define WATCH_SETTINGS_H

#include "monitor/options.h"

#include <stdbool.h>

/* Defaults, overridden by the environment, overridden by watch_settings_set. The caller holds a
 * lock. */
const struct mon_options *watch_settings_get(void);

/* False, with a line in the log, if the name is unknown or the value invalid. */
bool watch_settings_set(const char *name, const char *value);

/* The setting may change while the monitors run. */
bool watch_settings_is_live(const char *name);

#endif
