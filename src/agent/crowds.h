/* Script and template engines make classes of new names for as long as a program runs, each in a
 * loader of its own that goes with it; names and ids stay. So of the loaders that bring new names
 * into one package only so many count. */

#ifndef AGENT_CROWDS_H
#define AGENT_CROWDS_H

#include "base/strmap.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed memory is a valid start. One thread at a time. */
struct agent_crowds {
    struct mb_strmap by_package; /* struct crowd */
};

/* May a class of a name that is new have ids? loader is a number that few others have, or 0 for one
 * that stays. */
bool agent_crowds_admit(struct agent_crowds *crowds, struct mb_text class_name, uint32_t loader);

#endif
