/* Types in locals and on the stack, step by step, beside an independent model of the verifier
 * (verifier_model.h): random instructions, of which each is one that a verifier accepts there. */

#include "class_builder.h"
#include "classfile/opcode.h"
#include "classfile/simulate.h"
#include "verifier_model.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdio.h>

#define SEEDS 48
#define TRIES 40000 /* for each seed; about one in five is accepted */
#define STACK_SLOTS 18
#define THIS_CLASS "a/B"

/* --- the constants that instructions name --- */

enum use {
    USE_LDC,
    USE_LDC2,
    USE_FIELD,
    USE_METHOD,
    USE_DYNAMIC,
    USE_CLASS,
};

struct constant {
    enum use use;
    uint8_t tag;
    const char *name; /* of a method or class */
    const char *descriptor;
    uint16_t index; /* filled by build_class */
};

static struct constant constants[] = {
    {USE_LDC, CF_TAG_INTEGER, NULL, "I", 0},
    {USE_LDC, CF_TAG_FLOAT, NULL, "F", 0},
    {USE_LDC, CF_TAG_STRING, NULL, "Ljava/lang/String;", 0},
    {USE_LDC, CF_TAG_CLASS, NULL, "Ljava/lang/Class;", 0},
    {USE_LDC, CF_TAG_METHOD_HANDLE, NULL, "Ljava/lang/invoke/MethodHandle;", 0},
    {USE_LDC, CF_TAG_METHOD_TYPE, NULL, "Ljava/lang/invoke/MethodType;", 0},
    {USE_LDC, CF_TAG_DYNAMIC, "c", "[[La/C;", 0},
    {USE_LDC, CF_TAG_DYNAMIC, "c", "S", 0},
    {USE_LDC2, CF_TAG_LONG, NULL, "J", 0},
    {USE_LDC2, CF_TAG_DOUBLE, NULL, "D", 0},
    {USE_LDC2, CF_TAG_DYNAMIC, "c", "D", 0},
    {USE_FIELD, CF_TAG_FIELDREF, "f", "Z", 0},
    {USE_FIELD, CF_TAG_FIELDREF, "f", "J", 0},
    {USE_FIELD, CF_TAG_FIELDREF, "f", "F", 0},
    {USE_FIELD, CF_TAG_FIELDREF, "f", "D", 0},
    {USE_FIELD, CF_TAG_FIELDREF, "f", "La/C;", 0},
    {USE_FIELD, CF_TAG_FIELDREF, "f", "[[J", 0},
    {USE_METHOD, CF_TAG_METHODREF, "<init>", "()V", 0},
    {USE_METHOD, CF_TAG_METHODREF, "<init>", "(J)V", 0},
    {USE_METHOD, CF_TAG_METHODREF, "m", "()V", 0},
    {USE_METHOD, CF_TAG_METHODREF, "m", "(IJ)D", 0},
    {USE_METHOD, CF_TAG_METHODREF, "m", "([JLa/C;)La/C;", 0},
    {USE_METHOD, CF_TAG_INTERFACE_METHODREF, "m", "(DZ[[I)[[La/C;", 0},
    {USE_METHOD, CF_TAG_INTERFACE_METHODREF, "m", "(F)J", 0},
    {USE_DYNAMIC, CF_TAG_INVOKE_DYNAMIC, "d", "(JI)Ljava/lang/Runnable;", 0},
    {USE_DYNAMIC, CF_TAG_INVOKE_DYNAMIC, "d", "(La/C;)B", 0},
    {USE_CLASS, CF_TAG_CLASS, "a/C", NULL, 0},
    {USE_CLASS, CF_TAG_CLASS, "[I", NULL, 0},
    {USE_CLASS, CF_TAG_CLASS, "[[La/C;", NULL, 0},
};

