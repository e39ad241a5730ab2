/* Allocations that fail, for mb_alloc_should_fail. */

#ifndef SUPPORT_FAILING_H
#define SUPPORT_FAILING_H

#include "base/arena.h"

static int allocations_left;

/* The one behind them fails. */
static inline int fail_later(void)
{
    return allocations_left-- == 0;
}

/* All behind them do. */
static inline int fail_after(void)
{
    return allocations_left-- <= 0;
}

#endif
