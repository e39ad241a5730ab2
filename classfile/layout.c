#include "classfile/layout.h"

#include "classfile/opcode.h"

#include <stdlib.h>

#define ROOM_LIMIT 16383 /* growth in one phase: its double fits an int16_t */
#define BLOCK CF_ROOMS_BLOCK
#define FEW 32 /* most branches in a round that updates the layout in place */

static uint32_t add_growth(uint32_t value, int growth)
{
    return (uint32_t)((int64_t)value + growth);
}

/* --- the whole layout --- */

/* Add points for the insertions from *next up to and including the one at limit. */
static uint32_t place_insertions(struct cf_layout *layout, size_t *next, uint32_t limit,
                                 uint32_t shift)
{
    const struct cf_edit *edit = layout->edit;

    while (*next < edit->insertion_count && edit->insertions[*next].pc <= limit) {
        const struct cf_insertion *insertion = &edit->insertions[(*next)++];
        shift += insertion->size;
        layout->scratch->points[layout->point_count++] =
            (struct cf_offset_point){2 * insertion->pc, shift};
    }
    return shift;
}

static int8_t switch_growth(const struct cf_site *site, uint32_t new_pc)
{
    return (int8_t)((int)cf_switch_padding(new_pc) - (int)cf_switch_padding(site->pc));
}

/* Padding depends only on earlier code, so one forward pass is enough. */
static void place_points(struct cf_layout *layout, bool sites_may_grow)
{
    struct cf_scan *scan = layout->edit->scan;
    size_t next = 0;
    uint32_t shift = 0;

    layout->point_count = 0;
    for (size_t i = 0; sites_may_grow && i < scan->site_count; i++) {
        struct cf_site *site = &scan->sites[i];
        if (!cf_site_is_switch(site) && site->growth == 0) {
            continue;
        }
        shift = place_insertions(layout, &next, site->pc, shift);
        if (cf_site_is_switch(site)) {
            site->growth = switch_growth(site, site->pc + shift);
        }
        if (site->growth != 0) {
            shift = add_growth(shift, site->growth);
            layout->scratch->points[layout->point_count++] =
                (struct cf_offset_point){2U * site->pc + 1, shift};
        }
    }
    shift = place_insertions(layout, &next, UINT32_MAX / 2, shift);
    layout->body_size = layout->edit->code->size + shift;
    cf_offsets_fill(&layout->offsets, layout->scratch->points, layout->point_count,
                    layout->edit->code->size, layout->scratch->shifts);
}

int64_t cf_layout_branch(const struct cf_layout *layout, const struct cf_site *site)
{
    int64_t target = 0;

    (void)cf_insn_branch(layout->edit->code->bytes, site->pc, &target);
    return cf_layout_distance(layout, site->pc, target);
}

/* --- widening --- */

static int64_t max_distance(const struct cf_layout *layout)
{
    return layout->edit->max_distance != 0 ? layout->edit->max_distance : INT16_MAX;
}

static bool can_grow(const struct cf_site *site)
{
    return cf_opcode(site->opcode)->operands == CF_OPERANDS_BRANCH2 && site->growth == 0;
}

/* How many bytes may come between the branch and its target; negative where it must grow. */
static int64_t room_of(const struct cf_layout *layout, const struct cf_site *site)
{
    return max_distance(layout) - llabs(cf_layout_branch(layout, site));
}

static void widen_branch(struct cf_layout *layout, struct cf_site *site)
{
    bool is_jump = cf_opcode(site->opcode)->role == CF_ROLE_JUMP;

    layout->has_widened_jump = layout->has_widened_jump || is_jump;
    site->growth = is_jump ? CF_GROWTH_JUMP : CF_GROWTH_GOTO;
}

/* One round over all branches. True if any grew. */
static bool widen_all(struct cf_layout *layout)
{
    struct cf_scan *scan = layout->edit->scan;
    bool any = false;

    for (size_t i = 0; i < scan->site_count; i++) {
        struct cf_site *site = &scan->sites[i];
        if (can_grow(site) && room_of(layout, site) < 0) {
            widen_branch(layout, site);
            any = true;
        }
    }
    return any;
}

/* --- rounds of a few branches, updating the layout in place --- */

/* Rounds on one layout, until growth exceeds the reserved room. */
struct phase {
    struct cf_layout *layout;
    struct cf_branch_rooms *rooms;
    int32_t growth_left;
    int lowest; /* no room is less */
};

static void add_room(struct phase *phase, size_t index)
{
    struct cf_branch_rooms *rooms = phase->rooms;
    const struct cf_site *site = &phase->layout->edit->scan->sites[index];
    int64_t target = 0;
    int64_t room = room_of(phase->layout, site);

    if (room > ROOM_LIMIT) {
        return;
    }
    (void)cf_insn_branch(phase->layout->edit->code->bytes, site->pc, &target);
    rooms->starts[rooms->count] = (uint16_t)(target < site->pc ? target : site->pc);
    rooms->lengths[rooms->count] = (uint16_t)llabs(target - site->pc);
    rooms->rooms[rooms->count] = (int16_t)(room < -1 ? -1 : room);
    rooms->sites[rooms->count++] = (uint16_t)index;
    phase->lowest = room < phase->lowest ? -1 : phase->lowest;
}

/* The rest of the last block. */
static void fill_up(struct cf_branch_rooms *rooms)
{
    while (rooms->count % BLOCK != 0) {
        rooms->rooms[rooms->count] = 0;
        rooms->lengths[rooms->count++] = 0;
    }
}

