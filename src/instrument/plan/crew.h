/* The threads of a run, and the scratch memory of each. */

#ifndef INSTRUMENT_PLAN_CREW_H
#define INSTRUMENT_PLAN_CREW_H

#include "archive/codec.h"
#include "base/arena.h"
#include "base/workers.h"

struct plan_scratch {
    struct ar_codec *codec;
    struct mb_buf content;     /* the class as it came, where it was packed */
    struct mb_arena arena;     /* of the class at hand */
    struct mb_arena run_arena; /* lasts as long as the run */
};

struct plan_crew {
    struct mb_workers *workers;
    struct plan_scratch *scratch; /* one per worker */
    enum ar_compression compression;
    /* Called on worker 0 while no lock is held, done rising to total. May be NULL. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/* Zeroed memory, then init; finish also after a failure. Starts no thread. */
MB_MUST_CHECK enum mb_status plan_crew_init(struct plan_crew *crew, unsigned jobs,
                                            struct mb_error *err);
void plan_crew_finish(struct plan_crew *crew);

/* The worker's scratch, complete from its first task on. */
MB_MUST_CHECK enum mb_status plan_crew_scratch(struct plan_crew *crew, unsigned worker,
                                               struct plan_scratch **scratch, struct mb_error *err);

/* No effect on workers other than 0. */
void plan_crew_report(const struct plan_crew *crew, unsigned worker, size_t done, size_t total);

#endif
