/* Groups of issues as people and programs read them: one file a format, in one table. Pure
 * functions of their input. */

#ifndef ISSUES_OUTPUT_H
#define ISSUES_OUTPUT_H

#include "issues/groups.h"

/* All borrowed. */
struct issues_page {
    const struct issues_collection *all;
    const struct issues_groups *groups;
    struct issues_names *names;
    size_t top; /* groups that are shown */
    bool colour;
    size_t columns; /* of a line that people read; 0: names in full */
};

struct issues_format {
    const char *name;
    void (*put)(const struct issues_page *page, struct mb_buf *out);
};

/* All formats by number, from 0; NULL after the last. */
const struct issues_format *issues_format_at(size_t number);

extern const struct issues_format issues_text;
extern const struct issues_format issues_json;
extern const struct issues_format issues_csv;

/* ---- For the formats ---- */

/* Rows that are shown. */
const struct answer_cause *issues_rows(const struct issues_page *page, size_t *count);

#endif
