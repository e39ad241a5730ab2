/* A method map that git or an editor has turned into a text of Windows. */

#include "abi/hash.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static uint64_t hash_of(const char *text)
{
    return abi_hash_map(text, strlen(text));
}

Test(ports, ends_of_lines_and_a_mark_do_not_count_in_a_map)
{
    const char *text = "1,9,a.A go ()V\n2,9,a.A run ()V\n";
    uint64_t hash = abi_hash(ABI_HASH_START, text, strlen(text));

    cr_expect(eq(u64, hash_of(text), hash));
    cr_expect(eq(u64, hash_of("1,9,a.A go ()V\r\n2,9,a.A run ()V\r\n"), hash));
    cr_expect(eq(u64,
                 hash_of("\xef\xbb\xbf"
                         "1,9,a.A go ()V\r\n2,9,a.A run ()V\n"),
                 hash));
    cr_expect(ne(u64, hash_of("1,9,a.A go ()V\r2,9,a.A run ()V\n"), hash), "no end of ours");
    cr_expect(ne(u64, hash_of("1,9,a.A go ()V\n\n2,9,a.A run ()V\n"), hash));
    cr_expect(eq(u64, hash_of("\r"), abi_hash(ABI_HASH_START, "\r", 1)));
    cr_expect(eq(u64, hash_of(""), ABI_HASH_START));
}
