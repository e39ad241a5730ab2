/* Code attributes: sizes and handlers that cannot be, each named with its method. */

#include "class_builder.h"
#include "classfile/code.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* In the attribute: name 0, length 2, max_stack 6, max_locals 8, code_length 10, code 14 .. 17,
 * exception_table_length 18, start_pc 20, end_pc 22, handler_pc 24, catch_type 26, attributes
 * 28. */
static const uint8_t code_bytes[] = {0x00, 0x00, 0x01, 0xbf};
static const uint16_t handlers[][4] = {{0, 2, 2, 0}};

struct code_case {
    const char *what;
    unsigned at;
    unsigned value;
    const char *reason; /* NULL: it is code */
};

static const struct code_case code_cases[] = {
    {"as built", 8, 1, NULL},
    {"no code", 12, 0, "code of 0 bytes"},
    {"65,536 bytes", 10, 1, "code of 65540 bytes"},
    {"code past the attribute", 12, 400, "code passes the end of its attribute"},
    {"handlers past the attribute", 18, 400, "code passes the end of its attribute"},
    {"a range that is empty", 22, 0, "handler 0 covers [0, 0) at 2 of 4 bytes of code"},
    {"a range that is reversed", 20, 3, "handler 0 covers [3, 2) at 2 of 4 bytes of code"},
    {"a range to the end", 22, 4, NULL},
    {"a range past the end", 22, 5, "handler 0 covers [0, 5) at 2 of 4 bytes of code"},
    {"a handler at the end", 24, 4, "handler 0 covers [0, 2) at 4 of 4 bytes of code"},
    {"the last instruction handles", 24, 3, NULL},
    {"an attribute too many", 28, 2, "attribute 1 of the code passes its end or has no name"},
    {"an attribute too few", 28, 0, "code attribute of another size than it says"},
    {"an attribute without a name", 30, 0, "attribute 0 of the code passes its end or has no name"},
};

EACH_ROW(code, shapes, code_cases);

ParameterizedTest(size_t *row, code, shapes)
{
    const struct code_case *c = &code_cases[*row];
    const struct built_attribute attribute = {"Other", code_bytes, 3};
    struct class_builder builder;
    struct mb_buf bytes = {0};
    struct mb_arena arena = {0};
    struct mb_error err = {0};
    struct cf_class cls;
    struct cf_code code;

    class_builder_init(&builder, "a/B", "a/C");
    class_builder_add_method(&builder, &(struct built_method){.name = "run",
                                                              .descriptor = "()V",
                                                              .max_stack = 7,
                                                              .max_locals = 1,
                                                              .code = code_bytes,
                                                              .code_size = sizeof(code_bytes),
                                                              .handlers = handlers,
                                                              .handler_count = 1,
                                                              .attributes = &attribute,
                                                              .attribute_count = 1});
    class_builder_write(&builder, &bytes);
    class_builder_finish(&builder);
    cr_assert(eq(int, cf_class_parse(&cls, &arena, bytes.bytes, bytes.size, NULL), MB_OK));
    mb_set_u2(bytes.bytes + cls.methods[0].code + c->at, c->value);
    enum mb_status status = cf_code_parse(&code, &cls, &cls.methods[0], &err);
    cr_expect(eq(int, status, c->reason == NULL ? MB_OK : MB_BAD_CLASS), "%s", c->what);
    if (c->reason != NULL) {
        cr_expect_str_eq(err.reason, c->reason, "%s", c->what);
        cr_expect_str_eq(err.method, "run()V");
        cr_expect_str_eq(err.class_name, "a/B");
    } else {
        cr_expect(eq(u16, code.max_stack, 7));
        cr_expect(eq(u32, code.size, sizeof(code_bytes)));
        cr_expect(eq(int, code.bytes[3], 0xbf));
        cr_expect(eq(u16, code.handler_count, 1));
        cr_expect(eq(sz, code.end, cls.methods[0].end));
    }
    mb_arena_finish(&arena);
    mb_buf_finish(&bytes);
}
