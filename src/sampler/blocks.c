#include "sampler/blocks.h"

#include "base/clock.h"
#include "base/number.h"
#include "recorder/drain.h"

#include <pthread.h>
#include <string.h>

#define MOST_ENDED 256u                    /* until the sampler comes */
#define MOST_LEFT 256u                     /* of one engine to the next */
#define LEAST_FREE 32u                     /* for ends of waits that have a record */
#define LEAST_NS MB_NS_PER_MS              /* of a wait that is told */
#define LONG_NS (10 * MB_NS_PER_MS)        /* of one that a sample saw */
#define ANY_NS MB_NS_PER_S                 /* of one that is told though the owner is not known */
#define LEAST_PAUSE_NS (10 * MB_NS_PER_MS) /* between questions, or, if that is longer, */
#define PAUSE_FACTOR 20                    /* this times its CPU time and what all stood for it */
#define INTERVAL_NS (10 * MB_NS_PER_MS)    /* between looks while threads wait, and after */
#define AFTER_NS MB_NS_PER_S

struct ended {
    struct samp_thread *thread;
    uint32_t thread_id; /* another has that place meanwhile if it differs */
    bool is_main;
    struct samp_wait wait;
    uint32_t frame_count;
    struct samp_frame frames[SAMP_WAIT_DEPTH];
};

/* A wait that outlasts its engine. */
struct left {
    uint32_t thread_id;
    struct samp_wait wait;
};

/* Under the lock, as are the waits that threads tell. */
static struct {
    pthread_mutex_t lock;
    struct ended ended[MOST_ENDED];
    uint32_t count;
    uint64_t lost;
    struct left left[MOST_LEFT];
    int64_t question_ns[ABI_BLOCK_LOCK + 1]; /* the next one is allowed, by kind */
    int64_t cost_ns[ABI_BLOCK_LOCK + 1];     /* of the last one */
    int64_t last_ns;                         /* a thread began to wait */
    void (*ring)(void);                      /* NULL: the sampler comes by itself */
} blocks = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- On the threads themselves ---- */

bool samp_block_begin(uint32_t thread_id, uint32_t kind, void *lock)
{
    struct samp_thread *thread = samp_threads_own(thread_id);

    if (thread == NULL) {
        return false;
    }
    (void)pthread_mutex_lock(&blocks.lock);
    blocks.last_ns = mb_clock_now_ns();
    thread->blocked = (struct samp_wait){.kind = kind, .begin_ns = blocks.last_ns, .lock = lock};
    void (*ring)(void) = blocks.ring;
    blocks.ring = NULL;
    (void)pthread_mutex_unlock(&blocks.lock);
    if (ring != NULL) {
        ring();
    }
    return true;
}

/* Or one that was left; NULL: it does not wait. Under the lock. */
static struct samp_wait *find_wait(struct samp_thread *thread, uint32_t thread_id)
{
    if (thread != NULL && thread->thread_id == thread_id && thread->blocked.begin_ns != 0) {
        return &thread->blocked;
    }
    for (uint32_t i = 0; i < MOST_LEFT; i++) {
        struct left *left = &blocks.left[i];
        if (left->wait.begin_ns != 0 && left->thread_id == thread_id) {
            return &left->wait;
        }
    }
    return NULL;
}

/* 0: it does not wait. */
static int64_t find_begin(struct samp_thread *thread, uint32_t thread_id)
{
    (void)pthread_mutex_lock(&blocks.lock);
    const struct samp_wait *wait = find_wait(thread, thread_id);
    int64_t begin_ns = wait != NULL ? wait->begin_ns : 0;
    (void)pthread_mutex_unlock(&blocks.lock);
    return begin_ns;
}

/* Without a thread, of a wait that has a record. Under the lock. */
static bool keep_end(struct samp_thread *thread, const struct samp_wait *wait,
                     const struct samp_frame *frames, uint32_t count)
{
    uint32_t most = wait->session != 0 ? MOST_ENDED : MOST_ENDED - LEAST_FREE;

    if (blocks.count >= most) {
        blocks.lost += wait->session == 0; /* who reads a record without an end counts that */
        return false;
    }
    struct ended *ended = &blocks.ended[blocks.count++];
    ended->thread = thread;
    ended->thread_id = thread != NULL ? thread->thread_id : 0;
    ended->is_main = thread != NULL && thread->is_main;
    ended->wait = *wait;
    ended->frame_count = count;
    memcpy(ended->frames, frames, count * sizeof(*frames));
    return true;
}

