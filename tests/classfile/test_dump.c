#include "class_builder.h"
#include "dump.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

/* 0 iload_0; 1 tableswitch 1..1 -> 20, default -> 22; 20 iconst_1; 21 ireturn; 22 wide iload 256;
 * 26 ireturn; 27 athrow */
static const uint8_t code[] = {0x1a, 0xaa, 0, 0, 0, 0,  0,    21,   0,    0,    0, 1, 0,    0,
                               0,    1,    0, 0, 0, 19, 0x04, 0xac, 0xc4, 0x15, 1, 0, 0xac, 0xbf};
static const uint8_t frames[] = {0, 3, 20, 65, 1, 255, 0, 4, 0, 1, 8, 0, 20, 0, 1, 7, 0, 2};
static const uint8_t lines[] = {0, 1, 0, 20, 0, 7};

static void build(struct mb_buf *bytes, const uint8_t *body, size_t size)
{
    static const uint16_t handlers[][4] = {{0, 20, 27, 0}};
    static const struct built_attribute attributes[] = {
        {"StackMapTable", frames, sizeof(frames)},
        {"LineNumberTable", lines, sizeof(lines)},
        {"Own", lines, 3},
    };
    struct class_builder builder;

    class_builder_init(&builder, "a/B", "java/lang/Object");
    class_builder_add_method(&builder, &(struct built_method){.name = "odd name",
                                                              .descriptor = "(I)I",
                                                              .access_flags = 0x0009,
                                                              .max_stack = 1,
                                                              .max_locals = 257,
                                                              .code = body,
                                                              .code_size = size,
                                                              .handlers = handlers,
                                                              .handler_count = 1,
                                                              .attributes = attributes,
                                                              .attribute_count = 3});
    class_builder_add_method(
        &builder, &(struct built_method){.name = "b", .descriptor = "()V", .access_flags = 0x0401});
    class_builder_write(&builder, bytes);
    class_builder_finish(&builder);
}

static enum mb_status list(const struct mb_buf *bytes, const struct cf_dump_options *options,
                           struct mb_buf *out, struct mb_error *err)
{
    struct mb_arena arena = {0};
    struct cf_class cls;

    cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes->bytes, bytes->size, NULL), MB_OK));
    enum mb_status status = cf_dump_class(&cls, options, out, err);
    mb_buf_put_u1(out, 0);
    mb_arena_finish(&arena);
    return status;
}

Test(dump, lists_a_method_to_the_last_table)
{
    struct mb_buf bytes = {0};
    struct mb_buf out = {0};

    build(&bytes, code, sizeof(code));
    cr_assert(eq(int, list(&bytes, &(struct cf_dump_options){0}, &out, NULL), MB_OK));
    cr_assert_str_eq((const char *)out.bytes, "class a/B\n"
                                              "  extends java/lang/Object\n"
                                              "  version 52.0\n"
                                              "  flags public super\n"
                                              "\n"
                                              "method public static odd\\x20name (I)I\n"
                                              "  Code stack 1 locals 257 size 28\n"
                                              "        0 iload_0\n"
                                              "        1 tableswitch\n"
                                              "           1 -> 20\n"
                                              "           default -> 22\n"
                                              "       20 iconst_1\n"
                                              "       21 ireturn\n"
                                              "       22 wide iload 256\n"
                                              "       26 ireturn\n"
                                              "       27 athrow\n"
                                              "    handler 0..20 -> 27 any\n"
                                              "    StackMapTable\n"
                                              "         20 same\n"
                                              "         22 same | stack int\n"
                                              "         27 full uninitialized@20 | stack a/B\n"
                                              "    LineNumberTable\n"
                                              "         20 line 7\n"
                                              "    Own\n"
                                              "      size 3\n"
                                              "\n"
                                              "method public abstract b ()V\n");
    mb_buf_finish(&out);
    mb_buf_finish(&bytes);
}

Test(dump, one_method_by_name_and_descriptor)
{
    struct mb_buf bytes = {0};
    struct mb_buf out = {0};
    struct cf_dump_options options = {.method = MB_TEXT("b"), .descriptor = MB_TEXT("()V")};

    build(&bytes, code, sizeof(code));
    cr_assert(eq(int, list(&bytes, &options, &out, NULL), MB_OK));
    cr_assert_str_eq((const char *)out.bytes, "class a/B\n\nmethod public abstract b ()V\n");
    mb_buf_reset(&out);
    options.descriptor = MB_TEXT("()I");
    cr_assert(eq(int, list(&bytes, &options, &out, NULL), MB_OK));
    cr_assert_str_eq((const char *)out.bytes, "");
    mb_buf_finish(&out);
    mb_buf_finish(&bytes);
}

Test(dump, says_where_instructions_end)
{
    static const uint8_t broken[] = {0x00, 0xfe};
    struct mb_buf bytes = {0};
    struct mb_buf out = {0};
    struct mb_error err = {0};

    build(&bytes, code, sizeof(code));
    for (size_t at = 0; at + sizeof(code) <= bytes.size; at++) {
        if (memcmp(bytes.bytes + at, code, sizeof(code)) == 0) {
            memcpy(bytes.bytes + at, broken, sizeof(broken));
            cr_assert(
                eq(int, list(&bytes, &(struct cf_dump_options){0}, &out, &err), MB_BAD_CLASS));
            cr_assert(eq(sz, err.offset, at + 1));
            cr_assert_str_eq(err.method, "odd name(I)I");
        }
    }
    cr_assert(eq(int, err.status, MB_BAD_CLASS));
    mb_buf_finish(&out);
    mb_buf_finish(&bytes);
}
