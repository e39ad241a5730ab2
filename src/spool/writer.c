#include "spool/writer.h"

#include "base/helpers.h"
#include "monitor/issue.h"

/* ---- The folder ---- */

static enum mb_status open_first(struct spool *spool, struct mb_error *err)
{
    enum mb_status status = MB_IO;
    bool is_taken = true;

    for (uint32_t owner = 1; is_taken && owner <= SPOOL_OWNER_COUNT; owner++) {
        status = spool_folder_open(&spool->shelf.folder, spool->spool, spool->process, owner,
                                   &is_taken, err);
    }
    if (status == MB_OK && err != NULL) { /* of those that are others' */
        *err = (struct mb_error){.status = MB_OK};
    }
    return status;
}

/* Once: later there are notes of this process, too. */
static void collect(struct spool *spool, const struct mon_options *options)
{
    const struct spool_heritage heritage = {
        spool->spool,           spool->process,      options, spool_day_of(spool_wall_ns(spool)),
        spool->setup.published, spool->setup.context};

    if (!spool->is_collected) {
        spool_left_collect(&spool->left, &spool->shelf.folder, &heritage);
        spool->is_collected = true;
    }
}

enum mb_status spool_writer_open_folder(struct spool *spool, const struct mon_options *options,
                                        struct mb_error *err)
{
    struct spool_shelf *shelf = &spool->shelf;
    struct spool_folder before = shelf->folder;
    enum mb_status status;

    (void)pthread_mutex_lock(&spool->mutex);
    if (!spool_folder_is_elsewhere(&before)) { /* or it would be in the way of the new one */
        spool_folder_close(&before);
    }
    status = open_first(spool, err);
    if (status != MB_OK) {
        shelf->folder = before;
    } else {
        spool_folder_close(&before);
        collect(spool, options);
    }
    (void)pthread_mutex_unlock(&spool->mutex);
    if (status == MB_OK) {
        spool_shelf_take_stock(shelf, options, spool_wall_ns(spool));
    }
    return status;
}

/* It may have been removed, or there may be one now. */
static void check_folder(struct spool *spool, const struct mon_options *options)
{
    if (spool->spool[0] != '\0' &&
        (spool->shelf.folder.fd < 0 || spool_folder_is_gone(&spool->shelf.folder))) {
        (void)spool_writer_open_folder(spool, options, NULL);
    }
}

/* ---- Writing ---- */

/* Called, and returns, with the lock. */
static void tell(struct spool *spool, struct spool_told *issue, struct mb_text json)
{
    issue->json = json.data;
    issue->json_size = json.size;
    if (json.size > 0 && !spool->is_abandoned && spool->setup.heard != NULL) {
        (void)pthread_mutex_unlock(&spool->mutex);
        spool->setup.heard(spool->setup.context, issue);
        (void)pthread_mutex_lock(&spool->mutex);
    }
}

/* The issue, and its copy as one of its own. */
static void tell_both(struct spool *spool, const struct spool_head *head,
                      const struct spool_result *result)
{
    struct spool_told issue = {.detail = head->own_detail[0] != '\0'
                                             ? head->own_detail
                                             : mon_detail_name((enum mon_detail)head->detail),
                               .ended = mon_ended_name((enum mon_ended)head->ended),
                               .loop = head->loop,
                               .cost_ns = head->cost_ns,
                               .file = result->file[0] != '\0' ? result->file : NULL,
                               .is_reported = result->decision.is_reported,
                               .key = head->key};

    tell(spool, &issue, result->issue);
    issue.detail = mon_detail_name(MON_NORMAL);
    tell(spool, &issue, result->copy);
}

static void count_missed(struct spool *spool, const struct mon_options *options)
{
    uint32_t missed[MON_DETAIL_COUNT];

    (void)pthread_mutex_lock(&spool->mutex);
    memcpy(missed, spool->missed, sizeof(missed));
    memset(spool->missed, 0, sizeof(missed));
    (void)pthread_mutex_unlock(&spool->mutex);
    for (enum mon_detail detail = MON_NORMAL; detail < MON_DETAIL_COUNT; detail++) {
        if (missed[detail] > 0) {
            spool_shelf_miss(&spool->shelf, detail, missed[detail], options, spool_wall_ns(spool));
        }
    }
}

void spool_writer_save(struct spool *spool)
{
    count_missed(spool, &spool->left_item.options);
    spool_shelf_save(&spool->shelf, &spool->left_item.options);
}

/* Called, and returns, with the lock, which is free meanwhile. */
static void put_on_shelf(struct spool *spool, const struct spool_item *item,
                         struct spool_result *result)
{
    (void)pthread_mutex_unlock(&spool->mutex);
    spool->left_item.options = item->options;
    check_folder(spool, &item->options);
    count_missed(spool, &item->options);
    spool_shelf_put(&spool->shelf, item, spool_wall_ns(spool), result);
    (void)pthread_mutex_lock(&spool->mutex);
    (void)spool_note_remove(&spool->shelf.folder, item->head.incident);
}

/* Its place is free; what is told of it stays. Under the lock. */
static void release_first(struct spool *spool)
{
    struct spool_item *item = &spool->queue[spool->first];

    if (item->text.capacity > 2 * MON_ISSUE_SIZE) { /* with the stacks of very many threads */
        mb_buf_finish(&item->text);
        (void)mb_buf_reserve(&item->text, MON_ISSUE_SIZE);
    }
    spool->first = (spool->first + 1) % SPOOL_QUEUE_COUNT;
    spool->count--;
}

/* One that cannot be read is the next start's. Under the lock. */
static bool read_left(struct spool *spool)
{
    struct spool_incident incident = spool->left.incidents[spool->left.next];
    struct spool_item *item = &spool->left_item;

    if (!spool_note_read(&spool->shelf.folder, incident, item)) {
        spool->left.next++;
        return false;
    }
    if (item->head.ended == MON_ENDED_KILLED && !spool->is_abandoned &&
        spool->setup.killed != NULL) {
        spool->setup.killed(spool->setup.context, &item->head, &item->text);
        item->head.issue_size = item->text.size;
    }
    return true;
}

bool spool_writer_has_work(const struct spool *spool)
{
    return spool->count > 0 || spool->left.next < spool->left.count;
}

void spool_writer_run(struct spool *spool, bool is_heard)
{
    while (spool_writer_has_work(spool)) {
        const bool is_left = spool->count == 0;
        const struct spool_item *item = is_left ? &spool->left_item : &spool->queue[spool->first];
        struct spool_result result;
        if (is_left && !read_left(spool)) {
            continue;
        }
        const struct spool_head head = item->head;
        put_on_shelf(spool, item, &result);
        if (is_left) {
            spool->left.next++;
        } else {
            release_first(spool);
        }
        if (is_heard) {
            tell_both(spool, &head, &result);
        }
    }
}

static void *run_writer(void *context)
{
    struct spool *spool = context;
    bool is_abandoned;

    mb_helper_begin();
    (void)pthread_mutex_lock(&spool->mutex);
    spool_writer_run(spool, true);
    spool->has_thread = false;
    is_abandoned = spool->is_abandoned;
    (void)pthread_cond_broadcast(&spool->changed);
    (void)pthread_mutex_unlock(&spool->mutex);
    if (is_abandoned) {
        spool_destroy(spool);
    }
    mb_helper_end();
    return NULL;
}

void spool_writer_start(struct spool *spool)
{
    if (!spool->has_thread && spool_writer_has_work(spool)) {
        spool->has_thread = mb_helper_create(&spool->thread, run_writer, spool) == 0;
    }
}
