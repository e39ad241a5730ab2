/* What the commands below fleet share that make rows of issues. */

#ifndef CLI_FLEET_H
#define CLI_FLEET_H

#include "cli/values.h"
#include "issues/fleet/rows.h"

/* Names for issues of these inputs, up to a NULL, by --method-map and --mapping. End it also after
 * a failure. */
MB_MUST_CHECK enum mb_status cli_fleet_begin(struct fleet_rows *rows, struct cli_values *given,
                                             const char *const *paths, struct mb_error *err);

/* Tells what was refused, and which builds were missing. */
void cli_fleet_end(struct fleet_rows *rows, struct cli_values *given);

#endif
