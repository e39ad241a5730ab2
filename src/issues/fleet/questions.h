/* The questions about a fleet: one text of SQL each, the same for all engines, with blanks.
 * questions.def has a row for each. */

#ifndef ISSUES_FLEET_QUESTIONS_H
#define ISSUES_FLEET_QUESTIONS_H

#include "base/text.h"
#include "issues/fleet/schema.h"

struct fleet_question {
    const char *name;
    const char *summary;
    const char *sql;
    bool compares; /* two releases */
    bool judges;   /* each row of its answer is something that got worse */
    int page_rows; /* of its answer on the page; 0: as many as asked for; negative: it is not there
                    */
};

extern const struct fleet_question fleet_questions[];
extern const size_t fleet_question_count;

const struct fleet_question *fleet_find_question(const char *name);

enum fleet_dialect { FLEET_DUCKDB, FLEET_SPARK, FLEET_CLICKHOUSE, FLEET_TRINO, FLEET_BIGQUERY };

/* Where tables are. */
struct fleet_place {
    const char *folder;         /* the lake */
    const char *path;           /* the lake, as the engine names it; "": it runs there */
    const struct mb_buf *loads; /* those to see, as texts in SQL; DuckDB alone looks at them */
    const char *since;          /* earlier days are not looked at, but for names; NULL: all are */
    const char *sql;            /* which asks DuckDB: only its tables are made known; NULL: all */
    const char *staging;        /* of a load, in the lake; NULL: none */
    bool had_cut;               /* of a load: uploads that were cut off may come again */
    const char *uploads;        /* of a load by Spark: the folder of rows, as it names it */
    const char *batch;          /* of a rewriting, as the next two */
    const char *devices;        /* by commas */
    const char *before;         /* a day, or "" */
};

/* What fills the blanks; the texts are borrowed. */
struct fleet_blanks {
    const char *old_release;
    const char *new_release;
    const char *where;               /* a condition on columns that say who; NULL: all */
    const char *day;                 /* the last one, YYYY-MM-DD; weeks end with it */
    const char *by;                  /* an expression of strata; NULL: the class of devices */
    uint64_t days;                   /* that a comparison looks at, up to the last one */
    uint64_t top;                    /* rows of the answer, at most */
    const struct fleet_place *place; /* NULL: no blank asks for it */
};

/* Append a text with its blanks filled. */
void fleet_put_sql(struct mb_buf *sql, enum fleet_dialect dialect, const char *text,
                   const struct fleet_blanks *blanks);

/* What makes a table known, by whether its folder is in the lake. The last one is of the folder
 * `buckets`, which older lakes have, and makes the tables sums and buckets. */
struct fleet_view {
    const char *folder;
    bool is_of_names; /* which stand on the day on which they were first met */
    const char *there;
    const char *absent;
};

#define FLEET_VIEW_COUNT (FLEET_TABLE_COUNT + 1)

extern const struct fleet_view fleet_views[][FLEET_VIEW_COUNT];

/* DuckDB's, a table after the other, so that it holds one at a time: rows of the staging folder,
 * without doubles; files of one day; and the end of its rows but for how many stayed, which
 * `counts` tells of all. */
struct fleet_load_sql {
    const char *begin;
    struct {
        const char *read;
        const char *day;
        const char *end;
    } tables[FLEET_TABLE_COUNT];
    const char *counts;
    const char *spark; /* the same by Spark, in one, and by ClickHouse, into tables of its own */
    const char *clickhouse;
};

extern const struct fleet_load_sql fleet_load_sql;

/* DuckDB's, by table of a lake: its days, and how many files each has; the one file of a day. */
struct fleet_rewrite_sql {
    const char *find;
    const char *write;
};

extern const struct fleet_rewrite_sql fleet_rewrite_sql[];

/* The statements that make the tables of a lake known, those that it lacks as empty ones, and
 * columns that its files lack as NULL; none for Trino and BigQuery. A lake whose path is a URL is
 * taken to have them all. */
void fleet_put_views(struct mb_buf *sql, enum fleet_dialect dialect,
                     const struct fleet_place *place);

#endif
