/* What happened since the last look at a trace (live/recent.h), as lines of text: for a log, or
 * for a screen of a certain size. */

#ifndef LIVE_TABLE_H
#define LIVE_TABLE_H

#include "live/recent.h"

enum format_live_view {
    FORMAT_LIVE_METHODS,
    FORMAT_LIVE_THREADS,
    FORMAT_LIVE_CALLS, /* callers and callees of recent->focus */
};

/* All borrowed. */
struct format_live {
    const struct answer_recent *recent; /* sorted */
    struct answer_names names;
    struct mb_text process;
    uint32_t process_id;
    const char *order; /* what the methods are sorted by, in a word */
};

struct format_live_look {
    enum format_live_view view;
    size_t columns; /* of a line; 0: any */
    size_t rows; /* of the whole, 3 or more; 0: as many as there are, and not more than top of the
                    table */
    size_t top;
    size_t first;     /* the first row of the table that is shown */
    size_t selected;  /* a row of the table that stands out; SIZE_MAX: none */
    const char *last; /* the last line, of a screen; NULL: none */
    bool colour;
};

/* Rows of the table that such a look has, and how many of them it shows at a time. */
size_t format_live_count(const struct format_live *live, enum format_live_view view);
size_t format_live_page(const struct format_live *live, const struct format_live_look *look);

/* Append lines, each with its line end, none longer than the look's columns. */
void format_put_live(struct mb_buf *out, const struct format_live *live,
                     const struct format_live_look *look);

#endif
