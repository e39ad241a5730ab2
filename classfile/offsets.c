#include "classfile/offsets.h"

uint32_t cf_offsets_search(struct cf_offsets *offsets, uint32_t key)
{
    size_t low = 0;
    size_t high = offsets->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (offsets->points[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    offsets->hint = low;
    return low > 0 ? offsets->points[low - 1].shift : 0;
}
