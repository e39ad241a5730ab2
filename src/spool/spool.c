#include "spool/spool.h"

#include "monitor/issue.h"
#include "spool/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};

    (void)clock_gettime(clock, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t spool_wall_ns(const struct spool *spool)
{
    return spool->setup.wall_ns != NULL ? spool->setup.wall_ns() : clock_ns(CLOCK_REALTIME);
}

/* ---- Opening ---- */

static bool reserve(struct spool *spool)
{
    bool is_reserved =
        spool_shelf_reserve(&spool->shelf) && mb_buf_reserve(&spool->noted.text, MON_ISSUE_SIZE);

    for (uint32_t i = 0; is_reserved && i < SPOOL_QUEUE_COUNT; i++) {
        is_reserved = mb_buf_reserve(&spool->queue[i].text, MON_ISSUE_SIZE);
    }
    return is_reserved;
}

void spool_destroy(struct spool *spool)
{
    for (uint32_t i = 0; i < SPOOL_QUEUE_COUNT; i++) {
        mb_buf_finish(&spool->queue[i].text);
    }
    mb_buf_finish(&spool->noted.text);
    mb_buf_finish(&spool->left_item.text);
    spool_shelf_finish(&spool->shelf);
    (void)pthread_cond_destroy(&spool->changed);
    (void)pthread_mutex_destroy(&spool->mutex);
    free(spool);
}

/* As it is seen from here, wherever the process goes; too long: none. */
static void keep_path(struct spool *spool, const char *folder)
{
    char here[SPOOL_PATH_SIZE] = "";
    bool is_relative = folder[0] != '\0' && folder[0] != '/';

    if (is_relative && getcwd(here, sizeof(here)) == NULL) {
        here[0] = '\0'; /* stays relative */
    }
    int size = snprintf(spool->spool, sizeof(spool->spool), "%s%s%s", here,
                        here[0] != '\0' ? "/" : "", folder);
    if (size < 0 || (size_t)size >= sizeof(spool->spool)) {
        spool->spool[0] = '\0';
    }
}

static void init(struct spool *spool, const struct spool_setup *setup)
{
    pthread_condattr_t attributes;

    spool->setup = *setup;
    spool->left_item.options = *setup->options;
    keep_path(spool, setup->folder);
    (void)snprintf(spool->process, sizeof(spool->process), "%s", setup->process);
    spool->shelf.folder = SPOOL_FOLDER_CLOSED;
    spool->shelf.device = setup->device;
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
    init(spool, setup);
    if (!reserve(spool)) {
        (void)mb_fail_memory(err);
        spool_destroy(spool);
        return NULL;
    }
    if (spool->spool[0] != '\0') {
        (void)spool_writer_open_folder(spool, setup->options, err);
    }
    spool->setup.published = NULL; /* the writer's thread opens it, too */
    return spool;
}

/* ---- Taking ---- */

static bool render_as(struct spool_item *item, const struct mon_issue *issue,
                      const struct spool *spool)
{
    const struct mon_names *names = spool->setup.names;

    mb_buf_reset(&item->text);
    mon_issue_put(&item->text, issue, names, &item->options, NULL);
    item->head.issue_size = item->text.size;
    if (item->options.preset == MON_PRESET_MATRIX) {
        (void)mon_issue_put_copy(&item->text, issue, names, &item->options);
    }
    return !item->text.failed;
}

/* Where memory is short, without what is long. */
static bool render(struct spool_item *item, const struct mon_issue *issue,
                   const struct spool *spool)
{
    struct mon_issue shorter = *issue;

    if (shorter.ended ==
        MON_ENDED_OPEN) { /* by who reads it: it is rewritten while the process lives */
        shorter.ended = MON_ENDED_KILLED;
    }
    if (render_as(item, &shorter, spool)) {
        return true;
    }
    shorter.all_stacks = 0;
    if (render_as(item, &shorter, spool)) {
        return true;
    }
    shorter.dump_count = 0;
    return render_as(item, &shorter, spool);
}

/* Times of issues are the monotonic clock's. */
static int64_t begin_on_wall(const struct spool *spool, const struct mon_issue *issue)
{
    return issue->process != NULL
               ? issue->begin_ns + issue->process->wall_ns
               : issue->begin_ns + spool_wall_ns(spool) - clock_ns(CLOCK_MONOTONIC);
}

static bool fill(struct spool_item *item, const struct mon_issue *issue,
                 const struct mon_options *options, const struct spool *spool)
{
    memset(&item->head, 0, sizeof(item->head));
    item->head.incident.start = issue->start;
    item->head.incident.number = issue->number;
    item->head.wall_ns = begin_on_wall(spool, issue);
    item->head.cost_ns = issue->cost_ns;
    item->head.key = mon_issue_key(issue, spool->setup.names);
    item->head.pid = (uint32_t)getpid();
    item->head.loop = issue->loop;
    item->head.detail = (uint32_t)issue->detail;
    item->head.ended = (uint32_t)(issue->ended == MON_ENDED_OPEN ? MON_ENDED_KILLED : issue->ended);
    if (issue->own != NULL) {
        struct mb_text detail = mon_issue_detail(issue, spool->setup.names);
        (void)snprintf(item->head.own_detail, sizeof(item->head.own_detail), "%.*s",
                       (int)detail.size, detail.data);
    }
    item->options = *options;
    return render(item, issue, spool);
}

/* One that finds no room is the next start's if it is a stall with a note, else it is only counted:
 * of the program's own there may be any number. */
static void miss(struct spool *spool, const struct mon_issue *issue)
{
    const struct spool_incident incident = {issue->start, issue->number};
    const struct spool_folder *folder = &spool->shelf.folder;

    if (issue->own != NULL || !spool_note_exists(folder, incident)) {
        (void)spool_note_remove(folder, incident);
        spool->missed[issue->detail]++;
    }
}

static void queue_issue(struct spool *spool, const struct mon_issue *issue,
                        const struct mon_options *options)
{
    bool has_room = spool->count < SPOOL_QUEUE_COUNT;

    /* The place behind the last is nobody else's. */
    if (has_room) {
        struct spool_item *item = &spool->queue[(spool->first + spool->count) % SPOOL_QUEUE_COUNT];
        (void)pthread_mutex_unlock(&spool->mutex);
        has_room = fill(item, issue, options, spool);
        (void)pthread_mutex_lock(&spool->mutex);
    }
    spool->count += has_room;
    if (!has_room) {
        miss(spool, issue);
    }
    spool_writer_start(spool);
}

void spool_take(struct spool *spool, const struct mon_action *action,
                const struct mon_options *options)
{
    const struct mon_issue *issue = action->issue;
    bool is_note = action->kind == MON_NOTE && fill(&spool->noted, issue, options, spool);

    (void)pthread_mutex_lock(&spool->mutex);
    if (is_note) {
        (void)spool_note_write(&spool->shelf.folder, &spool->noted);
    } else if (action->kind == MON_NOTE_CLOSE) {
        const struct spool_incident incident = {issue->start, issue->number};
        (void)spool_note_remove(&spool->shelf.folder, incident);
    } else if (action->kind == MON_ISSUE) {
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

/* ---- Closing ---- */

static struct timespec after_ms(int64_t ms)
{
    int64_t until = clock_ns(CLOCK_MONOTONIC) + ms * MON_NS_PER_MS;

    return (struct timespec){.tv_sec = (time_t)(until / NS_PER_S),
                             .tv_nsec = (long)(until % NS_PER_S)};
}

/* The listener's issue stays as it is while others are written. */
static void close_inside(struct spool *spool)
{
    struct mb_buf text = spool->shelf.text;

    spool->shelf.text = (struct mb_buf){0};
    spool_writer_run(spool, false);
    (void)pthread_mutex_unlock(&spool->mutex);
    spool_writer_save(spool);
    (void)pthread_mutex_lock(&spool->mutex);
    mb_buf_finish(&spool->shelf.text);
    spool->shelf.text = text;
    spool_folder_close(&spool->shelf.folder);
    spool->spool[0] = '\0';
    spool->is_abandoned = true;
}

/* True if there is no thread any more. */
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
    spool_writer_run(spool, true); /* for want of a thread */
    (void)pthread_mutex_unlock(&spool->mutex);
    spool_writer_save(spool);
    spool_destroy(spool);
    return true;
}

void spool_forked(struct spool *spool)
{
    spool_folder_close(&spool->shelf.folder);
}
