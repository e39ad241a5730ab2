#include "recorder/weaving.h"

#include "recorder/sections.h"

#include <assert.h>
#include <string.h>

static uint64_t counts[ABI_WEAVING_COUNT]; /* under the recorder's lock */

/* All are records from the start on, so that their blocks are those of the file's. */
void beat_weaving_begin(const struct beat_recorder *recorder)
{
    struct abi_trace_section *section = beat_sections_find(recorder->memory, ABI_SECTION_WEAVING);

    assert(beat_has_lock());
    if (section != NULL) {
        memcpy(beat_sections_records(recorder->memory, section), counts, sizeof(counts));
        atomic_store_explicit(&section->written, ABI_WEAVING_COUNT, memory_order_release);
    }
}

/* A trace that is over stays as it is. */
static void publish_counts(const struct beat_recorder *recorder)
{
    if (beat_is_present(recorder)) {
        beat_weaving_begin(recorder);
    }
}

void beat_weaving_add(enum abi_weaving what, uint64_t count)
{
    struct beat_recorder *recorder = beat_lock();

    assert((size_t)what < MB_COUNT(counts));
    counts[what] += count;
    publish_counts(recorder);
    beat_unlock(recorder);
}

void beat_weaving_read(uint64_t values[ABI_WEAVING_COUNT])
{
    struct beat_recorder *recorder = beat_lock();

    memcpy(values, counts, sizeof(counts));
    beat_unlock(recorder);
}

void beat_weaving_reset(void)
{
    struct beat_recorder *recorder = beat_lock();

    memset(counts, 0, sizeof(counts));
    publish_counts(recorder);
    beat_unlock(recorder);
}
