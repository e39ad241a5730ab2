/* Rows of a fleet on their way into a file: a JSON object a line, packed by zstd where it was
 * built with it. The last line counts the others, so that half a file is known for one. */

#ifndef ISSUES_FLEET_WRITER_H
#define ISSUES_FLEET_WRITER_H

#include "base/json.h"
#include "base/vec.h"
#include "formats/writer.h"
#include "issues/fleet/schema.h"

struct fleet_staged;

struct fleet_packer;

/* Rows of an upload on their way into a lake, each table's apart; a row that no engine reads is
 * left out and counted. All borrowed. */
struct fleet_staging {
    struct fleet_staged *staged;
    const char *day;
    const char *upload;
    uint64_t *doubts; /* by enum fleet_doubt */
    uint64_t size;    /* of all, at most FLEET_UPLOAD_MOST */
};

struct fleet_writer {
    struct mb_json row;
    struct mb_buf rows;          /* that are not let go yet */
    struct fleet_packer *packer; /* NULL: rows are written as they are */
    struct format_sink sink;
    struct fleet_staging *staging; /* NULL: rows go into a file */
    enum fleet_table table;        /* of the row, as the next */
    size_t start;                  /* where it is staged */
    uint64_t counts[FLEET_TABLE_COUNT];
    enum mb_status status; /* after a failure nothing is written */
    struct mb_error error;
};

/* For a file: the sink is borrowed until finish. Fails without memory; finish also after that. */
MB_MUST_CHECK enum mb_status fleet_writer_init(struct fleet_writer *writer,
                                               const struct format_sink *sink, bool packs,
                                               struct mb_error *err);
void fleet_writer_finish(struct fleet_writer *writer);

/* For a lake; needs no finish, and has no end: its status is the one to look at. */
struct fleet_writer fleet_writer_staging(struct fleet_staging *staging);

/* A row begins; its columns are put into writer->row. */
struct mb_json *fleet_begin_row(struct fleet_writer *writer, enum fleet_table table);
void fleet_end_row(struct fleet_writer *writer);

/* A column of REAL; and of TEXT, which is absent if it is empty. */
void fleet_put_real(struct mb_json *row, const char *column, double value);
void fleet_put_text(struct mb_json *row, const char *column, struct mb_text text);

/* All rows of a file are there. Fails as the sink does, and without memory, now or before. */
MB_MUST_CHECK enum mb_status fleet_writer_end(struct fleet_writer *writer, struct mb_error *err);

#endif
