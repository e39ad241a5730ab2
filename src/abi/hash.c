#include "abi/hash.h"

#define FNV_PRIME UINT64_C(0x100000001b3)

uint64_t abi_hash(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *next = bytes;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ next[i]) * FNV_PRIME;
    }
    return hash != 0 ? hash : 1;
}
