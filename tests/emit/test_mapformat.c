/* Lines of the mapping files, made in parts: however they are cut, together they are the same. */

#include "instrument/emit/mapformat.h"
#include "planned.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define MESSAGE "1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n"

static const struct input_class some[] = {{"x", "a/A go -run"},
                                          {"x", "b/B -stop"},
                                          {"y", "a/A -go -run more"},
                                          {"y", "c/C first second"},
                                          {"z", "a/A go -run"}};

static struct planned planned;
static struct emit_map_model model;

static void init(void)
{
    planned_open(&planned, some, MB_COUNT(some), 1);
    model = (struct emit_map_model){&planned.describer, &planned.inputs.sources, &planned.order,
                                    &planned.numbering, &planned.base};
}

static void finish(void)
{
    planned_close(&planned);
}

TestSuite(mapformat, .init = init, .fini = finish);

/* The file made in parts of this size, each with its own scratch. */
static void put_file(const struct emit_map_format *format, size_t part_size, struct mb_buf *out)
{
    size_t count = format->count(&model);

    for (size_t first = 0; first < count || first == 0; first += part_size) {
        struct emit_map_part part = {.model = &model, .out = out};
        size_t end = first + part_size < count ? first + part_size : count;
        cr_assert(eq(int, format->put(&part, first, end, NULL), MB_OK));
        mb_arena_finish(&part.scratch);
    }
    mb_buf_put_u1(out, '\0');
}

static void expect_file(const struct emit_map_format *format, const char *expected)
{
    for (size_t part_size = 1; part_size < 8; part_size++) {
        struct mb_buf out = {0};
        put_file(format, part_size, &out);
        cr_expect_str_eq((char *)out.bytes, expected, "in parts of %zu", part_size);
        mb_buf_finish(&out);
    }
}

Test(mapformat, the_method_map_has_a_line_for_each_id)
{
    expect_file(&emit_method_map_format, "1,9,a.A go ()V\n2,9,a.A more ()V\n3,9,c.C first ()V\n"
                                         "4,9,c.C second ()V\n" MESSAGE);
}

Test(mapformat, ids_without_a_method_are_left_out_unless_the_base_map_has_them)
{
    planned_find(&planned, "c/C")->methods[0].verdict = RULE_IGNORE; /* a limit, in pass 2 */
    for (uint32_t id = 0; id < planned.numbering.end_id; id++) {
        planned.numbering.owners[id].is_used = false;
    }
    plan_mark_used_ids(&planned.numbering, planned.order.classes, planned.order.count);
    expect_file(&emit_method_map_format,
                "1,9,a.A go ()V\n2,9,a.A more ()V\n4,9,c.C second ()V\n" MESSAGE);
    cr_assert(eq(int,
                 abi_methodmap_parse(&planned.base, MB_TEXT("3,1,old.Name run ()V\n"), "b", NULL),
                 MB_OK));
    expect_file(&emit_method_map_format, "1,9,a.A go ()V\n2,9,a.A more ()V\n"
                                         "3,1,old.Name run ()V\n4,9,c.C second ()V\n" MESSAGE);
}

/* What one of the copies traces is not ignored, and what two ignore is there once. */
Test(mapformat, ignored_methods_of_copies_come_once)
{
    expect_file(&emit_ignore_map_format, "ignore methods:\na.A run ()V\nb.B stop ()V\n");
}

Test(mapformat, each_method_of_each_copy_is_explained)
{
    struct mb_buf out = {0};
    size_t lines = 0;

    put_file(&emit_explain_format, 1, &out);
    for (const char *at = (char *)out.bytes; (at = strchr(at, '\n')) != NULL; at++) {
        lines++;
    }
    cr_expect(eq(sz, lines, 10));
    cr_expect(ne(ptr, strstr((char *)out.bytes, "\"class\":\"a/A\",\"method\":\"go\""), NULL));
    cr_expect(ne(ptr, strstr((char *)out.bytes, "\"verdict\":\"trace\""), NULL));
    cr_expect(ne(ptr, strstr((char *)out.bytes, "\"rule\":\"empty\""), NULL));
    char *whole = strdup((char *)out.bytes);
    mb_buf_finish(&out);
    expect_file(&emit_explain_format, whole);
    free(whole);
}
