/* The answers of a fleet as one page for a browser. */

#ifndef FLEET_PAGE_H
#define FLEET_PAGE_H

#include "fleet/ask.h"

extern const char fleet_page_head[]; /* before its data */
extern const char fleet_page_tail[]; /* after it */

/* Ask all that the page shows; old_release and new_release of the blanks are set, top is for its
 * tables. Fails as fleet_ask does. */
MB_MUST_CHECK enum mb_status fleet_put_page(struct mb_buf *out, const struct fleet_engine *engine,
                                            const struct fleet_blanks *blanks,
                                            struct mb_error *err);

#endif
