#include "sampler/blocks.h"

#include "base/clock.h"
#include "recorder/drain.h"

#include <pthread.h>
#include <string.h>

#define MOST_ENDED 256u               /* until the sampler comes */
#define LEAST_NS MB_NS_PER_MS         /* of a wait that is told */
#define LONG_NS (10 * MB_NS_PER_MS)   /* one that is told before it ends, with the owner */
#define LEAST_REST_NS MB_NS_PER_S     /* of Object.wait, both: most threads wait there for work */
#define PAUSE_NS (100 * MB_NS_PER_MS) /* between questions that stop all threads */

struct ended {
    struct samp_thread *thread;
    uint32_t thread_id; /* another has that place meanwhile if it differs */
    bool is_main;
    struct samp_wait wait;
    int64_t end_ns;
};

/* Under the lock, as are the waits for monitors. */
static struct {
    pthread_mutex_t lock;
    struct ended ended[MOST_ENDED];
    uint32_t count;
    int64_t question_ns; /* the next one is allowed */
} blocks = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- On the threads themselves ---- */

static int64_t least_ns(const struct samp_wait *wait)
{
    return wait->kind == ABI_BLOCK_WAITING ? LEAST_REST_NS : LEAST_NS;
}

bool samp_block_begin(uint32_t thread_id, uint32_t kind, void *lock)
{
    struct samp_thread *thread = samp_threads_own(thread_id);

    if (thread == NULL) {
        return false;
    }
    (void)pthread_mutex_lock(&blocks.lock);
    thread->monitor = (struct samp_wait){.kind = kind, .begin_ns = mb_clock_now_ns(), .lock = lock};
    (void)pthread_mutex_unlock(&blocks.lock);
    return true;
}

void *samp_block_end(uint32_t thread_id)
{
    struct samp_thread *thread = samp_threads_own(thread_id);
    int64_t now_ns = mb_clock_now_ns();

    if (thread == NULL) {
        return NULL;
    }
    (void)pthread_mutex_lock(&blocks.lock);
    struct samp_wait wait = thread->monitor;
    wait.end_ns = now_ns;
    thread->monitor = (struct samp_wait){0};
    bool is_told =
        wait.lock != NULL && now_ns - wait.begin_ns >= least_ns(&wait) && blocks.count < MOST_ENDED;
    if (is_told) {
        blocks.ended[blocks.count++] =
            (struct ended){thread, thread_id, thread->is_main, wait, now_ns};
    }
    (void)pthread_mutex_unlock(&blocks.lock);
    return is_told ? NULL : wait.lock;
}

/* ---- On the sampler's ---- */

static bool may_ask(int64_t now_ns)
{
    (void)pthread_mutex_lock(&blocks.lock);
    bool is_allowed = now_ns >= blocks.question_ns;
    if (is_allowed) {
        blocks.question_ns = now_ns + PAUSE_NS;
    }
    (void)pthread_mutex_unlock(&blocks.lock);
    return is_allowed;
}

static void put_block(struct samp_writer *writer, struct samp_thread *thread,
                      struct samp_wait *wait, const struct samp_lock *lock)
{
    beat_drain_lock();
    if (samp_writer_follow(writer)) {
        samp_writer_block(writer, thread, wait, lock);
    }
    beat_drain_unlock();
}

static void end_block(struct samp_writer *writer, const struct samp_wait *wait, int64_t end_ns)
{
    beat_drain_lock();
    if (samp_writer_follow(writer)) {
        samp_writer_block_end(writer, wait, end_ns);
    }
    beat_drain_unlock();
}

static bool take_ended(bool is_main, struct ended *ended)
{
    bool is_found = false;

    (void)pthread_mutex_lock(&blocks.lock);
    for (uint32_t i = 0; i < blocks.count && !is_found; i++) {
        is_found = blocks.ended[i].is_main == is_main;
        if (is_found) {
            *ended = blocks.ended[i];
            blocks.count--;
            memmove(&blocks.ended[i], &blocks.ended[i + 1],
                    (blocks.count - i) * sizeof(*blocks.ended));
        }
    }
    (void)pthread_mutex_unlock(&blocks.lock);
    return is_found;
}

static void write_ended(struct samp_writer *writer, const struct samp_engine *engine,
                        struct ended *ended)
{
    struct samp_lock lock = {.kind = ended->wait.kind};

    if (ended->wait.session == 0 && samp_thread_state(ended->thread) != SAMP_THREAD_FREE &&
        ended->thread->thread_id == ended->thread_id) {
        engine->name_lock(ended->wait.lock, lock.name);
        put_block(writer, ended->thread, &ended->wait, &lock);
    }
    end_block(writer, &ended->wait, ended->end_ns);
    engine->release(ended->wait.lock);
}

