#include "classfile/relocate.h"

#include "classfile/fallthrough.h"
#include "classfile/frames.h"
#include "classfile/offsets.h"
#include "classfile/opcode.h"
#include "classfile/tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH_GOTO 2    /* goto -> goto_w, jsr -> jsr_w */
#define MIN_INSERTION 4U /* bytes; no probe is shorter, so this many points are enough: */
#define MAX_POINTS (CF_MAX_CODE_SIZE / MIN_INSERTION + 1 + CF_MAX_CODE_SIZE / 3 + 1)

struct cf_relocator {
    struct mb_arena arena; /* frames behind widened jumps */
    struct cf_offset_point points[MAX_POINTS];
    uint16_t shifts[2 * CF_MAX_CODE_SIZE + CF_SHIFTS_SPARE];
};

/* One method on its way. */
struct job {
    struct cf_relocator *relocator;
    const struct cf_edit *edit;
    const struct cf_code *code;
    struct cf_scan *scan;
    struct mb_buf *out;
    struct mb_error *err;
    size_t point_count; /* of the relocator's */
    struct cf_offsets offsets;
    int64_t max_distance;
    size_t widened_count;
    bool has_widened_jump;
    uint32_t body_size; /* of the new code without the handler */
    uint8_t *new_code;  /* in out; NULL while out grows */
};

struct cf_relocator *cf_relocator_create(void)
{
    return calloc(1, sizeof(struct cf_relocator));
}

void cf_relocator_destroy(struct cf_relocator *relocator)
{
    if (relocator != NULL) {
        mb_arena_finish(&relocator->arena);
        free(relocator);
    }
}

static enum cf_operands operands_of(const struct cf_site *site)
{
    return cf_opcode(site->opcode)->operands;
}

static bool is_switch(const struct cf_site *site)
{
    return cf_opcode(site->opcode)->role == CF_ROLE_SWITCH;
}

static uint32_t grown(uint32_t size, const struct cf_site *site)
{
    return (uint32_t)((int64_t)size + site->growth);
}

/* --- layout: where everything goes --- */

static uint32_t padding(uint32_t pc)
{
    return 3 - (pc & 3);
}

/* Points of the insertions from *next up to and with the one at limit. */
static uint32_t place_insertions(struct job *job, size_t *next, uint32_t limit, uint32_t shift)
{
    const struct cf_edit *edit = job->edit;

    while (*next < edit->insertion_count && edit->insertions[*next].pc <= limit) {
        const struct cf_insertion *insertion = &edit->insertions[(*next)++];
        shift += insertion->size;
        job->relocator->points[job->point_count++] =
            (struct cf_offset_point){2 * insertion->pc, shift};
    }
    return shift;
}

/* Padding depends on what lies before, so one pass forward settles it. */
static void place_points(struct job *job)
{
    struct cf_scan *scan = job->scan;
    bool sites_may_grow = scan->switch_count > 0 || job->widened_count > 0;
    size_t next = 0;
    uint32_t shift = 0;

    job->point_count = 0;
    for (size_t i = 0; sites_may_grow && i < scan->site_count; i++) {
        struct cf_site *site = &scan->sites[i];
        if (!is_switch(site) && site->growth == 0) {
            continue;
        }
        shift = place_insertions(job, &next, site->pc, shift);
        if (is_switch(site)) {
            site->growth = (int8_t)((int)padding(site->pc + shift) - (int)padding(site->pc));
        }
        if (site->growth != 0) {
            shift = grown(shift, site);
            job->relocator->points[job->point_count++] =
                (struct cf_offset_point){2U * site->pc + 1, shift};
        }
    }
    shift = place_insertions(job, &next, UINT32_MAX / 2, shift);
    job->body_size = job->code->size + shift;
    cf_offsets_fill(&job->offsets, job->relocator->points, job->point_count, job->code->size,
                    job->relocator->shifts);
}

/* From the instruction at old pc to where jumps to old target land. */
static int64_t new_distance(struct job *job, uint32_t pc, int64_t target)
{
    return (int64_t)cf_offsets_target(&job->offsets, (uint32_t)target) -
           (int64_t)cf_offsets_instruction(&job->offsets, pc);
}

static int64_t branch_distance(struct job *job, const struct cf_site *site)
{
    int64_t target = 0;

    (void)cf_insn_branch(job->code->bytes, site->pc, &target);
    return new_distance(job, site->pc, target);
}