void *samp_block_end(uint32_t thread_id, uint32_t (*walk)(struct samp_frame *frames))
{
    struct samp_thread *thread = samp_threads_own(thread_id);
    int64_t now_ns = mb_clock_now_ns();
    int64_t begin_ns = find_begin(thread, thread_id);
    struct samp_frame frames[SAMP_WAIT_DEPTH];

    if (begin_ns == 0) {
        return NULL;
    }
    uint32_t count = thread != NULL && now_ns - begin_ns >= LEAST_NS ? walk(frames) : 0;
    (void)pthread_mutex_lock(&blocks.lock);
    struct samp_wait *found = find_wait(thread, thread_id);
    struct samp_wait wait = found != NULL ? *found : (struct samp_wait){0};
    if (found != NULL) {
        *found = (struct samp_wait){0};
    }
    wait.end_ns = now_ns;
    bool is_told = wait.session != 0 || count > 0;
    bool is_kept = wait.lock != NULL && is_told && keep_end(thread, &wait, frames, count);
    (void)pthread_mutex_unlock(&blocks.lock);
    return is_kept || wait.is_used ? NULL : wait.lock;
}

/* ---- On the sampler's ---- */

static bool may_ask(uint32_t kind, int64_t now_ns)
{
    (void)pthread_mutex_lock(&blocks.lock);
    bool is_allowed = now_ns >= blocks.question_ns[kind];
    if (is_allowed) {
        blocks.question_ns[kind] = now_ns + LEAST_PAUSE_NS;
    }
    (void)pthread_mutex_unlock(&blocks.lock);
    return is_allowed;
}

/* Only after two that took long, since one may have by chance, as while the process was stopped. */
static void note_question(uint32_t kind, int64_t cost_ns)
{
    int64_t now_ns = mb_clock_now_ns();

    (void)pthread_mutex_lock(&blocks.lock);
    int64_t pause_ns = PAUSE_FACTOR * mb_min_i64(cost_ns, blocks.cost_ns[kind]);
    blocks.cost_ns[kind] = cost_ns;
    blocks.question_ns[kind] = mb_max_i64(blocks.question_ns[kind], now_ns + pause_ns);
    (void)pthread_mutex_unlock(&blocks.lock);
}

int64_t samp_blocks_next(void (*ring)(void), int64_t now_ns)
{
    (void)pthread_mutex_lock(&blocks.lock);
    bool is_busy = blocks.last_ns != 0 && now_ns - blocks.last_ns < AFTER_NS;
    blocks.ring = is_busy ? NULL : ring;
    (void)pthread_mutex_unlock(&blocks.lock);
    return is_busy ? now_ns + INTERVAL_NS : INT64_MAX;
}

/* Not those for the recorder, as it begins. */
static void put_block(struct samp_writer *writer, struct samp_thread *thread,
                      struct samp_wait *wait, const struct samp_lock *lock)
{
    bool is_ours = lock->waits.count > 0 && lock->waits.places[0].is_ours;

