#include "monitor/spool/spool.h"

#include "base/clock.h"
#include "monitor/issue.h"
#include "monitor/spool/writer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Opening ---- */

static bool reserve_memory(struct spool *spool)
{
    bool is_reserved =
        spool_store_init(&spool->store) && mb_buf_reserve(&spool->noted.text, MON_ISSUE_SIZE);

    for (uint32_t i = 0; is_reserved && i < SPOOL_QUEUE_COUNT; i++) {
        is_reserved = mb_buf_reserve(&spool->queue[i].text, MON_ISSUE_SIZE);
    }
    return is_reserved;
}

void spool_destroy(struct spool *spool)
{
    assert(!spool->has_thread);
    for (uint32_t i = 0; i < SPOOL_QUEUE_COUNT; i++) {
        mb_buf_finish(&spool->queue[i].text);
    }
    mb_buf_finish(&spool->noted.text);
    mb_buf_finish(&spool->orphan.text);
    spool_store_finish(&spool->store);
    (void)pthread_cond_destroy(&spool->changed);
    (void)pthread_mutex_destroy(&spool->mutex);
    free(spool);
}

/* Absolute, since the process may change its working folder. Too long: none. */
static void keep_path(struct spool *spool, const char *folder)
{
    char here[SPOOL_PATH_SIZE] = "";
    bool is_relative = folder[0] != '\0' && folder[0] != '/';

    if (is_relative && getcwd(here, sizeof(here)) == NULL) {
        here[0] = '\0'; /* keep it relative */
    }
    int size = snprintf(spool->spool, sizeof(spool->spool), "%s%s%s", here,
                        here[0] != '\0' ? "/" : "", folder);
    if (size < 0 || (size_t)size >= sizeof(spool->spool)) {
        spool->spool[0] = '\0';
    }
}

