#include "classfile/edit.h"
#include "classfile/opcode.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 20000
#define MAX_BODY 64U

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1103515245U + 12345U;
    return *seed >> 16;
}

/* Instructions in a row, some of them damaged, in memory that ends where they do. */
static struct cf_code random_code(uint32_t *seed)
{
    uint32_t size = 1 + next_random(seed) % MAX_BODY;
    uint8_t *bytes = malloc(size);
    uint32_t rarely = next_random(seed) % 4 == 0;

    cr_assert(bytes != NULL);
    for (uint32_t pc = 0; pc < size;) {
        uint32_t opcode = next_random(seed) % (rarely ? 256 : CF_OP_MONITOREXIT + 1);
        uint32_t step = cf_insn_sizes[opcode];
        bytes[pc++] = (uint8_t)opcode;
        for (uint32_t i = 1; i < step && pc < size; i++) {
            bytes[pc++] = (uint8_t)(rarely ? next_random(seed) : 0);
        }
    }
    return (struct cf_code){.bytes = bytes, .size = size, .offset = 100};
}

/* What the scan must find, an instruction at a time; the pc where it must stop, or the size. */
static uint32_t walk(const struct cf_code *code, struct cf_scan *found)
{
    uint32_t pc = 0;

    found->exit_count = found->site_count = 0;
    while (pc < code->size) {
        uint32_t size = cf_insn_size(code->bytes, code->size, pc);
        enum cf_role role = (enum cf_role)cf_opcode(code->bytes[pc])->role;
        int64_t target = 0;
        if (size == 0 || role == CF_ROLE_SWITCH ||
            (cf_insn_branch(code->bytes, pc, &target) &&
             (target < 0 || target >= (int64_t)code->size))) {
            return pc;
        }
        if (role == CF_ROLE_RETURN || role == CF_ROLE_THROW) {
            found->exits[found->exit_count++] = (uint16_t)pc;
        } else if (role == CF_ROLE_JUMP || role == CF_ROLE_GOTO || role == CF_ROLE_JSR) {
            found->sites[found->site_count++] = (struct cf_site){(uint16_t)pc, code->bytes[pc], 0};
        }
        pc += size;
    }
    return pc;
}

static void compare(const struct cf_code *code, struct cf_scan *scan, struct cf_scan *expected)
{
    struct mb_error err;
    uint32_t end = walk(code, expected);
    enum mb_status status = cf_scan_code(scan, code, &err);

    if (end < code->size && cf_opcode(code->bytes[end])->role == CF_ROLE_SWITCH) {
        return;
    }
    cr_assert(eq(int, status, end == code->size ? MB_OK : MB_BAD_CLASS));
    if (status != MB_OK) {
        cr_assert(eq(sz, err.offset, code->offset + end));
        return;
    }
    cr_assert(eq(sz, scan->exit_count, expected->exit_count));
    cr_assert(eq(sz, scan->site_count, expected->site_count));
    cr_assert(memcmp(scan->exits, expected->exits, scan->exit_count * sizeof(scan->exits[0])) == 0);
    cr_assert(memcmp(scan->sites, expected->sites, scan->site_count * sizeof(scan->sites[0])) == 0);
}

/* The scan looks at several bytes at once; a plain walk does not. */
Test(scan, finds_what_a_walk_finds)
{
    struct cf_scan *scan = malloc(sizeof(*scan));
    struct cf_scan *expected = malloc(sizeof(*expected));
    uint32_t seed = 1;

    cr_assert(scan != NULL && expected != NULL);
    for (size_t i = 0; i < ROUNDS; i++) {
        struct cf_code code = random_code(&seed);
        compare(&code, scan, expected);
        free((void *)(uintptr_t)code.bytes);
    }
    free(scan);
    free(expected);
}

/* The longest plain instruction before, at and across the end. */
Test(scan, ends_with_the_code)
{
    static const uint8_t bytes[] = {CF_OP_NOP, CF_OP_INVOKEINTERFACE, 0, 1, 1,
                                    0,         CF_OP_SIPUSH,          0, 1, CF_OP_RETURN};
    struct cf_scan *scan = malloc(sizeof(*scan));

    cr_assert(scan != NULL);
    for (uint32_t size = 1; size <= sizeof(bytes); size++) {
        struct cf_code code = {.bytes = bytes, .size = size};
        bool is_whole = size == 1 || size == 6 || size >= 9;
        cr_assert(eq(int, cf_scan_code(scan, &code, NULL), is_whole ? MB_OK : MB_BAD_CLASS));
        cr_assert(eq(sz, scan->exit_count, size == sizeof(bytes)));
    }
    free(scan);
}
