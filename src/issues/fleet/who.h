/* Who wrote an object: the members of "app" as columns. */

#ifndef ISSUES_FLEET_WHO_H
#define ISSUES_FLEET_WHO_H

#include "issues/fleet/columns.h"

/* Of a schema that this build reads. */
bool fleet_is_understood(const struct mb_value *object);

/* Put the columns of FLEET_WHO that an object "app", or NULL, tells. */
void fleet_take_app(const struct fleet_columns *columns, const struct mb_value *app);

/* The class of the device, by "app" or, in files of earlier versions, by the object around it. */
void fleet_take_class(const struct fleet_columns *columns, const struct mb_value *app,
                      const struct mb_value *object);

#endif
