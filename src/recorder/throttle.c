#include "recorder/throttle.h"

#include "abi/names.h"
#include "base/check.h"
#include "base/text.h"
#include "recorder/core.h"

#include <pthread.h>
#include <string.h>

#define NEWS_SIZE 64u
#define MAX_TIMED 64u

_Atomic(uint8_t) beat_muted[ABI_ID_MASK + 1];
void (*_Atomic beat_mute_listener)(void);

/* Under its lock. */
static struct {
    pthread_mutex_t lock;
    uint32_t ids[BEAT_MAX_MUTED];
    size_t count;
    size_t told_count; /* of ids: the listener knows that they are muted */
    uint32_t timed[MAX_TIMED];
    size_t timed_count; /* ever, */
    size_t timed_told;  /* and of these the listener knows */
} mutes = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;
static beat_mutes_fn *listener; /* under telling */

/* ---- Muting ---- */

bool beat_mute(uint32_t id)
{
    (void)pthread_mutex_lock(&mutes.lock);
    bool fits = mutes.count < BEAT_MAX_MUTED;
    if (fits) {
        mutes.ids[mutes.count++] = id;
        /* Relaxed: a probe that does not see it yet is an early one. */
        atomic_store_explicit(&beat_muted[id], BEAT_MUTED, memory_order_relaxed);
    }
    (void)pthread_mutex_unlock(&mutes.lock);
    return fits;
}

static bool was_timed(uint32_t id)
{
    size_t i = 0;

    while (i < mutes.timed_count && mutes.timed[i] != id) {
        i++;
    }
    return i < mutes.timed_count;
}

void beat_time(uint32_t id, bool is_timed)
{
    uint8_t state = is_timed ? BEAT_TIMED : BEAT_RECORDED;
    /* Relaxed, both: as in beat_mute. */
    uint8_t present = atomic_load_explicit(&beat_muted[id], memory_order_relaxed);

    if (present == state || present == BEAT_MUTED) {
        return;
    }
    (void)pthread_mutex_lock(&mutes.lock);
    bool is_new = is_timed && !was_timed(id);
    if (!is_new || mutes.timed_count < MAX_TIMED) {
        if (is_new) {
            mutes.timed[mutes.timed_count++] = id;
        }
        atomic_store_explicit(&beat_muted[id], state, memory_order_relaxed);
    }
    (void)pthread_mutex_unlock(&mutes.lock);
}

bool beat_next_muted(size_t *next, uint32_t *id)
{
    (void)pthread_mutex_lock(&mutes.lock);
    bool is_there = *next < mutes.count;
    *id = is_there ? mutes.ids[(*next)++] : 0;
    (void)pthread_mutex_unlock(&mutes.lock);
    return is_there;
}

void beat_time_none(void)
{
    (void)pthread_mutex_lock(&mutes.lock);
    for (size_t i = 0; i < mutes.timed_count; i++) {
        uint8_t timed = BEAT_TIMED;
        (void)atomic_compare_exchange_strong(&beat_muted[mutes.timed[i]], &timed, BEAT_RECORDED);
    }
    (void)pthread_mutex_unlock(&mutes.lock);
}

/* Take the next ids that the listener has not been given; 0 when it has them all. */
static size_t take_news(uint32_t ids[NEWS_SIZE])
{
    (void)pthread_mutex_lock(&mutes.lock);
    size_t left = mutes.count - mutes.told_count;
    size_t count = left < NEWS_SIZE ? left : NEWS_SIZE;
    memcpy(ids, mutes.ids + mutes.told_count, count * sizeof(*ids));
    mutes.told_count += count;
    (void)pthread_mutex_unlock(&mutes.lock);
    return count;
}

/* One caller at a time, so that the listener gets ids in order. It is called without the lock
 * that beat_next_muted takes under the recorder's, since it may wait for a garbage collection. */
void beat_tell_mutes(void)
{
    uint32_t ids[NEWS_SIZE];
    size_t count = 0;

    (void)pthread_mutex_lock(&telling);
    if (listener != NULL && mutes.timed_told < mutes.timed_count) {
        listener(mutes.timed + mutes.timed_told, mutes.timed_count - mutes.timed_told, BEAT_TIMED);
        mutes.timed_told = mutes.timed_count;
    }
    while (listener != NULL && (count = take_news(ids)) > 0) {
        listener(ids, count, BEAT_MUTED);
    }
    (void)pthread_mutex_unlock(&telling);
    size_t next = 0;
    void (*told)(void) =
        beat_next_muted(&next, ids) ? atomic_exchange(&beat_mute_listener, NULL) : NULL;
    if (told != NULL) {
        told();
    }
}

void beat_on_mute(beat_mutes_fn *told)
{
    (void)pthread_mutex_lock(&telling);
    listener = told;
    (void)pthread_mutex_unlock(&telling);
    beat_tell_mutes();
}

/* Unmute the last methods of the list; 0 if there are none, or a session is open. */
static size_t take_back(uint32_t ids[NEWS_SIZE])
{
    struct beat_recorder *recorder = beat_lock();

    (void)pthread_mutex_lock(&mutes.lock);
    size_t most = beat_is_open(beat_present(recorder)) ? 0 : mutes.count;
    size_t count = most < NEWS_SIZE ? most : NEWS_SIZE;
    mutes.count -= count;
    mutes.told_count = mutes.told_count < mutes.count ? mutes.told_count : mutes.count;
    for (size_t i = 0; i < count; i++) {
        ids[i] = mutes.ids[mutes.count + i];
        atomic_store_explicit(&beat_muted[ids[i]], 0, memory_order_relaxed);
    }
    (void)pthread_mutex_unlock(&mutes.lock);
    beat_unlock(recorder);
    return count;
}

void beat_unmute_all(void)
{
    uint32_t ids[NEWS_SIZE];
    size_t count = 0;

    (void)pthread_mutex_lock(&telling);
    while ((count = take_back(ids)) > 0) {
        if (listener != NULL) {
            listener(ids, count, BEAT_RECORDED);
        }
    }
    (void)pthread_mutex_unlock(&telling);
}

void beat_mutes_abandon(void)
{
    (void)pthread_mutex_init(&mutes.lock, NULL);
    (void)pthread_mutex_init(&telling, NULL);
    listener = NULL;
    atomic_store(&beat_mute_listener, NULL);
    for (size_t i = 0; i < mutes.count; i++) {
        atomic_store_explicit(&beat_muted[mutes.ids[i]], 0, memory_order_relaxed);
    }
    for (size_t i = 0; i < mutes.timed_count; i++) {
        atomic_store_explicit(&beat_muted[mutes.timed[i]], 0, memory_order_relaxed);
    }
    mutes.count = 0;
    mutes.told_count = 0;
    mutes.timed_count = 0;
    mutes.timed_told = 0;
}
