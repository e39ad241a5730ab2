#include "classfile/relocate.h"

#include "classfile/frames.h"
#include "classfile/layout.h"
#include "classfile/opcode.h"
#include "classfile/tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct cf_relocator {
    struct cf_layout_scratch layout;
};

/* One method on its way. */
struct relocation {
    struct cf_relocator *relocator;
    const struct cf_edit *edit;
    const struct cf_code *code;
    struct cf_scan *scan;
    struct mb_buf *out;
    struct mb_error *err;
    struct cf_layout layout;
    uint8_t *new_code; /* in out; NULL while out grows */
};

struct cf_relocator *cf_relocator_create(void)
{
    return calloc(1, sizeof(struct cf_relocator));
}

void cf_relocator_destroy(struct cf_relocator *relocator)
{
    free(relocator);
}

static uint32_t grown_size(uint32_t size, const struct cf_site *site)
{
    return (uint32_t)((int64_t)size + site->growth);
}

/* --- code --- */

/* The opposite condition: JVMS §6.5 numbers them in pairs, if* from an odd, ifnull from an even. */
static uint8_t invert_condition(uint8_t opcode)
{
    return opcode >= CF_OP_IFNULL ? opcode ^ 1 : (uint8_t)(((opcode + 1) ^ 1) - 1);
}

/* Write a site that changed its size; offsets are patched later. Gives its old size. */
static uint32_t write_grown(const struct relocation *relocation, const struct cf_site *site,
                            uint8_t *place)
{
    uint32_t old_size = cf_insn_size(relocation->code->bytes, relocation->code->size, site->pc);
    uint32_t new_size = grown_size(old_size, site);

    if (cf_site_is_switch(site)) {
        size_t content = old_size - 1 - cf_switch_padding(site->pc);
        memset(place, 0, new_size - content);
        place[0] = site->opcode;
        memcpy(place + new_size - content, cf_switch_at(relocation->code->bytes, site->pc).base,
               content);
    } else if (site->growth == CF_GROWTH_GOTO) {
        place[0] = cf_opcode(site->opcode)->role == CF_ROLE_JSR ? CF_OP_JSR_W : CF_OP_GOTO_W;
    } else {
        place[0] = invert_condition(site->opcode);
        mb_set_u2(place + 1, 3 + CF_GROWTH_JUMP);
        place[3] = CF_OP_GOTO_W;
    }
    return old_size;
}

/* Copy the code, opening it at each point. */
static void write_instructions(struct relocation *relocation)
{
    const uint8_t *old = relocation->code->bytes;
    uint8_t *next = relocation->new_code;
    const struct cf_offset_point *points = relocation->relocator->layout.points;
    const struct cf_insertion *insertion = relocation->edit->insertions;
    const struct cf_site *site = relocation->scan->sites;
    uint32_t done = 0; /* old bytes written */

    for (size_t i = 0; i < relocation->layout.point_count; i++) {
        uint32_t pc = points[i].key / 2;
        memcpy(next, old + done, pc - done);
        next += pc - done;
        done = pc;
        if (points[i].key % 2 == 0) {
            memcpy(next, insertion->bytes, insertion->size);
            next += insertion->size;
            insertion++;
            continue;
        }
        while (site->pc != pc) {
            site++;
        }
        uint32_t old_size = write_grown(relocation, site, next);
        next += grown_size(old_size, site);
        done += old_size;
    }
    memcpy(next, old + done, relocation->code->size - done);
    if (relocation->edit->handler_size > 0) {
        memcpy(relocation->new_code + relocation->layout.body_size, relocation->edit->handler,
               relocation->edit->handler_size);
    }
}

static void patch_switch(struct relocation *relocation, const struct cf_site *site, uint32_t new_pc)
{
    struct cf_switch table = cf_switch_at(relocation->code->bytes, site->pc);
    uint8_t *base = relocation->new_code + new_pc + 1 + cf_switch_padding(new_pc);
    uint8_t *row_end = base + (table.rows - table.base);

    mb_set_u4(base, (uint32_t)cf_layout_distance(&relocation->layout, site->pc,
                                                 cf_switch_target(&table, table.count)));
    for (uint32_t row = 0; row < table.count; row++) {
        row_end += table.row_size;
        mb_set_u4(row_end - 4, (uint32_t)cf_layout_distance(&relocation->layout, site->pc,
                                                            cf_switch_target(&table, row)));
    }
}

static void patch_branch(struct relocation *relocation, const struct cf_site *site,
                         uint8_t *operand)
{
    int64_t distance = cf_layout_branch(&relocation->layout, site);

    if (cf_opcode(site->opcode)->operands == CF_OPERANDS_BRANCH4 ||
        site->growth == CF_GROWTH_GOTO) {
        mb_set_u4(operand, (uint32_t)distance);
    } else if (site->growth == CF_GROWTH_JUMP) {
        mb_set_u4(operand + 3, (uint32_t)(distance - 3)); /* from the goto_w after the jump */
    } else {
        mb_set_u2(operand, (unsigned)distance & 0xffff);
    }
}

