#include "issues/fleet/load.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/platform.h"
#include "issues/fleet/engine.h"
#include "issues/fleet/lake.h"
#include "issues/fleet/lines.h"
#include "issues/fleet/questions.h"
#include "issues/fleet/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define TOO_LARGE "it is larger than 256 MB"
#define NO_ROOM "there is no room for its rows"
#define NO_NAMES "a method map or mapping of its names is not there, and a later load may have it"
#define TOO_NEW "a newer methodbeat wrote it, which has to load it, too"
#define NO_ROOM_FOR_ALL                                                               \
    "its disk has no room, and nothing was loaded: make room, or load fewer uploads " \
    "at a time"
#define MOST_DEPTH 64u  /* of folders */
#define DAYS_SEARCHED 4 /* for doubles: three before the first loaded one, and from it on */

/* The largest upload of a try, and those of earlier tries, for which the engine had no room. */
struct largest {
    char id[40];
    uint64_t size;
    uint64_t all; /* bytes of all uploads */
    struct mb_strmap aside;
};

struct loading {
    const struct fleet_load *load;
    struct fleet_loaded *loaded;
    struct fleet_lake lake;
    struct fleet_checker checker;
    struct mb_file_id place; /* of the lake, whose own files are not uploads */
    struct fleet_staged staged;
    MB_VEC(fleet_day) days; /* that uploads are of, each once */
    struct mb_buf uploads;  /* lines for the lake */
    unsigned depth;         /* of the folder that is read */
    bool has_failed;        /* no upload's fault */
    struct largest *largest;
    /* Of the upload that is read: */
    char id[40];
    fleet_day day;
    uint64_t rows;
    bool is_unnamed; /* names of issues in it lack a map */
    bool is_counted; /* the line read last is the one that counts rows */
};

static void note_day(struct loading *loading)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&loading->days); i++) {
        if (strcmp(loading->days.items[i], loading->day) == 0) {
            return;
        }
    }
    fleet_day *place = MB_VEC_ADD(&loading->days);
    if (place != NULL) {
        memcpy(place, loading->day, sizeof(loading->day));
    }
}

static int compare_days(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* ---- Rows ---- */

static enum mb_status take_line(void *context, struct mb_text line, struct mb_error *err)
{
    struct loading *loading = context;
    struct fleet_checker *checker = &loading->checker;

    if (mb_text_trim(line).size == 0) {
        return MB_OK;
    }
    int table = fleet_check_line(checker, line);
    MB_TRY(mb_buf_check(&checker->row, err));
    if (table == FLEET_LAST_LINE) {
        loading->is_counted = true;
        return MB_OK;
    }
    loading->rows++;
    loading->is_counted = false;
    if (table == FLEET_NO_ROW) {
        return MB_OK;
    }
    loading->loaded->rows[table]++;
    struct mb_buf *rows = &loading->staged.tables[table].rows;
    mb_buf_printf(rows, "{\"day\":\"%s\",\"upload\":\"%s\"", loading->day, loading->id);
    mb_buf_put(rows, checker->row.bytes, checker->row.size);
    mb_buf_put_string(rows, "}\n");
    return fleet_staged_take(&loading->staged, (size_t)table, err);
}

static void warn_of_cut(const struct loading *loading, const char *path)
{
    struct mb_error warning = {.status = MB_OK};

    (void)mb_fail_in(&warning, MB_BAD_TEXT, path,
                     "cut off after %" PRIu64 " rows, which are loaded", loading->rows);
    loading->load->warn(&warning);
}

static void note_upload(struct loading *loading, const char *path, bool is_cut)
{
    struct mb_json json = {.out = &loading->uploads};

    mb_json_open(&json, NULL, "{");
    mb_json_string(&json, "upload", loading->id);
    mb_json_string(&json, "path", path);
    mb_json_string(&json, "day", loading->day);
    mb_json_count(&json, "rows", loading->rows);
    mb_json_count(&json, FLEET_SCHEMA_KEY, FLEET_SCHEMA);
    mb_json_flag(&json, "cut", is_cut);
    mb_json_end(&json);
    loading->loaded->uploads++;
    if (is_cut) {
        loading->loaded->cut++;
        warn_of_cut(loading, path);
    }
}

/* Where the tables end, before an upload that may have to be taken back. */
struct ends {
    uint64_t at[FLEET_TABLE_COUNT];
    uint64_t rows[FLEET_TABLE_COUNT];
};

static void note_ends(struct ends *ends, const struct loading *loading)
{
    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        ends->at[i] = loading->staged.tables[i].size;
        ends->rows[i] = loading->loaded->rows[i];
    }
}

