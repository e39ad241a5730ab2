/* The bytes of classes: read in pass 1, asked for again in pass 2. Small runs keep them in between,
 * so that they are unpacked once, and paged in once; larger ones would need the memory for longer
 * than the time is worth, and read again. */

#ifndef PLAN_CONTENT_H
#define PLAN_CONTENT_H

#include "plan/crew.h"
#include "plan/source.h"

#include <stdatomic.h>

/* Bytes that a run may keep. The classes of kotlin-compiler take 92 MB. */
#define PLAN_CONTENTS_LIMIT ((uint64_t)96 << 20)

/* Zeroed memory keeps nothing. */
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

/* Decide by the size of all inputs that are not unchanged. */
void plan_contents_open(struct plan_contents *contents, const struct plan_sources *sources);
/* Make room for classes of so many bytes in all; none if they are too many or memory is short. */
void plan_contents_reserve(struct plan_contents *contents, uint64_t size);
void plan_contents_finish(struct plan_contents *contents);

/* Room for size bytes, which lasts until finish; NULL if absent. Any thread. */
char *plan_contents_take(struct plan_contents *contents, size_t size);

/* Room that turned out not to be needed; it is used again only if nobody has taken some since. */
void plan_contents_give_back(struct plan_contents *contents, const char *room, size_t size);

/* Pass 1: read the class. The content lasts until scratch is used again. Any thread. */
MB_MUST_CHECK enum mb_status plan_content_read(struct plan_contents *contents,
                                               const struct plan_source *source,
                                               const struct plan_class *cls,
                                               struct plan_scratch *scratch,
                                               struct plan_content *content, struct mb_error *err);

/* Pass 1 is done with the class, and pass 2 wants it again: sets cls->content if that can be. True
 * if it then stays in memory to the end, with what points into it. */
bool plan_content_keep(struct plan_contents *contents, struct plan_class *cls,
                       const struct plan_scratch *scratch, const struct plan_content *content);

/* The same when nobody wants it. */
void plan_content_forget(struct plan_contents *contents, const struct plan_content *content);

/* Pass 2: the class, kept or read again into scratch. */
MB_MUST_CHECK enum mb_status plan_content_get(const struct plan_source *source,
                                              const struct plan_class *cls,
                                              struct plan_scratch *scratch, struct mb_text *bytes,
                                              struct mb_error *err);

/* Count the class as read, and let go of its input's pages from time to time: the inputs of a run
 * are larger than the memory it needs. Any thread. */
void plan_contents_touch(const struct plan_contents *contents, struct plan_source *source,
                         const struct plan_class *cls);

/* The source is not read for now: let go of its pages, unless they are kept. Any thread. */
void plan_contents_drop(const struct plan_contents *contents, const struct plan_source *source);

/* Nothing will be read any more: let go of what was kept. Unmapping takes a few percent of a small
 * run, so whoever has nothing else to do calls this. */
void plan_contents_release(const struct plan_contents *contents,
                           const struct plan_sources *sources);

#endif
