#include "instrument/conveyor.h"

#include "instrument/transform.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define BATCH_CLASSES 32U
#define BATCH_SIZE ((uint64_t)64 * 1024) /* bytes of class files */
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

/* What a batch was made into. Recycled. */
struct product {
    struct product *next_free;
    enum mb_status status;
    struct mb_error failure;
    struct mb_buf bytes;
    struct row rows[BATCH_CLASSES];
};

struct batch {
    uint32_t first; /* in the work */
    uint32_t end;
    enum batch_state state;
    struct product *product; /* while it is taken or done, and not released */
};

struct lane {
    const struct ins_lane *plan;
    size_t first; /* of its batches */
    size_t end;
    size_t next;     /* the first that is idle */
    size_t released; /* those before are not needed any more */
    bool is_open;
};

struct ins_conveyor {
    struct ins_run *run;
    struct ins_class **work;
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

static uint64_t class_size(const struct ins_conveyor *conveyor, uint32_t index)
{
    return conveyor->work[index]->size;
}

static uint32_t batch_end(const struct ins_conveyor *conveyor, uint32_t first, uint32_t limit)
{
    uint64_t size = class_size(conveyor, first);
    uint32_t end = first + 1;

    while (end < limit && end - first < BATCH_CLASSES && size < BATCH_SIZE) {
        size += class_size(conveyor, end++);
    }
    return end;
}

/* With conveyor->batches NULL, only count. */
static size_t cut(struct ins_conveyor *conveyor)
{
    size_t count = 0;

    for (size_t i = 0; i < conveyor->lane_count; i++) {
        struct lane *lane = &conveyor->lanes[i];
        lane->first = lane->next = lane->released = count;
        for (uint32_t first = lane->plan->first; first < lane->plan->end;) {
            uint32_t end = batch_end(conveyor, first, lane->plan->end);
            if (conveyor->batches != NULL) {
                conveyor->batches[count] = (struct batch){.first = first, .end = end};
            }
            count++;
            first = end;
        }
        lane->end = count;
    }
    return count;
}

static bool cut_batches(struct ins_conveyor *conveyor)
{
    conveyor->batch_count = cut(conveyor);
    conveyor->batches = calloc(conveyor->batch_count + 1, sizeof(*conveyor->batches));
    if (conveyor->batches == NULL) {
        return false;
    }
    (void)cut(conveyor);
    return true;
}

struct ins_conveyor *ins_conveyor_create(struct ins_run *run, struct ins_class **work,
                                         const struct ins_lane *lanes, size_t lane_count)
{
    struct ins_conveyor *conveyor = calloc(1, sizeof(*conveyor));

    if (conveyor == NULL) {
        return NULL;
    }
    conveyor->run = run;
    conveyor->work = work;
    conveyor->lane_count = lane_count;
    conveyor->window = 4 + 4 * (size_t)ins_workers_count(run->workers);
    conveyor->first_open = lane_count;
    conveyor->lanes = calloc(lane_count + 1, sizeof(*conveyor->lanes));
    if (conveyor->lanes != NULL) {
        for (size_t i = 0; i < lane_count; i++) {
            conveyor->lanes[i].plan = &lanes[i];
        }
    }
    if (conveyor->lanes == NULL || !cut_batches(conveyor)) {
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

void ins_conveyor_destroy(struct ins_conveyor *conveyor)
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
    free(conveyor->batches);
    free(conveyor->lanes);
    free(conveyor);
}

size_t ins_conveyor_batch_count(const struct ins_conveyor *conveyor)
{
    return conveyor->batch_count;
}

/* --- making --- */

/* What makes a product. */
struct maker {
    struct ins_run *run;
    const struct ins_lane *plan;
    struct ins_scratch *scratch;
    struct product *product;
};

/* What is stored is rewritten to where it stays. */
static enum mb_status make_row(const struct maker *maker, struct ins_class *cls, struct row *row,
                               struct mb_error *err)
{
    struct mb_buf *bytes = &maker->product->bytes;
    struct mb_buf *rewritten = &maker->scratch->rewritten;
    bool is_kept = maker->plan->deliver == NULL;
    bool is_stored = is_kept && maker->run->options->compression == AR_COMPRESSION_STORE;
    struct mb_text content;

    mb_buf_reset(rewritten);
    row->offset = bytes->size;
    MB_TRY(ins_transform(maker->run, maker->scratch, cls, is_stored ? bytes : rewritten, &content,
                         err));
    row->is_changed = cls->is_changed;
    if (!is_kept) {
        return maker->plan->deliver(maker->plan->context, cls, content, cls->is_changed, err);
    }
    MB_TRY(ar_pack(maker->scratch->codec, content, bytes, &row->packed, err));
    if (is_stored && !cls->is_changed) {
        mb_buf_put(bytes, content.data, content.size);
    }
    return mb_buf_check(bytes, err);
}

static enum mb_status make_product(struct ins_conveyor *conveyor, const struct lane *lane,
                                   struct batch *batch, unsigned worker, struct mb_error *err)
{
    struct ins_run *run = conveyor->run;
    const struct maker maker = {run, lane->plan, &run->scratch[worker], batch->product};

    MB_TRY(ins_check_interrupt(err));
    MB_TRY(ins_scratch_prepare(run, worker, err));
    mb_buf_reset(&batch->product->bytes);
    for (uint32_t i = batch->first; i < batch->end; i++) {
        MB_TRY(make_row(&maker, conveyor->work[i], &batch->product->rows[i - batch->first], err));
    }
    return MB_OK;
}

/* --- sharing out; all of it under the lock --- */

static struct product *take_product(struct ins_conveyor *conveyor)
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

static void release_before(struct ins_conveyor *conveyor, struct lane *lane, size_t batch)
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

static bool has_work(const struct ins_conveyor *conveyor, const struct lane *lane)
{
    return lane->is_open && lane->next < lane->end &&
           (lane->plan->deliver != NULL || lane->next - lane->released < conveyor->window);
}

/* NULL if no open lane has work. */
static struct lane *find_work(struct ins_conveyor *conveyor)
{
    for (size_t i = conveyor->first_open; i < conveyor->end_open; i++) {
        if (has_work(conveyor, &conveyor->lanes[i])) {
            return &conveyor->lanes[i];
        }
    }
    return NULL;
}

/* Do the lane's next batch; the lock is let go meanwhile. */
static void do_next(struct ins_conveyor *conveyor, struct lane *lane, unsigned worker)
{
    struct batch *batch = &conveyor->batches[lane->next++];
    struct mb_error err = {0};

    batch->state = BATCH_TAKEN;
    conveyor->begun_count++;
    batch->product = take_product(conveyor);
    (void)pthread_mutex_unlock(&conveyor->lock);
    enum mb_status status =
        batch->product != NULL ? make_product(conveyor, lane, batch, worker, &err) : MB_NO_MEMORY;
    (void)pthread_mutex_lock(&conveyor->lock);
    if (batch->product != NULL) {
        batch->product->status = status;
        if (status != MB_OK) {
            batch->product->failure = err;
        }
    }
    batch->state = BATCH_DONE;
    conveyor->done_count++;
    if (worker == 0) {
        ins_tell_progress(conveyor->run, conveyor->batch_count + conveyor->done_count,
                          2 * conveyor->batch_count);
    }
    (void)pthread_cond_broadcast(&conveyor->change);
}

/* Until the batch of the caller's own lane is done. */
static enum mb_status await_batch(struct ins_conveyor *conveyor, struct lane *lane, size_t index,
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

/* --- what writers call --- */

void ins_conveyor_open(struct ins_conveyor *conveyor, size_t lane)
{
    (void)pthread_mutex_lock(&conveyor->lock);
    conveyor->lanes[lane].is_open = true;
    conveyor->first_open = lane < conveyor->first_open ? lane : conveyor->first_open;
    conveyor->end_open = lane + 1 > conveyor->end_open ? lane + 1 : conveyor->end_open;
    (void)pthread_cond_broadcast(&conveyor->change);
    (void)pthread_mutex_unlock(&conveyor->lock);
}

static bool is_busy(const struct ins_conveyor *conveyor, const struct lane *lane)
{
    for (size_t i = lane->released; i < lane->next; i++) {
        if (conveyor->batches[i].state == BATCH_TAKEN) {
            return true;
        }
    }
    return false;
}

void ins_conveyor_close(struct ins_conveyor *conveyor, size_t number)
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

void ins_conveyor_stop(struct ins_conveyor *conveyor)
{
    (void)pthread_mutex_lock(&conveyor->lock);
    conveyor->is_stopped = true;
    (void)pthread_cond_broadcast(&conveyor->change);
    (void)pthread_mutex_unlock(&conveyor->lock);
}

static size_t batch_of(const struct ins_conveyor *conveyor, const struct lane *lane, uint32_t index)
{
    size_t batch = lane->released;

    while (conveyor->batches[batch].end <= index) {
        batch++;
    }
    assert(batch < lane->end && conveyor->batches[batch].first <= index);
    return batch;
}

enum mb_status ins_conveyor_get(struct ins_conveyor *conveyor, unsigned worker, size_t number,
                                uint32_t index, struct ins_rewritten *rewritten,
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
        const struct row *row = &batch->product->rows[index - batch->first];
        *rewritten = (struct ins_rewritten){row->packed, row->is_changed};
        rewritten->packed.bytes = batch->product->bytes.bytes + row->offset;
    }
    return status;
}

enum mb_status ins_conveyor_drain(struct ins_conveyor *conveyor, unsigned worker, size_t number,
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

void ins_conveyor_help(struct ins_conveyor *conveyor, unsigned worker,
                       bool (*idle)(void *context, unsigned worker), void *context)
{
    bool may_idle = true;

    (void)pthread_mutex_lock(&conveyor->lock);
    while (conveyor->begun_count < conveyor->batch_count && !conveyor->is_stopped) {
        struct lane *lane = find_work(conveyor);
        if (lane != NULL) {
            do_next(conveyor, lane, worker);
        } else if (may_idle) {
            (void)pthread_mutex_unlock(&conveyor->lock);
            may_idle = idle(context, worker);
            (void)pthread_mutex_lock(&conveyor->lock);
        } else {
            (void)pthread_cond_wait(&conveyor->change, &conveyor->lock);
        }
    }
    (void)pthread_mutex_unlock(&conveyor->lock);
}
