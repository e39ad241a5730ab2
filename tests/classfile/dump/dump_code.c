#include "dump_code.h"

#include "classfile/code.h"
#include "classfile/opcode.h"
#include "dump_pool.h"
#include "dump_tables.h"

#include <ctype.h>
#include <inttypes.h>

/* --- operands: a printer for each form --- */

typedef void (*print_operands)(const struct cf_dump *dump, const uint8_t *code, uint32_t pc);

static void put_nothing(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    (void)dump;
    (void)code;
    (void)pc;
}

static void put_local(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    bool is_wide = code[pc] == CF_OP_WIDE;
    uint8_t operands = cf_opcode(code[pc + is_wide])->operands;
    bool is_of_name = operands >= CF_OPERANDS_LOCAL_0 && operands <= CF_OPERANDS_LOCAL_3;
    unsigned local = is_wide ? mb_get_u2(code + pc + 2) : code[pc + 1];

    mb_buf_printf(dump->out, " %u", is_of_name ? operands - (unsigned)CF_OPERANDS_LOCAL_0 : local);
}

static void put_byte(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    mb_buf_printf(dump->out, " %d", (int8_t)code[pc + 1]);
}

static void put_short(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    mb_buf_printf(dump->out, " %d", (int16_t)mb_get_u2(code + pc + 1));
}

static void put_pool(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    mb_buf_put_u1(dump->out, ' ');
    cf_dump_constant(dump->out, &dump->cls->pool, cf_insn_pool_index(code, pc));
}

static void put_increment(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    bool is_wide = code[pc] == CF_OP_WIDE;

    put_local(dump, code, pc);
    mb_buf_printf(dump->out, " by %d",
                  is_wide ? (int16_t)mb_get_u2(code + pc + 4) : (int8_t)code[pc + 2]);
}

static void put_branch(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    int64_t target = 0;

    (void)cf_insn_branch(code, pc, &target);
    mb_buf_printf(dump->out, " -> %" PRId64, target);
}

/* The lowest key of a tableswitch stands before the highest, which stands before its rows. */
static int32_t switch_key(const struct cf_switch *table, uint32_t row)
{
    return table->row_size == 8 ? (int32_t)mb_get_u4(table->rows + (size_t)row * 8)
                                : (int32_t)((int64_t)(int32_t)mb_get_u4(table->rows - 8) + row);
}

static void put_switch(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    struct cf_switch table = cf_switch_at(code, pc);

    for (uint32_t row = 0; row < table.count; row++) {
        mb_buf_printf(dump->out, "\n           %" PRId32 " -> %" PRId64, switch_key(&table, row),
                      cf_switch_target(&table, row));
    }
    mb_buf_printf(dump->out, "\n           default -> %" PRId64,
                  cf_switch_target(&table, table.count));
}

static void put_element_type(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    static const char *const types[] = {/* JVMS table 6.5.newarray-A, from 4 */
                                        "boolean", "char",  "float", "double",
                                        "byte",    "short", "int",   "long"};
    unsigned type = code[pc + 1] - 4U;

    mb_buf_printf(dump->out, " %s", type < MB_COUNT(types) ? types[type] : "?");
}

static void put_dimensions(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    put_pool(dump, code, pc);
    mb_buf_printf(dump->out, " dimensions %u", code[pc + 3]);
}

static const print_operands printers[] = {
    [CF_OPERANDS_UNDEFINED] = put_nothing,
    [CF_OPERANDS_NONE] = put_nothing,
    [CF_OPERANDS_LOCAL_0] = put_nothing,
    [CF_OPERANDS_LOCAL_1] = put_nothing,
    [CF_OPERANDS_LOCAL_2] = put_nothing,
    [CF_OPERANDS_LOCAL_3] = put_nothing,
    [CF_OPERANDS_LOCAL] = put_local,
    [CF_OPERANDS_BYTE] = put_byte,
    [CF_OPERANDS_SHORT] = put_short,
    [CF_OPERANDS_POOL1] = put_pool,
    [CF_OPERANDS_POOL2] = put_pool,
    [CF_OPERANDS_IINC] = put_increment,
    [CF_OPERANDS_BRANCH2] = put_branch,
    [CF_OPERANDS_BRANCH4] = put_branch,
    [CF_OPERANDS_TABLESWITCH] = put_switch,
    [CF_OPERANDS_LOOKUPSWITCH] = put_switch,
    [CF_OPERANDS_INVOKEINTERFACE] = put_pool,
    [CF_OPERANDS_INVOKEDYNAMIC] = put_pool,
    [CF_OPERANDS_NEWARRAY] = put_element_type,
    [CF_OPERANDS_MULTIANEWARRAY] = put_dimensions,
    [CF_OPERANDS_WIDE] = put_nothing,
};

