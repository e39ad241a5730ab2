/* Days of receipt, as texts. */

#ifndef ISSUES_FLEET_DAY_H
#define ISSUES_FLEET_DAY_H

#include <stdbool.h>
#include <stdint.h>

typedef char fleet_day[11]; /* YYYY-MM-DD */

/* The day that is count days before another. */
void fleet_day_before(fleet_day before, const char *day, int count);

/* False for one that is not in the calendar, or more than two days ahead of this clock. */
bool fleet_is_day(const char *text);

/* Of an upload: by the innermost folder in its path that names one, day=YYYY-MM-DD, up to two days
 * ahead of this clock, else that of its last change, in ns since 1970. */
void fleet_find_day(fleet_day day, const char *path, int64_t changed_ns);

#endif
