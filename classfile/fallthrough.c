#include "classfile/fallthrough.h"

#include "classfile/layout.h"
#include "classfile/opcode.h"
#include "classfile/simulate.h"

/* A walk along the code, frame by frame. */
struct walk {
    const struct cf_edit *edit;
    const struct cf_offsets *offsets;
    struct mb_arena *arena;
    struct cf_state declared; /* at the last frame */
    struct cf_state state;    /* at the instruction */
    struct cf_frames frames;
    struct cf_frame frame; /* the next one; pc UINT32_MAX: none */
    struct mb_buf bytes;   /* of one frame */
    struct cf_frame_list *list;
    struct mb_error *err;
};

static void find_frame(struct walk *walk)
{
    if (!cf_frames_next(&walk->frames, &walk->frame)) {
        walk->frame.pc = UINT32_MAX;
    }
}

static enum mb_status add_frame(struct walk *walk, const struct cf_state *state, uint32_t pc)
{
    struct cf_extra_frame *frame = &walk->list->frames[walk->list->count++];

    mb_buf_reset(&walk->bytes);
    if (!cf_state_put_frame(state, walk->offsets, walk->edit->constants, &walk->bytes)) {
        return mb_fail(walk->err, MB_TOO_LARGE, MB_NO_OFFSET,
                       "a jump over 32767 bytes needs a frame that cannot be written");
    }
    *frame = (struct cf_extra_frame){
        .pc = cf_offsets_target(walk->offsets, pc),
        .size = (uint32_t)walk->bytes.size,
        .bytes = (uint8_t *)mb_arena_copy(walk->arena, walk->bytes.bytes, walk->bytes.size),
    };
    return frame->bytes != NULL ? MB_OK : mb_fail_memory(walk->err);
}

static enum mb_status enter_frame(struct walk *walk)
{
    cf_state_apply(&walk->declared, &walk->frame);
    cf_state_assign(&walk->state, &walk->declared);
    MB_TRY(add_frame(walk, &walk->declared, walk->frame.pc));
    find_frame(walk);
    return MB_OK;
}

static enum mb_status walk_code(struct walk *walk)
{
    const struct cf_code *code = walk->edit->code;
    const struct cf_site *site = walk->edit->scan->sites;
    const struct cf_site *end = site + walk->edit->scan->site_count;

    for (uint32_t pc = 0; pc < code->size;) {
        uint32_t next_pc = pc + cf_insn_size(code->bytes, code->size, pc);
        if (walk->frame.pc == pc) {
            MB_TRY(enter_frame(walk));
        }
        cf_state_step(&walk->state, pc);
        bool is_site = site < end && site->pc == pc;
        if (is_site && site->growth == CF_GROWTH_JUMP && walk->frame.pc != next_pc) {
            MB_TRY(add_frame(walk, &walk->state, next_pc));
        }
        site += is_site;
        pc = next_pc;
    }
    return MB_OK;
}

enum mb_status cf_fallthrough_frames(const struct cf_edit *edit,
                                     const struct cf_attribute *attribute,
                                     const struct cf_offsets *offsets, struct mb_arena *arena,
                                     struct cf_frame_list *list, struct mb_error *err)
{
    struct walk walk = {
        .edit = edit,
        .offsets = offsets,
        .arena = arena,
        .frames = cf_frames_of(edit->cls, attribute),
        .list = list,
        .err = err,
    };

    list->count = 0;
    list->frames =
        MB_NEW_ARRAY(arena, struct cf_extra_frame, edit->scan->site_count + walk.frames.left + 1);
    if (list->frames == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(cf_state_enter(&walk.declared, edit->cls, edit->method, edit->code, arena, err));
    if (!cf_state_copy(&walk.state, &walk.declared, arena)) {
        return mb_fail_memory(err);
    }
    find_frame(&walk);
    enum mb_status status = walk_code(&walk);
    mb_buf_finish(&walk.bytes);
    return status;
}