static void begin_phase(struct phase *phase)
{
    struct cf_branch_rooms *rooms = phase->rooms;
    const struct cf_scan *scan = phase->layout->edit->scan;

    rooms->count = 0;
    rooms->switch_count = 0;
    for (size_t i = 0; i < scan->site_count; i++) {
        const struct cf_site *site = &scan->sites[i];
        if (can_grow(site)) {
            add_room(phase, i);
        } else if (cf_site_is_switch(site)) {
            rooms->switch_sites[rooms->switch_count] = (uint16_t)i;
            rooms->switch_pcs[rooms->switch_count++] =
                cf_offsets_instruction(&phase->layout->offsets, site->pc);
        }
    }
    fill_up(rooms);
}

/* The instruction at pc takes growth bytes more. A simple loop, for vectors: it runs once for each
 * branch that is widened, over all others. */
static void take_room(struct phase *phase, uint16_t pc, int16_t growth)
{
    struct cf_branch_rooms *rooms = phase->rooms;
    const uint16_t *starts = rooms->starts;
    const uint16_t *lengths = rooms->lengths;
    int16_t *left = rooms->rooms;
    size_t count = rooms->count;
    int16_t lowest = 0;

    for (size_t i = 0; i < count; i++) {
        int16_t taken = (uint16_t)(pc - starts[i]) < lengths[i] ? growth : 0;
        int16_t room = (int16_t)(left[i] - taken);
        left[i] = room;
        lowest = room < lowest ? room : lowest;
    }
    phase->lowest = lowest;
    phase->growth_left -= abs(growth);
    for (size_t i = rooms->switch_count; i > 0; i--) {
        if (phase->layout->edit->scan->sites[rooms->switch_sites[i - 1]].pc <= pc) {
            break;
        }
        rooms->switch_pcs[i - 1] = add_growth(rooms->switch_pcs[i - 1], growth);
    }
}

/* True if one of BLOCK rooms is negative. */
static bool lacks_room(const int16_t rooms[BLOCK])
{
    int16_t signs = 0;

    for (size_t i = 0; i < BLOCK; i++) {
        signs |= rooms[i];
    }
    return signs < 0;
}

/* Widen the branches that do not reach; they take no part any more. Gives their number; of no more
 * than FEW their sites. */
static size_t widen_round(struct phase *phase, uint16_t widened[FEW])
{
    struct cf_branch_rooms *rooms = phase->rooms;
    size_t count = 0;

    for (size_t block = 0; block < rooms->count; block += BLOCK) {
        if (!lacks_room(rooms->rooms + block)) {
            continue;
        }
        for (size_t i = block; i < block + BLOCK; i++) {
            if (rooms->rooms[i] < 0) {
                widen_branch(phase->layout, &phase->layout->edit->scan->sites[rooms->sites[i]]);
                widened[count < FEW ? count : FEW - 1] = rooms->sites[i];
                count++;
                rooms->rooms[i] = 0;
                rooms->lengths[i] = 0;
            }
        }
    }
    return count;
}

static void pad_switches(struct phase *phase)
{
    struct cf_branch_rooms *rooms = phase->rooms;

    for (size_t i = 0; i < rooms->switch_count && phase->growth_left > 0; i++) {
        struct cf_site *site = &phase->layout->edit->scan->sites[rooms->switch_sites[i]];
        int8_t growth = switch_growth(site, rooms->switch_pcs[i]);
        if (growth != site->growth) {
            int16_t more = (int16_t)(growth - site->growth);
            site->growth = growth;
            take_room(phase, site->pc, more);
        }
    }
}

/* Rounds as widen_all and place_points make them, as long as each widens only a few and the kept
 * rooms last. True if any branch grew: then offsets are to be made anew. */
static bool widen_few(struct cf_layout *layout)
{
    struct phase phase = {
        .layout = layout, .rooms = &layout->scratch->rooms, .growth_left = ROOM_LIMIT};
    uint16_t widened[FEW];

    begin_phase(&phase);
    bool any = phase.lowest < 0;
    while (phase.lowest < 0 && phase.growth_left > 0) {
        size_t count = widen_round(&phase, widened);
        if (count > FEW) {
            return true;
        }
        for (size_t i = 0; i < count && phase.growth_left > 0; i++) {
            const struct cf_site *site = &layout->edit->scan->sites[widened[i]];
            take_room(&phase, site->pc, site->growth);
        }
        pad_switches(&phase);
    }
    return any;
}

static bool fits_if_widened(const struct cf_layout *layout)
{
    return layout->body_size > max_distance(layout) && layout->body_size <= CF_MAX_CODE_SIZE;
}

enum mb_status cf_layout_plan(struct cf_layout *layout, const struct cf_edit *edit,
                              struct cf_layout_scratch *scratch, struct mb_error *err)
{
    struct cf_scan *scan = edit->scan;

    *layout = (struct cf_layout){.edit = edit, .scratch = scratch};
    uint32_t limit = edit->max_size != 0 ? edit->max_size : CF_MAX_CODE_SIZE;
    if (edit->insertion_count > limit / CF_MIN_INSERTION) {
        return mb_fail(err, MB_TOO_LARGE, MB_NO_OFFSET, "code over %u bytes", limit);
    }
    for (size_t i = 0; i < scan->site_count; i++) {
        scan->sites[i].growth = 0;
    }
    place_points(layout, scan->switch_count > 0);
    while (fits_if_widened(layout) && widen_all(layout)) {
        place_points(layout, true);
        if (fits_if_widened(layout) && widen_few(layout)) {
            place_points(layout, true);
        }
    }
    if (layout->body_size + edit->handler_size > limit) {
        return mb_fail(err, MB_TOO_LARGE, MB_NO_OFFSET, "code over %u bytes", limit);
    }
    return MB_OK;
}
