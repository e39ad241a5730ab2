/* The statements that make files of a lake from checked rows. */

#ifndef FLEET_LOAD_SQL_H
#define FLEET_LOAD_SQL_H

#include "fleet/lake.h"

#include <stdint.h>

/* Days as "YYYY-MM-DD", in order. The last statement answers with the number of rows kept, a
 * column a table. */
void fleet_put_load(struct mb_buf *sql, const struct fleet_lake *lake, const char (*days)[11],
                    size_t count);

#endif
