#include "recorder/profile/readings.h"

#include "base/number.h"

#include <stddef.h>

#define CLAIM_SHIFT 44

static uint64_t key_of(uint32_t claim, uint64_t position)
{
    return ((uint64_t)claim << CLAIM_SHIFT | position) + 1;
}

void prof_readings_put(struct prof_readings *readings, uint32_t claim, uint64_t position,
                       const struct prof_read *read)
{
    uint64_t count = atomic_fetch_add_explicit(&readings->count, 1, memory_order_relaxed);
    struct prof_reading *row = &readings->rows[count % PROF_READINGS];

    atomic_store_explicit(&row->key, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); /* the row has no key before it changes */
    atomic_store_explicit(&row->time_ns, read->time_ns, memory_order_relaxed);
    atomic_store_explicit(&row->ready_ns, read->ready_ns, memory_order_relaxed);
    atomic_store_explicit(&row->ran_ns, read->ran_ns, memory_order_relaxed);
    atomic_store_explicit(&row->waits, read->waits, memory_order_relaxed);
    atomic_store_explicit(&row->key, key_of(claim, position), memory_order_release);
}

bool prof_readings_find(const struct prof_readings *readings, uint32_t claim, uint64_t position,
                        struct prof_read *read)
{
    uint64_t key = key_of(claim, position);
    uint64_t count =
        readings != NULL ? atomic_load_explicit(&readings->count, memory_order_relaxed) : 0;

    for (uint64_t i = 0; i < mb_min_u64(count, PROF_READINGS); i++) {
        const struct prof_reading *row = &readings->rows[(count - 1 - i) % PROF_READINGS];
        /* Acquire: with the key comes what it is the key of. */
        if (atomic_load_explicit(&row->key, memory_order_acquire) == key) {
            read->time_ns = atomic_load_explicit(&row->time_ns, memory_order_relaxed);
            read->ready_ns = atomic_load_explicit(&row->ready_ns, memory_order_relaxed);
            read->ran_ns = atomic_load_explicit(&row->ran_ns, memory_order_relaxed);
            read->waits = atomic_load_explicit(&row->waits, memory_order_relaxed);
            atomic_thread_fence(memory_order_acquire); /* and it is still that */
            return atomic_load_explicit(&row->key, memory_order_relaxed) == key;
        }
    }
    return false;
}
