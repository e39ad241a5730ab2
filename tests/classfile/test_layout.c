/* Which branches are widened: random code beside a plain search that lays everything out anew in
 * each round; and cascades, in which each branch that grows makes the next one grow. */

#include "classfile/layout.h"
#include "classfile/opcode.h"
#include "tests/support/drawing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 56000
#define PROBE_SIZE 6

/* A method under test and what the plain search says of it. */
struct fixture {
    uint8_t bytes[MAX_SIZE + 64];
    uint16_t pcs[MAX_SIZE]; /* of instructions */
    size_t pc_count;
    struct cf_insertion insertions[MAX_SIZE / 8];
    struct cf_code code;
    struct cf_scan scan;
    struct cf_edit edit;
    struct cf_layout_scratch scratch;
    struct cf_layout layout;
    uint32_t starts[MAX_SIZE + 64]; /* new pc of what is inserted before an old pc */
    uint32_t places[MAX_SIZE + 64]; /* new pc of the instruction at an old pc */
    int8_t growths[MAX_SIZE + 64];  /* by old pc */
};

static struct fixture *create(void)
{
    struct fixture *f = calloc(1, sizeof(*f));

    cr_assert(f != NULL);
    return f;
}

/* --- the plain search --- */

static uint32_t padding_at(uint32_t pc)
{
    return 3 - pc % 4;
}

/* New places of all instructions, given the growths of branches. Gives the size of the code. */
static uint32_t place_all(struct fixture *f)
{
    uint32_t at = 0;
    size_t next = 0;

    for (size_t i = 0; i < f->pc_count; i++) {
        uint32_t pc = f->pcs[i];
        f->starts[pc] = at;
        if (next < f->edit.insertion_count && f->insertions[next].pc == pc) {
            at += f->insertions[next++].size;
        }
        f->places[pc] = at;
        if (cf_opcode(f->bytes[pc])->role == CF_ROLE_SWITCH) {
            f->growths[pc] = (int8_t)((int)padding_at(at) - (int)padding_at(pc));
        }
        at += cf_insn_size(f->bytes, f->code.size, pc) + f->growths[pc];
    }
    return at;
}

static bool widen_round(struct fixture *f)
{
    bool any = false;

    for (size_t i = 0; i < f->pc_count; i++) {
        uint32_t pc = f->pcs[i];
        int64_t target = 0;
        if (cf_opcode(f->bytes[pc])->operands != CF_OPERANDS_BRANCH2 || f->growths[pc] != 0) {
            continue;
        }
        (void)cf_insn_branch(f->bytes, pc, &target);
        int64_t lands = target == 0 ? f->places[0] : f->starts[target];
        if (llabs(lands - (int64_t)f->places[pc]) > f->edit.max_distance) {
            f->growths[pc] = cf_opcode(f->bytes[pc])->role == CF_ROLE_JUMP ? 5 : 2;
            any = true;
        }
    }
    return any;
}

static uint32_t search(struct fixture *f)
{
    uint32_t size = place_all(f);

    while (widen_round(f)) {
        size = place_all(f);
    }
    return size;
}

static void compare(struct fixture *f)
{
    struct mb_error err = {0};
    uint32_t size = search(f);
    enum mb_status status = cf_layout_plan(&f->layout, &f->edit, &f->scratch, &err);

    cr_assert(eq(int, status, size > CF_MAX_CODE_SIZE ? MB_TOO_LARGE : MB_OK));
    if (status != MB_OK) {
        return;
    }
    cr_assert(eq(u32, f->layout.body_size, size));
    for (size_t i = 0; i < f->scan.site_count; i++) {
        const struct cf_site *site = &f->scan.sites[i];
        cr_assert(eq(int, site->growth, f->growths[site->pc]), "pc %u", site->pc);
    }
    for (size_t i = 0; i < f->pc_count; i++) {
        uint32_t place = cf_offsets_instruction(&f->layout.offsets, f->pcs[i]);
        cr_assert(eq(u32, place, f->places[f->pcs[i]]), "pc %u", f->pcs[i]);
    }
}

/* --- code --- */

static void begin_code(struct fixture *f, uint32_t size, uint16_t max_distance)
{
    f->code = (struct cf_code){.bytes = f->bytes, .size = size};
    f->edit = (struct cf_edit){.code = &f->code,
                               .scan = &f->scan,
                               .insertions = f->insertions,
                               .max_distance = max_distance};
    cr_assert(eq(int, cf_scan_code(&f->scan, &f->code, NULL), MB_OK));
}

static void put_switch(struct fixture *f, uint32_t pc, uint32_t *size)
{
    *size = pc + 1 + padding_at(pc) + 8;
    memset(f->bytes + pc, 0, *size - pc);
    f->bytes[pc] = CF_OP_LOOKUPSWITCH;
}

/* nop, goto, ifeq, jsr and switches, one in `switches` of which; targets are filled in later. */
static uint32_t draw_code(struct fixture *f, uint32_t limit, uint32_t switches)
{
    static const uint8_t opcodes[] = {CF_OP_NOP, CF_OP_GOTO, CF_OP_IFEQ, CF_OP_JSR};
    uint32_t pc = 0;

    f->pc_count = 0;
    while (pc < limit) {
        uint32_t size = pc;
        f->pcs[f->pc_count++] = (uint16_t)pc;
        if (switches > 0 && draw(switches) == 0) {
            put_switch(f, pc, &size);
        } else {
            f->bytes[pc] = opcodes[draw(MB_COUNT(opcodes))];
            size = pc + (f->bytes[pc] == CF_OP_NOP ? 1 : 3);
        }
        pc = size;
    }
    return pc;
}