/* Give room to the branches that no longer fit. True if there were any. */
static bool widen_branches(struct job *job)
{
    size_t before = job->widened_count;

    for (size_t i = 0; i < job->scan->site_count; i++) {
        struct cf_site *site = &job->scan->sites[i];
        if (operands_of(site) != CF_OPERANDS_BRANCH2 || site->growth != 0) {
            continue;
        }
        int64_t distance = branch_distance(job, site);
        if (distance < -job->max_distance || distance > job->max_distance) {
            bool is_jump = cf_opcode(site->opcode)->role == CF_ROLE_JUMP;
            job->has_widened_jump = job->has_widened_jump || is_jump;
            site->growth = is_jump ? CF_GROWTH_JUMP : GROWTH_GOTO;
            job->widened_count++;
        }
    }
    return job->widened_count != before;
}

static enum mb_status lay_out(struct job *job)
{
    struct cf_scan *scan = job->scan;

    if (job->edit->insertion_count > CF_MAX_CODE_SIZE / MIN_INSERTION) {
        return mb_fail(job->err, MB_TOO_LARGE, MB_NO_OFFSET, "code over 65535 bytes");
    }
    for (size_t i = 0; i < scan->site_count; i++) {
        scan->sites[i].growth = 0;
    }
    place_points(job);
    while (job->body_size > job->max_distance && widen_branches(job)) {
        place_points(job);
    }
    if (job->body_size + job->edit->handler_size > CF_MAX_CODE_SIZE) {
        return mb_fail(job->err, MB_TOO_LARGE, MB_NO_OFFSET, "code over 65535 bytes");
    }
    return MB_OK;
}

/* --- code --- */

/* The opposite condition: JVMS §6.5 numbers them in pairs, if* from an odd, ifnull from an even. */
static uint8_t invert(uint8_t opcode)
{
    return opcode >= CF_OP_IFNULL ? opcode ^ 1 : (uint8_t)(((opcode + 1) ^ 1) - 1);
}

/* Write a site that changed its size; offsets are patched later. Gives its old size. */
static uint32_t write_grown(const struct job *job, const struct cf_site *site, uint8_t *place)
{
    uint32_t old_size = cf_insn_size(job->code->bytes, job->code->size, site->pc);
    uint32_t new_size = grown(old_size, site);

    if (is_switch(site)) {
        size_t content = old_size - 1 - padding(site->pc);
        memset(place, 0, new_size - content);
        place[0] = site->opcode;
        memcpy(place + new_size - content, cf_switch_at(job->code->bytes, site->pc).base, content);
    } else if (site->growth == GROWTH_GOTO) {
        place[0] = cf_opcode(site->opcode)->role == CF_ROLE_JSR ? CF_OP_JSR_W : CF_OP_GOTO_W;
    } else {
        place[0] = invert(site->opcode);
        mb_set_u2(place + 1, 3 + CF_GROWTH_JUMP);
        place[3] = CF_OP_GOTO_W;
    }
    return old_size;
}

/* Copy the code, opening it at each point. */
static void write_instructions(struct job *job)
{
    const uint8_t *old = job->code->bytes;
    uint8_t *next = job->new_code;
    const struct cf_offset_point *points = job->relocator->points;
    const struct cf_insertion *insertion = job->edit->insertions;
    const struct cf_site *site = job->scan->sites;
    uint32_t done = 0; /* old bytes written */

    for (size_t i = 0; i < job->point_count; i++) {
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
        uint32_t old_size = write_grown(job, site, next);
        next += grown(old_size, site);
        done += old_size;
    }
    memcpy(next, old + done, job->code->size - done);
    if (job->edit->handler_size > 0) {
        memcpy(job->new_code + job->body_size, job->edit->handler, job->edit->handler_size);
    }
}

static void patch_switch(struct job *job, const struct cf_site *site, uint32_t new_pc)
{
    struct cf_switch table = cf_switch_at(job->code->bytes, site->pc);
    uint8_t *base = job->new_code + new_pc + 1 + padding(new_pc);
    uint8_t *row_end = base + (table.rows - table.base);

    mb_set_u4(base, (uint32_t)new_distance(job, site->pc, cf_switch_target(&table, table.count)));
    for (uint32_t row = 0; row < table.count; row++) {
        row_end += table.row_size;
        mb_set_u4(row_end - 4,
                  (uint32_t)new_distance(job, site->pc, cf_switch_target(&table, row)));
    }
}