/* --- code --- */

static void put_name(struct mb_buf *out, const char *name)
{
    for (; *name != '\0'; name++) {
        mb_buf_put_u1(out, (unsigned char)tolower((unsigned char)*name));
    }
}

static void put_instruction(const struct cf_dump *dump, const uint8_t *code, uint32_t pc)
{
    const struct cf_opcode_info *info = cf_opcode(cf_insn_opcode(code, pc));

    mb_buf_printf(dump->out, "    %5" PRIu32 " %s", pc, code[pc] == CF_OP_WIDE ? "wide " : "");
    put_name(dump->out, info->name);
    printers[info->operands](dump, code, pc);
    mb_buf_put_u1(dump->out, '\n');
}

static enum mb_status put_instructions(const struct cf_dump *dump, const struct cf_code *code)
{
    for (uint32_t pc = 0; pc < code->size;) {
        uint32_t size = cf_insn_size(code->bytes, code->size, pc);
        if (size == 0) {
            return mb_fail(dump->err, MB_BAD_CLASS, code->offset + pc,
                           "undefined or unfinished instruction");
        }
        put_instruction(dump, code->bytes, pc);
        pc += size;
    }
    return MB_OK;
}

static void put_handlers(const struct cf_dump *dump, const struct cf_code *code)
{
    for (uint16_t i = 0; i < code->handler_count; i++) {
        const uint8_t *row = code->handlers + (size_t)i * CF_HANDLER_SIZE;
        uint16_t type = mb_get_u2(row + 6);
        mb_buf_printf(dump->out, "    handler %u..%u -> %u ", mb_get_u2(row), mb_get_u2(row + 2),
                      mb_get_u2(row + 4));
        if (type != 0) {
            cf_dump_constant(dump->out, &dump->cls->pool, type);
        } else {
            mb_buf_put_string(dump->out, "any");
        }
        mb_buf_put_u1(dump->out, '\n');
    }
}

static enum mb_status put_attribute(const struct cf_dump *dump,
                                    const struct cf_attribute *attribute)
{
    struct mb_buf *out = dump->out;

    mb_buf_put_string(out, "    ");
    cf_dump_text(out, cf_pool_utf8(&dump->cls->pool, attribute->name_index));
    mb_buf_put_u1(out, '\n');
    switch (attribute->kind) {
    case CF_ATTRIBUTE_StackMapTable:
    case CF_ATTRIBUTE_StackMap:
        return cf_dump_frames(dump, attribute);
    case CF_ATTRIBUTE_LineNumberTable:
        return cf_dump_lines(dump, attribute);
    case CF_ATTRIBUTE_LocalVariableTable:
    case CF_ATTRIBUTE_LocalVariableTypeTable:
        return cf_dump_variables(dump, attribute);
    case CF_ATTRIBUTE_RuntimeVisibleTypeAnnotations:
    case CF_ATTRIBUTE_RuntimeInvisibleTypeAnnotations:
        return cf_dump_type_annotations(dump, attribute);
    default:
        mb_buf_printf(out, "      size %" PRIu32 "\n", attribute->size);
        return MB_OK;
    }
}

static enum mb_status put_code(const struct cf_dump *dump, const struct cf_member *method)
{
    struct cf_code code;
    struct cf_attribute attribute;

    MB_TRY(cf_code_parse(&code, dump->cls, method, dump->err));
    mb_buf_printf(dump->out, "  Code stack %u locals %u size %" PRIu32 "\n", code.max_stack,
                  code.max_locals, code.size);
    MB_TRY(put_instructions(dump, &code));
    put_handlers(dump, &code);
    struct cf_attributes it = cf_code_attributes(dump->cls, &code);
    while (cf_attributes_next(&it, &attribute)) {
        MB_TRY(put_attribute(dump, &attribute));
    }
    return MB_OK;
}

enum mb_status cf_dump_code(const struct cf_dump *dump, const struct cf_member *method)
{
    enum mb_status status = put_code(dump, method);

    if (status != MB_OK) {
        cf_error_in_method(dump->err, dump->cls, method);
    }
    return status;
}
