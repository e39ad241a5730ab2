#include "issues/fleet/schema.h"

#include "base/clock.h"
#include "base/platform_system.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

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

/* ---- Days of receipt ---- */

#define DAY_KEY "/day="
#define DAY_S 86400

/* Seconds since 1970; 0 if the text does not begin with a day. */
static int64_t start_of(const char *day)
{
    struct tm date = {0};

    if (sscanf(day, "%4d-%2d-%2d", &date.tm_year, &date.tm_mon, &date.tm_mday) != 3) {
        return 0;
    }
    date.tm_year -= 1900;
    date.tm_mon -= 1;
    return mb_time_from_utc(&date);
}

static void put_day(fleet_day day, int64_t seconds)
{
    struct tm date;

    if (!mb_time_to_utc(seconds, &date) ||
        strftime(day, sizeof(fleet_day), "%Y-%m-%d", &date) == 0) {
        memcpy(day, "1970-01-01", sizeof(fleet_day));
    }
}

void fleet_day_before(fleet_day before, const char *day, int count)
{
    put_day(before, start_of(day) - (int64_t)count * DAY_S);
}

/* Not 31 February, nor a day of the future, with which weeks would end. */
static bool starts_with_day(const char *text)
{
    fleet_day day;

    fleet_day_before(day, text, 0);
    return memcmp(day, text, sizeof(day) - 1) == 0 &&
           start_of(text) <= (int64_t)time(NULL) + FLEET_AHEAD_MS / 1000;
}

bool fleet_is_day(const char *text)
{
    return strlen(text) == sizeof(fleet_day) - 1 && starts_with_day(text);
}

void fleet_find_day(fleet_day day, const char *path, int64_t changed_ns)
{
    put_day(day, changed_ns / MB_NS_PER_S);
    for (const char *at = strstr(path, DAY_KEY); at != NULL; at = strstr(at + 1, DAY_KEY)) {
        const char *text = at + strlen(DAY_KEY);
        if (strlen(text) >= sizeof(fleet_day) - 1 && starts_with_day(text)) {
            memcpy(day, text, sizeof(fleet_day) - 1);
        }
    }
}