static void init_spool(struct spool *spool, const struct spool_setup *setup)
{
    pthread_condattr_t attributes;

    spool->setup = *setup;
    spool->orphan.options = *setup->options;
    keep_path(spool, setup->folder);
    (void)snprintf(spool->process, sizeof(spool->process), "%s", setup->process);
    spool->store.folder = SPOOL_FOLDER_CLOSED;
    spool->store.device = setup->device;
    (void)pthread_mutex_init(&spool->mutex, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&spool->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

struct spool *spool_open(const struct spool_setup *setup, struct mb_error *err)
{
    struct spool *spool = calloc(1, sizeof(*spool));

    if (spool == NULL) {
        (void)mb_fail_memory(err);
        return NULL;
    }
    init_spool(spool, setup);
    if (!reserve_memory(spool)) {
        (void)mb_fail_memory(err);
        spool_destroy(spool);
        return NULL;
    }
    if (spool->spool[0] != '\0') {
        (void)spool_writer_open_folder(spool, setup->options, err);
    }
    spool_identity_init(&spool->identity, setup->options->app, spool->spool, spool_wall_ns(spool));
    spool->setup.published = NULL; /* the writer may open the folder later, on its own thread */
    return spool;
}

/* ---- Taking ---- */

static bool render_issue(struct spool_item *item, const struct mon_issue *issue,
                         const struct spool *spool)
{
    const struct mon_names *names = spool->setup.names;

    mb_buf_reset(&item->text);
    mon_issue_put(&item->text, issue, names, &item->options, NULL);
    spool_identity_add(&spool->identity, &item->text, issue->start,
                       issue->process != NULL ? issue->process->mapping : 0, &item->options);
    item->head.issue_size = item->text.size;
    if (item->options.preset == MON_PRESET_MATRIX) {
        (void)mon_issue_put_copy(&item->text, issue, names, &item->options);
    }
    return !item->text.failed;
}

/* If memory is short, drop the thread dump, then the stack dumps. */
static bool render_shortest(struct spool_item *item, const struct mon_issue *issue,
                            const struct spool *spool)
{
    struct mon_issue shorter = *issue;

    if (shorter.ended == MON_ENDED_OPEN) { /* only a reader after its death sees this note */
        shorter.ended = MON_ENDED_KILLED;
    }
    if (render_issue(item, &shorter, spool)) {
        return true;
    }
    shorter.all_stacks = 0;
    if (render_issue(item, &shorter, spool)) {
        return true;
    }
    shorter.dump_count = 0;
    return render_issue(item, &shorter, spool);
}

/* Issues have times of the monotonic clock. */
static int64_t begin_on_wall(const struct spool *spool, const struct mon_issue *issue)
{
    return issue->process != NULL ? issue->span.begin_ns + issue->process->wall_ns
                                  : issue->span.begin_ns + spool_wall_ns(spool) - mb_clock_now_ns();
}

static bool fill_item(struct spool_item *item, const struct mon_issue *issue,
                      const struct mon_options *options, const struct spool *spool)
{
    memset(&item->head, 0, sizeof(item->head));
    item->head.incident.start = issue->start;
    item->head.incident.number = issue->span.number;
    item->head.wall_ns = begin_on_wall(spool, issue);
    item->head.cost_ns = issue->cost_ns;
    item->head.key = mon_issue_key(issue, spool->setup.names);
    item->head.pid = (uint32_t)getpid();
    item->head.loop = issue->span.loop;
    item->head.detail = (uint32_t)issue->detail;
    item->head.ended = (uint32_t)(issue->ended == MON_ENDED_OPEN ? MON_ENDED_KILLED : issue->ended);
    if (issue->report != NULL) {
        struct mb_text detail = mon_issue_detail(issue, spool->setup.names);
        (void)snprintf(item->head.own_detail, sizeof(item->head.own_detail), "%.*s",
                       (int)detail.size, detail.data);
    }
    item->options = *options;
    return render_shortest(item, issue, spool);
}

/* The queue is full. The note of a stall waits for the next start; custom issues may be many. */
static void drop_issue(struct spool *spool, const struct mon_issue *issue)
{
    const struct spool_incident incident = {issue->start, issue->span.number};
    const struct spool_folder *folder = &spool->store.folder;

    if (issue->report != NULL || !spool_note_exists(folder, incident)) {
        (void)spool_note_remove(folder, incident);
    }
}

static void queue_issue(struct spool *spool, const struct mon_issue *issue,
                        const struct mon_options *options)
{
    bool has_room = spool->count < SPOOL_QUEUE_COUNT;

    /* No other thread uses the place after the last, so it is filled without the lock. */
    if (has_room) {
        const uint32_t place = (spool->first + spool->count) % SPOOL_QUEUE_COUNT;
        (void)pthread_mutex_unlock(&spool->mutex);
        has_room = fill_item(&spool->queue[place], issue, options, spool);
        (void)pthread_mutex_lock(&spool->mutex);
        assert((spool->first + spool->count) % SPOOL_QUEUE_COUNT == place);
    }
    spool->count += has_room;
    if (!has_room) {
        drop_issue(spool, issue);
    }
    spool_writer_start(spool);
}

void spool_take(struct spool *spool, const struct mon_action *action,
                const struct mon_options *options)
{
    const struct mon_issue *issue = action->issue;
    bool is_note = action->kind == MON_NOTE && fill_item(&spool->noted, issue, options, spool);

    (void)pthread_mutex_lock(&spool->mutex);
    if (is_note) {
        (void)spool_note_write(&spool->store.folder, &spool->noted);
    } else if (action->kind == MON_NOTE_CLOSE) {
        const struct spool_incident incident = {issue->start, issue->span.number};
        (void)spool_note_remove(&spool->store.folder, incident);
    } else if (action->kind == MON_ISSUE) {
        spool->counts.counts[issue->detail].seen++;
        queue_issue(spool, issue, options);
    }
    (void)pthread_mutex_unlock(&spool->mutex);
}

bool spool_is_written(struct spool *spool)
{
    (void)pthread_mutex_lock(&spool->mutex);
    bool is_written = !spool_writer_has_work(spool);
    (void)pthread_mutex_unlock(&spool->mutex);
    return is_written;
}

void spool_write(struct spool *spool)
{
    (void)pthread_mutex_lock(&spool->mutex);
    spool_writer_start(spool);
    (void)pthread_mutex_unlock(&spool->mutex);
}

/* ---- Sessions ---- */

static void keep_session(struct spool *spool)
{
    const struct spool_counts *counts = &spool->counts;
    const struct spool_session session = {&spool->identity, spool->process,
                                          &counts->run,     spool->setup.names,
                                          counts->options,  spool_wall_ns(spool)};

    (void)spool_session_keep(&spool->counts, &spool->store.folder, &session, counts->sums,
                             &spool->noted.text);
}

void spool_keep_session(struct spool *spool, const struct mon_process *run, struct mon_sums *sums,
                        const struct mon_options *options)
{
    (void)pthread_mutex_lock(&spool->mutex);
    spool->counts.run = *run;
    spool->counts.sums = sums;
    spool->counts.options = options;
    keep_session(spool);
    (void)pthread_mutex_unlock(&spool->mutex);
}

/* Under the lock, when all is written. */
static void end_session(struct spool *spool)
{
    if (spool->counts.sums != NULL) {
        keep_session(spool);
    }
}

/* ---- Closing ---- */

static struct timespec after_ms(int64_t ms)
{
    int64_t until = mb_clock_now_ns() + ms * MB_NS_PER_MS;

    return (struct timespec){.tv_sec = (time_t)(until / MB_NS_PER_S),
                             .tv_nsec = (long)(until % MB_NS_PER_S)};
}

/* Keep the text of the listener's issue while others are written. */
static void close_inside(struct spool *spool)
{
    struct mb_buf text = spool->store.text;

    spool->store.text = (struct mb_buf){0};
    spool_writer_run(spool, false);
    mb_buf_finish(&spool->store.text);
    spool->store.text = text;
    spool_folder_close(&spool->store.folder);
    spool->spool[0] = '\0';
    spool->is_abandoned = true;
}

/* True if the thread has ended. */
static bool wait_for_writer(struct spool *spool, int64_t wait_ms)
{
    const struct timespec until = after_ms(wait_ms);

    while (spool->has_thread &&
           pthread_cond_timedwait(&spool->changed, &spool->mutex, &until) == 0) {
    }
    spool->is_abandoned = spool->has_thread;
    return !spool->has_thread;
}

bool spool_close(struct spool *spool, int64_t wait_ms)
{
    (void)pthread_mutex_lock(&spool->mutex);
    if (spool->has_thread && pthread_equal(spool->thread, pthread_self())) {
        close_inside(spool);
        (void)pthread_mutex_unlock(&spool->mutex);
        return true;
    }
    if (!wait_for_writer(spool, wait_ms)) {
        (void)pthread_mutex_unlock(&spool->mutex);
        return false;
    }
    spool_writer_run(spool, true); /* if no thread could be started */
    end_session(spool);
    (void)pthread_mutex_unlock(&spool->mutex);
    spool_destroy(spool);
    return true;
}

void spool_forked(struct spool *spool)
{
    spool_folder_close(&spool->store.folder);
}
