#include "classfile/simulate.h"

#include "classfile/opcode.h"
#include "classfile/slots.h"

#include <string.h>

static const struct cf_slot top = {.tag = CF_TYPE_TOP};
static const struct cf_slot second = {.tag = CF_SLOT_SECOND};

/* --- slots --- */

static struct cf_slot pop_slot(struct cf_state *state)
{
    if (state->depth == 0) {
        state->is_broken = true;
        return top;
    }
    return state->stack[--state->depth];
}

static void pop_slots(struct cf_state *state, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        (void)pop_slot(state);
    }
}

static void push_slot(struct cf_state *state, struct cf_slot type)
{
    if (state->depth >= state->code->max_stack) {
        state->is_broken = true;
        return;
    }
    state->stack[state->depth++] = type;
}

static void push_value(struct cf_state *state, struct cf_slot type)
{
    push_slot(state, type);
    if (cf_slot_is_wide(type)) {
        push_slot(state, second);
    }
}

/* A slot is about to be overwritten: the pair it is half of, if any, is not a value any more. */
static void break_pair(struct cf_state *state, uint32_t index)
{
    if (state->locals[index].tag == CF_SLOT_SECOND && index > 0) {
        state->locals[index - 1] = top;
    } else if (cf_slot_is_wide(state->locals[index]) && index + 1 < state->code->max_locals) {
        state->locals[index + 1] = top;
    }
}

static void set_local(struct cf_state *state, uint32_t index, struct cf_slot type)
{
    uint32_t end = index + (cf_slot_is_wide(type) ? 2 : 1);

    if (end > state->code->max_locals) {
        state->is_broken = true;
        return;
    }
    for (uint32_t i = index; i < end; i++) {
        break_pair(state, i);
    }
    state->locals[index] = type;
    if (cf_slot_is_wide(type)) {
        state->locals[index + 1] = second;
    }
}

/* An object became initialized: all its copies change. */
static void initialize_copies(struct cf_state *state, struct cf_slot old,
                              struct cf_slot initialized)
{
    for (uint32_t i = 0; i < state->code->max_locals; i++) {
        if (state->locals[i].tag == old.tag && state->locals[i].value == old.value) {
            state->locals[i] = initialized;
        }
    }
    for (uint32_t i = 0; i < state->depth; i++) {
        if (state->stack[i].tag == old.tag && state->stack[i].value == old.value) {
            state->stack[i] = initialized;
        }
    }
}

/* --- instructions --- */

static struct cf_slot class_type(uint16_t index)
{
    return (struct cf_slot){.tag = CF_TYPE_OBJECT, .value = index};
}

static struct cf_slot named_type(const char *name)
{
    return (struct cf_slot){.tag = CF_TYPE_OBJECT, .name = mb_text_of(name)};
}

static struct cf_ref ref_at(struct cf_state *state, uint32_t pc)
{
    struct cf_ref ref = {0};

    if (!cf_pool_ref(&state->cls->pool, cf_insn_pool_index(state->code->bytes, pc), &ref)) {
        state->is_broken = true;
    }
    return ref;
}

static struct cf_slot constant_type(struct cf_state *state, uint32_t pc)
{
    const struct cf_pool *pool = &state->cls->pool;
    uint16_t index = cf_insn_pool_index(state->code->bytes, pc);

    switch (cf_pool_tag(pool, index)) {
    case CF_TAG_INTEGER:
        return (struct cf_slot){.tag = CF_TYPE_INTEGER};
    case CF_TAG_FLOAT:
        return (struct cf_slot){.tag = CF_TYPE_FLOAT};
    case CF_TAG_LONG:
        return (struct cf_slot){.tag = CF_TYPE_LONG};
    case CF_TAG_DOUBLE:
        return (struct cf_slot){.tag = CF_TYPE_DOUBLE};
    case CF_TAG_STRING:
        return named_type("java/lang/String");
    case CF_TAG_CLASS:
        return named_type("java/lang/Class");
    case CF_TAG_METHOD_HANDLE:
        return named_type("java/lang/invoke/MethodHandle");
    case CF_TAG_METHOD_TYPE:
        return named_type("java/lang/invoke/MethodType");
    case CF_TAG_DYNAMIC:
        return cf_slot_of(ref_at(state, pc).descriptor);
    default:
        state->is_broken = true;
        return top;
    }
}

