#include "recorder/identity.h"

#include "abi/identity.h"

#include <stdio.h>
#include <string.h>

/* Under the recorder's lock. */
static char told_pairs[ABI_IDENTITY_SIZE];

static void store_pairs(struct abi_trace_header *header, const char *pairs)
{
    struct abi_identity_area *area = (void *)((char *)header + ABI_IDENTITY_OFFSET);
    size_t size = strlen(pairs);

    atomic_store_explicit(&area->size, 0, memory_order_relaxed);
    if (size <= sizeof(area->pairs)) {
        atomic_thread_fence(memory_order_release); /* pairs only where there is no size */
        memcpy(area->pairs, pairs, size);
        atomic_store_explicit(&area->size, (uint32_t)size, memory_order_release);
    }
}

void beat_identity_note(struct beat_recorder *recorder, const struct beat_options *options)
{
    const struct mb_text given = mb_text_of(options->app != NULL ? options->app : "");
    char pairs[ABI_IDENTITY_SIZE];
    struct mb_error err;

    if (told_pairs[0] != '\0') {
        store_pairs(recorder->header, told_pairs);
    } else if (abi_identity_check(given, &err) != MB_OK) {
        beat_log(options, "app %s", err.reason);
    } else {
        abi_identity_complete(pairs, given);
        store_pairs(recorder->header, pairs);
    }
}

void beat_identity_tell(const char *pairs)
{
    struct beat_recorder *recorder = beat_lock();

    (void)snprintf(told_pairs, sizeof(told_pairs), "%s", pairs);
    if (recorder->recorded_session != BEAT_NO_SESSION) {
        store_pairs(recorder->header, told_pairs);
    }
    beat_unlock(recorder);
}
