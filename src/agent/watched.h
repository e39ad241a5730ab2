/* Stacks for the monitors, by the sampler's way to take them: also while Java cannot run. */

#ifndef AGENT_WATCHED_H
#define AGENT_WATCHED_H

#include "jni/monitors.h"

#include <jni.h>

extern const struct jni_stacks agent_watched_stacks;

#endif