/* The text of an object type: name of a class, descriptor of an array. */
static struct mb_text name_of(const struct cf_state *state, struct cf_slot type)
{
    return type.value != 0 ? cf_pool_class_name(&state->cls->pool, type.value) : type.name;
}

static struct cf_slot element_type(struct cf_state *state, struct cf_slot array)
{
    struct mb_text name = name_of(state, array);

    if (array.tag == CF_TYPE_NULL) {
        return array; /* aaload of null throws, and its result is null */
    }
    if (array.is_element) {
        return (struct cf_slot){.tag = CF_TYPE_OBJECT, .name = array.name};
    }
    if (array.tag != CF_TYPE_OBJECT || name.size < 2 || name.data[0] != '[') {
        state->is_broken = true;
        return top;
    }
    return cf_slot_of((struct mb_text){name.data + 1, name.size - 1});
}

/* newarray's operand (JVMS table 6.5.newarray-A). */
static struct cf_slot primitive_array(struct cf_state *state, uint8_t code)
{
    static const char *const names[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};

    if (code < 4 || code >= 4 + MB_COUNT(names)) {
        state->is_broken = true;
        return top;
    }
    return named_type(names[code - 4]);
}

/* An array of a class is a type that no pool entry need name: is_element says that name is the
 * element's, and the brackets are added when it is written. */
static struct cf_slot array_of(const struct cf_state *state, uint16_t element)
{
    return (struct cf_slot){.tag = CF_TYPE_OBJECT,
                            .name = cf_pool_class_name(&state->cls->pool, element),
                            .is_element = true};
}

static struct cf_slot load_local(struct cf_state *state, uint32_t pc)
{
    uint16_t local = 0;

    (void)cf_insn_local(state->code->bytes, pc, &local);
    if (local >= state->code->max_locals) {
        state->is_broken = true;
        return top;
    }
    return state->locals[local];
}

/* In a loop, what the same new made last time is no longer to be had (JVMS §4.10.1.9.new). */
static struct cf_slot new_object(struct cf_state *state, uint32_t pc)
{
    struct cf_slot object = {.tag = CF_TYPE_UNINITIALIZED, .value = (uint16_t)pc};

    for (uint32_t i = 0; i < state->code->max_locals; i++) {
        if (state->locals[i].tag == object.tag && state->locals[i].value == object.value) {
            state->locals[i] = top;
        }
    }
    return object;
}

/* What "?" among the pushed means. */
static struct cf_slot pushed_type(struct cf_state *state, uint32_t pc, struct cf_slot popped)
{
    const uint8_t *operands = state->code->bytes + pc + 1;
    uint8_t opcode = cf_insn_opcode(state->code->bytes, pc);
    uint16_t index = cf_insn_pool_index(state->code->bytes, pc);

    switch (cf_opcode(opcode)->role) {
    case CF_ROLE_CONST:
        return constant_type(state, pc);
    case CF_ROLE_LOAD:
        return load_local(state, pc);
    case CF_ROLE_ARRAY_LOAD:
        return element_type(state, popped);
    case CF_ROLE_FIELD_READ:
        return cf_slot_of(ref_at(state, pc).descriptor);
    case CF_ROLE_INVOKE:
        return cf_slot_of(cf_return_of(ref_at(state, pc).descriptor));
    case CF_ROLE_NEW:
        return new_object(state, pc);
    case CF_ROLE_ARRAY_NEW:
        return opcode == CF_OP_NEWARRAY    ? primitive_array(state, operands[0])
               : opcode == CF_OP_ANEWARRAY ? array_of(state, index)
                                           : class_type(index);
    default: /* checkcast */
        return class_type(index);
    }
}

