#include "issues/fleet/load.h"

#include "base/file.h"
#include "base/platform_folder.h"
#include "issues/fleet/engine.h"
#include "issues/fleet/lake.h"
#include "issues/fleet/questions.h"
#include "issues/fleet/schema.h"

#include <stdio.h>
#include <string.h>

struct rewriting {
    const struct fleet_rewrite *rewrite;
    struct fleet_rewritten *rewritten;
    struct fleet_lake lake;
    struct fleet_engine engine;
    struct fleet_place place;
    struct mb_buf uploads; /* lines for the lake */
};

/* ---- Rows ---- */

/* A row for each table and day. */
static enum mb_status find_files(struct rewriting *rewriting, struct fleet_said *found,
                                 struct mb_error *err)
{
    const struct fleet_blanks blanks = {.place = &rewriting->place};
    const char *folder = rewriting->lake.folder;
    const char *between = "";
    struct mb_buf sql = {0};

    fleet_put_views(&sql, FLEET_DUCKDB, &rewriting->place);
    for (size_t i = 0; i < FLEET_LAKE_TABLES; i++) {
        if (fleet_lake_has(folder, fleet_lake_table(i), NULL)) {
            mb_buf_put_string(&sql, between);
            fleet_put_sql(&sql, FLEET_DUCKDB, fleet_rewrite_sql[i].find, &blanks);
            between = "UNION ALL ";
        }
    }
    mb_buf_put_string(&sql, ";\n");
    enum mb_status status = fleet_engine_ask(&rewriting->engine, &sql, found, err);
    mb_buf_finish(&sql);
    return status;
}

static size_t find_table(struct mb_text name)
{
    size_t i = 0;

    while (i + 1 < FLEET_LAKE_TABLES && !mb_text_is(name, fleet_lake_table(i))) {
        i++;
    }
    return i;
}

static bool is_linked(const struct rewriting *rewriting, size_t table, struct mb_text path,
                      const char *day)
{
    char from[FLEET_PATH_SIZE];
    char to[FLEET_PATH_SIZE];

    (void)snprintf(from, sizeof(from), "%s/%.*s", rewriting->lake.folder, (int)path.size,
                   path.data);
    fleet_lake_name(to, &rewriting->lake, fleet_lake_table(table), day);
    return mb_file_link(NULL, from, NULL, to);
}

/* A second name for a file that stays as it is, or a statement that makes the new one. */
static void take_day(struct rewriting *rewriting, struct mb_buf *sql, const struct mb_value *row)
{
    struct fleet_rewritten *rewritten = rewriting->rewritten;
    struct mb_text path = mb_value_text(mb_value_get(row, "path"));
    struct mb_text date = mb_value_text(mb_value_get(row, "day"));
    int64_t files = mb_value_integer(mb_value_get(row, "files"));
    int64_t gone = mb_value_integer(mb_value_get(row, "gone"));
    size_t table = find_table(mb_value_text(mb_value_get(row, "t")));
    bool stays = mb_value_is(mb_value_get(row, "stays"), MB_JSON_TRUE);
    fleet_day day;

    (void)snprintf(day, sizeof(day), "%.*s", (int)date.size, date.data);
    rewritten->files_before += (uint64_t)files;
    rewritten->files += stays;
    rewritten->gone += (uint64_t)gone;
    if (stays && (files > 1 || gone > 0 || !is_linked(rewriting, table, path, day))) {
        const struct fleet_blanks blanks = {.day = day, .place = &rewriting->place};
        fleet_put_sql(sql, FLEET_DUCKDB, fleet_rewrite_sql[table].write, &blanks);
    }
}

static enum mb_status make_files(struct rewriting *rewriting, struct mb_error *err)
{
    const struct fleet_blanks blanks = {.place = &rewriting->place};
    struct fleet_said found = {.rows = NULL};
    struct fleet_said said = {.rows = NULL};
    struct mb_buf sql = {0};
    enum mb_status status = find_files(rewriting, &found, err);

    fleet_put_sql(&sql, FLEET_DUCKDB, fleet_load_sql.begin, &blanks);
    fleet_put_views(&sql, FLEET_DUCKDB, &rewriting->place);
    for (MB_EACH_VALUE(row, found.rows)) {
        take_day(rewriting, &sql, row);
    }
    if (status == MB_OK) {
        status = fleet_engine_ask(&rewriting->engine, &sql, &said, err);
    }
    fleet_said_finish(&found);
    fleet_said_finish(&said);
    mb_buf_finish(&sql);
    return status;
}

