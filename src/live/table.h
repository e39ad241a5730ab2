/* What happened since the last snapshot of a trace (live/recent.h), as lines of text: for a log, or
 * for a screen of a certain size. */

#ifndef LIVE_TABLE_H
#define LIVE_TABLE_H

#include "live/recent.h"

enum live_view {
    LIVE_METHODS,
    LIVE_THREADS,
    LIVE_CALLS, /* callers and callees of recent->focus */
};

/* All borrowed. */
struct live_facts {
    const struct live_recent *recent; /* sorted; NULL: nothing yet */
    struct answer_names names;
    struct mb_text process;
    uint32_t process_id;
    const char *order; /* what the methods are sorted by, in a word */
};

struct live_layout {
    enum live_view view;
    size_t columns; /* of a line; 0: any */
    size_t rows; /* of the whole, 3 or more; 0: as many as there are, and not more than top of the
                    table */
    size_t top;
    size_t first;     /* the first row of the table that is shown */
    size_t selected;  /* a row of the table that stands out; SIZE_MAX: none */
    const char *last; /* the last line, of a screen; NULL if none */
    bool colour;
};

/* Rows of the table that such a layout has, and how many of them it shows at a time. */
size_t live_table_count(const struct live_facts *live, enum live_view view);
size_t live_table_page(const struct live_facts *live, const struct live_layout *layout);

/* The method that a row is about, or LIVE_NO_METHOD; the row of a method among LIVE_METHODS, or
 * SIZE_MAX. */
uint32_t live_table_method(const struct live_facts *live, enum live_view view, size_t row);
size_t live_table_find(const struct live_facts *live, uint32_t id);

/* Append lines, each with its line end, none longer than the layout's columns. */
void live_put_table(struct mb_buf *out, const struct live_facts *live,
                    const struct live_layout *layout);

#endif
