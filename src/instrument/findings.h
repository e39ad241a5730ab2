/* What pass 2 finds out about classes: methods that a limit keeps from being traced, and classes whose
 * code cannot be read. Lists are made beside it, so what they look at stays as it is until all threads
 * are done. Findings are rare. */

#ifndef INSTRUMENT_FINDINGS_H
#define INSTRUMENT_FINDINGS_H

#include "base/error.h"
#include "instrument/model.h"

#include <pthread.h>

struct ins_findings {
    pthread_mutex_t lock;
    struct mb_buf items;
};

void ins_findings_init(struct ins_findings *findings);
void ins_findings_finish(struct ins_findings *findings);

/* The method joins the ignored ones; rule says which limit, as in struct ins_method. Any thread. */
MB_MUST_CHECK enum mb_status ins_findings_add_limit(struct ins_findings *findings,
                                                    struct ins_class *cls, uint16_t method,
                                                    uint32_t rule, struct mb_error *err);

/* The class is none that can be read. Any thread. */
MB_MUST_CHECK enum mb_status ins_findings_add_broken(struct ins_findings *findings,
                                                     struct ins_class *cls, struct mb_error *err);

/* Put them into effect, in one thread, and forget them. False if there are none. */
bool ins_findings_apply(struct ins_findings *findings);

#endif
