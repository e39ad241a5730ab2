#include "classfile/simulate.h"

/* Locals that are top at the end need no mention. */
static uint32_t used_locals(const struct cf_state *state)
{
    uint32_t used = state->code->max_locals;

    while (used > 0 && state->locals[used - 1].tag == CF_TYPE_TOP) {
        used--;
    }
    return used;
}

/* The Class index of an object type, added if it has none. */
static uint16_t index_of(struct cf_slot type, struct cf_constants *constants)
{
    struct mb_buf name = {0};

    if (type.value != 0) {
        return type.value;
    }
    if (!type.is_element) {
        return cf_constants_add_class(constants, type.name);
    }
    bool is_array = type.name.size > 0 && type.name.data[0] == '[';
    mb_buf_put_string(&name, is_array ? "[" : "[L");
    mb_buf_put(&name, type.name.data, type.name.size);
    mb_buf_put_string(&name, is_array ? "" : ";");
    uint16_t index =
        name.failed ? 0
                    : cf_constants_add_class(constants,
                                             (struct mb_text){(const char *)name.bytes, name.size});
    mb_buf_finish(&name);
    return index;
}

static bool put_type(struct cf_slot type, const struct cf_offsets *offsets,
                     struct cf_constants *constants, struct mb_buf *out)
{
    if (type.tag == CF_SLOT_RETURN_ADDRESS) {
        return false;
    }
    mb_buf_put_u1(out, type.tag);
    if (type.tag == CF_TYPE_OBJECT) {
        uint16_t index = index_of(type, constants);
        mb_buf_put_u2(out, index);
        return index != 0;
    }
    if (type.tag == CF_TYPE_UNINITIALIZED) {
        mb_buf_put_u2(out, cf_offsets_instruction(offsets, type.value));
    }
    return true;
}

static bool put_types(const struct cf_slot *types, uint32_t count, const struct cf_offsets *offsets,
                      struct cf_constants *constants, struct mb_buf *out)
{
    size_t count_at = out->size;
    unsigned written = 0;

    mb_buf_put_u2(out, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (types[i].tag == CF_SLOT_SECOND) {
            continue;
        }
        if (!put_type(types[i], offsets, constants, out)) {
            return false;
        }
        written++;
    }
    mb_buf_patch_u2(out, count_at, written);
    return !out->failed;
}

bool cf_state_put_frame(const struct cf_state *state, const struct cf_offsets *offsets,
                        struct cf_constants *constants, struct mb_buf *out)
{
    return !state->is_broken &&
           put_types(state->locals, used_locals(state), offsets, constants, out) &&
           put_types(state->stack, state->depth, offsets, constants, out);
}
