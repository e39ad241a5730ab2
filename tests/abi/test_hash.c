#include "abi/hash.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* From the reference vectors of FNV-1a. */
Test(hash, gives_the_published_values)
{
    cr_assert(eq(u64, abi_hash(ABI_HASH_START, "", 0), UINT64_C(0xcbf29ce484222325)));
    cr_assert(eq(u64, abi_hash(ABI_HASH_START, "a", 1), UINT64_C(0xaf63dc4c8601ec8c)));
    cr_assert(eq(u64, abi_hash(ABI_HASH_START, "foobar", 6), UINT64_C(0x85944171f73967e8)));
}

Test(hash, does_not_depend_on_how_the_bytes_are_cut)
{
    uint64_t whole = abi_hash(ABI_HASH_START, "foobar", 6);

    cr_assert(eq(u64, abi_hash(abi_hash(ABI_HASH_START, "foo", 3), "bar", 3), whole));
}