static enum mb_status cut_tables(struct loading *loading, const struct ends *ends,
                                 struct mb_error *err)
{
    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        MB_TRY(fleet_staged_cut(&loading->staged, i, ends->at[i], err));
        loading->loaded->rows[i] = ends->rows[i];
    }
    return MB_OK;
}

/* Warns and goes on without this upload, so that others do not wait for it. */
static enum mb_status set_aside(const struct loading *loading, const char *path, const char *reason)
{
    struct mb_error warning = {.status = MB_OK};

    (void)mb_fail_in(&warning, MB_BAD_TEXT, path, "set aside: %s", reason);
    loading->load->warn(&warning);
    loading->loaded->aside++;
    return MB_OK;
}

/* Names that were looked for in vain so far. */
static uint64_t count_lost(const struct fleet_rows *rows)
{
    return issues_names_lost(rows->names) + (rows->mapping != NULL ? rows->mapping->lost : 0);
}

/* Rows of what the monitors wrote; what is damaged in it is told. */
static enum mb_status make_rows(struct loading *loading, const char *path, struct mb_error *err)
{
    struct fleet_rows *rows = loading->load->rows;
    struct fleet_staging staging = {.staged = &loading->staged,
                                    .day = loading->day,
                                    .upload = loading->id,
                                    .doubts = loading->checker.doubts};
    struct fleet_writer writer = fleet_writer_staging(&staging);
    struct issues_collection all;
    size_t damage_count = 0;
    uint64_t lost = count_lost(rows);

    if (!fleet_rows_collect(rows, &all)) {
        return mb_fail_memory(err);
    }
    rows->writer = &writer;
    enum mb_status status = issues_read(&all, path, err);
    if (status == MB_OK && writer.status != MB_OK) {
        status = writer.status;
        *err = writer.error;
    }
    const struct mb_error *damage = issues_damage(&all, &damage_count);
    for (size_t i = 0; i < damage_count; i++) {
        loading->load->warn(&damage[i]);
    }
    rows->writer = NULL;
    issues_collection_finish(&all);
    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        loading->rows += writer.counts[i];
        loading->loaded->rows[i] += writer.counts[i];
    }
    loading->checker.rows = loading->rows;
    loading->is_counted = true;
    loading->is_unnamed = count_lost(rows) > lost;
    return status;
}

static bool is_of_rows(const char *path, struct mb_text bytes)
{
    return mb_text_starts(bytes, MB_TEXT("{\"" FLEET_TABLE_KEY "\"")) ||
           mb_text_ends(mb_text_of(path), MB_TEXT(".ndjson.zst"));
}

/* Rows, or what the monitors wrote. */
static enum mb_status stage_upload(struct loading *loading, const char *path, struct mb_text bytes,
                                   struct mb_error *err)
{
    const struct fleet_hearer hearer = {take_line, loading};
    struct mb_error own = {.status = MB_OK};
    struct fleet_ending ending = {.is_cut = false};
    struct ends ends;

