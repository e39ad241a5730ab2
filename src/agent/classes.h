/* The Java half of the recorder, which the agent brings along: made by embed.py. */

#ifndef AGENT_CLASSES_H
#define AGENT_CLASSES_H

#include <stddef.h>

struct agent_class {
    const char *name; /* internal form */
    const unsigned char *bytes;
    size_t size;
};

/* Supertypes first. */
extern const struct agent_class agent_classes[];
extern const size_t agent_class_count;

#endif
