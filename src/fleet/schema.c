#include "fleet/schema.h"

/* All columns in one list, in which the name of each table stands before its own. */
#define FLEET_TABLE(table) AT_##table,
#define FLEET_COLUMN(table, name, type) AT_##table##_##name,
enum {
#include "fleet/tables.def"
    AT_END
};
#undef FLEET_TABLE
#undef FLEET_COLUMN
#undef FLEET_WHO

#define FLEET_TABLE(table) {MB_TEXT_ROW(#table), FLEET_TEXT},
#define FLEET_COLUMN(table, name, type) {MB_TEXT_ROW(#name), FLEET_##type},
static const struct fleet_column all_columns[] = {
#include "fleet/tables.def"
};
#undef FLEET_TABLE
#undef FLEET_COLUMN
#undef FLEET_WHO

#define COLUMNS(table, next) \
    .columns = &all_columns[AT_##table + 1], .count = AT_##next - AT_##table - 1

const struct fleet_schema fleet_schemas[FLEET_TABLE_COUNT] = {
    {.name = "issues",
     .keys = "device, incident",
     .worst = "cost_ms DESC NULLS LAST",
     .order = "app_release, detail, cause",
     .has_upload = true,
     COLUMNS(issues, sessions)},
    {.name = "sessions",
     .keys = "device, session, date",
     .worst = "ts DESC NULLS LAST",
     .order = "app_release, device_class, model",
     .has_upload = true,
     COLUMNS(sessions, sums)},
    {.name = "sums",
     .keys = "device, session, date, kind, name",
     .worst = "ts DESC NULLS LAST",
     .order = "kind, app_release, model",
     .has_upload = true,
     COLUMNS(sums, counts)},
    {.name = "counts",
     .keys = "device, session, date, detail",
     .worst = "seen DESC NULLS LAST",
     .order = "app_release, detail",
     .has_upload = true,
     COLUMNS(counts, profiles)},
    {.name = "profiles",
     .keys = "profile",
     .order = "app_release, device_class, profile",
     .has_upload = true,
     COLUMNS(profiles, nodes)},
    {.name = "nodes", .keys = "profile, path", .order = "path", COLUMNS(nodes, paths)},
    {.name = "paths", .keys = "path", .order = "path", COLUMNS(paths, methods)},
    {.name = "methods", .keys = "method", .order = "method", COLUMNS(methods, END)},
};

const char *fleet_lake_table(size_t index)
{
    return index < FLEET_TABLE_COUNT ? fleet_schemas[index].name : NULL;
}
