/* The opened inputs of a run, the jars inside AARs among them. */

#ifndef INSTRUMENT_SOURCE_H
#define INSTRUMENT_SOURCE_H

#include "archive/archive.h"
#include "instrument/model.h"
#include "instrument/workers.h"

#include <stdatomic.h>

#define INS_NO_SOURCE UINT32_MAX

struct ins_source {
    struct ar_input *archive;
    uint32_t outer;             /* the AAR this jar is in, or INS_NO_SOURCE */
    uint32_t outer_entry;       /* where in it */
    uint32_t nested_count;      /* jars inside this AAR; they follow it in the list */
    uint32_t class_count;       /* entries that are class files */
    struct ins_class *classes;  /* one each, in the order of the entries */
    uint64_t mark;              /* of its content, with --state; 0: unknown */
    bool is_known;              /* unchanged since the last run: pass 1 has nothing to do */
    bool is_done;               /* and its output is in place: pass 2 neither */
    bool keeps_pages;           /* the run is so small that all inputs may stay in memory */
    atomic_size_t touched_size; /* bytes read since its pages were dropped */
};

struct ins_sources {
    struct ins_source *items;
    uint32_t count;
    struct mb_arena arena; /* owns items and their classes */
};

/* Zeroed memory is an empty list. Opens paths, in their order, each AAR followed by its jars.
 * Finish also after failure. */
MB_MUST_CHECK enum mb_status ins_sources_open(struct ins_sources *sources, const char *const *paths,
                                              size_t path_count, struct ins_workers *workers,
                                              struct mb_error *err);
void ins_sources_finish(struct ins_sources *sources);

/* Fails if one of the files was written to meanwhile. */
MB_MUST_CHECK enum mb_status ins_sources_check_unchanged(const struct ins_sources *sources,
                                                         struct mb_error *err);

/* Count size more bytes of the source as read, and let go of its pages from time to time: the
 * inputs of a run are larger than the memory it needs. Any thread. */
void ins_source_touch(struct ins_source *source, size_t size);

/* Let go of its pages now, unless it keeps them. Any thread. */
void ins_source_drop(const struct ins_source *source);

#endif
