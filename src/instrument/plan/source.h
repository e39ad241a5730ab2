/* The opened inputs of a run, and the jars inside them. */

#ifndef INSTRUMENT_PLAN_SOURCE_H
#define INSTRUMENT_PLAN_SOURCE_H

#include "archive/input.h"
#include "base/workers.h"
#include "instrument/plan/model.h"

#include <stdatomic.h>

#define PLAN_NO_SOURCE UINT32_MAX

struct plan_source {
    struct ar_input *archive;
    uint32_t outer;             /* the folder or archive this jar is in, or PLAN_NO_SOURCE */
    uint32_t outer_entry;       /* where in it */
    uint32_t inner_count;       /* jars inside, at any depth; they follow it in the list */
    uint32_t class_count;       /* entries that are class files */
    struct plan_class *classes; /* one each, in the order of the entries */
    uint64_t content_hash;      /* with --state; 0 if unknown */
    bool is_renamed;            /* its output has a number: another input has the same name */
    bool is_signed;             /* a jar (ties.c) */
    bool is_rewritten;          /* pass 2 changes it, or a jar inside, or takes its signature */
    bool was_rewritten;         /* in the last run */
    bool is_unchanged;          /* since the last run: pass 1 skips it */
    bool is_output_current;     /* and its output is in place: pass 2 neither */
    atomic_size_t touched_size; /* bytes read since its pages were dropped (content.h) */
};

/* A jar inside that is copied as it is. */
struct plan_closed {
    uint32_t outer;
    uint32_t outer_entry;
    struct mb_error reason;
};

struct plan_sources {
    struct plan_source *items;
    uint32_t count;
    struct plan_closed *closed;
    uint32_t closed_count;
    struct mb_arena arena; /* owns items and their classes */
};

/* Zeroed memory is an empty list. Opens paths, in their order, each followed by the jars in it.
 * Finish also after failure. */
MB_MUST_CHECK enum mb_status plan_sources_open(struct plan_sources *sources,
                                               const char *const *paths, size_t path_count,
                                               struct mb_workers *workers, struct mb_error *err);
void plan_sources_finish(struct plan_sources *sources);

/* It vouches for what is not there any more. */
static inline bool plan_source_loses_signature(const struct plan_source *source)
{
    return source->is_signed && source->is_rewritten;
}

/* Find the jar at an entry among those directly in the source: the first from *next on, if it is at
 * that entry; *next then moves past it. Otherwise PLAN_NO_SOURCE. Ask for entries in order, *next
 * starting with number + 1. */
uint32_t plan_source_take_inner(const struct plan_sources *sources, uint32_t number, uint32_t *next,
                                size_t entry);

/* True if it is a jar that is a file below a folder. */
bool plan_source_is_file_in_folder(const struct plan_sources *sources, uint32_t number);

/* Fails if one of the files was written to meanwhile. */
MB_MUST_CHECK enum mb_status plan_sources_check_unchanged(const struct plan_sources *sources,
                                                          struct mb_error *err);

#endif
