/* What a class says of others, as far as that decides what code without probes may call: numbers in
 * texts of the run, so that they live as long as the names, and in the state for the next run. */

#ifndef INSTRUMENT_PLAN_LINKS_H
#define INSTRUMENT_PLAN_LINKS_H

#include "instrument/plan/model.h"

/* In place of a class's numbers: more than a text holds. */
#define PLAN_LINK_ANY 0u
#define PLAN_MAX_LINKS (UINT16_MAX / sizeof(uint32_t))

/* Set cls->interfaces, without those of the platform, and cls->called: the keys (rule_method_key)
 * of methods that it refers to by handles or, if it is left without probes, calls. */
MB_MUST_CHECK enum mb_status plan_links_collect(struct plan_class *cls, const struct cf_class *file,
                                                struct mb_intern *names, struct mb_error *err);

/* The next number of such a text, which is taken off its front; false at the end. */
bool plan_links_next(struct mb_text *links, uint32_t *number);

#endif
