/* Where each instruction goes when code is moved apart, and which branches need more room for it.
 * For relocate.c only. */

#ifndef CLASSFILE_LAYOUT_H
#define CLASSFILE_LAYOUT_H

#include "classfile/edit.h"
#include "classfile/opcode.h"
#include "classfile/tables.h"

#define CF_GROWTH_GOTO 2 /* goto -> goto_w, jsr -> jsr_w */
#define CF_GROWTH_JUMP 5 /* ifX far -> ifnotX over; goto_w far; over: */

#define CF_MIN_INSERTION 4U /* bytes; no probe is shorter, so this many points are enough: */
#define CF_MAX_POINTS (CF_MAX_CODE_SIZE / CF_MIN_INSERTION + 1 + CF_MAX_BRANCHES + 1)
#define CF_MAX_BRANCHES (CF_MAX_CODE_SIZE / 3) /* an opcode and two bytes of distance */
#define CF_MAX_SWITCHES (CF_MAX_CODE_SIZE / 9) /* an opcode, default and count */

#define CF_ROOMS_BLOCK 64U
#define CF_MAX_ROOMS (CF_MAX_BRANCHES / CF_ROOMS_BLOCK * CF_ROOMS_BLOCK + CF_ROOMS_BLOCK)

/* The distances that branches may still grow to before they must be widened, as far as needed.
 * Column by column: each growth of an instruction is subtracted from all branches that cross it.
 * Whole blocks; padding of the last block, and widened branches, have length 0. */
struct cf_branch_rooms {
    uint16_t starts[CF_MAX_ROOMS];  /* the first of the two pcs */
    uint16_t lengths[CF_MAX_ROOMS]; /* from there to the second */
    int16_t rooms[CF_MAX_ROOMS];
    uint16_t sites[CF_MAX_ROOMS]; /* of the scan */
    size_t count;
    uint16_t switch_sites[CF_MAX_SWITCHES];
    uint32_t switch_pcs[CF_MAX_SWITCHES]; /* in the new code */
    size_t switch_count;
};

/* Scratch for one thread. */
struct cf_layout_scratch {
    struct cf_offset_point points[CF_MAX_POINTS];
    uint16_t shifts[2 * CF_MAX_CODE_SIZE + CF_SHIFTS_SPARE];
    struct cf_branch_rooms rooms;
};

struct cf_layout {
    const struct cf_edit *edit;
    struct cf_layout_scratch *scratch;
    size_t point_count;
    struct cf_offsets offsets;
    uint32_t body_size; /* of the new code without the handler */
    bool has_widened_jump;
};

static inline bool cf_site_is_switch(const struct cf_site *site)
{
    return cf_opcode(site->opcode)->role == CF_ROLE_SWITCH;
}

/* Bytes between the opcode of a switch and its default distance. */
static inline uint32_t cf_switch_padding(uint32_t pc)
{
    return 3 - (pc & 3);
}

/* From the instruction at old pc to where jumps to old target land. */
static inline int64_t cf_layout_distance(const struct cf_layout *layout, uint32_t pc,
                                         int64_t target)
{
    return (int64_t)cf_offsets_target(&layout->offsets, (uint32_t)target) -
           (int64_t)cf_offsets_instruction(&layout->offsets, pc);
}

/* The same for the branch at a site. */
int64_t cf_layout_branch(const struct cf_layout *layout, const struct cf_site *site);

/* Fill the growths of edit's scan and all fields after edit and scratch. Widens as few branches as
 * possible: rounds, each of which widens all branches that do not reach in the layout before it,
 * until all reach. MB_TOO_LARGE: code over 65535 bytes. */
MB_MUST_CHECK enum mb_status cf_layout_plan(struct cf_layout *layout, const struct cf_edit *edit,
                                            struct cf_layout_scratch *scratch,
                                            struct mb_error *err);

#endif
