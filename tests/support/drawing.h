/* Random numbers that are the same in each run: xorshift. */

#ifndef SUPPORT_DRAWING_H
#define SUPPORT_DRAWING_H

#include <stdint.h>

static uint32_t state = 2463534242U; /* not 0 */

static inline uint32_t draw(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % limit;
}

#endif
