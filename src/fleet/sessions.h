/* Sums of a session, as the monitors write them, as rows. */

#ifndef FLEET_SESSIONS_H
#define FLEET_SESSIONS_H

#include "fleet/rows.h"

bool fleet_is_session(const struct mb_value *object);

/* Writes one session row, and a bucket or count row for each that the object lists. */
enum issues_verdict fleet_take_session(struct fleet_rows *rows, const struct mb_value *object);

#endif