/* Where the record of a wait is; it may have ended meanwhile. */
static void note_record(struct samp_thread *thread, const struct samp_wait *wait)
{
    (void)pthread_mutex_lock(&blocks.lock);
    if (thread->monitor.begin_ns == wait->begin_ns) {
        thread->monitor = *wait;
    }
    for (uint32_t i = 0; i < blocks.count; i++) {
        if (blocks.ended[i].thread == thread && blocks.ended[i].wait.begin_ns == wait->begin_ns) {
            blocks.ended[i].wait = *wait;
        }
    }
    (void)pthread_mutex_unlock(&blocks.lock);
}

/* Whose a monitor is may be asked now; who is in Object.wait waits for nobody that is known. */
static bool is_to_tell(const struct samp_wait *wait, int64_t now_ns)
{
    if (wait->lock == NULL || wait->session != 0) {
        return false;
    }
    return wait->kind == ABI_BLOCK_WAITING ? now_ns - wait->begin_ns >= LEAST_REST_NS
                                           : now_ns - wait->begin_ns >= LONG_NS && may_ask(now_ns);
}

static bool is_over(const struct samp_thread *thread, const struct samp_wait *wait)
{
    (void)pthread_mutex_lock(&blocks.lock);
    bool is_over = thread->monitor.begin_ns != wait->begin_ns;
    (void)pthread_mutex_unlock(&blocks.lock);
    return is_over;
}

/* Its lock is kept until we take the wait from the ended ones, as it is long. */
static void look_at_monitor(struct samp_writer *writer, const struct samp_engine *engine,
                            struct samp_thread *thread, int64_t now_ns)
{
    (void)pthread_mutex_lock(&blocks.lock);
    struct samp_wait wait = thread->monitor;
    (void)pthread_mutex_unlock(&blocks.lock);
    if (!is_to_tell(&wait, now_ns)) {
        return;
    }
    struct samp_lock lock = {.kind = wait.kind, .was_asked = wait.kind == ABI_BLOCK_MONITOR};
    engine->name_lock(wait.lock, lock.name);
    lock.owner = lock.was_asked ? engine->find_owner(wait.kind, wait.lock) : NULL;
    lock.owner = is_over(thread, &wait) ? NULL : lock.owner; /* that of later, maybe itself */
    put_block(writer, thread, &wait, &lock);
    note_record(thread, &wait);
}

/* Once for each time that it parks. */
static void look_at_parked(struct samp_writer *writer, const struct samp_engine *engine,
                           struct samp_thread *thread, int64_t now_ns)
{
    struct samp_wait *wait = &thread->parked;

    if (thread->doing != ABI_SAMPLE_PARKED || !thread->is_idle || wait->begin_ns != 0 ||
        now_ns - thread->box.time_ns < LONG_NS) {
        return;
    }
    *wait = (struct samp_wait){.kind = ABI_BLOCK_PARKED,
                               .begin_ns = thread->box.time_ns,
                               .lock = engine->find_parked(thread)};
    if (wait->lock != NULL) {
        struct samp_lock lock = {.kind = ABI_BLOCK_PARKED, .was_asked = true};
        engine->name_lock(wait->lock, lock.name);
        lock.owner = engine->find_owner(ABI_BLOCK_PARKED, wait->lock);
        put_block(writer, thread, wait, &lock);
    }
}

void samp_blocks_unpark(struct samp_writer *writer, const struct samp_engine *engine,
                        struct samp_thread *thread, int64_t time_ns)
{
    const struct samp_wait wait = thread->parked;

    thread->parked = (struct samp_wait){0};
    if (wait.lock != NULL) {
        end_block(writer, &wait, time_ns);
        engine->release(wait.lock);
    }
}

void samp_blocks_write(struct samp_writer *writer, const struct samp_engine *engine, bool is_main,
                       int64_t now_ns)
{
    struct ended ended;

    if (engine->name_lock == NULL) {
        return;
    }
    while (take_ended(is_main, &ended)) {
        write_ended(writer, engine, &ended);
    }
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        struct samp_thread *thread = samp_threads_at(i);
        if (samp_thread_state(thread) == SAMP_THREAD_LIVE && thread->is_main == is_main) {
            look_at_monitor(writer, engine, thread, now_ns);
            look_at_parked(writer, engine, thread, now_ns);
        }
    }
}

static void release_lock(const struct samp_engine *engine, struct samp_wait *wait)
{
    if (wait->lock != NULL) {
        engine->release(wait->lock);
    }
    *wait = (struct samp_wait){0};
}

void samp_blocks_forget(const struct samp_engine *engine)
{
    (void)pthread_mutex_lock(&blocks.lock);
    for (uint32_t i = 0; i < blocks.count; i++) {
        release_lock(engine, &blocks.ended[i].wait);
    }
    blocks.count = 0;
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        struct samp_thread *thread = samp_threads_at(i);
        if (samp_thread_state(thread) != SAMP_THREAD_FREE) {
            release_lock(engine, &thread->monitor);
            release_lock(engine, &thread->parked);
        }
    }
    (void)pthread_mutex_unlock(&blocks.lock);
}

void samp_blocks_abandon(void)
{
    (void)pthread_mutex_init(&blocks.lock, NULL);
    blocks.count = 0;
}
