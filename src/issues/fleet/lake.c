#include "issues/fleet/lake.h"

#include "base/file.h"
#include "base/platform.h"
#include "base/platform_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STAGING ".loading-"
#define UPLOADS "uploads"
#define DAY "day="
#define DAY_SIZE 10
#define ID_KEY "{\"upload\":\""
#define ID_SIZE 33
#define CANNOT_WRITE "cannot write rows"
#define ROWS_SIZE ((size_t)64 << 10) /* that are written at once */
#define REPLACES "{\"replaces\":["
#define REWRITTEN "-all"
#define LOAD_LETTERS "0123456789abcdefl-"

/* Through a link, files that are not the lake's would be removed, and others put beside them. */
static bool is_own_folder(const char *path)
{
    struct mb_file_info info;

    return mb_file_look_at_link(NULL, path, &info) && info.type == MB_FILE_FOLDER;
}

/* Make it, or see that it is there. */
static enum mb_status claim_folder(const char *path, struct mb_error *err)
{
    if (mb_folder_make(NULL, path)) {
        return MB_OK;
    }
    if (errno != EEXIST) {
        return fleet_fail_at(path, err);
    }
    return is_own_folder(path) ? MB_OK
                               : mb_fail_in(err, MB_IO, path,
                                            "not a folder of the lake's own, but a link or a file");
}

static bool is_visible(const char *name)
{
    return name[0] != '.';
}

static bool is_day(const char *name)
{
    return strncmp(name, DAY, strlen(DAY)) == 0 && strlen(name) == strlen(DAY) + DAY_SIZE;
}

static bool is_staging(const char *name)
{
    return strncmp(name, STAGING, strlen(STAGING)) == 0;
}

/* ---- Loads that were replaced ---- */

static bool is_rewritten(const char *name)
{
    return mb_text_ends(mb_text_of(name), MB_TEXT(REWRITTEN ".ndjson"));
}

size_t fleet_lake_skip_replaced(const struct mb_buf *uploads)
{
    struct mb_text rest = {(const char *)uploads->bytes, uploads->size};

    return mb_text_starts(rest, MB_TEXT(REPLACES)) ? mb_text_split(&rest, '\n').size + 1 : 0;
}

/* Append the line that names those that a rewriting has replaced. */
static enum mb_status note_replaced(void *context, const char *path, const char *name,
                                    struct mb_error *err)
{
    struct mb_buf *replaced = context;
    struct mb_buf lines = {0};
    enum mb_status status = mb_file_read(&lines, path, err);

    (void)name;
    if (status == MB_OK) {
        mb_buf_put(replaced, lines.bytes, fleet_lake_skip_replaced(&lines));
    }
    mb_buf_finish(&lines);
    return status;
}

static bool is_replaced(const struct mb_buf *replaced, const char *name)
{
    char quoted[64];

    (void)snprintf(quoted, sizeof(quoted), "\"%.*s\"", (int)strcspn(name, "."), name);
    return mb_text_contains((struct mb_text){(const char *)replaced->bytes, replaced->size},
                            mb_text_of(quoted));
}

static enum mb_status remove_replaced(void *context, const char *path, const char *name,
                                      struct mb_error *err)
{
    bool stays = !is_replaced(context, name) || mb_file_remove(NULL, path);

    return stays ? MB_OK : fleet_fail_at(path, err);
}

/* ---- What is known ---- */

static uint64_t schema_of(struct mb_text line)
{
    const struct mb_text key = MB_TEXT(",\"" FLEET_SCHEMA_KEY "\":");
    uint64_t schema = 1;

    for (size_t at = line.size; at-- > 0;) {
        struct mb_text rest = mb_text_from(line, at);
        if (mb_text_starts(rest, key)) {
            rest = mb_text_from(rest, key.size);
            (void)mb_text_to_number(mb_text_split(&rest, ','), INT64_MAX, &schema);
            break;
        }
    }
    return schema;
}

static enum mb_status take_lines(struct fleet_lake *lake, struct mb_text rest, struct mb_error *err)
{
    const struct mb_text key = MB_TEXT(ID_KEY);
    struct mb_text line;
    size_t number = 0;

