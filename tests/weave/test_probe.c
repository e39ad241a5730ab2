/* The bytes of a probe: an id on the stack in the shortest way there is, and a call. */

#include "abi/names.h"
#include "classfile/opcode.h"
#include "instrument/weave/probe.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

/* A pool that has room for so many entries more. */
static void start(struct cf_constants *constants, uint32_t room)
{
    const struct cf_pool pool = {.count = (uint16_t)(CF_MAX_POOL_COUNT - room)};

    cf_constants_start(constants, &pool);
}

/* What the instructions leave on the stack, by JVMS §6.5; the depth they need in *deepest. */
static uint32_t pushed(const struct weave_push *push, const struct cf_constants *constants,
                       uint32_t first_index, uint32_t *deepest)
{
    uint32_t stack[4] = {0};
    uint32_t depth = 0;

    *deepest = 0;
    for (size_t pc = 0; pc < push->size;) {
        const uint8_t *b = push->bytes + pc;
        if (b[0] >= CF_OP_ICONST_0 && b[0] <= CF_OP_ICONST_5) {
            stack[depth++] = b[0] - CF_OP_ICONST_0;
            pc += 1;
        } else if (b[0] == CF_OP_BIPUSH) {
            stack[depth++] = (uint32_t)(int8_t)b[1];
            pc += 2;
        } else if (b[0] == CF_OP_SIPUSH) {
            stack[depth++] = (uint32_t)(int16_t)mb_get_u2(b + 1);
            pc += 3;
        } else if (b[0] == CF_OP_LDC || b[0] == CF_OP_LDC_W) {
            uint32_t index = b[0] == CF_OP_LDC ? b[1] : mb_get_u2(b + 1);
            cr_assert(eq(u32, index, first_index));
            cr_assert(eq(u8, constants->bytes.bytes[0], CF_TAG_INTEGER));
            stack[depth++] = mb_get_u4(constants->bytes.bytes + 1);
            pc += b[0] == CF_OP_LDC ? 2 : 3;
        } else {
            cr_assert(b[0] == CF_OP_ISHL || b[0] == CF_OP_IOR);
            depth--;
            stack[depth - 1] = b[0] == CF_OP_ISHL ? stack[depth - 1] << stack[depth]
                                                  : stack[depth - 1] | stack[depth];
            pc += 1;
        }
        *deepest = depth > *deepest ? depth : *deepest;
    }
    cr_assert(eq(u32, depth, 1));
    return stack[0];
}

static void expect_push(uint32_t id, uint32_t room, size_t size)
{
    struct cf_constants constants = {0};
    struct weave_push push;
    uint32_t deepest;

    start(&constants, room);
    uint32_t first_index = constants.count;
    weave_push_id(&push, &constants, id);
    cr_expect(eq(u32, pushed(&push, &constants, first_index, &deepest), id));
    cr_expect(eq(u32, push.stack, deepest), "id %u", id);
    cr_expect(eq(sz, push.size, size), "id %u with room for %u", id, room);
    cr_expect(not(constants.is_full));
    cf_constants_finish(&constants);
}

Test(probe, every_id_is_pushed_as_it_is)
{
    for (uint32_t id = ABI_FIRST_ID; id <= ABI_MAX_ID; id += id < 70000 ? 1 : 97) {
        size_t size = id <= 5 ? 1 : id <= 127 ? 2 : 3;
        expect_push(id, 60000, id <= 32767 ? size : 3);
        expect_push(id, 0, id <= 32767 ? size : 9);
    }
    expect_push(ABI_MAX_ID, 1, 3);
    expect_push(ABI_MAX_ID, 0, 9);
}

Test(probe, a_constant_with_a_low_index_takes_a_byte)
{
    expect_push(40000, CF_MAX_POOL_COUNT - 255, 2);
    expect_push(40000, CF_MAX_POOL_COUNT - 256, 3);
}

Test(probe, a_probe_is_the_push_and_a_call)
{
    static const struct weave_push push = {{CF_OP_SIPUSH, 1, 2}, 3, 1};
    static const uint8_t expected[] = {CF_OP_SIPUSH, 1, 2, CF_OP_INVOKESTATIC, 0xab, 0xcd};
    struct weave_probe probe;

    weave_probe_call(&probe, &push, 0xabcd);
    cr_assert(eq(u8, probe.size, sizeof(expected)));
    cr_expect(eq(int, memcmp(probe.bytes, expected, sizeof(expected)), 0));
}

static bool add_all(struct cf_constants *constants, struct weave_references *references)
{
    return weave_references_add(references, constants, MB_TEXT("my/Beat")) &&
           weave_references_add_catch(references, constants) &&
           weave_references_add_focus(references, constants) &&
           weave_references_add_override(references, constants, 1);
}

/* With one place too few one of them says so, and nothing is taken for an index. */
Test(probe, references_find_a_place_or_say_no)
{
    struct weave_references references;
    struct cf_constants constants = {0};
    uint32_t needed;

    start(&constants, 60000);
    cr_assert(add_all(&constants, &references));
    needed = 60000 - cf_constants_room(&constants);
    cr_expect(references.enter != 0 && references.exit != 0 && references.enter != references.exit);
    cr_expect(references.caught != 0 && references.focus != 0 && references.override_super != 0);
    start(&constants, needed);
    cr_expect(add_all(&constants, &references));
    cr_expect(eq(u32, cf_constants_room(&constants), 0));
    for (uint32_t room = 0; room < needed; room++) {
        start(&constants, room);
        cr_expect(not(add_all(&constants, &references)), "room for %u of %u", room, needed);
    }
    cf_constants_finish(&constants);
}
