#include "inputs.h"
#include "instrument/emit/output.h"
#include "instrument/plan/crew.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdio.h>

#define CLASSES 200 /* several batches */

/* Classes that are to be rewritten, and what becomes of them. */
struct world {
    struct inputs inputs;
    struct plan_contents contents;
    struct plan_warnings warnings;
    struct mb_intern *names;
    struct emit_transformer transformer;
    struct plan_class *work[CLASSES];
    struct emit_conveyor *conveyor;
    struct emit_lane lane;
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t first;
    size_t delivered[2]; /* by the first thread, by others */
    bool is_told;
};

static void open_inputs(struct world *world, unsigned jobs)
{
    static char texts[CLASSES][32];
    static struct input_class classes[CLASSES];

    for (size_t i = 0; i < CLASSES; i++) {
        (void)snprintf(texts[i], sizeof(texts[i]), "p/C%03zu go", i);
        classes[i] = (struct input_class){"in", texts[i]};
    }
    inputs_open(&world->inputs, classes, CLASSES, jobs);
}

/* As pass 1 leaves them: each traces its method. */
static void init(struct world *world, unsigned jobs)
{
    static struct plan_method methods[CLASSES];
    struct plan_source *source;

    open_inputs(world, jobs);
    source = &world->inputs.sources.items[0];
    for (uint32_t i = 0; i < CLASSES; i++) {
        methods[i] = (struct plan_method){.id = i + 1, .verdict = RULE_TRACE};
        source->classes[i].methods = &methods[i];
        source->classes[i].method_count = source->classes[i].traced_count = 1;
        source->classes[i].is_readable = true;
        world->work[i] = &source->classes[i];
    }
    plan_warnings_init(&world->warnings);
    world->names = mb_intern_create();
    world->transformer = (struct emit_transformer){
        .crew = &world->inputs.crew,
        .contents = &world->contents,
        .sources = &world->inputs.sources,
        .names = world->names,
        .warnings = &world->warnings,
        .beat = {.class_name = MB_TEXT("my/Beat")},
    };
    cr_assert(eq(int, emit_transformer_init(&world->transformer, NULL), MB_OK));
    world->lane.end = CLASSES;
    world->conveyor = emit_conveyor_create(&world->transformer, world->work, &world->lane, 1);
}

static void finish(struct world *world)
{
    emit_conveyor_destroy(world->conveyor);
    emit_transformer_finish(&world->transformer);
    plan_warnings_finish(&world->warnings);
    inputs_close(&world->inputs);
    mb_intern_destroy(world->names);
}

/* Returns when another thread has begun a batch since, which takes the conveyor's lock, or did
 * all. */
static void wait_for_others(void *context, uint64_t done, uint64_t total)
{
    struct world *world = context;

    (void)done;
    (void)total;
    (void)pthread_mutex_lock(&world->lock);
    size_t before = world->delivered[1];
    while (!world->is_told && world->delivered[1] < before + 2 * PLAN_BATCH_CLASSES &&
           world->delivered[0] + world->delivered[1] < CLASSES) {
        (void)pthread_cond_wait(&world->change, &world->lock);
    }
    world->is_told = true;
    (void)pthread_mutex_unlock(&world->lock);
}

static enum mb_status count_class(void *context, const struct plan_class *cls,
                                  struct mb_text content, struct mb_error *err)
{
    struct world *world = context;

    (void)cls;
    (void)content;
    (void)err;
    (void)pthread_mutex_lock(&world->lock);
    world->delivered[pthread_equal(pthread_self(), world->first) ? 0 : 1]++;
    (void)pthread_cond_broadcast(&world->change);
    (void)pthread_mutex_unlock(&world->lock);
    return MB_OK;
}

static enum mb_status drain(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    struct world *world = context;

    if (task > 0) {
        emit_conveyor_help(world->conveyor, worker);
        return MB_OK;
    }
    emit_conveyor_open(world->conveyor, 0);
    enum mb_status status = emit_conveyor_drain(world->conveyor, worker, 0, err);
    emit_conveyor_close(world->conveyor, 0);
    return status;
}

/* Two more batches pass through another thread while the first tells what is done. */
Test(conveyor, goes_on_while_progress_is_told, .timeout = 60)
{
    struct world world = {
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .change = PTHREAD_COND_INITIALIZER,
        .lane = {.deliver = count_class},
        .first = pthread_self(),
    };

    init(&world, 2);
    world.lane.context = &world;
    world.inputs.crew.progress = wait_for_others;
    world.inputs.crew.context = &world;
    cr_assert(eq(int, mb_workers_run(world.inputs.crew.workers, 2, drain, &world, NULL), MB_OK));
    cr_assert(eq(sz, world.delivered[0] + world.delivered[1], CLASSES));
    finish(&world);
}
