#include "instrument/emit/output.h"

#include "base/interrupt.h"
#include "instrument/plan/crew.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define PRODUCT_SIZE ((size_t)96 * 1024) /* that most batches need, rather than growing to it */

enum batch_state {
    BATCH_IDLE,
    BATCH_TAKEN,
    BATCH_DONE,
};

/* Where a class is in the product's bytes. */
struct row {
    size_t offset;
    struct ar_packed packed; /* without its bytes, which move while the product grows */
    bool is_changed;
};

/* The product of a batch. Recycled. */
struct product {
    struct product *next_free;
    enum mb_status status;
    struct mb_error failure;
    struct mb_buf bytes;
    struct row rows[PLAN_BATCH_CLASSES];
};

struct batch {
    enum batch_state state;
    struct product *product; /* while it is taken or done, and not released */
};

struct lane {
    const struct emit_lane *plan;
    size_t first; /* of its batches */
    size_t end;
    size_t next;     /* the first that is idle */
    size_t released; /* those before are not needed any more */
    bool is_open;
};

struct emit_conveyor {
    struct emit_transformer *transformer;
    struct plan_class **work;
    struct plan_span *spans; /* of the work, one per batch */
    struct batch *batches;
    size_t batch_count;
    struct lane *lanes;
    size_t lane_count;
    size_t window; /* batches of a lane that may be begun and not released */

    pthread_mutex_t lock; /* of all below, and of lanes and the states of batches */
    pthread_cond_t change;
    size_t first_open;  /* no lane before it is open */
    size_t end_open;    /* no lane from it on is open */
    size_t begun_count; /* batches */
    size_t done_count;
    bool is_stopped;
    struct product *free_products;
};

/* --- cutting --- */

/* The lanes' batches, lane by lane; without spans only their number. */
static size_t cut_lanes(const struct emit_conveyor *conveyor, struct plan_span *spans)
{
    size_t count = 0;

    for (size_t i = 0; i < conveyor->lane_count; i++) {
        struct lane *lane = &conveyor->lanes[i];
        struct plan_span part = {lane->plan->first, lane->plan->end};
        lane->first = lane->next = lane->released = count;
        count += plan_cut_batches(conveyor->work, part, spans != NULL ? spans + count : NULL);
        lane->end = count;
    }
    return count;
}

static bool cut_batches(struct emit_conveyor *conveyor)
{
    conveyor->batch_count = cut_lanes(conveyor, NULL);
    conveyor->batches = calloc(conveyor->batch_count + 1, sizeof(*conveyor->batches));
    conveyor->spans = calloc(conveyor->batch_count + 1, sizeof(*conveyor->spans));
    if (conveyor->batches == NULL || conveyor->spans == NULL) {
        return false;
    }
    (void)cut_lanes(conveyor, conveyor->spans);
    return true;
}

struct emit_conveyor *emit_conveyor_create(struct emit_transformer *transformer,
                                           struct plan_class **work, const struct emit_lane *lanes,
                                           size_t lane_count)
{
    struct emit_conveyor *conveyor = calloc(1, sizeof(*conveyor));

    if (conveyor == NULL) {
        return NULL;
    }
    conveyor->transformer = transformer;
    conveyor->work = work;
    conveyor->lane_count = lane_count;
    conveyor->window = 4 + 4 * (size_t)mb_workers_count(transformer->crew->workers);
    conveyor->first_open = lane_count;
    conveyor->lanes = calloc(lane_count + 1, sizeof(*conveyor->lanes));
    if (conveyor->lanes != NULL) {
        for (size_t i = 0; i < lane_count; i++) {
            conveyor->lanes[i].plan = &lanes[i];
        }
    }
    if (conveyor->lanes == NULL || !cut_batches(conveyor)) {
        free(conveyor->spans);
        free(conveyor->batches);
        free(conveyor->lanes);
        free(conveyor);
        return NULL;
    }
    (void)pthread_mutex_init(&conveyor->lock, NULL);
    (void)pthread_cond_init(&conveyor->change, NULL);
    return conveyor;
}

static void destroy_product(struct product *product)
{
    if (product != NULL) {
        mb_buf_finish(&product->bytes);
        free(product);
    }
}

void emit_conveyor_destroy(struct emit_conveyor *conveyor)
{
    if (conveyor == NULL) {
        return;
    }
    for (size_t i = 0; i < conveyor->batch_count; i++) {
        destroy_product(conveyor->batches[i].product);
    }
    while (conveyor->free_products != NULL) {
        struct product *product = conveyor->free_products;
        conveyor->free_products = product->next_free;
        destroy_product(product);
    }
    (void)pthread_cond_destroy(&conveyor->change);
    (void)pthread_mutex_destroy(&conveyor->lock);
    free(conveyor->spans);
    free(conveyor->batches);
    free(conveyor->lanes);
    free(conveyor);
}

size_t emit_conveyor_batch_count(const struct emit_conveyor *conveyor)
{
    return conveyor->batch_count;
}

/* --- making --- */