    while (mb_text_next_line(&rest, &line, &number)) {
        if (!mb_text_starts(line, key) || line.size < key.size + ID_SIZE) {
            continue;
        }
        void **slot = mb_strmap_slot(&lake->uploads, line.data + key.size, ID_SIZE);
        if (slot == NULL) {
            return mb_fail_memory(err);
        }
        *slot = lake;
        if (schema_of(line) > FLEET_SCHEMA) {
            return mb_fail_in(err, MB_UNSUPPORTED, lake->folder,
                              "a newer methodbeat loaded into this lake: use it");
        }
        lake->had_cut = lake->had_cut || mb_text_contains(line, MB_TEXT("\"cut\":true"));
    }
    return MB_OK;
}

/* The batch, by the name of the file, and its uploads. */
static enum mb_status take_batch(void *context, const char *path, const char *name,
                                 struct mb_error *err)
{
    struct fleet_lake *lake = context;
    struct mb_text batch = mb_text_of(name);
    struct mb_buf bytes = {0};

    if (!mb_text_ends(batch, MB_TEXT(".ndjson"))) {
        return MB_OK;
    }
    batch.size -= strlen(".ndjson");
    void **slot = mb_strmap_slot(&lake->uploads, batch.data, batch.size);
    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    *slot = lake;
    enum mb_status status = mb_file_read(&bytes, path, err);
    if (status == MB_OK) {
        status = take_lines(lake, (struct mb_text){(const char *)bytes.bytes, bytes.size}, err);
    }
    mb_buf_finish(&bytes);
    return status;
}

/* ---- What a killed load left ---- */

/* Its engine may still write there: then the next load removes it. */
static enum mb_status remove_staging(void *context, const char *path, const char *name,
                                     struct mb_error *err)
{
    (void)context;
    (void)name;
    (void)err;
    (void)mb_folder_remove_all(path);
    return MB_OK;
}

static enum mb_status remove_unknown(void *context, const char *path, const char *name,
                                     struct mb_error *err)
{
    const struct fleet_lake *lake = context;
    struct mb_text batch = mb_text_of(name);

    if (!mb_text_ends(batch, MB_TEXT(".parquet"))) {
        return MB_OK;
    }
    batch.size -= strlen(".parquet");
    bool is_known = mb_strmap_find(&lake->uploads, batch.data, batch.size) != NULL;
    return is_known || mb_file_remove(NULL, path) ? MB_OK : fleet_fail_at(path, err);
}

static enum mb_status clean_day(void *context, const char *path, const char *name,
                                struct mb_error *err)
{
    (void)name;
    MB_TRY(claim_folder(path, err));
    return fleet_folder_each(path, is_visible, remove_unknown, context, err);
}

static enum mb_status clean_up(struct fleet_lake *lake, struct mb_error *err)
{
    char path[FLEET_PATH_SIZE];
    struct mb_file_info info;

    MB_TRY(fleet_folder_each(lake->folder, is_staging, remove_staging, lake, err));
    for (size_t i = 0; i < FLEET_LAKE_TABLES; i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", lake->folder, fleet_lake_table(i));
        if (mb_file_look_at_link(NULL, path, &info)) {
            MB_TRY(claim_folder(path, err));
            MB_TRY(fleet_folder_each(path, is_day, clean_day, lake, err));
        }
    }
    return MB_OK;
}

/* ---- All ---- */

static enum mb_status lock_lake(struct fleet_lake *lake, struct mb_error *err)
{
    char path[FLEET_PATH_SIZE];

    (void)snprintf(path, sizeof(path), "%s/lock", lake->folder);
    lake->lock = mb_file_open(NULL, path, MB_FILE_UPDATE);
    return lake->lock >= 0 && mb_file_lock(lake->lock) ? MB_OK : fleet_fail_at(path, err);
}

enum mb_status fleet_lake_each_load(const struct fleet_lake *lake, fleet_take *take, void *context,
                                    struct mb_error *err)
{
    char path[FLEET_PATH_SIZE];

    (void)snprintf(path, sizeof(path), "%s/" UPLOADS, lake->folder);
    return fleet_folder_each(path, is_visible, take, context, err);
}

/* The uploads of all loads, but for those that were replaced, whose files go. */
static enum mb_status take_loads(struct fleet_lake *lake, struct mb_error *err)
{
    char path[FLEET_PATH_SIZE];
    struct mb_buf replaced = {0};

    (void)snprintf(path, sizeof(path), "%s/" UPLOADS, lake->folder);
    enum mb_status status = claim_folder(path, err);
    if (status == MB_OK) {
        status = fleet_folder_each(path, is_rewritten, note_replaced, &replaced, err);
    }
    if (status == MB_OK) {
        status = mb_buf_check(&replaced, err);
    }
    if (status == MB_OK && replaced.size > 0) {
        status = fleet_folder_each(path, is_visible, remove_replaced, &replaced, err);
    }
    mb_buf_finish(&replaced);
    return status == MB_OK ? fleet_lake_each_load(lake, take_batch, lake, err) : status;
}

