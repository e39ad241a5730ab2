#include "abi/hash.h"

#include <string.h>

#define FNV_PRIME UINT64_C(0x100000001b3)

uint64_t abi_hash(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *next = bytes;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ next[i]) * FNV_PRIME;
    }
    return hash != 0 ? hash : 1;
}

uint64_t abi_hash_map(const void *bytes, size_t size)
{
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    const uint8_t *next = bytes;
    size_t start = size >= sizeof(mark) && memcmp(next, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
    uint64_t hash = ABI_HASH_START;

    for (size_t i = start; i + 1 < size; i++) {
        if (next[i] == '\r' && next[i + 1] == '\n') {
            hash = abi_hash(hash, next + start, i - start);
            start = i + 1;
        }
    }
    return abi_hash(hash, next + start, size - start);
}