/* The scratch of one production. */
struct maker {
    struct emit_transformer *transformer;
    const struct emit_lane *plan;
    unsigned worker;
    struct product *product;
};

static enum mb_status keep_row(const struct maker *maker, struct mb_text content, struct row *row,
                               struct mb_error *err)
{
    struct plan_crew *crew = maker->transformer->crew;
    struct mb_buf *bytes = &maker->product->bytes;

    MB_TRY(ar_pack(crew->scratch[maker->worker].codec, content, bytes, &row->packed, err));
    if (crew->compression == AR_COMPRESSION_STORE && !row->is_changed) {
        mb_buf_put(bytes, content.data, content.size);
    }
    return mb_buf_check(bytes, err);
}

/* A stored class is rewritten to its final place. */
static enum mb_status make_row(const struct maker *maker, struct plan_class *cls, struct row *row,
                               struct mb_error *err)
{
    struct emit_transformer *transformer = maker->transformer;
    struct mb_buf *bytes = &maker->product->bytes;
    struct mb_buf *rewritten = &transformer->looms[maker->worker].rewritten;
    bool is_kept = maker->plan->deliver == NULL;
    bool is_stored = is_kept && transformer->crew->compression == AR_COMPRESSION_STORE;
    struct mb_text content;

    mb_buf_reset(rewritten);
    row->offset = bytes->size;
    MB_TRY(emit_transform(transformer, maker->worker, cls, is_stored ? bytes : rewritten, &content,
                          err));
    row->is_changed = cls->is_changed;
    return is_kept ? keep_row(maker, content, row, err)
                   : maker->plan->deliver(maker->plan->context, cls, content, err);
}

static enum mb_status make_product(struct emit_conveyor *conveyor, const struct lane *lane,
                                   size_t number, unsigned worker, struct mb_error *err)
{
    struct product *product = conveyor->batches[number].product;
    const struct plan_span span = conveyor->spans[number];
    const struct maker maker = {conveyor->transformer, lane->plan, worker, product};

    mb_buf_reset(&product->bytes);
    for (uint32_t i = span.first; i < span.end; i++) {
        MB_TRY(mb_check_interrupt(err));
        MB_TRY(make_row(&maker, conveyor->work[i], &product->rows[i - span.first], err));
    }
    return MB_OK;
}

/* --- sharing out; all of it under the lock --- */

static struct product *take_product(struct emit_conveyor *conveyor)
{
    struct product *product = conveyor->free_products;

    if (product != NULL) {
        conveyor->free_products = product->next_free;
    } else {
        product = calloc(1, sizeof(*product));
    }
    if (product != NULL && product->bytes.bytes == NULL) {
        (void)mb_buf_reserve(&product->bytes, PRODUCT_SIZE); /* a failure shows when it is used */
    }
    return product;
}

static void release_before(struct emit_conveyor *conveyor, struct lane *lane, size_t batch)
{
    if (lane->released == batch) {
        return;
    }
    for (; lane->released < batch; lane->released++) {
        struct product *product = conveyor->batches[lane->released].product;
        conveyor->batches[lane->released].product = NULL;
        if (product != NULL) {
            product->next_free = conveyor->free_products;
            conveyor->free_products = product;
        }
    }
    (void)pthread_cond_broadcast(&conveyor->change);
}

static bool has_work(const struct emit_conveyor *conveyor, const struct lane *lane)
{
    return lane->is_open && lane->next < lane->end &&
           (lane->plan->deliver != NULL || lane->next - lane->released < conveyor->window);
}

/* NULL if no open lane has work. */
static struct lane *find_work(struct emit_conveyor *conveyor)
{
    for (size_t i = conveyor->first_open; i < conveyor->end_open; i++) {
        if (has_work(conveyor, &conveyor->lanes[i])) {
            return &conveyor->lanes[i];
        }
    }
    return NULL;
}

/* Do the lane's next batch; the lock is let go meanwhile. */
static void do_next(struct emit_conveyor *conveyor, struct lane *lane, unsigned worker)
{
    size_t number = lane->next++;
    struct batch *batch = &conveyor->batches[number];
    struct mb_error err = {0};

    batch->state = BATCH_TAKEN;
    size_t begun_count = ++conveyor->begun_count;
    batch->product = take_product(conveyor);
    (void)pthread_mutex_unlock(&conveyor->lock);
    enum mb_status status =
        batch->product != NULL ? make_product(conveyor, lane, number, worker, &err) : MB_NO_MEMORY;
    plan_crew_report(conveyor->transformer->crew, worker, conveyor->batch_count + begun_count,
                     2 * conveyor->batch_count);
    (void)pthread_mutex_lock(&conveyor->lock);
    if (batch->product != NULL) {
        batch->product->status = status;
        if (status != MB_OK) {
            batch->product->failure = err;
        }
    }
    batch->state = BATCH_DONE;
    conveyor->done_count++;
    (void)pthread_cond_broadcast(&conveyor->change);
}

