#include "instrument/weave/probe.h"

#include "abi/names.h"
#include "classfile/opcode.h"

#include <assert.h>
#include <string.h>

static uint16_t add_beat_method(struct weave_references *references, struct cf_constants *constants,
                                const char *name, uint16_t descriptor)
{
    uint16_t name_index = cf_constants_add_utf8(constants, mb_text_of(name));

    return cf_constants_add_member(constants, CF_TAG_METHODREF, references->beat_class, name_index,
                                   descriptor);
}

bool weave_references_add(struct weave_references *references, struct cf_constants *constants,
                          struct mb_text beat_class)
{
    *references = (struct weave_references){
        .beat_class = cf_constants_add_class(constants, beat_class),
        .probe_desc = cf_constants_add_utf8(constants, MB_TEXT(ABI_BEAT_PROBE_DESC)),
    };
    references->enter =
        add_beat_method(references, constants, ABI_BEAT_ENTER, references->probe_desc);
    references->exit =
        add_beat_method(references, constants, ABI_BEAT_EXIT, references->probe_desc);
    references->throwable = cf_constants_add_class(constants, MB_TEXT("java/lang/Throwable"));
    references->stack_map_name = cf_constants_add_utf8(constants, MB_TEXT("StackMapTable"));
    return !constants->is_full;
}

bool weave_references_add_catch(struct weave_references *references, struct cf_constants *constants)
{
    references->caught =
        add_beat_method(references, constants, ABI_BEAT_CATCH, references->probe_desc);
    return !constants->is_full;
}

bool weave_references_add_focus(struct weave_references *references, struct cf_constants *constants)
{
    uint16_t descriptor = cf_constants_add_utf8(constants, MB_TEXT(ABI_BEAT_FOCUS_DESC));

    references->focus = add_beat_method(references, constants, ABI_BEAT_FOCUS, descriptor);
    return !constants->is_full;
}

bool weave_references_add_override(struct weave_references *references,
                                   struct cf_constants *constants, uint16_t super_class)
{
    references->override_name = cf_constants_add_utf8(constants, MB_TEXT(ABI_FOCUS_METHOD));
    references->override_desc = cf_constants_add_utf8(constants, MB_TEXT(ABI_FOCUS_DESC));
    references->override_code = cf_constants_add_utf8(constants, MB_TEXT("Code"));
    references->override_super =
        cf_constants_add_member(constants, CF_TAG_METHODREF, super_class, references->override_name,
                                references->override_desc);
    return !constants->is_full;
}

static struct weave_push push_constant(uint16_t index)
{
    if (index <= UINT8_MAX) {
        return (struct weave_push){{CF_OP_LDC, (uint8_t)index}, 2, 1};
    }
    return (struct weave_push){{CF_OP_LDC_W, (uint8_t)(index >> 8), (uint8_t)index}, 3, 1};
}

/* (id >> 15) << 15 | (id & 0x7fff), for classes whose pool is full. */
static struct weave_push push_arithmetic(uint32_t id)
{
    return (struct weave_push){
        {CF_OP_BIPUSH, (uint8_t)(id >> 15), CF_OP_BIPUSH, 15, CF_OP_ISHL, CF_OP_SIPUSH,
         (uint8_t)(id >> 8 & 0x7f), (uint8_t)id, CF_OP_IOR},
        9,
        2,
    };
}

void weave_push_id(struct weave_push *push, struct cf_constants *constants, uint32_t id)
{
    assert(id >= ABI_FIRST_ID && id <= ABI_MAX_ID);
    if (id <= 5) {
        *push = (struct weave_push){{(uint8_t)(CF_OP_ICONST_0 + id)}, 1, 1};
    } else if (id <= INT8_MAX) {
        *push = (struct weave_push){{CF_OP_BIPUSH, (uint8_t)id}, 2, 1};
    } else if (id <= INT16_MAX) {
        *push = (struct weave_push){{CF_OP_SIPUSH, (uint8_t)(id >> 8), (uint8_t)id}, 3, 1};
    } else if (cf_constants_room(constants) > 0) {
        *push = push_constant(cf_constants_add_integer(constants, id));
    } else {
        *push = push_arithmetic(id);
    }
}

void weave_probe_call(struct weave_probe *probe, const struct weave_push *push, uint16_t method_ref)
{
    for (size_t i = 0; i < push->size; i++) {
        probe->bytes[i] = push->bytes[i];
    }
    probe->bytes[push->size] = CF_OP_INVOKESTATIC;
    mb_set_u2(probe->bytes + push->size + 1, method_ref);
    probe->size = (uint8_t)(push->size + 3);
}