/* ---- Uploads ---- */

/* The line without its path, which may name a device. */
static void put_hidden(struct mb_buf *out, struct mb_text line)
{
    struct mb_text rest = line;

    while (rest.size > 0 && !mb_text_starts(rest, MB_TEXT(",\"path\":"))) {
        rest = mb_text_from(rest, 1);
    }
    mb_buf_put(out, line.data, line.size - rest.size);
    while (rest.size > 0 && !mb_text_starts(rest, MB_TEXT(",\"day\":"))) {
        rest = mb_text_from(rest, 1);
    }
    mb_buf_put(out, rest.data, rest.size);
    mb_buf_put_u1(out, '\n');
}

static enum mb_status take_uploads(void *context, const char *path, const char *name,
                                   struct mb_error *err)
{
    struct rewriting *rewriting = context;
    struct mb_buf bytes = {0};
    enum mb_status status = mb_file_read(&bytes, path, err);
    struct mb_text rest =
        mb_text_from((struct mb_text){(const char *)bytes.bytes, bytes.size},
                     status == MB_OK ? fleet_lake_skip_replaced(&bytes) : bytes.size);

    (void)name;
    if (rewriting->rewrite->devices == NULL) {
        mb_buf_put(&rewriting->uploads, rest.data, rest.size);
        rest.size = 0;
    }
    while (rest.size > 0) {
        put_hidden(&rewriting->uploads, mb_text_split(&rest, '\n'));
    }
    mb_buf_finish(&bytes);
    return status;
}

/* ---- All ---- */

static enum mb_status rewrite_lake(struct rewriting *rewriting, struct mb_error *err)
{
    const struct fleet_rewrite *rewrite = rewriting->rewrite;
    struct fleet_lake *lake = &rewriting->lake;
    fleet_day day = "";

    MB_TRY(fleet_lake_open(lake, rewrite->lake, err));
    (void)fleet_lake_look(lake->folder, &rewriting->engine.loads, day);
    MB_TRY(mb_buf_check(&rewriting->engine.loads, err));
    if (rewriting->engine.loads.size == 0) {
        return mb_fail_in(err, MB_IO, lake->folder, FLEET_NO_LOAD);
    }
    fleet_lake_begin_rewriting(lake);
    rewriting->place =
        (struct fleet_place){.folder = lake->folder,
                             .path = "",
                             .loads = &rewriting->engine.loads,
                             .staging = lake->staging,
                             .batch = lake->batch,
                             .devices = rewrite->devices != NULL ? rewrite->devices : "",
                             .before = rewrite->before != NULL ? rewrite->before : ""};
    MB_TRY(make_files(rewriting, err));
    MB_TRY(fleet_lake_each_load(lake, take_uploads, rewriting, err));
    return fleet_lake_replace(lake, &rewriting->uploads, err);
}

/* Removes what was replaced or, after a failure, the files that were made. */
static enum mb_status open_again(const char *folder, struct mb_error *err)
{
    struct fleet_lake lake;
    enum mb_status status = fleet_lake_open(&lake, folder, err);

    fleet_lake_finish(&lake);
    return status;
}

enum mb_status fleet_rewrite_run(const struct fleet_rewrite *rewrite,
                                 struct fleet_rewritten *rewritten, struct mb_error *err)
{
    struct rewriting rewriting = {.rewrite = rewrite, .rewritten = rewritten};
    struct mb_file_info info;

    if (!mb_file_look(NULL, rewrite->lake, &info)) {
        return fleet_fail_at(rewrite->lake, err); /* or opening would make one */
    }
    *rewritten = (struct fleet_rewritten){.files = 0};
    rewriting.engine = (struct fleet_engine){.command = rewrite->engine, .folder = rewrite->lake};
    enum mb_status status = rewrite_lake(&rewriting, err);
    fleet_lake_finish(&rewriting.lake);
    mb_buf_finish(&rewriting.engine.loads);
    mb_buf_finish(&rewriting.uploads);
    enum mb_status cleaned = open_again(rewrite->lake, status == MB_OK ? err : NULL);
    return status == MB_OK ? cleaned : status;
}
