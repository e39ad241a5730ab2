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

enum mb_status spool_writer_open_folder(struct spool *spool, const struct mon_options *options,
                                        struct mb_error *err)
{
    struct spool_shelf *shelf = &spool->shelf;
    const struct spool_heritage heritage = {
        spool->spool,           spool->process,      options, spool_day_of(spool_wall_ns(spool)),
        spool->setup.published, spool->setup.context};
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
        spool_notes_withdraw(&spool->notes, shelf->folder.fd);
        spool_left_collect(&spool->left, &shelf->folder, &heritage);
        spool->left_on_way = 0;
        spool_notes_open(&spool->notes, shelf->folder.fd);
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
static void tell_both(struct spool *spool, struct spool_told *issue,
                      const struct spool_result *result)
{
    issue->file = result->file[0] != '\0' ? result->file : NULL;
    issue->is_reported = result->decision.is_reported;
    tell(spool, issue, result->issue);
    issue->detail = mon_detail_name(MON_NORMAL);
    tell(spool, issue, result->copy);
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
    count_missed(spool, &spool->options);
    spool_shelf_save(&spool->shelf, &spool->options);
}

static void put_on_shelf(struct spool *spool, const struct spool_item *item,
                         struct spool_result *result)
{
    const char *text = (const char *)item->text.bytes;
    const struct spool_entry entry = {
        .incident = item->incident,
        .detail = item->detail,
        .key = item->key,
        .issue = {text, item->issue_size},
        .copy = {text + item->issue_size, item->text.size - item->issue_size},
        .wall_ns = spool_wall_ns(spool),
    };

    spool->options = item->options;
    check_folder(spool, &item->options);
    count_missed(spool, &item->options);
    spool_shelf_put(&spool->shelf, &entry, &item->options, result);
}

/* Its notes go, and its place is free. Under the lock. */
static void release_first(struct spool *spool)
{
    struct spool_item *item = &spool->queue[spool->first];

    spool_notes_finish(&spool->notes, item->incident);
    if (spool_left_finish(&spool->left, &spool->shelf.folder, item->incident)) {
        spool->left_on_way -= spool->left_on_way > 0;
    }
    if (item->text.capacity > 2 * MON_ISSUE_SIZE) { /* with the stacks of very many threads */
        mb_buf_finish(&item->text);
        (void)mb_buf_reserve(&item->text, MON_ISSUE_SIZE);
    }
    spool->first = (spool->first + 1) % SPOOL_QUEUE_COUNT;
    spool->count--;
}

void spool_writer_run(struct spool *spool, bool is_heard)
{
    while (spool->count > 0) {
        const struct spool_item *item = &spool->queue[spool->first];
        struct spool_told issue = {.detail = item->own_detail[0] != '\0'
                                                 ? item->own_detail
                                                 : mon_detail_name(item->detail),
                                   .ended = mon_ended_name(item->ended),
                                   .loop = item->loop,
                                   .cost_ns = item->cost_ns,
                                   .key = item->key};
        struct spool_result result;
        (void)pthread_mutex_unlock(&spool->mutex);
        put_on_shelf(spool, item, &result);
        (void)pthread_mutex_lock(&spool->mutex);
        release_first(spool);
        if (is_heard) {
            tell_both(spool, &issue, &result);
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
    if (!spool->has_thread && spool->count > 0) {
        spool->has_thread = mb_helper_create(&spool->thread, run_writer, spool) == 0;
    }
}
