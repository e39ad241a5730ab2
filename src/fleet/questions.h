/* The questions about a fleet: one text of SQL each, the same for all engines, with blanks. */

#ifndef FLEET_QUESTIONS_H
#define FLEET_QUESTIONS_H

#include "base/text.h"

struct fleet_question {
    const char *name;
    const char *summary;
    const char *sql;
    bool compares; /* two releases */
    bool judges;   /* each row of its answer is something that got worse */
};

extern const struct fleet_question fleet_questions[];
extern const size_t fleet_question_count;

const struct fleet_question *fleet_find_question(const char *name);

/* What fills the blanks; the texts are borrowed. */
struct fleet_blanks {
    const char *old_release;
    const char *new_release;
    const char *where; /* a condition on columns that say who; NULL: all */
    const char *day;   /* the last one, YYYY-MM-DD; weeks end with it */
    uint64_t top;      /* rows of the answer, at most */
};

enum fleet_dialect { FLEET_DUCKDB, FLEET_SPARK, FLEET_CLICKHOUSE, FLEET_TRINO, FLEET_BIGQUERY };

/* The statements that make the tables of a lake known; none for Trino and BigQuery. */
void fleet_put_views(struct mb_buf *sql, enum fleet_dialect dialect, const char *lake);

void fleet_put_question(struct mb_buf *sql, enum fleet_dialect dialect,
                        const struct fleet_question *question, const struct fleet_blanks *blanks);

#endif