static uint16_t add_constant(struct class_builder *builder, const struct constant *c)
{
    static const uint8_t zeros[8] = {0};
    uint8_t dynamic[4] = {0, 0, 0, 0};

    switch (c->use) {
    case USE_FIELD:
    case USE_METHOD:
        return class_builder_add_member(builder, c->tag, "a/C", c->name, c->descriptor);
    case USE_CLASS:
        return class_builder_add_class(builder, c->name);
    case USE_LDC:
    case USE_LDC2:
    case USE_DYNAMIC:
        break;
    }
    if (c->tag == CF_TAG_DYNAMIC || c->tag == CF_TAG_INVOKE_DYNAMIC) {
        mb_set_u2(dynamic + 2, class_builder_add_name_and_type(builder, c->name, c->descriptor));
        return class_builder_add_raw(builder, c->tag, dynamic, sizeof(dynamic));
    }
    return class_builder_add_raw(builder, c->tag, zeros, cf_tag_info(c->tag)->size);
}

/* Two methods: a constructor and a static one, which the walks begin in. */
static void build_class(struct mb_buf *out)
{
    struct class_builder builder;

    class_builder_init(&builder, THIS_CLASS, "a/C");
    for (size_t i = 0; i < MB_COUNT(constants); i++) {
        constants[i].index = add_constant(&builder, &constants[i]);
    }
    class_builder_add_method(&builder,
                             &(struct built_method){.name = "<init>", .descriptor = "(J[La/C;D)V"});
    class_builder_add_method(&builder, &(struct built_method){.name = "s",
                                                              .descriptor = "(DLa/C;IJ)V",
                                                              .access_flags = CF_ACC_STATIC});
    class_builder_write(&builder, out);
    class_builder_finish(&builder);
}

/* --- a walk --- */

struct walk {
    uint32_t random;
    struct model model;
    struct cf_state state;
    struct cf_code code;
    uint8_t bytes[CF_MAX_CODE_SIZE];
    uint32_t pc;
    uint8_t last; /* opcode */
    size_t accepted;
    bool seen[256];
};

static uint32_t draw(struct walk *walk, uint32_t limit)
{
    walk->random ^= walk->random << 13;
    walk->random ^= walk->random >> 17;
    walk->random ^= walk->random << 5;
    return walk->random % limit;
}

static const struct constant *draw_constant(struct walk *walk, enum use use)
{
    const struct constant *c;

    do {
        c = &constants[draw(walk, MB_COUNT(constants))];
    } while (c->use != use);
    return c;
}

/* The constant that an opcode takes, put behind it; NULL for those that take none. */
static const struct constant *put_constant(struct walk *walk, uint8_t opcode, uint8_t *operands)
{
    const struct constant *c = NULL;

    if (opcode == CF_OP_LDC || opcode == CF_OP_LDC_W) {
        c = draw_constant(walk, USE_LDC);
    } else if (opcode == CF_OP_LDC2_W) {
        c = draw_constant(walk, USE_LDC2);
    } else if (opcode >= CF_OP_GETSTATIC && opcode <= CF_OP_PUTFIELD) {
        c = draw_constant(walk, USE_FIELD);
    } else if (opcode >= CF_OP_INVOKEVIRTUAL && opcode <= CF_OP_INVOKEINTERFACE) {
        c = draw_constant(walk, USE_METHOD);
    } else if (opcode == CF_OP_INVOKEDYNAMIC) {
        c = draw_constant(walk, USE_DYNAMIC);
    } else if (opcode == CF_OP_NEW) {
        c = &constants[MB_COUNT(constants) - 3]; /* a/C: no arrays */
    } else if (opcode == CF_OP_MULTIANEWARRAY) {
        c = &constants[MB_COUNT(constants) - 1]; /* of two dimensions */
    } else if (opcode == CF_OP_ANEWARRAY || opcode == CF_OP_CHECKCAST ||
               opcode == CF_OP_INSTANCEOF) {
        c = draw_constant(walk, USE_CLASS);
    }
    if (c != NULL && opcode == CF_OP_LDC) {
        operands[0] = (uint8_t)c->index;
    } else if (c != NULL) {
        mb_set_u2(operands, c->index);
    }
    return c;
}