static void patch_sites(struct relocation *relocation)
{
    for (size_t i = 0; i < relocation->scan->site_count; i++) {
        const struct cf_site *site = &relocation->scan->sites[i];
        uint32_t new_pc = cf_offsets_instruction(&relocation->layout.offsets, site->pc);
        if (cf_site_is_switch(site)) {
            patch_switch(relocation, site, new_pc);
        } else {
            patch_branch(relocation, site, relocation->new_code + new_pc + 1);
        }
    }
}

/* --- exception table --- */

static enum mb_status write_handlers(struct relocation *relocation)
{
    const struct cf_edit *edit = relocation->edit;
    size_t count = relocation->code->handler_count + edit->covered_count;
    const uint8_t *row = relocation->code->handlers;

    if (count > UINT16_MAX) {
        return mb_fail(relocation->err, MB_TOO_LARGE, MB_NO_OFFSET,
                       "over 65535 exception handlers");
    }
    mb_buf_put_u2(relocation->out, (unsigned)count);
    uint8_t *place = mb_buf_extend(relocation->out, count * CF_HANDLER_SIZE);
    if (place == NULL) {
        return mb_fail_memory(relocation->err);
    }
    for (uint16_t i = 0; i < relocation->code->handler_count; i++) {
        mb_set_u2(place, cf_offsets_target(&relocation->layout.offsets, mb_get_u2(row)));
        mb_set_u2(place + 2, cf_offsets_target(&relocation->layout.offsets, mb_get_u2(row + 2)));
        mb_set_u2(place + 4, cf_offsets_target(&relocation->layout.offsets, mb_get_u2(row + 4)));
        memcpy(place + 6, row + 6, 2);
        place += CF_HANDLER_SIZE;
        row += CF_HANDLER_SIZE;
    }
    for (size_t i = 0; i < edit->covered_count; i++) {
        const struct cf_range *range = &edit->covered[i];
        mb_set_u2(place, cf_offsets_target(&relocation->layout.offsets, range->start_pc));
        mb_set_u2(place + 2,
                  range->ends_before_insertion
                      ? cf_offsets_target(&relocation->layout.offsets, range->end_pc)
                      : cf_offsets_instruction(&relocation->layout.offsets, range->end_pc));
        mb_set_u2(place + 4, relocation->layout.body_size);
        mb_set_u2(place + 6, 0); /* any */
        place += CF_HANDLER_SIZE;
    }
    return MB_OK;
}

/* --- attributes --- */

static const uint8_t no_frames[2] = {0, 0};

/* full_frame without locals, one Throwable on the stack (JVMS §4.7.4): enough for a handler that
 * only rethrows. */
static void describe_handler(const struct relocation *relocation, uint8_t bytes[7],
                             struct cf_extra_frame *frame)
{
    static const uint8_t locals_and_stack[] = {0, 0, 0, 1, 7 /* ITEM_Object */};

    memcpy(bytes, locals_and_stack, sizeof(locals_and_stack));
    mb_set_u2(bytes + sizeof(locals_and_stack), relocation->edit->throwable_class);
    *frame = (struct cf_extra_frame){.pc = relocation->layout.body_size, .bytes = bytes, .size = 7};
}

static enum mb_status move_frames(struct relocation *relocation,
                                  const struct cf_attribute *attribute)
{
    bool has_handler = relocation->edit->handler_size > 0;
    uint8_t handler_bytes[7];
    struct cf_extra_frame handler;

    if (relocation->layout.has_widened_jump && attribute->kind == CF_ATTRIBUTE_StackMapTable) {
        return mb_fail(relocation->err, MB_UNSUPPORTED, MB_NO_OFFSET,
                       "a jump over 32767 bytes needs another stack map frame");
    }
    if (has_handler) {
        describe_handler(relocation, handler_bytes, &handler);
    }
    return cf_frames_relocate(relocation->edit->cls, attribute, &relocation->layout.offsets,
                              has_handler ? &handler : NULL, relocation->out, relocation->err);
}