static void patch_branch(struct job *job, const struct cf_site *site, uint8_t *operand)
{
    int64_t distance = branch_distance(job, site);

    if (operands_of(site) == CF_OPERANDS_BRANCH4 || site->growth == GROWTH_GOTO) {
        mb_set_u4(operand, (uint32_t)distance);
    } else if (site->growth == CF_GROWTH_JUMP) {
        mb_set_u4(operand + 3, (uint32_t)(distance - 3)); /* from the goto_w behind the jump */
    } else {
        mb_set_u2(operand, (unsigned)distance & 0xffff);
    }
}

static void patch_sites(struct job *job)
{
    for (size_t i = 0; i < job->scan->site_count; i++) {
        const struct cf_site *site = &job->scan->sites[i];
        uint32_t new_pc = cf_offsets_instruction(&job->offsets, site->pc);
        if (is_switch(site)) {
            patch_switch(job, site, new_pc);
        } else {
            patch_branch(job, site, job->new_code + new_pc + 1);
        }
    }
}

/* --- exception table --- */

static enum mb_status write_handlers(struct job *job)
{
    const struct cf_edit *edit = job->edit;
    size_t count = job->code->handler_count + edit->covered_count;
    const uint8_t *row = job->code->handlers;

    if (count > UINT16_MAX) {
        return mb_fail(job->err, MB_TOO_LARGE, MB_NO_OFFSET, "over 65535 exception handlers");
    }
    mb_buf_put_u2(job->out, (unsigned)count);
    uint8_t *place = mb_buf_extend(job->out, count * CF_HANDLER_SIZE);
    if (place == NULL) {
        return mb_fail_memory(job->err);
    }
    for (uint16_t i = 0; i < job->code->handler_count; i++) {
        mb_set_u2(place, cf_offsets_target(&job->offsets, mb_get_u2(row)));
        mb_set_u2(place + 2, cf_offsets_target(&job->offsets, mb_get_u2(row + 2)));
        mb_set_u2(place + 4, cf_offsets_target(&job->offsets, mb_get_u2(row + 4)));
        memcpy(place + 6, row + 6, 2);
        place += CF_HANDLER_SIZE;
        row += CF_HANDLER_SIZE;
    }
    for (size_t i = 0; i < edit->covered_count; i++) {
        mb_set_u2(place, cf_offsets_target(&job->offsets, edit->covered[i].start_pc));
        mb_set_u2(place + 2, cf_offsets_instruction(&job->offsets, edit->covered[i].end_pc));
        mb_set_u2(place + 4, job->body_size);
        mb_set_u2(place + 6, 0); /* any */
        place += CF_HANDLER_SIZE;
    }
    return MB_OK;
}

/* --- attributes --- */

static const uint8_t no_frames[2] = {0, 0};

/* full_frame without locals, one Throwable on the stack (JVMS §4.7.4): all a handler that only
 * rethrows needs to know. */
static void describe_handler(const struct job *job, uint8_t bytes[7], struct cf_extra_frame *frame)
{
    static const uint8_t locals_and_stack[] = {0, 0, 0, 1, 7 /* ITEM_Object */};

    memcpy(bytes, locals_and_stack, sizeof(locals_and_stack));
    mb_set_u2(bytes + sizeof(locals_and_stack), job->edit->throwable_class);
    *frame = (struct cf_extra_frame){.pc = job->body_size, .bytes = bytes, .size = 7};
}

static enum mb_status move_frames(struct job *job, const struct cf_attribute *attribute)
{
    struct mb_arena *arena = &job->relocator->arena;
    struct cf_attribute none;
    uint8_t handler_bytes[7];
    struct cf_extra_frame handler;
    struct cf_frame_list extras = {.frames = &handler};

    if (job->has_widened_jump && attribute->kind == CF_ATTRIBUTE_StackMapTable) {
        mb_arena_reset(arena);
        MB_TRY(
            cf_fallthrough_frames(job->edit, attribute, &job->offsets, arena, &extras, job->err));
        none = *attribute; /* all are among the extras now */
        none.bytes = no_frames;
        none.size = sizeof(no_frames);
        attribute = &none;
    }
    if (job->edit->handler_size > 0) {
        describe_handler(job, handler_bytes, &extras.frames[extras.count++]);
    }
    return cf_frames_relocate(job->edit->cls, attribute, &job->offsets, &extras, job->out,
                              job->err);
}

