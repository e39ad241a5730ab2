/* Whatever a JSON object holds, each row of it is one line of JSON with a table that is known, of
 * which the check of foreign rows leaves nothing out; and what it lets pass of a foreign row is
 * JSON, in whose tags a name may stand twice. */

#include "fuzz.h"

#include "issues/fleet/check.h"
#include "issues/fleet/rows.h"

#include <jansson.h>
#include <string.h>

static enum mb_status keep(void *context, const void *bytes, size_t size, struct mb_error *err)
{
    (void)err;
    mb_buf_put(context, bytes, size);
    return MB_OK;
}

static void check_row(const json_t *row)
{
    const char *table = json_string_value(json_object_get(row, FLEET_TABLE_KEY));
    bool is_known = table != NULL && strcmp(table, FLEET_END) == 0;

    for (size_t i = 0; i < FLEET_TABLE_COUNT && table != NULL; i++) {
        is_known = is_known || strcmp(table, fleet_schemas[i].name) == 0;
    }
    PROMISE(is_known);
}

#define LATEST_MS INT64_C(1800000000000)

/* A load makes rows of issues that it does not check: they are as if it did, but for a NUL. */
static void check_as_foreign(struct mb_text line)
{
    struct fleet_checker checker = {.latest_ms = LATEST_MS};
    bool has_zero = mb_text_contains(line, MB_TEXT("\\u0000"));

    (void)fleet_check_line(&checker, line);
    for (size_t i = 0; i < FLEET_DOUBT_COUNT; i++) {
        PROMISE(checker.doubts[i] == 0 || has_zero);
    }
    mb_buf_finish(&checker.row);
}

static void check_foreign(struct mb_text line)
{
    struct fleet_checker checker = {.latest_ms = LATEST_MS};
    struct mb_buf row = {0};
    int table = fleet_check_line(&checker, line);

    mb_buf_put_string(&row, "{\"day\":1");
    mb_buf_put(&row, checker.row.bytes, checker.row.size);
    mb_buf_put_string(&row, "}");
    if (table >= 0 && table < FLEET_TABLE_COUNT) {
        json_t *json = json_loadb((const char *)row.bytes, row.size, 0, NULL);
        PROMISE(json != NULL);
        json_decref(json);
    }
    mb_buf_finish(&row);
    mb_buf_finish(&checker.row);
}

static void check(const struct mb_buf *out)
{
    struct mb_text rest = {(const char *)out->bytes, out->size};

    PROMISE(!out->failed && mb_text_ends(rest, MB_TEXT("}\n")));
    while (rest.size > 0) {
        struct mb_text line = mb_text_split(&rest, '\n');
        json_t *row =
            json_loadb(line.data, line.size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
        PROMISE(row != NULL);
        check_row(row);
        json_decref(row);
        check_as_foreign(line);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const paths[] = {NULL};
    const struct issues_map_source source = {.paths = paths};
    struct mb_buf out = {0};
    const struct format_sink sink = {.take = keep, .context = &out};
    struct fleet_writer writer;
    struct fleet_rows rows = {
        .writer = &writer, .names = issues_names_create(&source, NULL), .latest_ms = LATEST_MS};
    struct mb_reader reader = {0};
    const struct mb_value *object =
        mb_reader_read(&reader, (struct mb_text){(const char *)bytes, size});

    check_foreign((struct mb_text){(const char *)bytes, size});
    PROMISE(rows.names != NULL && fleet_writer_init(&writer, &sink, false, NULL) == MB_OK);
    if (mb_value_is(object, MB_JSON_OBJECT)) {
        (void)fleet_take_object(&rows, object);
    }
    PROMISE(fleet_writer_end(&writer, NULL) == MB_OK);
    check(&out);
    fleet_rows_finish(&rows);
    fleet_writer_finish(&writer);
    issues_names_destroy(rows.names);
    mb_reader_finish(&reader);
    mb_buf_finish(&out);
    return 0;
}
