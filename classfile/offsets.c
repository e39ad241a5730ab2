#include "classfile/offsets.h"

#define FEW 8U /* points that are counted without a branch; most methods have no more */

static size_t count_below(const struct cf_offsets *offsets, uint32_t key)
{
    size_t low = 0;
    size_t high = offsets->count;

    if (high <= FEW) {
        for (size_t i = 0; i < high; i++) {
            low += offsets->points[i].key < key;
        }
        return low;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (offsets->points[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t cf_offsets_search(struct cf_offsets *offsets, uint32_t key)
{
    size_t below = count_below(offsets, key);

    offsets->hint = below;
    return below > 0 ? offsets->points[below - 1].shift : 0;
}
