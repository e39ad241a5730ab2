#include "classfile/tables.h"

#define MAX_NESTING 64 /* of element values; javac writes at most a handful */

/* One row per range of target_type. */
static const struct cf_target target_rows[] = {
    {0x00, 0x01, CF_TARGET_SKIP, 1},      /* type parameter */
    {0x10, 0x10, CF_TARGET_SKIP, 2},      /* supertype */
    {0x11, 0x12, CF_TARGET_SKIP, 2},      /* type parameter bound */
    {0x13, 0x15, CF_TARGET_SKIP, 0},      /* field, return, receiver */
    {0x16, 0x16, CF_TARGET_SKIP, 1},      /* formal parameter */
    {0x17, 0x17, CF_TARGET_SKIP, 2},      /* throws */
    {0x40, 0x41, CF_TARGET_VARIABLES, 0}, /* local variable, resource variable */
    {0x42, 0x42, CF_TARGET_SKIP, 2},      /* catch: an index of the exception table */
    {0x43, 0x46, CF_TARGET_OFFSET, 0},    /* instanceof, new, method references */
    {0x47, 0x4b, CF_TARGET_OFFSET, 1},    /* casts and type arguments */
};

/* The walk reads the old bytes and patches pcs in the copy at the same place. */
struct walk {
    struct cf_cursor in;
    const struct cf_offsets *offsets;
    uint8_t *copy;
};

static uint8_t *take_in_copy(struct walk *walk, size_t size)
{
    size_t at = cf_cursor_offset(&walk->in);

    return cf_read_bytes(&walk->in, size) != NULL ? walk->copy + at : NULL;
}

static void move_variables(struct walk *walk)
{
    uint16_t count = cf_read_u2(&walk->in);

    for (uint16_t i = 0; i < count && !walk->in.overrun; i++) {
        uint8_t *row = take_in_copy(walk, 6);
        if (row == NULL) {
            return;
        }
        cf_span_relocate(row, walk->offsets);
    }
}

const struct cf_target *cf_target_find(uint8_t target_type)
{
    for (size_t i = 0; i < MB_COUNT(target_rows); i++) {
        if (target_rows[i].first <= target_type && target_type <= target_rows[i].last) {
            return &target_rows[i];
        }
    }
    return NULL;
}

static bool move_target(struct walk *walk)
{
    const struct cf_target *row = cf_target_find(cf_read_u1(&walk->in));

    if (row == NULL) {
        return false;
    }
    if (row->form == CF_TARGET_VARIABLES) {
        move_variables(walk);
    } else if (row->form == CF_TARGET_OFFSET) {
        uint8_t *pc = take_in_copy(walk, 2);
        if (pc != NULL) {
            mb_set_u2(pc, cf_offsets_instruction(walk->offsets, mb_get_u2(pc)));
        }
    }
    (void)cf_read_bytes(&walk->in, row->size);
    return true;
}

/* Values still to be skipped at each level of nesting; pairs have a name before the value. */
struct level {
    uint32_t left;
    bool is_pairs;
};

/* Read an element_value (JVMS §4.7.16.1). Gives the level that it opens: left 0 for a plain one. */
static struct level skip_value(struct cf_cursor *in)
{
    uint8_t tag = cf_read_u1(in);

    switch (tag) {
    case '[':
        return (struct level){cf_read_u2(in), false};
    case '@':
        (void)cf_read_u2(in);
        return (struct level){cf_read_u2(in), true};
    case 'e':
        (void)cf_read_bytes(in, 4);
        break;
    default:
        (void)cf_read_bytes(in, 2);
        break;
    }
    return (struct level){0, false};
}

/* Read the type index and element-value pairs of an annotation. False if they nest too deep. */
bool cf_annotation_skip(struct cf_cursor *in)
{
    struct level levels[MAX_NESTING];
    size_t depth = 1;

    (void)cf_read_u2(in);
    levels[0] = (struct level){cf_read_u2(in), true};
    while (depth > 0 && !in->overrun) {
        struct level *level = &levels[depth - 1];
        if (level->left == 0) {
            depth--;
            continue;
        }
        level->left--;
        if (level->is_pairs) {
            (void)cf_read_u2(in);
        }
        struct level opened = skip_value(in);
        if (opened.left > 0) {
            if (depth == MAX_NESTING) {
                return false;
            }
            levels[depth++] = opened;
        }
    }
    return true;
}

enum mb_status cf_type_annotations_relocate(const struct cf_attribute *attribute,
                                            const struct cf_offsets *offsets, struct mb_buf *out,
                                            struct mb_error *err)
{
    size_t at = out->size;

    mb_buf_put(out, attribute->bytes, attribute->size);
    MB_TRY(mb_buf_check(out, err));
    struct walk walk = {
        .in = cf_cursor_over(attribute->bytes, attribute->size),
        .offsets = offsets,
        .copy = out->bytes + at,
    };
    uint16_t count = cf_read_u2(&walk.in);
    for (uint16_t i = 0; i < count && !walk.in.overrun; i++) {
        bool is_known = move_target(&walk);
        (void)cf_read_bytes(&walk.in, (size_t)2 * cf_read_u1(&walk.in)); /* type_path */
        if (!is_known || !cf_annotation_skip(&walk.in)) {
            return mb_fail(err, MB_UNSUPPORTED, attribute->offset,
                           "type annotation of an unknown form");
        }
    }
    if (!cf_cursor_done(&walk.in)) {
        return mb_fail(err, MB_BAD_CLASS, attribute->offset,
                       "type annotations of another size than they say");
    }
    return MB_OK;
}
