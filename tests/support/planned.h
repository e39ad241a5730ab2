/* Small classes on the disk that pass 1 is done with, for tests of what comes after it. Failures
 * abort the test. */

#ifndef SUPPORT_PLANNED_H
#define SUPPORT_PLANNED_H

#include "inputs.h"
#include "instrument/plan/collect.h"
#include "instrument/plan/number.h"
#include "instrument/plan/sort.h"

/* Zeroed memory before planned_open. */
struct planned {
    struct inputs inputs;
    struct plan_contents contents;
    struct plan_warnings warnings;
    struct rule_set *rules;
    struct mb_intern *names;
    struct plan_order order;
    struct plan_describer describer; /* a profile may be set before */
    struct plan_numbering numbering;
    struct abi_methodmap base;
};

/* Collected with the default rules, put in order and numbered, with every id in use. */
void planned_open(struct planned *planned, const struct input_class *classes, size_t count,
                  unsigned jobs);
void planned_close(struct planned *planned);

/* The class of that name. */
struct plan_class *planned_find(const struct planned *planned, const char *name);

#endif