/* A random instruction at the end of the code, and what the model is told of it. */
static struct model_insn draw_insn(struct walk *walk)
{
    uint8_t drawn = (uint8_t)draw(walk, CF_OP_JSR_W + 1);
    uint8_t opcode = drawn == CF_OP_WIDE ? CF_OP_NOP : drawn; /* a prefix, put below */
    uint8_t *place = walk->bytes + walk->pc;
    enum cf_operands operands = cf_opcode(opcode)->operands;
    struct model_insn insn = {.pc = walk->pc, .opcode = opcode, .local = (uint16_t)draw(walk, 12)};

    memset(place, 0, 32);
    place[0] = opcode;
    const struct constant *c = put_constant(walk, opcode, place + 1);
    if (c != NULL) {
        insn.name = c->name;
        insn.descriptor = c->descriptor;
    }
    insn.operand = opcode == CF_OP_NEWARRAY ? (uint8_t)(4 + draw(walk, 8)) : 2;
    if (opcode == CF_OP_NEWARRAY) {
        place[1] = insn.operand;
    } else if (opcode == CF_OP_MULTIANEWARRAY) {
        place[3] = insn.operand;
    } else if (operands >= CF_OPERANDS_LOCAL_0 && operands <= CF_OPERANDS_LOCAL_3) {
        insn.local = (uint16_t)(operands - CF_OPERANDS_LOCAL_0);
    } else if ((operands == CF_OPERANDS_LOCAL || operands == CF_OPERANDS_IINC) &&
               draw(walk, 2) == 0) {
        place[0] = CF_OP_WIDE;
        place[1] = opcode;
        place[3] = (uint8_t)insn.local;
    } else {
        place[1] = operands == CF_OPERANDS_LOCAL || operands == CF_OPERANDS_IINC
                       ? (uint8_t)insn.local
                       : place[1];
    }
    return insn;
}

/* --- comparing --- */

/* One slot as text, in words of the model. */
static void print_slot(const struct cf_class *cls, struct cf_slot slot, char text[64])
{
    static const char letters[] = "-IFDJNTAUR-";
    struct mb_text name = slot.value != 0 ? cf_pool_class_name(&cls->pool, slot.value) : slot.name;
    bool is_array = name.size > 0 && name.data[0] == '[';

    text[0] = letters[slot.tag];
    text[1] = '\0';
    if (slot.tag == CF_TYPE_OBJECT) {
        (void)snprintf(text, 64, "A %s%.*s%s",
                       !slot.is_element ? ""
                       : is_array       ? "["
                                        : "[L",
                       (int)name.size, name.data, slot.is_element && !is_array ? ";" : "");
    } else if (slot.tag == CF_TYPE_UNINITIALIZED) {
        (void)snprintf(text, 64, "U %u", slot.value);
    }
}

static void print_value(const struct model_value *value, char text[64])
{
    text[0] = value->kind;
    text[1] = '\0';
    if (value->kind == 'A') {
        (void)snprintf(text, 64, "A %s", value->text);
    } else if (value->kind == 'U') {
        (void)snprintf(text, 64, "U %u", value->pc);
    }
}

static bool is_wide(char kind)
{
    return kind == 'J' || kind == 'D';
}

static void compare_slot(const struct walk *walk, struct cf_slot slot,
                         const struct model_value *value, bool is_second)
{
    char found[64];
    char expected[64];

    print_slot(walk->state.cls, slot, found);
    print_value(value, expected);
    cr_assert_str_eq(found, expected, "opcode 0x%02x, seed step %zu: %s is not %s", walk->last,
                     walk->accepted, found, expected);
    cr_assert(eq(int, slot.tag == CF_SLOT_SECOND, is_second), "opcode 0x%02x: half a pair",
              walk->last);
}

