/* Folders of small classes on the disk, opened, for tests of what works on inputs. Failures of the
 * system abort. */

#ifndef SUPPORT_INPUTS_H
#define SUPPORT_INPUTS_H

#include "instrument/plan/crew.h"
#include "instrument/plan/source.h"

#define MAX_INPUTS 4

/* Zeroed memory before inputs_open. */
struct inputs {
    char root[64];
    char paths[MAX_INPUTS][96];
    size_t count;
    struct plan_crew crew;
    struct plan_sources sources;
};

/* A class file below root/folder, spelt "a/B go -run": each method calls another class, so that it
 * deserves a probe; one spelt -run is empty. "a/B:a/C go" has a superclass. */
struct input_class {
    const char *folder;
    const char *text;
};

/* Write the classes and open their folders, in the order in which they are first named. */
void inputs_open(struct inputs *inputs, const struct input_class *classes, size_t count,
                 unsigned jobs);

/* Append the class file to out. */
void inputs_build_class(const char *text, struct mb_buf *out);

/* Closes and removes all. */
void inputs_close(struct inputs *inputs);

#endif