    note_ends(&ends, loading);
    loading->rows = 0;
    loading->is_counted = false;
    loading->is_unnamed = false;
    loading->staged.is_full = false;
    loading->checker.rows = 0;
    loading->checker.schema = 0;
    enum mb_status status = is_of_rows(path, bytes)
                                ? fleet_lines_each(bytes, &hearer, &ending, &own)
                                : make_rows(loading, path, &own);
    ending.is_too_large = ending.is_too_large || status == MB_TOO_LARGE;
    if (status == MB_OK && !ending.is_too_large) {
        status = fleet_staged_write_all(&loading->staged, &own);
    }
    const char *reason = loading->staged.is_full                             ? NO_ROOM
                         : ending.is_too_large                               ? TOO_LARGE
                         : loading->checker.schema > FLEET_SCHEMA            ? TOO_NEW
                         : loading->is_unnamed && loading->load->needs_names ? NO_NAMES
                                                                             : NULL;
    if (reason != NULL) {
        MB_TRY(cut_tables(loading, &ends, err));
        return set_aside(loading, path, reason);
    }
    if (status != MB_OK) {
        *err = own;
        return status;
    }
    loading->checker.doubts[FLEET_BEYOND] += ending.lines_beyond;
    loading->rows += ending.lines_beyond;
    bool is_whole = !ending.is_cut && loading->is_counted && loading->checker.rows == loading->rows;
    note_day(loading);
    note_upload(loading, path, !is_whole);
    return mb_buf_check(&loading->uploads, err);
}

static void note_size(struct largest *largest, const char *id, uint64_t size)
{
    largest->all += size;
    if (size > largest->size) {
        largest->size = size;
        memcpy(largest->id, id, sizeof(largest->id));
    }
}

/* ---- Uploads ---- */

/* The same bytes are the same upload, whatever its name. */
static enum mb_status take_bytes(struct loading *loading, const char *path, struct mb_text text,
                                 struct mb_error *err)
{
    (void)snprintf(loading->id, sizeof(loading->id), "%016" PRIx64 "-%016zx", mb_text_hash(text),
                   text.size);
    void **slot = mb_strmap_slot(&loading->lake.uploads, loading->id, strlen(loading->id));
    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    if (*slot != NULL) {
        loading->loaded->known++;
        return MB_OK;
    }
    *slot = loading;
    if (mb_strmap_find(&loading->largest->aside, loading->id, strlen(loading->id)) != NULL) {
        return set_aside(loading, path, NO_ROOM);
    }
    note_size(loading->largest, loading->id, text.size);
    return stage_upload(loading, path, text, err);
}

static enum mb_status read_upload(struct loading *loading, const char *path,
                                  const struct mb_file_info *info, struct mb_error *err)
{
    struct mb_buf bytes = {0};
    struct mb_error own = {.status = MB_OK};

    if (info->size > FLEET_UPLOAD_MOST) {
        return set_aside(loading, path, TOO_LARGE);
    }
    fleet_find_day(loading->day, path, info->changed_ns);
    enum mb_status status =
        mb_file_read(&bytes, path, &own) == MB_OK
            ? take_bytes(loading, path, (struct mb_text){(const char *)bytes.bytes, bytes.size},
                         err)
            : set_aside(loading, path, own.reason);
    mb_buf_finish(&bytes);
    return status;
}

static bool is_upload(const char *file)
{
    struct mb_text name = mb_text_of(file);

    return mb_text_ends(name, MB_TEXT(".ndjson")) || mb_text_ends(name, MB_TEXT(".ndjson.zst")) ||
           mb_text_ends(name, MB_TEXT(".json")) || mb_text_ends(name, MB_TEXT(".json.gz")) ||
           mb_text_ends(name, MB_TEXT(".ndjson.gz"));
}

static fleet_take take_entry;

static enum mb_status read_folder(struct loading *loading, const char *path, struct mb_error *err)
{
    struct mb_error own = {.status = MB_OK};