    beat_drain_lock();
    if (!is_ours && samp_writer_follow(writer)) {
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

/* And what was lost until now. */
static bool take_ended(bool is_main, struct ended *ended, uint64_t *lost)
{
    bool is_found = false;

    (void)pthread_mutex_lock(&blocks.lock);
    *lost += blocks.lost;
    blocks.lost = 0;
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

static void name_walk(const struct samp_engine *engine, const struct samp_frame *frames,
                      uint32_t count, struct samp_walk *walk)
{
    walk->count = count;
    engine->resolve(frames, count, walk->places);
}

static void write_ended(struct samp_writer *writer, const struct samp_engine *engine,
                        struct ended *ended)
{
    struct samp_lock lock = {.kind = ended->wait.kind};

    if (ended->wait.session == 0 && samp_thread_state(ended->thread) != SAMP_THREAD_FREE &&
        ended->thread->thread_id == ended->thread_id) {
        engine->name_lock(ended->wait.lock, lock.name);
        name_walk(engine, ended->frames, ended->frame_count, &lock.waits);
        put_block(writer, ended->thread, &ended->wait, &lock);
    }
    end_block(writer, &ended->wait, ended->wait.end_ns);
    engine->release(ended->wait.lock);
}

/* Where the record of a wait is, which may have ended meanwhile. False: and nothing tells it. */
static bool note_record(struct samp_thread *thread, const struct samp_wait *wait)
{
    (void)pthread_mutex_lock(&blocks.lock);
    bool is_found = thread->blocked.begin_ns == wait->begin_ns;
    if (is_found) {
        thread->blocked = *wait;
    }
    for (uint32_t i = 0; i < blocks.count; i++) {
        struct samp_wait *ended = &blocks.ended[i].wait;
        if (blocks.ended[i].thread == thread && ended->begin_ns == wait->begin_ns) {
            ended->session = wait->session;
            ended->position = wait->position;
            is_found = true;
        }
    }
    (void)pthread_mutex_unlock(&blocks.lock);
    return is_found;
}

/* Its lock stays: the thread keeps its end, or, without room for that, lets go of nothing. */
static struct samp_wait use_wait(struct samp_thread *thread, int64_t now_ns)
{
    (void)pthread_mutex_lock(&blocks.lock);
    struct samp_wait *blocked = &thread->blocked;
    blocked->is_used |= blocked->lock != NULL && now_ns - blocked->begin_ns >= LEAST_NS;
    struct samp_wait wait = *blocked;
    (void)pthread_mutex_unlock(&blocks.lock);
    return wait;
}

/* The owner, and where it was: one that has it before and after. */
static void ask_owner(const struct samp_engine *engine, const struct samp_thread *waiter,
                      const struct samp_wait *wait, struct samp_lock *lock)
{
    struct samp_frame frames[SAMP_WAIT_DEPTH];
    int64_t stopped_ns = 0;
    int64_t cpu_ns = mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

    lock->asked_ns = mb_clock_now_ns();
    struct samp_thread *owner = engine->find_owner(wait->kind, wait->lock, waiter, &stopped_ns);
    uint32_t count = owner != NULL ? engine->walk(owner, frames) : 0;

    if (count > 0) {
        name_walk(engine, frames, count, &lock->holds);
        bool has_it = engine->find_owner(wait->kind, wait->lock, waiter, &stopped_ns) == owner;
        lock->owner = has_it ? owner : NULL;
    }
    if (lock->owner != NULL && engine->find_takers != NULL) {
        engine->find_takers(wait->kind, wait->lock, frames, count, lock->holds.places);
    }
    cpu_ns = mb_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
    note_question(wait->kind, stopped_ns + cpu_ns);
}

/* The last question of a round. Its lock stays until the next one. */
struct answered {
    void *handle; /* NULL: none was asked */
    struct samp_lock lock;
};

/* Who waited for the same lock when that was asked need not ask again. */
static bool is_answered(const struct samp_engine *engine, const struct samp_wait *wait,
                        const struct answered *last)
{
    return last->handle != NULL && last->lock.kind == wait->kind &&
           wait->begin_ns <= last->lock.asked_ns && engine->is_same(last->handle, wait->lock);
}

/* While it waits: what is found out after that may be of another wait. */
static void look_at_blocked(struct samp_writer *writer, const struct samp_engine *engine,
                            struct samp_thread *thread, int64_t now_ns, struct answered *last)
{
    struct samp_wait wait = use_wait(thread, now_ns);
    struct samp_frame frames[SAMP_WAIT_DEPTH];

    if (!wait.is_used || wait.session != 0) {
        return;
    }
    if (!is_answered(engine, &wait, last)) {
        if (!may_ask(wait.kind, now_ns)) {
            return;
        }
        *last = (struct answered){.handle = wait.lock, .lock = {.kind = wait.kind}};
        engine->name_lock(wait.lock, last->lock.name);
        ask_owner(engine, thread, &wait, &last->lock);
    }
    struct samp_lock lock = last->lock;
    name_walk(engine, frames, engine->walk(thread, frames), &lock.waits);
    if (use_wait(thread, now_ns).begin_ns != wait.begin_ns) {
        last->handle = NULL; /* it may have been asked what it waits for now */
        return;
    }
    if (lock.owner != NULL || now_ns - wait.begin_ns > ANY_NS) {
        put_block(writer, thread, &wait, &lock);
        if (!note_record(thread, &wait)) {
            end_block(writer, &wait, mb_clock_now_ns());
        }
    }
}

/* Once for each time that it parks. */
static void look_at_parked(struct samp_writer *writer, const struct samp_engine *engine,
                           struct samp_thread *thread, int64_t now_ns)
{
    struct samp_wait *wait = &thread->parked;
    int64_t stopped_ns = 0;

    if (engine->find_parked == NULL || thread->doing != ABI_SAMPLE_PARKED || !thread->is_idle ||
        wait->begin_ns != 0 || now_ns - thread->box.time_ns < LONG_NS) {
        return;
    }
    *wait = (struct samp_wait){.kind = ABI_BLOCK_PARKED,
                               .begin_ns = thread->box.time_ns,
                               .lock = engine->find_parked(thread)};
    if (wait->lock != NULL) {
        struct samp_lock lock = {.kind = ABI_BLOCK_PARKED, .asked_ns = now_ns};
        engine->name_lock(wait->lock, lock.name);
        lock.owner = engine->find_owner(ABI_BLOCK_PARKED, wait->lock, thread, &stopped_ns);
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
    struct answered last = {0};
    uint64_t lost = 0;
    static _Atomic(uint32_t) turns; /* another thread comes first each time */
    uint32_t turn = atomic_fetch_add(&turns, 1) % SAMP_MOST_THREADS;

    if (engine->name_lock == NULL) {
        return;
    }
    while (take_ended(is_main, &ended, &lost)) {
        write_ended(writer, engine, &ended);
    }
    beat_drain_lock();
    if (lost > 0 && samp_writer_follow(writer)) {
        samp_add(&writer->tables.blocks.section->lost, lost);
    }
    beat_drain_unlock();
    uint32_t count = samp_threads_count();
    for (uint32_t i = 0; i < count; i++) {
        struct samp_thread *thread = samp_threads_at((i + turn) % count);
        if (samp_thread_state(thread) == SAMP_THREAD_LIVE && thread->is_main == is_main) {
            look_at_blocked(writer, engine, thread, now_ns, &last);
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

/* Nothing uses its lock until it ends. Without room, its end is missed. */
static void leave_wait(struct samp_thread *thread)
{
    uint32_t at = 0;

    while (at < MOST_LEFT && blocks.left[at].wait.begin_ns != 0) {
        at++;
    }
    if (at < MOST_LEFT && thread->blocked.begin_ns != 0) {
        blocks.left[at] = (struct left){thread->thread_id, thread->blocked};
        blocks.left[at].wait.is_used = false;
        thread->blocked = (struct samp_wait){0};
    }
}

void samp_blocks_leave(const struct samp_engine *engine)
{
    (void)pthread_mutex_lock(&blocks.lock);
    for (uint32_t i = 0; i < samp_threads_count(); i++) {
        struct samp_thread *thread = samp_threads_at(i);
        if (samp_thread_state(thread) != SAMP_THREAD_FREE) {
            leave_wait(thread);
            release_lock(engine, &thread->blocked);
            release_lock(engine, &thread->parked);
        }
    }
    (void)pthread_mutex_unlock(&blocks.lock);
}

void samp_blocks_forget(const struct samp_engine *engine)
{
    samp_blocks_leave(engine);
    (void)pthread_mutex_lock(&blocks.lock);
    for (uint32_t i = 0; i < blocks.count; i++) {
        release_lock(engine, &blocks.ended[i].wait);
    }
    blocks.count = 0;
    for (uint32_t i = 0; i < MOST_LEFT; i++) {
        release_lock(engine, &blocks.left[i].wait);
    }
    (void)pthread_mutex_unlock(&blocks.lock);
}

void samp_blocks_abandon(void)
{
    (void)pthread_mutex_init(&blocks.lock, NULL);
    blocks.count = 0;
    memset(blocks.left, 0, sizeof(blocks.left));
    blocks.ring = NULL;
}