enum mb_status fleet_lake_open(struct fleet_lake *lake, const char *folder, struct mb_error *err)
{
    char path[FLEET_PATH_SIZE];
    struct timespec now = {0};

    *lake = (struct fleet_lake){.folder = folder, .lock = -1};
    if (strlen(folder) > sizeof(path) / 2) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "the name of the lake is too long");
    }
    if (!mb_folder_make(NULL, folder) && errno != EEXIST) {
        return fleet_fail_at(folder, err);
    }
    MB_TRY(lock_lake(lake, err));
    MB_TRY(take_loads(lake, err));
    MB_TRY(clean_up(lake, err));
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)snprintf(lake->batch, sizeof(lake->batch), "%llx-%lx", (unsigned long long)now.tv_sec,
                   (unsigned long)now.tv_nsec);
    (void)snprintf(lake->staging, sizeof(lake->staging), STAGING "%s", lake->batch);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, lake->staging);
    return claim_folder(path, err);
}

void fleet_lake_finish(struct fleet_lake *lake)
{
    char path[FLEET_PATH_SIZE];

    if (lake->staging[0] != '\0') {
        (void)snprintf(path, sizeof(path), "%s/%s", lake->folder, lake->staging);
        (void)mb_folder_remove_all(path);
    }
    if (lake->lock >= 0) {
        (void)close(lake->lock);
    }
    mb_strmap_finish(&lake->uploads);
}

/* Open a file in the staging folder for writing; -1 with errno. */
static int stage_file(const struct fleet_lake *lake, const char *name)
{
    char path[FLEET_PATH_SIZE];

    (void)snprintf(path, sizeof(path), "%s/%s/%s", lake->folder, lake->staging, name);
    return mb_file_open(NULL, path, MB_FILE_EMPTY);
}

enum mb_status fleet_staged_open(struct fleet_staged *staged, const struct fleet_lake *lake,
                                 struct mb_error *err)
{
    char name[64];

    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        (void)snprintf(name, sizeof(name), "%s.ndjson", fleet_schemas[i].name);
        staged->tables[i].fd = stage_file(lake, name);
        if (staged->tables[i].fd < 0) {
            return mb_fail_errno(err, CANNOT_WRITE);
        }
    }
    return MB_OK;
}

enum mb_status fleet_staged_close(struct fleet_staged *staged, struct mb_error *err)
{
    bool has_failed = false;

    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        has_failed = (staged->tables[i].fd >= 0 && close(staged->tables[i].fd) != 0) || has_failed;
        staged->tables[i].fd = -1;
        mb_buf_finish(&staged->tables[i].rows);
    }
    return has_failed ? mb_fail_errno(err, CANNOT_WRITE) : MB_OK;
}

enum mb_status fleet_staged_write(struct fleet_staged *staged, size_t table, struct mb_error *err)
{
    struct mb_buf *rows = &staged->tables[table].rows;

    MB_TRY(mb_buf_check(rows, err));
    if (rows->size > 0 && !mb_file_put_at(staged->tables[table].fd, rows->bytes, rows->size,
                                          staged->tables[table].size)) {
        staged->is_full = errno == ENOSPC;
        return mb_fail_errno(err, CANNOT_WRITE);
    }
    staged->tables[table].size += rows->size;
    mb_buf_reset(rows);
    return MB_OK;
}

enum mb_status fleet_staged_take(struct fleet_staged *staged, size_t table, struct mb_error *err)
{
    const struct mb_buf *rows = &staged->tables[table].rows;

    return rows->size < ROWS_SIZE ? mb_buf_check(rows, err)
                                  : fleet_staged_write(staged, table, err);
}

enum mb_status fleet_staged_write_all(struct fleet_staged *staged, struct mb_error *err)
{
    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        MB_TRY(fleet_staged_write(staged, i, err));
    }
    return MB_OK;
}

enum mb_status fleet_staged_cut(struct fleet_staged *staged, size_t table, uint64_t size,
                                struct mb_error *err)
{
    if (!mb_file_cut(staged->tables[table].fd, size)) {
        return mb_fail_errno(err, CANNOT_WRITE);
    }
    staged->tables[table].size = size;
    mb_buf_reset(&staged->tables[table].rows);
    return MB_OK;
}

