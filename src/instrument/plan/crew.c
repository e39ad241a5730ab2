#include "instrument/plan/crew.h"

#include <stdlib.h>

enum mb_status plan_crew_init(struct plan_crew *crew, unsigned jobs, struct mb_error *err)
{
    crew->workers = mb_workers_create(jobs);
    if (crew->workers == NULL) {
        return mb_fail_memory(err);
    }
    crew->scratch = calloc(mb_workers_count(crew->workers), sizeof(*crew->scratch));
    return crew->scratch != NULL ? MB_OK : mb_fail_memory(err);
}

static void finish_scratch(struct plan_scratch *scratch)
{
    ar_codec_destroy(scratch->codec);
    mb_buf_finish(&scratch->content);
    mb_arena_finish(&scratch->arena);
    mb_arena_finish(&scratch->run_arena);
}

void plan_crew_finish(struct plan_crew *crew)
{
    unsigned count = crew->workers != NULL ? mb_workers_count(crew->workers) : 0;

    mb_workers_destroy(crew->workers);
    for (unsigned i = 0; crew->scratch != NULL && i < count; i++) {
        finish_scratch(&crew->scratch[i]);
    }
    free(crew->scratch);
    *crew = (struct plan_crew){0};
}

enum mb_status plan_crew_scratch(struct plan_crew *crew, unsigned worker,
                                 struct plan_scratch **scratch, struct mb_error *err)
{
    *scratch = &crew->scratch[worker];
    if ((*scratch)->codec == NULL) {
        (*scratch)->codec = ar_codec_create(crew->compression);
    }
    return (*scratch)->codec != NULL ? MB_OK : mb_fail_memory(err);
}

void plan_crew_report(const struct plan_crew *crew, unsigned worker, size_t done, size_t total)
{
    if (worker == 0 && crew->progress != NULL) {
        crew->progress(crew->context, done, total);
    }
}

/* ---- Pieces of work ---- */

#define BATCH_SIZE ((uint64_t)64 * 1024) /* bytes of class files */

static uint32_t batch_end(struct plan_class *const *work, struct plan_span part)
{
    uint64_t size = work[part.first]->size;
    uint32_t end = part.first + 1;

    while (end < part.end && end - part.first < PLAN_BATCH_CLASSES && size < BATCH_SIZE) {
        size += work[end++]->size;
    }
    return end;
}

size_t plan_cut_batches(struct plan_class *const *work, struct plan_span part,
                        struct plan_span *batches)
{
    size_t count = 0;

    while (part.first < part.end) {
        uint32_t end = batch_end(work, part);
        if (batches != NULL) {
            batches[count] = (struct plan_span){part.first, end};
        }
        count++;
        part.first = end;
    }
    return count;
}
