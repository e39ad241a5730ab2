/* The bytes of classes: read in pass 1, asked for again in pass 2. Small runs keep them in between,
 * so that they are unpacked once, and paged in once; larger ones would need the memory for longer
 * than the time is worth, and read again. */

#ifndef INSTRUMENT_PLAN_CONTENT_H
#define INSTRUMENT_PLAN_CONTENT_H

#include "instrument/plan/crew.h"
#include "instrument/plan/source.h"

#include <stdatomic.h>

/* Bytes that a run may keep. The classes of kotlin-compiler take 92 MB. */
#define PLAN_CONTENTS_LIMIT ((uint64_t)96 << 20)

/* Zeroed memory is a valid empty cache. */
struct plan_contents {
    char *bytes; /* room for classes that were unpacked */
    size_t capacity;
    atomic_size_t used; /* may pass the capacity: then something found no room */
    bool keeps_pages;   /* the run is so small that all inputs may stay in memory */
};

/* A class as pass 1 reads it. */
struct plan_content {
    struct mb_text bytes;
    char *room; /* where it was unpacked to stay; NULL: bytes are a view of the input, or scratch */
};

/* Bytes of a run. */
struct plan_contents_size {
    uint64_t classes; /* that would be kept, unpacked */
    uint64_t inputs;
};

/* Measure all inputs that have changed. The directory of a folder does not give sizes: 0. */
struct plan_contents_size plan_contents_measure(const struct plan_sources *sources);

/* Make room for the classes; no room if they exceed the limit or memory is short. */
void plan_contents_open(struct plan_contents *contents, struct plan_contents_size size);
void plan_contents_finish(struct plan_contents *contents);

/* Pass 1: read the class. The content lasts until scratch is used again. Any thread. */
MB_MUST_CHECK enum mb_status plan_content_read(struct plan_contents *contents,
                                               const struct plan_source *source,
                                               const struct plan_class *cls,
                                               struct plan_scratch *scratch,
                                               struct plan_content *content, struct mb_error *err);

/* Keep a class after pass 1 for pass 2, if possible: sets cls->content. True if it then stays in
 * memory to the end, with all that points into it. */
bool plan_content_keep(struct plan_contents *contents, struct plan_class *cls,
                       const struct plan_scratch *scratch, const struct plan_content *content);

/* Free a class that no later step will read; its room is reused only if no other class has taken
 * room since. */
void plan_content_forget(struct plan_contents *contents, const struct plan_content *content);

/* Pass 2: the class, kept or read again into scratch. */
MB_MUST_CHECK enum mb_status plan_content_get(const struct plan_source *source,
                                              const struct plan_class *cls,
                                              struct plan_scratch *scratch, struct mb_text *bytes,
                                              struct mb_error *err);

/* Count the class as read, and release its input's pages from time to time: the inputs of a run are
 * larger than the memory it needs. Any thread. */
void plan_contents_touch(const struct plan_contents *contents, struct plan_source *source,
                         const struct plan_class *cls);

/* The source is not read for now: release its pages, unless they are kept. Any thread. */
void plan_contents_drop(const struct plan_contents *contents, const struct plan_source *source);

#endif
