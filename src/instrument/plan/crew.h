/* The threads of a run, the scratch memory of each, and the pieces of work that they share. */

#ifndef INSTRUMENT_PLAN_CREW_H
#define INSTRUMENT_PLAN_CREW_H

#include "archive/codec.h"
#include "base/arena.h"
#include "base/workers.h"
#include "instrument/plan/model.h"

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

/* ---- Pieces of work ---- */

/* Small enough to keep every thread busy to the end and large enough to make sharing cheap. */

/* No batch has more classes. */
#define PLAN_BATCH_CLASSES 32U

/* Part of a list: [first, end). */
struct plan_span {
    uint32_t first;
    uint32_t end;
};

/* Cut a part of the work into batches, in its order, and give their number; batches may be NULL. */
size_t plan_cut_batches(struct plan_class *const *work, struct plan_span part,
                        struct plan_span *batches);

#endif