/* Until the batch of the caller's own lane is done. */
static enum mb_status await_batch(struct emit_conveyor *conveyor, struct lane *lane, size_t index,
                                  unsigned worker, struct mb_error *err)
{
    const struct batch *batch = &conveyor->batches[index];

    while (batch->state != BATCH_DONE) {
        struct lane *other = has_work(conveyor, lane) ? lane : find_work(conveyor);
        if (other != NULL) {
            do_next(conveyor, other, worker);
        } else {
            (void)pthread_cond_wait(&conveyor->change, &conveyor->lock);
        }
    }
    if (batch->product == NULL) {
        return mb_fail_memory(err);
    }
    if (batch->product->status != MB_OK) {
        *err = batch->product->failure;
    }
    return batch->product->status;
}

/* --- for writers --- */

void emit_conveyor_open(struct emit_conveyor *conveyor, size_t lane)
{
    (void)pthread_mutex_lock(&conveyor->lock);
    conveyor->lanes[lane].is_open = true;
    conveyor->first_open = lane < conveyor->first_open ? lane : conveyor->first_open;
    conveyor->end_open = lane + 1 > conveyor->end_open ? lane + 1 : conveyor->end_open;
    (void)pthread_cond_broadcast(&conveyor->change);
    (void)pthread_mutex_unlock(&conveyor->lock);
}

static bool is_busy(const struct emit_conveyor *conveyor, const struct lane *lane)
{
    for (size_t i = lane->released; i < lane->next; i++) {
        if (conveyor->batches[i].state == BATCH_TAKEN) {
            return true;
        }
    }
    return false;
}

void emit_conveyor_close(struct emit_conveyor *conveyor, size_t number)
{
    struct lane *lane = &conveyor->lanes[number];

    (void)pthread_mutex_lock(&conveyor->lock);
    lane->is_open = false;
    while (is_busy(conveyor, lane)) {
        (void)pthread_cond_wait(&conveyor->change, &conveyor->lock);
    }
    release_before(conveyor, lane, lane->next);
    while (conveyor->first_open < conveyor->end_open &&
           !conveyor->lanes[conveyor->first_open].is_open) {
        conveyor->first_open++;
    }
    (void)pthread_cond_broadcast(&conveyor->change);
    (void)pthread_mutex_unlock(&conveyor->lock);
}

void emit_conveyor_stop(struct emit_conveyor *conveyor)
{
    (void)pthread_mutex_lock(&conveyor->lock);
    conveyor->is_stopped = true;
    (void)pthread_cond_broadcast(&conveyor->change);
    (void)pthread_mutex_unlock(&conveyor->lock);
}

static size_t batch_of(const struct emit_conveyor *conveyor, const struct lane *lane,
                       uint32_t index)
{
    size_t batch = lane->released;

    while (conveyor->spans[batch].end <= index) {
        batch++;
    }
    assert(batch < lane->end && conveyor->spans[batch].first <= index);
    return batch;
}

enum mb_status emit_conveyor_get(struct emit_conveyor *conveyor, unsigned worker, size_t number,
                                 uint32_t index, struct emit_rewritten *rewritten,
                                 struct mb_error *err)
{
    struct lane *lane = &conveyor->lanes[number];

    (void)pthread_mutex_lock(&conveyor->lock);
    size_t at = batch_of(conveyor, lane, index);
    release_before(conveyor, lane, at);
    enum mb_status status = await_batch(conveyor, lane, at, worker, err);
    (void)pthread_mutex_unlock(&conveyor->lock);
    if (status == MB_OK) {
        const struct batch *batch = &conveyor->batches[at];
        const struct row *row = &batch->product->rows[index - conveyor->spans[at].first];
        *rewritten = (struct emit_rewritten){row->packed, row->is_changed};
        rewritten->packed.bytes = batch->product->bytes.bytes + row->offset;
    }
    return status;
}

enum mb_status emit_conveyor_drain(struct emit_conveyor *conveyor, unsigned worker, size_t number,
                                   struct mb_error *err)
{
    struct lane *lane = &conveyor->lanes[number];
    enum mb_status status = MB_OK;

    (void)pthread_mutex_lock(&conveyor->lock);
    for (size_t i = lane->first; status == MB_OK && i < lane->end; i++) {
        status = await_batch(conveyor, lane, i, worker, err);
        release_before(conveyor, lane, status == MB_OK ? i + 1 : i);
    }
    (void)pthread_mutex_unlock(&conveyor->lock);
    return status;
}

bool emit_conveyor_help(struct emit_conveyor *conveyor, unsigned worker)
{
    (void)pthread_mutex_lock(&conveyor->lock);
    while (conveyor->done_count < conveyor->batch_count && !conveyor->is_stopped) {
        struct lane *lane = find_work(conveyor);
        if (lane != NULL) {
            do_next(conveyor, lane, worker);
        } else {
            (void)pthread_cond_wait(&conveyor->change, &conveyor->lock);
        }
    }
    bool is_done = !conveyor->is_stopped;
    (void)pthread_mutex_unlock(&conveyor->lock);
    return is_done;
}