/* How many slots "?" among the popped means. */
static unsigned popped_slots(struct cf_state *state, uint32_t pc)
{
    switch (cf_opcode(state->code->bytes[pc])->role) {
    case CF_ROLE_FIELD_WRITE:
        return cf_slot_is_wide(cf_slot_of(ref_at(state, pc).descriptor)) ? 2 : 1;
    case CF_ROLE_INVOKE:
        return cf_parameter_slots(ref_at(state, pc).descriptor);
    default: /* multianewarray: its dimensions */
        return state->code->bytes[pc + 3];
    }
}

static struct cf_slot type_of_letter(char letter)
{
    static const char letters[] = "IFJDNR";
    static const uint8_t tags[] = {CF_TYPE_INTEGER, CF_TYPE_FLOAT, CF_TYPE_LONG,
                                   CF_TYPE_DOUBLE,  CF_TYPE_NULL,  CF_SLOT_RETURN_ADDRESS};
    const char *at = strchr(letters, letter);

    return at != NULL ? (struct cf_slot){.tag = tags[at - letters]} : top;
}

static void initialize_receiver(struct cf_state *state, struct cf_slot receiver)
{
    if (receiver.tag == CF_TYPE_UNINITIALIZED_THIS) {
        initialize_copies(state, receiver, class_type(state->cls->this_class));
    } else if (receiver.tag == CF_TYPE_UNINITIALIZED) {
        uint16_t index = receiver.value < state->code->size
                             ? cf_insn_pool_index(state->code->bytes, receiver.value)
                             : 0;
        initialize_copies(state, receiver, class_type(index));
    }
}

static bool is_constructor_call(struct cf_state *state, uint32_t pc)
{
    return state->code->bytes[pc] == CF_OP_INVOKESPECIAL &&
           mb_text_is(ref_at(state, pc).name, "<init>");
}

/* Pop what stands left of '>', from the right. Values of lower-case letters are kept; gives what
 * was popped last, the receiver or array. */
static struct cf_slot pop_effect(struct cf_state *state, uint32_t pc, const char *effect,
                                 struct cf_slot kept[4])
{
    const char *arrow = strchr(effect, '>');
    struct cf_slot last = top;

    for (const char *letter = arrow; letter-- > effect;) {
        if (*letter == '?') {
            pop_slots(state, popped_slots(state, pc));
            continue;
        }
        if (*letter == 'J' || *letter == 'D') {
            (void)pop_slot(state);
        }
        last = pop_slot(state);
        if (*letter >= 'a' && *letter <= 'd') {
            kept[*letter - 'a'] = last;
        }
    }
    return last;
}

static void store_local(struct cf_state *state, uint32_t pc, struct cf_slot type)
{
    uint16_t local = 0;

    (void)cf_insn_local(state->code->bytes, pc, &local);
    set_local(state, local, type);
}

void cf_state_step(struct cf_state *state, uint32_t pc)
{
    const struct cf_opcode_info *info = cf_opcode(cf_insn_opcode(state->code->bytes, pc));
    struct cf_slot kept[4] = {0};
    struct cf_slot popped = pop_effect(state, pc, info->effect, kept);

    if (info->role == CF_ROLE_STORE) {
        store_local(state, pc, popped);
    } else if (info->role == CF_ROLE_INVOKE && is_constructor_call(state, pc)) {
        initialize_receiver(state, popped);
    }
    for (const char *letter = strchr(info->effect, '>') + 1; *letter != '\0'; letter++) {
        if (*letter >= 'a' && *letter <= 'd') {
            push_slot(state, kept[*letter - 'a']);
            continue;
        }
        struct cf_slot type =
            *letter == '?' ? pushed_type(state, pc, popped) : type_of_letter(*letter);
        if (type.tag != CF_TYPE_TOP) {
            push_value(state, type);
        }
    }
}

void cf_state_catch(struct cf_state *state)
{
    state->depth = 0;
    push_value(state, named_type("java/lang/Throwable"));
}