    if (loading->depth == MOST_DEPTH) {
        return set_aside(loading, path, "more than 64 folders deep");
    }
    loading->depth++;
    enum mb_status status = fleet_folder_each(path, NULL, take_entry, loading, &own);
    loading->depth--;
    if (status != MB_OK && loading->depth > 0 && !loading->has_failed) {
        return set_aside(loading, path, own.reason);
    }
    if (status != MB_OK) {
        *err = own;
    }
    return status;
}

static enum mb_status take_entry(void *context, const char *path, const char *name,
                                 struct mb_error *err)
{
    struct loading *loading = context;
    struct mb_file_info info;
    enum mb_status status = mb_check_interrupt(err);

    if (status == MB_OK && !mb_file_look_at_link(NULL, path, &info)) {
        return set_aside(loading, path, strerror(errno));
    }
    if (status == MB_OK && info.type == MB_FILE_REGULAR && is_upload(name)) {
        status = read_upload(loading, path, &info, err);
    } else if (status == MB_OK && info.type == MB_FILE_FOLDER &&
               !mb_file_id_is(info.id, loading->place)) {
        status = read_folder(loading, path, err);
    }
    loading->has_failed = loading->has_failed || status != MB_OK;
    return status;
}

/* A link to the folder of all is followed. */
static enum mb_status read_uploads(struct loading *loading, struct mb_error *err)
{
    const char *path = loading->load->folder;
    struct mb_file_info info;

    if (!mb_file_look(NULL, path, &info)) {
        return fleet_fail_at(path, err);
    }
    return info.type == MB_FILE_FOLDER ? read_folder(loading, path, err)
                                       : mb_fail_in(err, MB_IO, path, "not a folder of uploads");
}

/* ---- All ---- */

/* [{"issues":12,"sessions":3,...}] */
static enum mb_status read_kept(struct fleet_loaded *loaded, const struct fleet_said *said,
                                struct mb_error *err)
{
    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        const struct mb_value *count =
            mb_value_get(mb_value_first(said->rows), fleet_schemas[i].name);
        if (!mb_value_is(count, MB_JSON_INTEGER)) {
            return mb_fail(err, MB_IO, MB_NO_OFFSET, "the engine has no answer");
        }
        loaded->kept[i] = (uint64_t)mb_value_integer(count);
    }
    return MB_OK;
}

static void put_table(struct mb_buf *sql, const struct loading *loading, size_t table,
                      struct fleet_blanks *blanks)
{
    blanks->day = loading->days.items[0];
    fleet_put_sql(sql, FLEET_DUCKDB, fleet_load_sql.tables[table].read, blanks);
    for (size_t i = 0; i < MB_VEC_COUNT(&loading->days); i++) {
        blanks->day = loading->days.items[i];
        fleet_put_sql(sql, FLEET_DUCKDB, fleet_load_sql.tables[table].day, blanks);
    }
    fleet_put_sql(sql, FLEET_DUCKDB, fleet_load_sql.tables[table].end, blanks);
}

static void put_load(struct mb_buf *sql, const struct loading *loading, const struct mb_buf *loads)
{
    const struct fleet_lake *lake = &loading->lake;
    fleet_day since;
    const struct fleet_place place = {.folder = lake->folder,
                                      .path = "",
                                      .loads = loads,
                                      .since = since,
                                      .staging = lake->staging,
                                      .had_cut = lake->had_cut};
    struct fleet_blanks blanks = {.days = DAYS_SEARCHED, .place = &place};

    fleet_day_before(since, loading->days.items[0], DAYS_SEARCHED - 1);
    fleet_put_views(sql, FLEET_DUCKDB, &place);
    fleet_put_sql(sql, FLEET_DUCKDB, fleet_load_sql.begin, &blanks);
    for (size_t table = 0; table < FLEET_TABLE_COUNT; table++) {
        put_table(sql, loading, table, &blanks);
    }
    mb_buf_put_string(sql, fleet_load_sql.counts);
}

