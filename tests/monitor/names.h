/* Names for tests: number n is the n-th of a list. */

#ifndef TESTS_MONITOR_NAMES_H
#define TESTS_MONITOR_NAMES_H

#include "monitor/monitor.h"

/* Ends with NULL. */
struct name_list {
    const char *names[32];
};

static inline struct mb_text name_in_list(const void *context, uint32_t name)
{
    const struct name_list *list = context;

    return mb_text_of(list->names[name - 1]);
}

static inline struct mon_names names_of(const struct name_list *list)
{
    return (struct mon_names){name_in_list, list};
}

#endif
