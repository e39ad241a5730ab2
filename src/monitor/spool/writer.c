#include "monitor/spool/writer.h"

#include "base/helpers.h"
#include "monitor/issue.h"

#include <assert.h>

/* ---- The folder ---- */

static enum mb_status open_first(struct spool *spool, struct mb_error *err)
{
    enum mb_status status = MB_IO;
    bool is_taken = true;

    for (uint32_t owner = 1; is_taken && owner <= SPOOL_OWNER_COUNT; owner++) {
        status = spool_folder_open(&spool->store.folder, spool->spool, spool->process, owner,
                                   &is_taken, err);
    }
    if (status == MB_OK && err != NULL) { /* drop the errors of folders that others own */
        *err = (struct mb_error){.status = MB_OK};
    }
    return status;
}

/* Once: later this process has notes of its own. */
static void collect_orphans(struct spool *spool, const struct mon_options *options)
{
    const struct spool_orphans_search search = {
        spool->spool,           spool->process,      options, spool_day_of(spool_wall_ns(spool)),
        spool->setup.published, spool->setup.context};

    if (!spool->is_collected) {
        spool_orphans_collect(&spool->orphans, &spool->store.folder, &search);
        spool->is_collected = true;
    }
}

enum mb_status spool_writer_open_folder(struct spool *spool, const struct mon_options *options,
                                        struct mb_error *err)
{
    struct spool_store *store = &spool->store;
    struct spool_folder before = store->folder;
    enum mb_status status;

    (void)pthread_mutex_lock(&spool->mutex);
    if (!spool_folder_is_elsewhere(&before)) { /* its lock would be in the way of the new one */
        spool_folder_close(&before);
    }
    status = open_first(spool, err);
    if (status != MB_OK) {
        store->folder = before;
    } else {
        spool_folder_close(&before);
        collect_orphans(spool, options);
    }
    (void)pthread_mutex_unlock(&spool->mutex);
    if (status == MB_OK) {
        spool_store_load(store, options, spool_wall_ns(spool));
    }
    return status;
}

/* It may have been removed; or, if it could not be opened before, it may be possible now. */
static void check_folder(struct spool *spool, const struct mon_options *options)
{
    if (spool->spool[0] != '\0' &&
        (spool->store.folder.fd < 0 || spool_folder_is_gone(&spool->store.folder))) {
        (void)spool_writer_open_folder(spool, options, NULL);
    }
}

/* ---- Writing ---- */

/* Called, and returns, with the lock. */
static void notify(struct spool *spool, struct spool_notice *issue, struct mb_text json)
{
    issue->json = json.data;
    issue->json_size = json.size;
    if (json.size > 0 && !spool->is_abandoned && spool->setup.notify != NULL) {
        (void)pthread_mutex_unlock(&spool->mutex);
        spool->setup.notify(spool->setup.context, issue);
        (void)pthread_mutex_lock(&spool->mutex);
    }
}

/* The copy is a second notice. */
static void notify_of_both(struct spool *spool, const struct spool_head *head,
                           const struct spool_result *result)
{
    struct spool_notice issue = {.detail = head->own_detail[0] != '\0'
                                               ? head->own_detail
                                               : mon_detail_name((enum mon_detail)head->detail),
                                 .ended = mon_ended_name((enum mon_ended)head->ended),
                                 .loop = head->loop,
                                 .cost_ns = head->cost_ns,
                                 .file = result->file[0] != '\0' ? result->file : NULL,
                                 .is_reported = result->decision.is_reported,
                                 .key = head->key};

    notify(spool, &issue, result->issue);
    issue.detail = mon_detail_name(MON_NORMAL);
    notify(spool, &issue, result->copy);
}

/* Called, and returns, with the lock; releases it meanwhile. */
static void put_in_store(struct spool *spool, const struct spool_item *item,
                         struct spool_result *result)
{
    (void)pthread_mutex_unlock(&spool->mutex);
    spool->orphan.options = item->options;
    check_folder(spool, &item->options);
    spool_store_put(&spool->store, item, spool_wall_ns(spool), result);
    (void)pthread_mutex_lock(&spool->mutex);
    if (item != &spool->orphan) {
        spool_session_count(&spool->counts, item->head.detail, &result->decision);
    }
    (void)spool_note_remove(&spool->store.folder, item->head.incident);
}

/* Free its place in the queue. Under the lock. */
static void release_first(struct spool *spool)
{
    struct spool_item *item = &spool->queue[spool->first];

    assert(spool->count > 0 && spool->count <= SPOOL_QUEUE_COUNT);
    if (item->text.capacity > 2 * MON_ISSUE_SIZE) { /* after the stacks of very many threads */
        mb_buf_finish(&item->text);
        (void)mb_buf_reserve(&item->text, MON_ISSUE_SIZE);
    }
    spool->first = (spool->first + 1) % SPOOL_QUEUE_COUNT;
    spool->count--;
}

/* An unreadable orphan waits for the next start. Under the lock. */
static bool read_orphan(struct spool *spool)
{
    struct spool_incident incident = spool->orphans.incidents[spool->orphans.next];
    struct spool_item *item = &spool->orphan;

    if (!spool_note_read(&spool->store.folder, incident, item)) {
        spool->orphans.next++;
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
    return spool->count > 0 || spool->orphans.next < spool->orphans.count;
}

void spool_writer_run(struct spool *spool, bool is_heard)
{
    while (spool_writer_has_work(spool)) {
        const bool is_orphan = spool->count == 0;
        const struct spool_item *item = is_orphan ? &spool->orphan : &spool->queue[spool->first];
        struct spool_result result;
        if (is_orphan && !read_orphan(spool)) {
            continue;
        }
        const struct spool_head head = item->head;
        put_in_store(spool, item, &result);
        if (is_orphan) {
            spool->orphans.next++;
        } else {
            release_first(spool);
        }
        if (is_heard) {
            notify_of_both(spool, &head, &result);
        }
    }
}

static void *run_writer(void *context)
{
    struct spool *spool = context;
    bool is_abandoned;

    (void)pthread_mutex_lock(&spool->mutex);
    spool_writer_run(spool, true);
    spool->has_thread = false;
    is_abandoned = spool->is_abandoned;
    (void)pthread_cond_broadcast(&spool->changed);
    (void)pthread_mutex_unlock(&spool->mutex);
    if (is_abandoned) {
        spool_destroy(spool);
    }
    return NULL;
}

void spool_writer_start(struct spool *spool)
{
    if (!spool->has_thread && spool_writer_has_work(spool)) {
        spool->has_thread = mb_helper_create(&spool->thread, run_writer, spool) == 0;
    }
}
