#include "issues/fleet/writer.h"

#include "issues/fleet/check.h"
#include "issues/fleet/lake.h"
#include "issues/fleet/lines.h"
#include "issues/fleet/packer.h"

#define PARTS 1000000          /* of one */
#define MOST_PARTS 1e15        /* a double has them all */
#define LEAST 1e-9             /* less is 0: not all readers have such exponents */
#define FULL ((size_t)1 << 20) /* bytes of rows that are written at once */

enum mb_status fleet_writer_init(struct fleet_writer *writer, const struct format_sink *sink,
                                 bool packs, struct mb_error *err)
{
    *writer = (struct fleet_writer){.sink = *sink};
    writer->row.out = &writer->rows;
    writer->packer = packs ? fleet_packer_create() : NULL;
    return packs && writer->packer == NULL ? mb_fail_memory(err) : MB_OK;
}

void fleet_writer_finish(struct fleet_writer *writer)
{
    fleet_packer_destroy(writer->packer);
    mb_buf_finish(&writer->rows);
}

struct fleet_writer fleet_writer_staging(struct fleet_staging *staging)
{
    return (struct fleet_writer){.staging = staging};
}

/* Hand over what there is. */
static void let_go(struct fleet_writer *writer, bool is_end)
{
    if (writer->status == MB_OK) {
        writer->status = mb_buf_check(&writer->rows, &writer->error);
    }
    if (writer->status == MB_OK) {
        writer->status =
            writer->packer != NULL
                ? fleet_pack(writer->packer, &writer->rows, is_end, &writer->sink, &writer->error)
                : writer->sink.take(writer->sink.context, writer->rows.bytes, writer->rows.size,
                                    &writer->error);
    }
    mb_buf_reset(&writer->rows);
}

/* Left out if no engine reads it. */
static void stage_row(struct fleet_writer *writer)
{
    struct fleet_staging *staging = writer->staging;
    struct mb_buf *rows = writer->row.out;
    struct mb_text row = {(const char *)rows->bytes + writer->start, rows->size - writer->start};
    bool is_beyond = row.size > FLEET_LINE_MOST;

    if (is_beyond || mb_text_contains(row, MB_TEXT("\\u0000"))) {
        staging->doubts[is_beyond ? FLEET_BEYOND : FLEET_NOT_JSON]++;
        writer->counts[writer->table]--;
        rows->size = writer->start;
    } else {
        staging->size += row.size;
    }
    writer->status =
        staging->size > FLEET_UPLOAD_MOST
            ? mb_fail(&writer->error, MB_TOO_LARGE, MB_NO_OFFSET, "its rows are too many")
            : fleet_staged_take(staging->staged, writer->table, &writer->error);
}

struct mb_json *fleet_begin_row(struct fleet_writer *writer, enum fleet_table table)
{
    struct fleet_staging *staging = writer->staging;

    writer->table = table;
    writer->counts[table]++;
    if (staging != NULL) {
        writer->row.out = &staging->staged->tables[table].rows;
        writer->start = writer->row.out->size;
    }
    mb_json_open(&writer->row, NULL, "{");
    if (staging != NULL) {
        mb_json_string(&writer->row, "day", staging->day);
        mb_json_string(&writer->row, "upload", staging->upload);
    } else {
        mb_json_string(&writer->row, FLEET_TABLE_KEY, fleet_schemas[table].name);
    }
    return &writer->row;
}

void fleet_end_row(struct fleet_writer *writer)
{
    mb_json_end(&writer->row);
    if (writer->staging != NULL && (writer->status != MB_OK || writer->row.out->failed)) {
        writer->row.out->size = writer->start;
    } else if (writer->staging != NULL) {
        stage_row(writer);
    } else if (writer->rows.size >= FULL || writer->rows.failed) {
        let_go(writer, false);
    }
}

/* As "12.5", of 12500000. */
static void put_parts(struct mb_buf *out, int64_t parts)
{
    int64_t rest = parts % PARTS;
    char digits[] = ".000000";
    size_t size = rest > 0 ? sizeof(digits) - 1 : 0;

    mb_buf_put_decimal(out, parts / PARTS);
    for (size_t i = sizeof(digits) - 2; rest > 0; i--) {
        digits[i] = (char)('0' + rest % 10);
        rest /= 10;
    }
    while (size > 0 && digits[size - 1] == '0') {
        size--;
    }
    mb_buf_put(out, digits, size);
}

/* Most numbers are whole millionths. */
void fleet_put_real(struct mb_json *row, const char *column, double value)
{
    bool is_common = value >= 0 && value < MOST_PARTS / PARTS;
    int64_t parts = is_common ? (int64_t)(value * PARTS + 0.5) : 0;

    mb_json_key(row, column);
    if (is_common && ((double)parts / PARTS == value || value < LEAST)) {
        put_parts(row->out, parts);
    } else {
        mb_buf_printf(row->out, "%.15g", value);
    }
}

void fleet_put_text(struct mb_json *row, const char *column, struct mb_text text)
{
    if (text.size > 0) {
        mb_json_text(row, column, text);
    }
}

enum mb_status fleet_writer_end(struct fleet_writer *writer, struct mb_error *err)
{
    uint64_t count = 0;

    for (size_t i = 0; i < FLEET_TABLE_COUNT; i++) {
        count += writer->counts[i];
    }
    mb_json_open(&writer->row, NULL, "{");
    mb_json_string(&writer->row, FLEET_TABLE_KEY, FLEET_END);
    mb_json_count(&writer->row, FLEET_ROWS_KEY, count);
    mb_json_count(&writer->row, FLEET_SCHEMA_KEY, FLEET_SCHEMA);
    mb_json_end(&writer->row);
    let_go(writer, true);
    if (writer->status != MB_OK && err != NULL) {
        *err = writer->error;
    }
    return writer->status;
}