void fleet_lake_name(char *path, const struct fleet_lake *lake, const char *table, const char *day)
{
    (void)snprintf(path, FLEET_PATH_SIZE, "%s/%s/" DAY "%s/%s.parquet", lake->folder, table, day,
                   lake->batch);
}

enum mb_status fleet_lake_take(const struct fleet_lake *lake, const char *day, struct mb_error *err)
{
    char from[FLEET_PATH_SIZE];
    char to[FLEET_PATH_SIZE];

    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        const char *table = fleet_schemas[i].name;
        (void)snprintf(from, sizeof(from), "%s/%s/%s-%s.parquet", lake->folder, lake->staging,
                       table, day);
        (void)snprintf(to, sizeof(to), "%s/%s", lake->folder, table);
        MB_TRY(claim_folder(to, err));
        (void)snprintf(to, sizeof(to), "%s/%s/" DAY "%s", lake->folder, table, day);
        MB_TRY(claim_folder(to, err));
        fleet_lake_name(to, lake, table, day);
        if (!mb_file_rename(NULL, from, NULL, to)) {
            return fleet_fail_at(to, err);
        }
    }
    return MB_OK;
}

enum mb_status fleet_lake_commit(const struct fleet_lake *lake, const struct mb_buf *uploads,
                                 struct mb_error *err)
{
    char from[FLEET_PATH_SIZE];
    char to[FLEET_PATH_SIZE];
    int fd = stage_file(lake, UPLOADS);

    (void)snprintf(from, sizeof(from), "%s/%s/" UPLOADS, lake->folder, lake->staging);
    (void)snprintf(to, sizeof(to), "%s/" UPLOADS "/%s.ndjson", lake->folder, lake->batch);
    if (fd < 0) {
        return fleet_fail_at(from, err);
    }
    enum mb_status status = mb_file_write_all(fd, uploads->bytes, uploads->size, err);
    if (status == MB_OK && !mb_file_sync(fd)) {
        status = fleet_fail_at(from, err);
    }
    (void)close(fd);
    MB_TRY(status);
    return mb_file_rename(NULL, from, NULL, to) ? MB_OK : fleet_fail_at(to, err);
}

/* ---- Rewriting ---- */

const char *fleet_lake_table(size_t i)
{
    return i < FLEET_TABLE_COUNT ? fleet_schemas[i].name : "buckets";
}

void fleet_lake_begin_rewriting(struct fleet_lake *lake)
{
    size_t size = strlen(lake->batch);

    (void)snprintf(lake->batch + size, sizeof(lake->batch) - size, REWRITTEN);
}

static enum mb_status put_replaced(void *context, const char *path, const char *name,
                                   struct mb_error *err)
{
    struct mb_buf *line = context;

    (void)path;
    (void)err;
    mb_buf_printf(line, "%s\"%.*s\"", line->size > strlen(REPLACES) ? "," : "",
                  (int)strcspn(name, "."), name);
    return MB_OK;
}

enum mb_status fleet_lake_replace(const struct fleet_lake *lake, const struct mb_buf *uploads,
                                  struct mb_error *err)
{
    struct mb_buf lines = {0};

    mb_buf_put_string(&lines, REPLACES);
    enum mb_status status = fleet_lake_each_load(lake, put_replaced, &lines, err);
    mb_buf_put_string(&lines, "]}\n");
    mb_buf_put(&lines, uploads->bytes, uploads->size);
    mb_buf_fail_with(&lines, uploads);
    if (status == MB_OK) {
        status = mb_buf_check(&lines, err);
    }
    if (status == MB_OK) {
        status = fleet_lake_commit(lake, &lines, err);
    }
    mb_buf_finish(&lines);
    return status;
}

/* ---- What questions see ---- */

static bool is_of_rows(const char *name)
{
    return is_visible(name) && mb_text_ends(mb_text_of(name), MB_TEXT(".parquet"));
}

static enum mb_status stop_at_first(void *context, const char *path, const char *name,
                                    struct mb_error *err)
{
    (void)context;
    (void)path;
    (void)name;
    return mb_fail(err, MB_INTERRUPTED, MB_NO_OFFSET, "found");
}

struct days {
    const char *since; /* or NULL */
    fleet_take *take;
    void *context;
};

static enum mb_status look_in_day(void *context, const char *path, const char *name,
                                  struct mb_error *err)
{
    const struct days *days = context;
    bool is_old = days->since != NULL && strcmp(name + strlen(DAY), days->since) < 0;
    bool has_files =
        !is_old && fleet_folder_each(path, is_of_rows, stop_at_first, NULL, NULL) == MB_INTERRUPTED;