/* Most are about as long as they may be, so that little is enough to make them grow. */
static void draw_targets(struct fixture *f, uint32_t max_distance)
{
    for (size_t i = 0; i < f->pc_count; i++) {
        uint32_t pc = f->pcs[i];
        int64_t wish = (int64_t)pc + (draw(2) == 0 ? 1 : -1) * (int64_t)(max_distance - draw(24));
        size_t other = draw((uint32_t)f->pc_count);
        if (cf_opcode(f->bytes[pc])->operands != CF_OPERANDS_BRANCH2) {
            continue;
        }
        if (wish >= 0 && wish < f->code.size && draw(8) > 0) {
            other = 0;
            for (size_t low = 0, high = f->pc_count; low < high;) { /* the last not behind it */
                other = (low + high) / 2;
                low = f->pcs[other] <= wish ? other + 1 : low;
                high = f->pcs[other] <= wish ? high : other;
            }
        }
        int64_t distance = (int64_t)f->pcs[other] - pc;
        mb_set_u2(f->bytes + pc + 1,
                  llabs(distance) <= INT16_MAX ? (unsigned)distance & 0xffff : 0);
    }
}

static void draw_insertions(struct fixture *f, uint32_t one_in)
{
    static const uint8_t probe[PROBE_SIZE] = {0};
    size_t count = 0;

    for (size_t i = 0; i < f->pc_count; i++) {
        if (i == 0 || draw(one_in) == 0) {
            f->insertions[count++] =
                (struct cf_insertion){.bytes = probe, .size = PROBE_SIZE, .pc = f->pcs[i]};
        }
    }
    f->edit.insertion_count = count;
}

Test(layout, widens_what_a_plain_search_widens)
{
    static const uint32_t switch_rates[] = {0, 0, 30, 4};

    state = 88172645U;
    for (unsigned round = 0; round < 400; round++) {
        struct fixture *f = create();
        uint32_t max_distance = 40 + draw(400);
        uint32_t limit = 200 + draw(round % 10 == 0 ? 20000 : 2000);
        uint32_t size = draw_code(f, limit, switch_rates[round % MB_COUNT(switch_rates)]);
        f->code.size = size;
        draw_targets(f, max_distance);
        begin_code(f, size, (uint16_t)max_distance);
        draw_insertions(f, 20 + draw(400));
        compare(f);
        free(f);
    }
}

/* Branches side by side, each of which reaches as long as the next one does not grow: its room is
 * one byte less than what all behind it may grow. Something is inserted in the way of the last
 * only. */
static void build_cascade(struct fixture *f, uint8_t opcode, uint32_t count, uint32_t max_distance)
{
    static const uint8_t probe[PROBE_SIZE] = {0};
    uint32_t size = 3 * count + max_distance;
    uint32_t growth = opcode == CF_OP_GOTO ? CF_GROWTH_GOTO : CF_GROWTH_JUMP;

    memset(f->bytes, CF_OP_NOP, size);
    f->pc_count = 0;
    for (uint32_t pc = 0; pc < size; pc += f->bytes[pc] == opcode ? 3 : 1) {
        if (pc < 3 * count) {
            f->bytes[pc] = opcode;
            mb_set_u2(f->bytes + pc + 1, max_distance + 1 - growth * (count - pc / 3 - 1));
        }
        f->pcs[f->pc_count++] = (uint16_t)pc;
    }
    mb_set_u2(f->bytes + 3 * (count - 1) + 1, max_distance);
    begin_code(f, size, (uint16_t)max_distance);
    f->insertions[0] = (struct cf_insertion){
        .bytes = probe, .size = PROBE_SIZE, .pc = 3 * (count - 1) + max_distance - 3};
    f->edit.insertion_count = 1;
}

Test(layout, follows_a_cascade_as_a_plain_search_does)
{
    struct fixture *f = create();

    build_cascade(f, CF_OP_GOTO, 700, 4000);
    compare(f);
    cr_expect(eq(i8, f->growths[0], CF_GROWTH_GOTO), "the cascade reaches the first branch");
    free(f);
}

/* As long as a method can hold one. */
Test(layout, ends_a_cascade_of_thousands_of_branches)
{
    struct fixture *f = create();
    const uint32_t count = 6200;

    build_cascade(f, CF_OP_GOTO, count, INT16_MAX);
    cr_assert(eq(int, cf_layout_plan(&f->layout, &f->edit, &f->scratch, NULL), MB_OK));
    for (size_t i = 0; i < count; i++) {
        cr_assert(eq(i8, f->scan.sites[i].growth, CF_GROWTH_GOTO), "branch %zu", i);
    }
    free(f);
}

/* The first branch has far more room than the others, and still too little. */
Test(layout, ends_a_cascade_at_a_branch_with_much_room)
{
    struct fixture *f = create();
    const uint32_t count = 3500;
    const uint32_t max_distance = 28600;

    build_cascade(f, CF_OP_IFEQ, count, max_distance);
    mb_set_u2(f->bytes + 1, max_distance - 17000);
    cr_assert(eq(int, cf_layout_plan(&f->layout, &f->edit, &f->scratch, NULL), MB_OK));
    cr_expect(eq(i8, f->scan.sites[1].growth, CF_GROWTH_JUMP));
    cr_expect(eq(i8, f->scan.sites[0].growth, CF_GROWTH_JUMP));
    free(f);
}

Test(layout, says_when_the_code_grows_too_large)
{
    struct fixture *f = create();
    struct mb_error err = {0};

    build_cascade(f, CF_OP_GOTO, 6200, INT16_MAX);
    f->edit.handler_size = 2000;
    cr_assert(eq(int, cf_layout_plan(&f->layout, &f->edit, &f->scratch, &err), MB_TOO_LARGE));
    cr_expect_str_eq(err.reason, "code over 65535 bytes");
    free(f);
}