static enum mb_status move_content(struct job *job, const struct cf_attribute *attribute)
{
    switch (attribute->kind) {
    case CF_ATTRIBUTE_StackMapTable:
    case CF_ATTRIBUTE_StackMap:
        return move_frames(job, attribute);
    case CF_ATTRIBUTE_LineNumberTable:
        return cf_lines_relocate(attribute, &job->offsets, job->out, job->err);
    case CF_ATTRIBUTE_LocalVariableTable:
    case CF_ATTRIBUTE_LocalVariableTypeTable:
        return cf_variables_relocate(attribute, &job->offsets, job->out, job->err);
    case CF_ATTRIBUTE_CharacterRangeTable:
        return cf_character_ranges_relocate(attribute, &job->offsets, job->out, job->err);
    case CF_ATTRIBUTE_RuntimeVisibleTypeAnnotations:
    case CF_ATTRIBUTE_RuntimeInvisibleTypeAnnotations:
        return cf_type_annotations_relocate(attribute, &job->offsets, job->out, job->err);
    default: /* holds no pcs, or is unknown: verbatim */
        mb_buf_put(job->out, attribute->bytes, attribute->size);
        return mb_buf_check(job->out, job->err);
    }
}

/* Append an attribute whose content is moved or, where there is none to move, made. */
static enum mb_status write_attribute(struct job *job, const struct cf_attribute *attribute)
{
    mb_buf_put_u2(job->out, attribute->name_index);
    size_t length_at = job->out->size;
    mb_buf_put_u4(job->out, 0);
    MB_TRY(move_content(job, attribute));
    mb_buf_patch_u4(job->out, length_at, (uint32_t)(job->out->size - length_at - 4));
    return mb_buf_check(job->out, job->err);
}

static enum mb_status write_attributes(struct job *job)
{
    struct cf_attributes it = cf_code_attributes(job->edit->cls, job->code);
    struct cf_attribute attribute;
    size_t count_at = job->out->size;
    bool needs_frames =
        job->edit->handler_size > 0 && job->edit->cls->major_version >= CF_VERSION_STACK_MAPS;
    unsigned count = job->code->attribute_count;

    mb_buf_put_u2(job->out, count);
    while (cf_attributes_next(&it, &attribute)) {
        MB_TRY(write_attribute(job, &attribute));
        needs_frames = needs_frames && attribute.kind != CF_ATTRIBUTE_StackMapTable;
    }
    if (needs_frames) {
        attribute = (struct cf_attribute){.kind = CF_ATTRIBUTE_StackMapTable,
                                          .name_index = job->edit->stack_map_name,
                                          .bytes = no_frames,
                                          .size = sizeof(no_frames)};
        if (++count > UINT16_MAX) {
            return mb_fail(job->err, MB_TOO_LARGE, MB_NO_OFFSET, "over 65535 code attributes");
        }
        MB_TRY(write_attribute(job, &attribute));
        mb_buf_patch_u2(job->out, count_at, count);
    }
    return MB_OK;
}

/* --- the whole --- */

static enum mb_status write_header(struct job *job)
{
    const struct cf_edit *edit = job->edit;
    uint32_t max_stack = job->code->max_stack + (uint32_t)edit->extra_stack;

    if (edit->handler_size > 0 && max_stack < edit->handler_stack) {
        max_stack = edit->handler_stack;
    }
    if (max_stack > UINT16_MAX) {
        return mb_fail(job->err, MB_TOO_LARGE, MB_NO_OFFSET, "max_stack over 65535");
    }
    mb_buf_put(job->out, job->edit->cls->bytes + job->edit->method->code, 2);
    mb_buf_put_u4(job->out, 0);
    mb_buf_put_u2(job->out, max_stack);
    mb_buf_put_u2(job->out, job->code->max_locals);
    mb_buf_put_u4(job->out, job->body_size + edit->handler_size);
    return mb_buf_check(job->out, job->err);
}

static enum mb_status write_code(struct job *job)
{
    job->new_code = mb_buf_extend(job->out, job->body_size + job->edit->handler_size);
    if (job->new_code == NULL) {
        return mb_fail_memory(job->err);
    }
    write_instructions(job);
    patch_sites(job);
    job->new_code = NULL;
    return MB_OK;
}

enum mb_status cf_relocate(struct cf_relocator *relocator, const struct cf_edit *edit,
                           struct mb_buf *out, struct mb_error *err)
{
    struct job job = {.relocator = relocator,
                      .edit = edit,
                      .code = edit->code,
                      .scan = edit->scan,
                      .out = out,
                      .err = err};
    job.max_distance = edit->max_distance != 0 ? edit->max_distance : INT16_MAX;
    size_t start = out->size;

    MB_TRY(lay_out(&job));
    MB_TRY(write_header(&job));
    MB_TRY(write_code(&job));
    MB_TRY(write_handlers(&job));
    MB_TRY(write_attributes(&job));
    mb_buf_patch_u4(out, start + 2, (uint32_t)(out->size - start - 6));
    return MB_OK;
}
