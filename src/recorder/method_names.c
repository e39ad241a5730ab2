#include "recorder/method_names.h"

#include "base/buf.h"
#include "recorder/memory.h"
#include "recorder/sections.h"

#include <assert.h>
#include <string.h>

#define WORD sizeof(uint64_t) /* of which a section's records are made */

/* Under the recorder's lock. */
static struct mb_buf names; /* padded to whole words by empty lines */

void beat_names_expect(void)
{
    struct beat_recorder *recorder = beat_lock();

    recorder->expects_names = true;
    beat_unlock(recorder);
}

/* Append to the section what of the lines it lacks; what has no room, in it or on the disk, is
 * counted as lost. */
static void publish_lines(const struct beat_recorder *recorder)
{
    struct abi_trace_section *section = beat_sections_find(recorder->memory, ABI_SECTION_NAMES);

    assert(beat_has_lock() && names.size % WORD == 0);
    if (section == NULL) {
        return;
    }
    uint64_t written = atomic_load_explicit(&section->written, memory_order_relaxed);
    uint64_t all = names.size / WORD;
    uint64_t room = all < section->capacity ? all : section->capacity;
    uint64_t offset = section->offset + written * WORD;
    if (room > written && beat_memory_reserve(recorder->memory, offset, (room - written) * WORD)) {
        memcpy(recorder->memory->bytes + offset, names.bytes + written * WORD,
               (size_t)(room - written) * WORD);
        atomic_store_explicit(&section->written, room, memory_order_release);
        written = room;
    }
    atomic_store_explicit(&section->lost, all - written, memory_order_relaxed);
}

void beat_names_begin(const struct beat_recorder *recorder)
{
    publish_lines(recorder);
}

bool beat_names_add(const char *lines, size_t size)
{
    struct beat_recorder *recorder = beat_lock();
    size_t before = names.size;

    mb_buf_put(&names, lines, size);
    while (!names.failed && names.size % WORD != 0) {
        mb_buf_put_u1(&names, '\n');
    }
    bool is_kept = !names.failed;
    if (!is_kept) {
        names.size = before;
        names.failed = false;
    } else if (beat_is_present(recorder)) {
        publish_lines(recorder);
    }
    beat_unlock(recorder);
    return is_kept;
}
