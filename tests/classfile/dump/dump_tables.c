#include "dump_tables.h"

#include "classfile/frames.h"
#include "classfile/tables.h"

#include <inttypes.h>

static enum mb_status check_done(const struct cf_dump *dump, const struct cf_cursor *in,
                                 const struct cf_attribute *attribute)
{
    return cf_cursor_done(in) ? MB_OK
                              : mb_fail(dump->err, MB_BAD_CLASS, attribute->offset,
                                        "attribute of another size than its content says");
}

/* --- frames --- */

/* One verification type. value: Class index or pc, else 0. */
struct type {
    uint8_t tag;
    uint16_t value;
};

/* The type at *types, which moves past it. */
static struct type read_type(const uint8_t **types)
{
    struct type type = {.tag = (*types)[0]};

    if (type.tag >= CF_TYPE_OBJECT) {
        type.value = mb_get_u2(*types + 1);
        *types += 3;
    } else {
        *types += 1;
    }
    return type;
}

static void put_types(const struct cf_dump *dump, const uint8_t *types, uint16_t count)
{
    static const char *const names[] = {
        [CF_TYPE_TOP] = "top",
        [CF_TYPE_INTEGER] = "int",
        [CF_TYPE_FLOAT] = "float",
        [CF_TYPE_DOUBLE] = "double",
        [CF_TYPE_LONG] = "long",
        [CF_TYPE_NULL] = "null",
        [CF_TYPE_UNINITIALIZED_THIS] = "uninitialized-this",
        [CF_TYPE_OBJECT] = "",
        [CF_TYPE_UNINITIALIZED] = "uninitialized@",
    };

    for (uint16_t i = 0; i < count; i++) {
        struct type type = read_type(&types);
        mb_buf_printf(dump->out, " %s", names[type.tag]);
        if (type.tag == CF_TYPE_OBJECT) {
            cf_dump_text(dump->out, cf_pool_class_name(&dump->cls->pool, type.value));
        } else if (type.tag == CF_TYPE_UNINITIALIZED) {
            mb_buf_printf(dump->out, "%u", type.value);
        }
    }
}

static void put_frame(const struct cf_dump *dump, const struct cf_frame *frame)
{
    struct mb_buf *out = dump->out;

    mb_buf_printf(out, "      %5" PRIu32 " ", frame->pc);
    if (frame->type == CF_FRAME_FULL) {
        mb_buf_put_string(out, "full");
    } else if (frame->chop_count > 0) {
        mb_buf_printf(out, "chop %u", frame->chop_count);
    } else if (frame->local_count > 0) {
        mb_buf_put_string(out, "append");
    } else {
        mb_buf_put_string(out, "same");
    }
    put_types(dump, frame->locals, frame->local_count);
    if (frame->stack_count > 0) {
        mb_buf_put_string(out, " | stack");
        put_types(dump, frame->stack, frame->stack_count);
    }
    mb_buf_put_u1(out, '\n');
}

enum mb_status cf_dump_frames(const struct cf_dump *dump, const struct cf_attribute *attribute)
{
    struct cf_frames frames = cf_frames_of(dump->cls, attribute);
    struct cf_frame frame;

    while (cf_frames_next(&frames, &frame)) {
        put_frame(dump, &frame);
    }
    return cf_frames_check(&frames, dump->err);
}

/* --- debug tables --- */

enum mb_status cf_dump_lines(const struct cf_dump *dump, const struct cf_attribute *attribute)
{
    struct cf_cursor in = cf_cursor_over(attribute->bytes, attribute->size);
    uint16_t count = cf_read_u2(&in);

    for (uint16_t i = 0; i < count && !in.overrun; i++) {
        uint16_t pc = cf_read_u2(&in);
        uint16_t line = cf_read_u2(&in);
        mb_buf_printf(dump->out, "      %5u line %u\n", pc, line);
    }
    return check_done(dump, &in, attribute);
}

