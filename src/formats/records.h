/* The records of a trace, one a line: as text, or as JSON objects. */

#ifndef FORMATS_RECORDS_H
#define FORMATS_RECORDS_H

#include "answer/input.h"

struct format_records {
    const char *thread; /* only this one, by name or id; NULL: all */
    bool has_names;     /* of methods, behind their ids */
    bool is_json;
    void (*write)(const void *bytes, size_t size); /* takes lines, many at a time */
};

/* Marks, then each thread with its records; what is damaged is told among them. MB_BAD_USAGE if
 * there is no such thread. */
MB_MUST_CHECK enum mb_status format_put_records(const struct answer_trace *trace,
                                                const struct format_records *wish,
                                                struct mb_error *err);

#endif