static enum mb_status make_files(struct loading *loading, struct mb_error *err)
{
    struct fleet_engine engine = {.command = loading->load->engine, .folder = loading->load->into};
    struct mb_buf sql = {0};
    struct fleet_said said = {.rows = NULL};
    fleet_day last = "";

    (void)fleet_lake_look(engine.folder, &engine.loads, last);
    MB_VEC_SORT(&loading->days, compare_days);
    put_load(&sql, loading, &engine.loads);
    enum mb_status status = fleet_engine_ask(&engine, &sql, &said, err);
    if (status == MB_OK) {
        status = read_kept(loading->loaded, &said, err);
    }
    mb_buf_finish(&sql);
    fleet_said_finish(&said);
    mb_buf_finish(&engine.loads);
    return status;
}

static enum mb_status load_all(struct loading *loading, struct mb_error *err)
{
    struct mb_file_info place;

    MB_TRY(fleet_lake_open(&loading->lake, loading->load->into, err));
    if (!mb_file_look(NULL, loading->load->into, &place)) {
        return mb_fail_errno(err, "cannot find the lake");
    }
    loading->place = place.id;
    MB_TRY(fleet_staged_open(&loading->staged, &loading->lake, err));
    MB_TRY(read_uploads(loading, err));
    MB_TRY(fleet_staged_close(&loading->staged, err));
    MB_TRY(mb_buf_check(&loading->days.buf, err));
    if (loading->loaded->uploads == 0) {
        return MB_OK;
    }
    MB_TRY(make_files(loading, err));
    for (size_t i = 0; i < MB_VEC_COUNT(&loading->days); i++) {
        MB_TRY(fleet_lake_take(&loading->lake, loading->days.items[i], err));
    }
    return fleet_lake_commit(&loading->lake, &loading->uploads, err);
}

static enum mb_status try_load(const struct fleet_load *load, struct fleet_loaded *loaded,
                               struct largest *largest, struct mb_error *err)
{
    struct loading loading = {.load = load, .loaded = loaded, .largest = largest};

    *loaded = (struct fleet_loaded){.uploads = 0};
    memset(load->rows->refused, 0, sizeof(load->rows->refused));
    loading.lake.lock = -1;
    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        loading.staged.tables[i].fd = -1;
    }
    loading.checker.latest_ms = load->rows->latest_ms;
    enum mb_status status = load_all(&loading, err);
    if (fleet_staged_close(&loading.staged, NULL) != MB_OK && status == MB_OK) {
        status = mb_fail(err, MB_IO, MB_NO_OFFSET, "cannot write rows");
    }
    memcpy(loaded->doubts, loading.checker.doubts, sizeof(loaded->doubts));
    fleet_lake_finish(&loading.lake);
    mb_buf_finish(&loading.checker.row);
    mb_buf_finish(&loading.days.buf);
    mb_buf_finish(&loading.uploads);
    return status;
}

/* Without the upload that has most of the bytes, if others are left then. */
static bool leave_out_largest(struct largest *largest)
{
    uint64_t others = largest->all - largest->size;
    bool is_most = others > 0 && largest->size >= others;
    void **slot =
        is_most ? mb_strmap_slot(&largest->aside, largest->id, strlen(largest->id)) : NULL;

    largest->size = 0;
    largest->all = 0;
    if (slot != NULL) {
        *slot = largest;
    }
    return slot != NULL;
}

enum mb_status fleet_load_run(const struct fleet_load *load, struct fleet_loaded *loaded,
                              struct mb_error *err)
{
    struct largest largest = {.size = 0};
    enum mb_status status = MB_OK;
    bool is_full;

    do {
        status = try_load(load, loaded, &largest, err);
        is_full = status == MB_IO &&
                  mb_text_contains(mb_text_of(err->reason), mb_text_of(strerror(ENOSPC)));
    } while (is_full && leave_out_largest(&largest));
    mb_strmap_finish(&largest.aside);
    return is_full ? mb_fail_in(err, MB_IO, load->into, NO_ROOM_FOR_ALL) : status;
}