static void put_pcs(struct mb_buf *out, struct cf_cursor *in)
{
    uint32_t start_pc = cf_read_u2(in);
    uint32_t end_pc = start_pc + cf_read_u2(in);

    mb_buf_printf(out, "%" PRIu32 "..%" PRIu32, start_pc, end_pc);
}

enum mb_status cf_dump_variables(const struct cf_dump *dump, const struct cf_attribute *attribute)
{
    struct cf_cursor in = cf_cursor_over(attribute->bytes, attribute->size);
    const struct cf_pool *pool = &dump->cls->pool;
    uint16_t count = cf_read_u2(&in);

    for (uint16_t i = 0; i < count && !in.overrun; i++) {
        mb_buf_put_string(dump->out, "      ");
        put_pcs(dump->out, &in);
        struct mb_text name = cf_pool_utf8(pool, cf_read_u2(&in));
        struct mb_text descriptor = cf_pool_utf8(pool, cf_read_u2(&in));
        mb_buf_printf(dump->out, " local %u ", cf_read_u2(&in));
        cf_dump_text(dump->out, name);
        mb_buf_put_u1(dump->out, ' ');
        cf_dump_text(dump->out, descriptor);
        mb_buf_put_u1(dump->out, '\n');
    }
    return check_done(dump, &in, attribute);
}

/* --- type annotations (JVMS §4.7.20) --- */

static void put_annotated_locals(struct mb_buf *out, struct cf_cursor *in)
{
    uint16_t count = cf_read_u2(in);

    for (uint16_t i = 0; i < count && !in->overrun; i++) {
        mb_buf_put_u1(out, ' ');
        put_pcs(out, in);
        mb_buf_printf(out, " local %u", cf_read_u2(in));
    }
}

static bool put_target(struct mb_buf *out, struct cf_cursor *in)
{
    uint8_t target_type = cf_read_u1(in);
    const struct cf_target *target = cf_target_find(target_type);

    if (target == NULL) {
        return false;
    }
    mb_buf_printf(out, "      target 0x%02x", target_type);
    if (target->form == CF_TARGET_VARIABLES) {
        put_annotated_locals(out, in);
    } else if (target->form == CF_TARGET_OFFSET) {
        mb_buf_printf(out, " at %u", cf_read_u2(in));
    }
    if (target->size == 2) {
        mb_buf_printf(out, " index %u", cf_read_u2(in));
    } else if (target->size == 1) {
        mb_buf_printf(out, " index %u", cf_read_u1(in));
    }
    return true;
}

static void put_path(struct mb_buf *out, struct cf_cursor *in)
{
    uint8_t length = cf_read_u1(in);

    for (uint8_t i = 0; i < length && !in->overrun; i++) {
        uint8_t kind = cf_read_u1(in);
        mb_buf_printf(out, "%s%u.%u", i == 0 ? " path " : "/", kind, cf_read_u1(in));
    }
}

enum mb_status cf_dump_type_annotations(const struct cf_dump *dump,
                                        const struct cf_attribute *attribute)
{
    struct cf_cursor in = cf_cursor_over(attribute->bytes, attribute->size);
    uint16_t count = cf_read_u2(&in);

    for (uint16_t i = 0; i < count && !in.overrun; i++) {
        bool is_known = put_target(dump->out, &in);
        put_path(dump->out, &in);
        struct cf_cursor annotation = in; /* begins with its type */
        mb_buf_put_string(dump->out, " type ");
        cf_dump_text(dump->out, cf_pool_utf8(&dump->cls->pool, cf_read_u2(&annotation)));
        mb_buf_put_u1(dump->out, '\n');
        if (!is_known || !cf_annotation_skip(&in)) {
            return mb_fail(dump->err, MB_UNSUPPORTED, attribute->offset,
                           "type annotation of an unknown form");
        }
    }
    return check_done(dump, &in, attribute);
}