    return has_files ? days->take(days->context, path, name, err) : MB_OK;
}

enum mb_status fleet_lake_each_day(const char *folder, const char *table, const char *since,
                                   fleet_take *take, void *context, struct mb_error *err)
{
    struct days days = {since, take, context};
    char path[FLEET_PATH_SIZE];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, table);
    return fleet_folder_each(path, is_day, look_in_day, &days, err);
}

bool fleet_lake_has(const char *folder, const char *table, const char *since)
{
    return fleet_lake_each_day(folder, table, since, stop_at_first, NULL, NULL) == MB_INTERRUPTED;
}

struct looking {
    struct mb_buf *loads;
    struct mb_buf replaced;
};

static enum mb_status put_load(void *context, const char *path, const char *name,
                               struct mb_error *err)
{
    struct looking *looking = context;
    struct mb_buf *loads = looking->loads;
    size_t size = strspn(name, LOAD_LETTERS);

    (void)path;
    (void)err;
    if (strcmp(name + size, ".ndjson") == 0 && !is_replaced(&looking->replaced, name)) {
        mb_buf_printf(loads, "%s'%.*s'", loads->size > 0 ? ", " : "", (int)size, name);
    }
    return MB_OK;
}

/* MB_INTERRUPTED at the first file of a load that is seen; Spark notes no loads. */
static enum mb_status find_seen(void *context, const char *path, const char *name,
                                struct mb_error *err)
{
    const struct mb_buf *loads = context;
    char load[64];

    (void)path;
    (void)snprintf(load, sizeof(load), "'%.*s'", (int)strcspn(name, "."), name);
    bool is_seen = loads->size == 0 ||
                   mb_text_contains((struct mb_text){(const char *)loads->bytes, loads->size},
                                    mb_text_of(load));
    return is_seen ? mb_fail(err, MB_INTERRUPTED, MB_NO_OFFSET, "found") : MB_OK;
}

bool fleet_lake_look(const char *folder, struct mb_buf *loads, char *day)
{
    char path[FLEET_PATH_SIZE];
    struct looking looking = {.loads = loads};
    struct mb_names names;

    (void)snprintf(path, sizeof(path), "%s/" UPLOADS, folder);
    bool is_there =
        fleet_folder_each(path, is_rewritten, note_replaced, &looking.replaced, NULL) == MB_OK &&
        fleet_folder_each(path, is_visible, put_load, &looking, NULL) == MB_OK;
    mb_buf_fail_with(loads, &looking.replaced);
    mb_buf_finish(&looking.replaced);
    (void)snprintf(path, sizeof(path), "%s/issues", folder);
    is_there = mb_names_list(&names, path, is_day) && is_there && !loads->failed;
    for (size_t i = names.count; is_there && day[0] == '\0' && i-- > 0;) {
        (void)snprintf(path, sizeof(path), "%s/issues/%s", folder, names.items[i]);
        if (fleet_folder_each(path, is_visible, find_seen, loads, NULL) != MB_OK) {
            memcpy(day, names.items[i] + strlen(DAY), DAY_SIZE + 1);
        }
    }
    mb_names_finish(&names);
    return day[0] != '\0';
}

/* ---- What is in folders ---- */

enum mb_status fleet_fail_at(const char *path, struct mb_error *err)
{
    return mb_fail_in(err, MB_IO, path, "%s", strerror(errno));
}

static enum mb_status take_one(const char *folder, const char *name, fleet_take *take,
                               void *context, struct mb_error *err)
{
    char path[FLEET_PATH_SIZE];
    int size = snprintf(path, sizeof(path), "%s/%s", folder, name);

    return size < (int)sizeof(path) ? take(context, path, name, err)
                                    : mb_fail_in(err, MB_IO, folder, "a path in it is too long");
}

enum mb_status fleet_folder_each(const char *folder, bool (*select)(const char *name),
                                 fleet_take *take, void *context, struct mb_error *err)
{
    struct mb_names names;
    enum mb_status status = MB_OK;

    if (!mb_names_list(&names, folder, select)) {
        return errno == ENOENT ? MB_OK : fleet_fail_at(folder, err);
    }
    for (size_t i = 0; status == MB_OK && i < names.count; i++) {
        status = take_one(folder, names.items[i], take, context, err);
    }
    mb_names_finish(&names);
    return status;
}
