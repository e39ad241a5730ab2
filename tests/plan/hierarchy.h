/* Classes of a run as pass 1 leaves them, made of words, for tests of what extends what. Running
 * out of memory aborts the test. */

#ifndef PLAN_HIERARCHY_H
#define PLAN_HIERARCHY_H

#include "plan/library.h"
#include "plan/links.h"

#define HIERARCHY_CLASSES 24
#define HIERARCHY_METHODS 4

/* Zeroed memory before the first class. */
struct hierarchy {
    struct mb_intern *names;
    struct plan_class classes[HIERARCHY_CLASSES];
    struct plan_class *order[HIERARCHY_CLASSES];
    struct plan_method methods[HIERARCHY_CLASSES][HIERARCHY_METHODS];
    struct mb_buf links[HIERARCHY_CLASSES]; /* struct plan_link */
    size_t count;
    struct plan_library library;
    struct plan_library_class library_classes[HIERARCHY_CLASSES];
    struct plan_source source; /* of all classes */
    struct plan_sources sources;
};

/* "a/A:b/B,i/I go -hide .help": class a/A extends b/B (nothing there: java/lang/Object), implements
 * i/I, and has the methods void go(), a private and a static one; all are traced. Classes are added
 * in canonical order. Its number. */
size_t hierarchy_add(struct hierarchy *hierarchy, const char *text);

/* The same, of a class on the class path. */
void hierarchy_add_library(struct hierarchy *hierarchy, const char *text);

/* More that the class says of others, until hierarchy_close_links. */
void hierarchy_link(struct hierarchy *hierarchy, size_t number, const struct plan_link *link);
void hierarchy_close_links(struct hierarchy *hierarchy);

/* A name of the run; the key of void name(). */
uint32_t hierarchy_name(struct hierarchy *hierarchy, const char *name);
uint32_t hierarchy_key(const char *name);
void hierarchy_finish(struct hierarchy *hierarchy);

#endif
