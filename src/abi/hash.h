/* The fingerprint of a methodMapping.txt, by which a trace knows the mapping it belongs to. */

#ifndef ABI_HASH_H
#define ABI_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Start value for abi_hash; also what stands for "no mapping known" is 0, which no file gives. */
#define ABI_HASH_START UINT64_C(0xcbf29ce484222325)

/* FNV-1a, 64 bits, over the file's bytes as they were written; feed pieces in order, starting with
 * ABI_HASH_START. Never 0. Against mix-ups, not against forgery. */
uint64_t abi_hash(uint64_t hash, const void *bytes, size_t size);

/* That of a whole map as it was written: git and editors may have turned its ends of lines into
 * CR LF, and begun it with a byte order mark. */
uint64_t abi_hash_map(const void *bytes, size_t size);

#endif
