#include "recorder/rows.h"

#include "recorder/name.h"

#include <assert.h>
#include <string.h>

static uint32_t flags_of(const struct abi_profile_thread *row)
{
    return atomic_load_explicit(&row->flags, memory_order_relaxed);
}

static bool can_share(const struct abi_profile_thread *row, const struct abi_trace_ring *ring,
                      bool is_scarce)
{
    uint32_t flags = flags_of(row);
    bool is_virtual = (flags & ABI_PROFILE_VIRTUAL) != 0;
    bool is_free = is_virtual || (flags & ABI_PROFILE_ENDED) != 0;

    if (!is_free || is_virtual != (ring->is_virtual != 0) || (flags & ABI_PROFILE_MAIN) != 0 ||
        ring->is_main) {
        return false;
    }
    return is_scarce ? beat_name_is_alike(row->name, ring->thread_name)
                     : strcmp(row->name, ring->thread_name) == 0;
}

static void fill_row(struct abi_profile_thread *row, const struct abi_trace_ring *ring,
                     uint32_t ring_index)
{
    uint32_t flags = (flags_of(row) & (ABI_PROFILE_BOUNDS | ABI_PROFILE_READY)) |
                     (ring->is_main ? ABI_PROFILE_MAIN : 0u) |
                     (ring->is_virtual ? ABI_PROFILE_VIRTUAL : 0u);

    memcpy(row->name, ring->thread_name, sizeof(row->name));
    row->thread_id = ring->thread_id;
    row->ring = ring_index + 1;
    row->claim = ring->claim;
    /* Relaxed, all: readers look only at rows below the section's count, or at a stopped
     * profile. */
    atomic_store_explicit(&row->flags, flags, memory_order_relaxed);
    atomic_store_explicit(&row->position, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&row->thread_count, 1, memory_order_relaxed);
}

uint32_t beat_rows_take(struct abi_trace_section *section, struct abi_profile_thread *rows,
                        uint32_t room, const struct abi_trace_ring *ring, uint32_t ring_index)
{
    uint32_t count = (uint32_t)atomic_load_explicit(&section->written, memory_order_relaxed);
    bool is_scarce = count >= room / 4 * 3;
    uint32_t found = 0;

    assert(room > 0);
    while (found < count && !can_share(&rows[found], ring, is_scarce)) {
        found++;
    }
    if (found == room) {
        found--;
        atomic_fetch_add_explicit(&section->lost, 1, memory_order_relaxed);
    }
    fill_row(&rows[found], ring, ring_index);
    if (found == count) {
        /* Release: who sees the count finds the row. */
        atomic_store_explicit(&section->written, count + 1, memory_order_release);
    }
    return found;
}
