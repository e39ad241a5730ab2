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
     COLUMNS(sessions, buckets)},
    {.name = "buckets",
     .keys = "device, session, date, kind, name, bucket",
     .worst = "n DESC NULLS LAST",
     .order = "kind, app_release, model, bucket",
     .has_upload = true,
     COLUMNS(buckets, counts)},
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

const struct fleet_rollup fleet_rollups[FLEET_ROLLUP_COUNT] = {
    {"causes",
     "app, app_release, device_class, os_level, detail, cause, max(cause_name) AS name, count(*) "
     "AS issues, sum(coalesce(weight, 1)) AS weight, sum(cost_ms) AS cost_ms, "
     "count(DISTINCT device) AS devices FROM issues",
     "app, app_release, device_class, os_level, detail, cause"},
    {"starts",
     "app, app_release, model, device_class, os_level, name, bucket, CAST(sum(n) AS BIGINT) AS n "
     "FROM (SELECT * FROM buckets WHERE kind = 'start')",
     "app, app_release, model, device_class, os_level, name, bucket"},
    {"flame",
     "app, app_release, device_class, os_level, path, method, count(DISTINCT profile) AS profiles, "
     "CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(own_ns) AS BIGINT) AS own_ns, "
     "CAST(sum(total_ns) AS BIGINT) AS total_ns FROM nodes JOIN (SELECT profile, app, "
     "app_release, device_class, os_level FROM profiles) USING (profile)",
     "app, app_release, device_class, os_level, path, method"},
};

const char *fleet_lake_table(size_t index)
{
    if (index < FLEET_TABLE_COUNT) {
        return fleet_schemas[index].name;
    }
    index -= FLEET_TABLE_COUNT;
    return index < FLEET_ROLLUP_COUNT ? fleet_rollups[index].name : NULL;
}