static void compare(const struct walk *walk)
{
    static const struct model_value top = {.kind = '-'};
    const struct model *model = &walk->model;
    const struct cf_state *state = &walk->state;
    size_t slot = 0;

    cr_assert(not(state->is_broken));
    for (size_t i = 0; i < MODEL_LOCALS; i++) {
        compare_slot(walk, state->locals[i], &model->locals[i],
                     i > 0 && is_wide(model->locals[i - 1].kind));
    }
    cr_assert(eq(sz, state->depth, model_stack_slots(model)));
    for (size_t i = 0; i < model->depth; i++) {
        compare_slot(walk, state->stack[slot++], &model->stack[i], false);
        if (is_wide(model->stack[i].kind)) {
            compare_slot(walk, state->stack[slot++], &top, true);
        }
    }
}

/* --- the tests --- */

static void try_insn(struct walk *walk, const struct model_insn *insn)
{
    struct model next = walk->model;

    if (model_step(&next, insn, THIS_CLASS) && next.depth <= MODEL_STACK - 4 &&
        model_stack_slots(&next) <= STACK_SLOTS) {
        walk->model = next;
        walk->last = insn->opcode;
        cf_state_step(&walk->state, insn->pc);
        compare(walk);
        walk->seen[insn->opcode] = true;
        walk->accepted++;
    }
}

/* The entry of the constructor or of the static method, as its descriptor says. */
static void enter(struct walk *walk, const struct cf_class *cls, struct mb_arena *arena,
                  bool is_static)
{
    struct model *model = &walk->model;
    const struct cf_member *method = &cls->methods[is_static];

    for (size_t i = 0; i < MODEL_LOCALS; i++) {
        model->locals[i].kind = "TJ-AD-------"[i];
        if (is_static) {
            model->locals[i].kind = "D-AIJ-------"[i];
        }
    }
    strcpy(model->locals[is_static ? 2 : 3].text, is_static ? "a/C" : "[La/C;");
    walk->code = (struct cf_code){.bytes = walk->bytes,
                                  .size = sizeof(walk->bytes),
                                  .max_stack = STACK_SLOTS,
                                  .max_locals = MODEL_LOCALS};
    cr_assert(eq(int, cf_state_enter(&walk->state, cls, method, &walk->code, arena, NULL), MB_OK));
    compare(walk);
}

/* From time to time the walk goes back to an earlier new, as a loop does. */
static void walk_on(struct walk *walk)
{
    struct model_insn last_new = {.opcode = CF_OP_NOP};

    for (size_t i = 0; i < TRIES && walk->pc < sizeof(walk->bytes) - 64; i++) {
        struct model_insn insn = draw_insn(walk);
        try_insn(walk, &insn);
        if (last_new.opcode == CF_OP_NEW && draw(walk, 16) == 0) {
            try_insn(walk, &last_new);
        }
        last_new = insn.opcode == CF_OP_NEW ? insn : last_new;
        walk->pc += insn.opcode == CF_OP_NEW || draw(walk, 8) == 0 ? 8 : 0; /* not all pcs alike */
    }
}

static void walk_from(uint32_t seed, bool seen[256])
{
    struct walk *walk = calloc(1, sizeof(*walk));
    struct mb_arena arena = {0};
    struct mb_buf bytes = {0};
    struct cf_class cls;

    cr_assert(walk != NULL);
    walk->random = seed * 2654435761U;
    build_class(&bytes);
    cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes.bytes, bytes.size, NULL), MB_OK));
    enter(walk, &cls, &arena, seed % 2 == 0);
    walk_on(walk);
    cr_assert(gt(sz, walk->accepted, 1000));
    for (size_t i = 0; i < 256; i++) {
        seen[i] = seen[i] || walk->seen[i];
    }
    free(walk);
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
}

Test(simulate, every_instruction_does_what_the_verifier_says)
{
    bool seen[256] = {false};

    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        walk_from(seed, seen);
    }
    for (unsigned opcode = 0; opcode <= CF_OP_JSR_W; opcode++) {
        cr_expect(seen[opcode] || opcode == CF_OP_WIDE, "opcode 0x%02x was never accepted", opcode);
    }
}
