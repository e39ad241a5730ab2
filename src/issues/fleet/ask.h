/* Asking the engine. */

#ifndef ISSUES_FLEET_ASK_H
#define ISSUES_FLEET_ASK_H

#include "issues/fleet/engine.h"
#include "issues/fleet/questions.h"

enum fleet_format { FLEET_AS_TEXT, FLEET_AS_JSON };

struct fleet_answer {
    enum fleet_format format; /* a table for people, or an object of one line */
    struct mb_buf text;       /* finish it also after a failure */
    size_t rows;
};

MB_MUST_CHECK enum mb_status fleet_ask(const struct fleet_engine *engine,
                                       const struct fleet_question *question,
                                       const struct fleet_blanks *blanks,
                                       struct fleet_answer *answer, struct mb_error *err);

/* The two newest releases, of those that one device in a hundred has by the condition and days of
 * blanks, as text that the caller frees: by their names if all are versions, else by the day on
 * which they were first seen. MB_BAD_USAGE if it has fewer, or several apps. */
MB_MUST_CHECK enum mb_status fleet_find_releases(const struct fleet_engine *engine,
                                                 const struct fleet_blanks *blanks, char **older,
                                                 char **newer, struct mb_error *err);

/* ---- The page ---- */

extern const char fleet_page_head[]; /* before its data */
extern const char fleet_page_tail[]; /* after it */

/* Ask all that the page shows; old_release and new_release of the blanks are set, top is for its
 * tables. Fails as fleet_ask does. */
MB_MUST_CHECK enum mb_status fleet_put_page(struct mb_buf *out, const struct fleet_engine *engine,
                                            const struct fleet_blanks *blanks,
                                            struct mb_error *err);

#endif
