#include "fleet/load_sql.h"

#include "fleet/questions.h"
#include "fleet/schema.h"

#include <stdio.h>

/* Days before the first loaded one that are searched for doubles. */
#define DAYS_BACK 3

static void put_columns(struct mb_buf *sql, const struct fleet_schema *schema)
{
    mb_buf_put_string(sql, "{day: 'VARCHAR', upload: 'VARCHAR'");
    for (size_t i = 0; i < schema->count; i++) {
        mb_buf_printf(sql, ", \"%s\": '%s'", schema->columns[i].name.data,
                      fleet_type_name(FLEET_DUCKDB, schema->columns[i].type));
    }
    mb_buf_put_string(sql, "}");
}

/* Names are cheap to hash; of what each upload repeats, one row is read. */
static void put_read(struct mb_buf *sql, const struct fleet_schema *schema,
                     const struct fleet_lake *lake)
{
    mb_buf_printf(sql, "CREATE TABLE %s AS SELECT ", schema->name);
    bool is_repeated =
        schema->worst == NULL && strchr(schema->keys, ',') == NULL && !schema->has_upload;
    if (is_repeated) {
        mb_buf_put_string(sql, "min(day) AS day, min(upload) AS upload");
        for (size_t i = 0; i < schema->count; i++) {
            const char *name = schema->columns[i].name.data;
            mb_buf_printf(sql, strcmp(name, schema->keys) == 0 ? ", %s" : ", max(%s) AS %s", name,
                          name);
        }
    } else {
        mb_buf_put_string(sql, "*");
    }
    mb_buf_printf(sql,
                  " FROM read_json('%s/%s.ndjson', format = 'newline_delimited', "
                  "maximum_object_size = 33554432, columns = ",
                  lake->staging, schema->name);
    put_columns(sql, schema);
    mb_buf_printf(sql, ")%s%s;\n", is_repeated ? " GROUP BY " : "",
                  is_repeated ? schema->keys : "");
}

/* Keys as conditions: "device IS NOT NULL AND incident IS NOT NULL", of the first two. */
static void put_match(struct mb_buf *sql, const char *keys, const char *table)
{
    struct mb_text rest = mb_text_of(keys);

    for (size_t i = 0; rest.size > 0; i++) {
        struct mb_text key = mb_text_trim(mb_text_split(&rest, ','));
        mb_buf_printf(sql, "%slake.%.*s %s %s.%.*s", i > 0 ? " AND " : "", (int)key.size, key.data,
                      i < 2 ? "=" : "IS NOT DISTINCT FROM", table, (int)key.size, key.data);
    }
}

static void put_known(struct mb_buf *sql, const char *keys)
{
    struct mb_text rest = mb_text_of(keys);

    for (size_t i = 0; rest.size > 0 && i < 2; i++) {
        struct mb_text key = mb_text_trim(mb_text_split(&rest, ','));
        mb_buf_printf(sql, "%s%.*s IS NOT NULL", i > 0 ? " AND " : "", (int)key.size, key.data);
    }
}

/* Of equal keys of this load the worst stays. Nodes are looked at where their profile came twice,
 * which is known before profiles lose their doubles. */
static void put_doubles(struct mb_buf *sql, const struct fleet_schema *schema)
{
    bool is_nodes = strcmp(schema->name, "nodes") == 0;

    mb_buf_printf(sql,
                  "DELETE FROM %s WHERE rowid IN (SELECT id FROM (SELECT rowid AS id, "
                  "row_number() OVER (PARTITION BY %s ORDER BY %s%sday, upload) AS place FROM %s "
                  "WHERE ",
                  schema->name, schema->keys, schema->worst != NULL ? schema->worst : "",
                  schema->worst != NULL ? ", " : "", schema->name);
    put_known(sql, schema->keys);
    mb_buf_printf(sql, "%s) WHERE place > 1);\n",
                  is_nodes ? " AND profile IN (SELECT profile FROM again)" : "");
}

/* What the lake has stays. Earlier uploads that were cut off come again as whole ones. */
static void put_lake_doubles(struct mb_buf *sql, const struct fleet_schema *schema,
                             const char *first_day)
{
    mb_buf_printf(sql,
                  "DELETE FROM %s USING (SELECT %s FROM read_parquet('%s/day=*/*.parquet', "
                  "hive_partitioning = true, hive_types_autocast = false)",
                  schema->name, schema->keys, schema->name);
    if (schema->has_upload || strcmp(schema->name, "nodes") == 0) {
        mb_buf_printf(sql, " WHERE day >= CAST(DATE '%s' - %d AS VARCHAR)", first_day, DAYS_BACK);
    }
    mb_buf_put_string(sql, ") AS lake WHERE ");
    put_match(sql, schema->keys, schema->name);
    mb_buf_put_string(sql, ";\n");
}

static void put_table(struct mb_buf *sql, const struct fleet_lake *lake, size_t index,
                      const char *first_day)
{
    const struct fleet_schema *schema = &fleet_schemas[index];
    bool is_name =
        !schema->has_upload && schema->worst == NULL && strchr(schema->keys, ',') == NULL;

    put_read(sql, schema, lake);
    if (strcmp(schema->name, "profiles") == 0) {
        mb_buf_put_string(sql, "CREATE TABLE again AS SELECT profile FROM profiles GROUP BY "
                               "profile HAVING count(*) > 1;\n");
    }
    if (!is_name) {
        put_doubles(sql, schema);
    }
    if (lake->has_rows && (schema->worst != NULL || is_name || lake->had_cut)) {
        put_lake_doubles(sql, schema, first_day);
    }
}

/* ---- Files ---- */

static void put_file(struct mb_buf *sql, const struct fleet_lake *lake, const char *table,
                     const char *day)
{
    mb_buf_printf(sql, ") TO '%s/%s-%s.parquet' (FORMAT parquet, COMPRESSION zstd);\n",
                  lake->staging, table, day);
}

static void put_day(struct mb_buf *sql, const struct fleet_lake *lake, const char *day)
{
    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        const struct fleet_schema *schema = &fleet_schemas[i];
        mb_buf_printf(sql, "COPY (SELECT * EXCLUDE (day%s) FROM %s WHERE day = '%s' ORDER BY %s",
                      schema->has_upload ? "" : ", upload", schema->name, day, schema->order);
        put_file(sql, lake, schema->name, day);
    }
}

void fleet_put_load(struct mb_buf *sql, const struct fleet_lake *lake, const char (*days)[11],
                    size_t count)
{
    mb_buf_printf(sql,
                  "SET preserve_insertion_order = false;\n"
                  "SET temp_directory = '%s/spill';\n",
                  lake->staging);
    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        put_table(sql, lake, i, days[0]);
    }
    for (size_t i = 0; i < count; i++) {
        put_day(sql, lake, days[i]);
    }
    mb_buf_put_string(sql, "SELECT ");
    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        mb_buf_printf(sql, "%s(SELECT count(*) FROM %s) AS %s", i > 0 ? ", " : "",
                      fleet_schemas[i].name, fleet_schemas[i].name);
    }
    mb_buf_put_string(sql, ";\n");
}
