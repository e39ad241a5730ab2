#include "recorder/foreign.h"

#include "recorder/keeper.h"
#include "recorder/memory.h"
#include "recorder/name.h"
#include "recorder/rings.h"

#define NO_THREAD (-1)

/* Both under the lock; the storing thread alone changes taken, and may read it without. */
static int32_t main_thread = NO_THREAD;
static struct beat_memory *taken; /* pinned */

static bool claim_main(struct beat_recorder *recorder)
{
    if (recorder->recorded_session == BEAT_NO_SESSION || main_thread == NO_THREAD) {
        return true;
    }
    return beat_rings_claim_main(recorder, (uint32_t)main_thread);
}

int32_t beat_foreign_main_thread(void)
{
    struct beat_recorder *recorder = beat_lock();
    int32_t thread_id = main_thread;

    beat_unlock(recorder);
    return thread_id;
}

bool beat_foreign_become_main(int32_t thread_id, const char *name, bool stores)
{
    struct beat_recorder *recorder = beat_lock();

    main_thread = thread_id;
    beat_name_copy(recorder->main_name, name);
    recorder->options.main_thread = thread_id;
    recorder->java_writes_main |= stores;
    bool is_ours = !stores || claim_main(recorder);
    beat_unlock(recorder);
    return is_ours;
}

bool beat_foreign_claim(void)
{
    struct beat_recorder *recorder = beat_lock();

    recorder->java_writes_main = true;
    bool claimed = claim_main(recorder);
    beat_unlock(recorder);
    return claimed;
}

static struct beat_foreign describe_ring(const struct beat_recorder *recorder)
{
    if (recorder->recorded_session == BEAT_NO_SESSION) {
        return (struct beat_foreign){.session = BEAT_NO_SESSION};
    }
    const struct abi_trace_ring *ring = &recorder->rings[BEAT_MAIN_RING];
    return (struct beat_foreign){
        .session = recorder->recorded_session,
        .bytes = recorder->memory->bytes,
        .size = ring->words_offset + abi_trace_words_size(ring->capacity),
        .words_offset = ring->words_offset,
        .capacity = ring->capacity,
        .records_others = recorder->options.threads == BEAT_THREADS_ALL,
    };
}

struct beat_foreign beat_foreign_take(void)
{
    struct beat_recorder *recorder = beat_lock();
    struct beat_foreign foreign = describe_ring(recorder);

    beat_memory_pin(&taken, foreign.session != BEAT_NO_SESSION ? recorder->memory : NULL);
    beat_unlock(recorder);
    return foreign;
}

struct beat_foreign beat_foreign_look(void)
{
    struct beat_recorder *recorder = beat_lock();
    struct beat_foreign foreign = describe_ring(recorder);

    beat_unlock(recorder);
    return foreign;
}

void beat_foreign_message(bool begins)
{
    if (taken != NULL) {
        beat_keeper_message((struct abi_trace_header *)(void *)taken->bytes, true, begins);
    }
}

/* Cached by each carrier thread: the header of the session with this number. */
static MB_THREAD_LOCAL uint32_t known_session;
static MB_THREAD_LOCAL struct abi_trace_header *known_header;

void beat_foreign_pass(void)
{
    /* Relaxed: what belongs to another session was read under the lock. */
    uint32_t session = atomic_load_explicit(&beat_recorder.session, memory_order_relaxed);

    if (known_session != session) {
        struct beat_recorder *recorder = beat_lock();
        known_session = beat_present(recorder);
        known_header = beat_is_open(known_session) ? recorder->header : NULL;
        beat_unlock(recorder);
    }
    if (known_header != NULL) {
        atomic_fetch_add_explicit(&known_header->virtual_words, 1, memory_order_relaxed);
    }
}