/* --- whole states --- */

static void enter_receiver(struct cf_state *state, const struct cf_member *method)
{
    bool is_constructor = mb_text_is(cf_member_name(state->cls, method), "<init>");

    set_local(state, 0,
              is_constructor ? (struct cf_slot){.tag = CF_TYPE_UNINITIALIZED_THIS}
                             : class_type(state->cls->this_class));
}

enum mb_status cf_state_enter(struct cf_state *state, const struct cf_class *cls,
                              const struct cf_member *method, const struct cf_code *code,
                              struct mb_arena *arena, struct mb_error *err)
{
    struct mb_text rest = cf_parameters_of(cf_member_descriptor(cls, method));
    struct cf_slot type;
    uint32_t local = 0;

    *state = (struct cf_state){.cls = cls, .code = code};
    state->locals = MB_NEW_ARRAY(arena, struct cf_slot, code->max_locals);
    state->stack = MB_NEW_ARRAY(arena, struct cf_slot, code->max_stack);
    if (state->locals == NULL || state->stack == NULL) {
        return mb_fail_memory(err);
    }
    if ((method->access_flags & CF_ACC_STATIC) == 0) {
        enter_receiver(state, method);
        local = 1;
    }
    while (cf_slot_take_parameter(&rest, &type)) {
        set_local(state, local, type);
        local += cf_slot_is_wide(type) ? 2 : 1;
    }
    state->declared = local;
    return MB_OK;
}

bool cf_state_copy(struct cf_state *copy, const struct cf_state *state, struct mb_arena *arena)
{
    *copy = *state;
    copy->locals = MB_NEW_ARRAY(arena, struct cf_slot, state->code->max_locals);
    copy->stack = MB_NEW_ARRAY(arena, struct cf_slot, state->code->max_stack);
    if (copy->locals == NULL || copy->stack == NULL) {
        return false;
    }
    cf_state_assign(copy, state);
    return true;
}

void cf_state_assign(struct cf_state *dest, const struct cf_state *state)
{
    memcpy(dest->locals, state->locals, state->code->max_locals * sizeof(*dest->locals));
    memcpy(dest->stack, state->stack, state->depth * sizeof(*dest->stack));
    dest->depth = state->depth;
    dest->declared = state->declared;
    dest->is_broken = state->is_broken;
}

static struct cf_slot read_type(const uint8_t **types)
{
    struct cf_type type = cf_type_read(types);

    return (struct cf_slot){.tag = type.tag, .value = type.value};
}

void cf_state_apply(struct cf_state *state, const struct cf_frame *frame)
{
    const uint8_t *locals = frame->locals;
    const uint8_t *stack = frame->stack;
    uint32_t used = frame->type == CF_FRAME_FULL ? 0 : state->declared;

    for (uint8_t i = 0; i < frame->chop_count && used > 0; i++) {
        used -= used >= 2 && state->locals[used - 1].tag == CF_SLOT_SECOND ? 2 : 1;
    }
    for (uint32_t i = used; i < state->code->max_locals; i++) {
        state->locals[i] = top;
    }
    for (uint16_t i = 0; i < frame->local_count && !state->is_broken; i++) {
        struct cf_slot type = read_type(&locals);
        set_local(state, used, type);
        used += cf_slot_is_wide(type) ? 2 : 1;
    }
    state->declared = used;
    state->depth = 0;
    for (uint16_t i = 0; i < frame->stack_count && !state->is_broken; i++) {
        push_value(state, read_type(&stack));
    }
}

bool cf_state_has_uninitialized_this(const struct cf_state *state)
{
    for (uint32_t i = 0; i < state->code->max_locals; i++) {
        if (state->locals[i].tag == CF_TYPE_UNINITIALIZED_THIS) {
            return true;
        }
    }
    for (uint32_t i = 0; i < state->depth; i++) {
        if (state->stack[i].tag == CF_TYPE_UNINITIALIZED_THIS) {
            return true;
        }
    }
    return false;
}
