#include "recorder/profile/lengths.h"

#include "base/check.h"
#include "base/number.h"
#include "recorder/profile/tree.h"

#include <stdlib.h>

#define FIRST_SLOTS 4096u
#define GROWTH 4u
#define KEY_SHIFT 31
#define OF_REQUESTS 8  /* that part of the room is kept for them */
#define BUCKET_BITS 12 /* with ABI_LENGTH_REQUEST */

bool prof_lengths_init(struct prof_lengths *lengths, struct abi_trace_section *section,
                       _Atomic(uint64_t) *rows)
{
    *lengths = (struct prof_lengths){.section = section,
                                     .rows = rows,
                                     .slot_mask = FIRST_SLOTS - 1,
                                     .slots = calloc(FIRST_SLOTS, sizeof(*lengths->slots))};
    return lengths->slots != NULL;
}

void prof_lengths_finish(struct prof_lengths *lengths)
{
    free(lengths->slots);
    *lengths = (struct prof_lengths){0};
}

static uint64_t key_at(const struct prof_lengths *lengths, uint32_t row)
{
    return prof_get(&lengths->rows[row]) >> KEY_SHIFT;
}

static uint64_t key_of(uint32_t id, uint32_t flags, uint32_t bucket)
{
    uint64_t length = (uint64_t)id << BUCKET_BITS | (flags & ABI_LENGTH_REQUEST) | bucket;

    return length << 1 | flags >> KEY_SHIFT;
}

/* The slot of the key, or the free slot where it belongs. */
static uint32_t *find_slot(const struct prof_lengths *lengths, uint64_t key)
{
    uint32_t at = ((uint32_t)(key ^ key >> KEY_SHIFT) * 0x9e3779b1u >> 8) & lengths->slot_mask;

    while (lengths->slots[at] != 0 && key_at(lengths, lengths->slots[at] - 1) != key) {
        at = (at + 1) & lengths->slot_mask;
    }
    return &lengths->slots[at];
}

/* Half of the slots are free. False without memory. */
static bool have_slots(struct prof_lengths *lengths, uint32_t rows)
{
    uint32_t count = (lengths->slot_mask + 1) * GROWTH;

    if (rows <= lengths->slot_mask / 2) {
        return true;
    }
    uint32_t *slots = calloc(count, sizeof(*slots));
    if (slots == NULL) {
        return false;
    }
    free(lengths->slots);
    lengths->slots = slots;
    lengths->slot_mask = count - 1;
    for (uint32_t row = 0; row < rows; row++) {
        *find_slot(lengths, key_at(lengths, row)) = row + 1;
    }
    return true;
}

static uint64_t room_for(const struct prof_lengths *lengths, uint32_t flags)
{
    uint64_t all = lengths->section->capacity;

    return mb_min_u64(lengths->capacity, flags != 0 ? all : all - all / OF_REQUESTS);
}

/* The row of the key, + 1, made if need be; 0 without room. */
MB_NOINLINE static uint32_t take_row(struct prof_lengths *lengths, uint64_t key, uint32_t flags)
{
    uint32_t rows = (uint32_t)prof_get(&lengths->section->written);
    uint32_t *slot = find_slot(lengths, key);

    if (*slot == 0 && (rows >= room_for(lengths, flags) || !have_slots(lengths, rows))) {
        prof_add(&lengths->section->lost, 1);
        return 0;
    }
    slot = find_slot(lengths, key); /* the table may have grown */
    if (*slot == 0) {
        prof_set(&lengths->rows[rows], key << KEY_SHIFT);
        /* Release: who sees the count finds the row. */
        atomic_store_explicit(&lengths->section->written, rows + 1, memory_order_release);
        *slot = rows + 1;
    }
    return *slot;
}

void prof_lengths_count(struct prof_lengths *lengths, uint32_t *last, uint32_t id, uint32_t flags,
                        uint64_t units)
{
    uint64_t key = key_of(id, flags, abi_length_bucket(units));

    if (*last == 0 || key_at(lengths, *last - 1) != key) {
        *last = take_row(lengths, key, flags);
    }
    if (MB_LIKELY(*last != 0) &&
        (prof_get(&lengths->rows[*last - 1]) & ABI_LENGTH_CALLS) != ABI_LENGTH_CALLS) {
        prof_add(&lengths->rows[*last - 1], 1);
    }
}

uint32_t prof_lengths_calls(const struct prof_lengths *lengths, uint32_t id, uint32_t flags,
                            uint32_t bucket)
{
    uint32_t row = *find_slot(lengths, key_of(id, flags, bucket));

    return row != 0 ? (uint32_t)prof_get(&lengths->rows[row - 1]) & ABI_LENGTH_CALLS : 0;
}
