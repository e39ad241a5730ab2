#include "issues/fleet/schema.h"

/* All columns in one list, in which the name of each table stands before its own. */
#define FLEET_TABLE(table, keys, worst, order) AT_##table,
#define FLEET_COLUMN(table, name, type) AT_##table##_##name,
enum {
#include "issues/fleet/tables.def"
    AT_END
};
#undef FLEET_TABLE
#undef FLEET_COLUMN
#undef FLEET_WHO

#define FLEET_TABLE(table, keys, worst, order) {MB_TEXT_ROW(#table), FLEET_TEXT},
#define FLEET_COLUMN(table, name, type) {MB_TEXT_ROW(#name), FLEET_##type},
static const struct fleet_column all_columns[] = {
#include "issues/fleet/tables.def"
};
#undef FLEET_TABLE
#undef FLEET_COLUMN
#undef FLEET_WHO

#define ROW(table, next)                                         \
    {                                                            \
        .name = #table, .columns = &all_columns[AT_##table + 1], \
        .count = AT_##next - AT_##table - 1                      \
    }

const struct fleet_schema fleet_schemas[FLEET_TABLE_COUNT] = {
    ROW(issues, sessions), ROW(sessions, sums), ROW(sums, counts),   ROW(counts, profiles),
    ROW(profiles, nodes),  ROW(nodes, paths),   ROW(paths, methods), ROW(methods, END),
};