static enum mb_status move_content(struct relocation *relocation,
                                   const struct cf_attribute *attribute)
{
    switch (attribute->kind) {
    case CF_ATTRIBUTE_StackMapTable:
    case CF_ATTRIBUTE_StackMap:
        return move_frames(relocation, attribute);
    case CF_ATTRIBUTE_LineNumberTable:
        return cf_lines_relocate(attribute, &relocation->layout.offsets, relocation->out,
                                 relocation->err);
    case CF_ATTRIBUTE_LocalVariableTable:
    case CF_ATTRIBUTE_LocalVariableTypeTable:
        return cf_variables_relocate(attribute, &relocation->layout.offsets, relocation->out,
                                     relocation->err);
    case CF_ATTRIBUTE_CharacterRangeTable:
        return cf_character_ranges_relocate(attribute, &relocation->layout.offsets, relocation->out,
                                            relocation->err);
    case CF_ATTRIBUTE_RuntimeVisibleTypeAnnotations:
    case CF_ATTRIBUTE_RuntimeInvisibleTypeAnnotations:
        return cf_type_annotations_relocate(attribute, &relocation->layout.offsets, relocation->out,
                                            relocation->err);
    default: /* holds no pcs, or is unknown: verbatim */
        mb_buf_put(relocation->out, attribute->bytes, attribute->size);
        return mb_buf_check(relocation->out, relocation->err);
    }
}

/* Append an attribute whose content is moved, or made where the original is missing. */
static enum mb_status write_attribute(struct relocation *relocation,
                                      const struct cf_attribute *attribute)
{
    mb_buf_put_u2(relocation->out, attribute->name_index);
    size_t length_at = relocation->out->size;
    mb_buf_put_u4(relocation->out, 0);
    MB_TRY(move_content(relocation, attribute));
    mb_buf_patch_u4(relocation->out, length_at, (uint32_t)(relocation->out->size - length_at - 4));
    return mb_buf_check(relocation->out, relocation->err);
}

static enum mb_status write_attributes(struct relocation *relocation)
{
    struct cf_attributes it = cf_code_attributes(relocation->edit->cls, relocation->code);
    struct cf_attribute attribute;
    size_t count_at = relocation->out->size;
    bool needs_frames = relocation->edit->handler_size > 0 &&
                        relocation->edit->cls->major_version >= CF_VERSION_STACK_MAPS;
    unsigned count = relocation->code->attribute_count;

    mb_buf_put_u2(relocation->out, count);
    while (cf_attributes_next(&it, &attribute)) {
        MB_TRY(write_attribute(relocation, &attribute));
        needs_frames = needs_frames && attribute.kind != CF_ATTRIBUTE_StackMapTable;
    }
    if (needs_frames) {
        attribute = (struct cf_attribute){.kind = CF_ATTRIBUTE_StackMapTable,
                                          .name_index = relocation->edit->stack_map_name,
                                          .bytes = no_frames,
                                          .size = sizeof(no_frames)};
        if (++count > UINT16_MAX) {
            return mb_fail(relocation->err, MB_TOO_LARGE, MB_NO_OFFSET,
                           "over 65535 code attributes");
        }
        MB_TRY(write_attribute(relocation, &attribute));
        mb_buf_patch_u2(relocation->out, count_at, count);
    }
    return MB_OK;
}

/* --- the whole attribute --- */

static enum mb_status write_header(struct relocation *relocation)
{
    const struct cf_edit *edit = relocation->edit;
    uint32_t max_stack = relocation->code->max_stack + (uint32_t)edit->extra_stack;

    if (edit->handler_size > 0 && max_stack < edit->handler_stack) {
        max_stack = edit->handler_stack;
    }
    if (max_stack > UINT16_MAX) {
        return mb_fail(relocation->err, MB_TOO_LARGE, MB_NO_OFFSET, "max_stack over 65535");
    }
    mb_buf_put(relocation->out, relocation->edit->cls->bytes + relocation->edit->method->code, 2);
    mb_buf_put_u4(relocation->out, 0);
    mb_buf_put_u2(relocation->out, max_stack);
    mb_buf_put_u2(relocation->out, relocation->code->max_locals);
    mb_buf_put_u4(relocation->out, relocation->layout.body_size + edit->handler_size);
    return mb_buf_check(relocation->out, relocation->err);
}

static enum mb_status write_code(struct relocation *relocation)
{
    relocation->new_code = mb_buf_extend(relocation->out, relocation->layout.body_size +
                                                              relocation->edit->handler_size);
    if (relocation->new_code == NULL) {
        return mb_fail_memory(relocation->err);
    }
    write_instructions(relocation);
    patch_sites(relocation);
    relocation->new_code = NULL;
    return MB_OK;
}

enum mb_status cf_relocate(struct cf_relocator *relocator, const struct cf_edit *edit,
                           struct mb_buf *out, struct mb_error *err)
{
    struct relocation relocation = {.relocator = relocator,
                                    .edit = edit,
                                    .code = edit->code,
                                    .scan = edit->scan,
                                    .out = out,
                                    .err = err};
    size_t start = out->size;

    MB_TRY(cf_layout_plan(&relocation.layout, edit, &relocator->layout, err));
    MB_TRY(write_header(&relocation));
    MB_TRY(write_code(&relocation));
    MB_TRY(write_handlers(&relocation));
    MB_TRY(write_attributes(&relocation));
    mb_buf_patch_u4(out, start + 2, (uint32_t)(out->size - start - 6));
    return MB_OK;
}
