#include "export/export.h"

#include "abi/tracefile.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct mb_text find(const void *context, uint32_t id)
{
    (void)context;
    return id == 1 ? MB_TEXT("a.B;\"c\"") : id == 2 ? MB_TEXT("d.E") : (struct mb_text){0};
}

static const struct trace_method methods[] = {
    {.id = 1, .calls = 9, .total = 30, .self = 1},
    {.id = 2, .calls = 9, .total = 20, .self = 20},
    {.id = 3, .calls = 50, .total = 20, .self = 5},
};

/* 1 (500) calls 2 (300, three at once), which calls 3 (100); all still open. Times in units of
 * 2 ms. */
static const struct trace_item items[] = {
    {.start = 5, .duration = 500, .id = 1, .depth = 0, .count = 1, .is_open = 1},
    {.start = 6, .duration = 300, .id = 2, .depth = 1, .count = 3, .is_open = 1},
    {.start = 7, .duration = 100, .id = 3, .depth = 2, .count = 1, .is_open = 1},
};

static const struct export_thread thread = {
    .name = MB_TEXT_ROW("main;1"),
    .id = 7,
    .is_main = true,
    .is_live = true,
    .calls = 5,
    .losses = {.words = 3, .open_calls = 3},
    .start_ns = 10000000,
    .end_ns = 900000000,
    .busy_ns = 1000000000,
    .methods = methods,
    .method_count = 3,
};

static const struct export_slow slow = {
    .thread = &thread,
    .start_ns = 10000000,
    .duration_ns = 1000000000,
    .id = 1,
    .key = 2,
    .is_open = true,
    .items = items,
    .item_count = 3,
};

static const struct export_group group = {2, 1, 1000000000, 1000000000};
static const struct mb_text note = MB_TEXT_ROW("something \"odd\"");

static const struct export_report report = {
    .process_name = MB_TEXT_ROW("p\"q"),
    .process_id = 77,
    .ns_per_unit = UINT64_C(2000000) << 32 | 1,
    .resolution_ns = 2000000,
    .threshold_ns = 700000000,
    .top = 2,
    .threads = &thread,
    .thread_count = 1,
    .slow = &slow,
    .slow_count = 1,
    .root_count = 1,
    .longest_root_ns = 1000000000,
    .groups = &group,
    .group_count = 1,
    .methods = methods,
    .method_count = 3,
    .notes = &note,
    .note_count = 1,
    .names = {find, NULL},
};

static char text[8192];

/* What the format writes about the report, terminated. */
static const char *write(const struct export_format *format, const struct export_report *about)
{
    const struct trace_stack stack = {.items = (struct trace_item *)(uintptr_t)items, .count = 3};
    struct mb_buf out = {0};

    if (format->begin != NULL) {
        format->begin(about, &out);
    }
    for (size_t i = 0; format->thread != NULL && i < about->thread_count; i++) {
        format->thread(about, &about->threads[i], &stack, &out);
    }
    if (format->end != NULL) {
        format->end(about, &out);
    }
    cr_assert(not(out.failed));
    cr_assert(lt(sz, out.size, sizeof(text)));
    memcpy(text, out.bytes, out.size);
    text[out.size] = '\0';
    mb_buf_finish(&out);
    return text;
}

static void expect_part(const char *part)
{
    cr_expect(ne(ptr, (void *)strstr(text, part), NULL), "no '%s' in:\n%s", part, text);
}

Test(export, every_format_is_found_by_its_name)
{
    static const char *const names[] = {"text", "json", "matrix", "folded", "chrome"};

    for (size_t i = 0; i < MB_COUNT(names); i++) {
        const struct export_format *format = export_find(names[i]);
        cr_assert(ne(ptr, (void *)(uintptr_t)format, NULL), "%s", names[i]);
        cr_expect_str_eq(format->name, names[i]);
    }
    cr_assert(eq(ptr, (void *)(uintptr_t)export_find("xml"), NULL));
}

Test(export, units_become_nanoseconds)
{
    cr_assert(eq(i64, export_ns(&report, 3), 6000000));
    cr_assert(eq(i64, export_ns(&report, -3), -6000000));
    cr_assert(eq(i64, export_ns(&report, 0), 0));
}

static void expect_ms(int64_t ns, int width, const char *expected)
{
    struct mb_buf out = {0};

    export_put_ms(&out, ns, width);
    mb_buf_put_u1(&out, 0);
    cr_expect_str_eq((const char *)out.bytes, expected);
    mb_buf_finish(&out);
}

Test(export, milliseconds_have_three_digits_and_are_cut)
{
    expect_ms(1234567, 0, "1.234");
    expect_ms(999, 0, "0.000");
    expect_ms(-1500000, 0, "-1.500");
    expect_ms(1000000, 8, "   1.000");
    expect_ms(INT64_MAX, 0, "9223372036854.775");
    expect_ms(INT64_MIN, 0, "-9223372036854.775");
}

static void expect_order(enum export_order order, const uint32_t ids[3])
{
    struct trace_method *rows = export_sort_methods(methods, 3, order);

    cr_assert(ne(ptr, rows, NULL));
    for (size_t i = 0; i < 3; i++) {
        cr_expect(eq(u32, rows[i].id, ids[i]), "order %d, row %zu", (int)order, i);
    }
    free(rows);
}

Test(export, methods_sort_by_each_column_then_by_id)
{
    expect_order(EXPORT_BY_TOTAL, (const uint32_t[]){1, 2, 3});
    expect_order(EXPORT_BY_SELF, (const uint32_t[]){2, 3, 1});
    expect_order(EXPORT_BY_CALLS, (const uint32_t[]){3, 1, 2});
    free(export_sort_methods(NULL, 0, EXPORT_BY_SELF));
}

Test(export, sums_are_those_of_all_threads)
{
    const struct export_thread threads[] = {
        {.calls = 1, .losses = {.words = 2, .lost_exits = 1}, .start_ns = 50, .end_ns = 60},
        {.calls = 0, .lapped_words = 5, .start_ns = 1, .end_ns = 1},
        {.calls = 3, .dropped_calls = 2, .missing_words = 9, .start_ns = 40, .end_ns = 90},
    };
    struct export_report all = report;

    all.threads = threads;
    all.thread_count = 3;
    struct export_sums sums = export_sum(&all);
    cr_expect(eq(u64, sums.words, 2));
    cr_expect(eq(u64, sums.lapped_words, 5));
    cr_expect(eq(u64, sums.missing_words, 9));
    cr_expect(eq(u64, sums.lost_exits, 1));
    cr_expect(eq(u64, sums.calls, 4));
    cr_expect(eq(u64, sums.start_ns, 40), "a thread without calls has no start");
    cr_expect(eq(u64, sums.end_ns, 90));
    cr_expect(eq(i64, export_overhead_ns(&all), (2 + 5 + 2 * 2) * 10));
    all.is_coarse_clock = true;
    cr_expect(eq(i64, export_overhead_ns(&all), 2 + 5 + 2 * 2));
    all.thread_count = 0;
    sums = export_sum(&all);
    cr_expect(eq(u64, sums.end_ns - sums.start_ns, 0));
}

Test(export, the_log_is_that_of_matrix)
{
    cr_assert_str_eq(
        write(&export_matrix, &report),
        ">>>>>>>>>>>>>>>>>>>>> maybe happens Jankiness!(1000ms) <<<<<<<<<<<<<<<<<<<<<\n"
        "|* [Status]\n|*\t\tThread: main;1\n"
        "|* [Trace]\n|*\t\tStackSize: 3\n|*\t\tStackKey: 2|\n"
        "|*\tTraceStack:\n|*\t\t[id count cost]\n"
        "|*\t\t1 1 1000\n|*\t\t.2 3 600\n|*\t\t..3 1 200\n"
        "=========================================================================\n");
}

Test(export, folded_lines_have_own_times_and_no_stray_semicolons)
{
    cr_assert_str_eq(write(&export_folded, &report), "main:1;a.B:\"c\";d.E;#3 200000000\n"
                                                     "main:1;a.B:\"c\";d.E 400000000\n"
                                                     "main:1;a.B:\"c\" 400000000\n");
}

Test(export, json_escapes_names)
{
    (void)write(&export_json, &report);
    expect_part("{\"process\":\"p\\\"q\",\"pid\":77,\"closed\":false");
    expect_part("\"notes\":[\"something \\\"odd\\\"\"]");
    expect_part("\"stack\":[{\"depth\":0,\"id\":1,\"name\":\"a.B;\\\"c\\\"\",\"count\":1,"
                "\"ns\":1000000000,\"open\":true}");
    expect_part("{\"id\":3,\"name\":\"#3\",\"calls\":50,\"totalNs\":40000000,\"selfNs\":10000000}");
}

Test(export, chrome_events_are_in_microseconds)
{
    (void)write(&export_chrome, &report);
    expect_part("\"name\":\"thread_name\",\"args\":{\"name\":\"main;1\"}");
    expect_part("\"tid\":7,\"name\":\"d.E\",\"ts\":12000.000,\"dur\":600000.000,"
                "\"args\":{\"calls\":3}}");
}

Test(export, text_keeps_to_the_rows_that_were_asked_for)
{
    (void)write(&export_text, &report);
    expect_part("still being recorded, or killed");
    expect_part("still open   3 calls at the end");
    expect_part("note         something \"odd\"");
    expect_part("  1000.000 ms at 10.000 ms in main;1, still running, key d.E\n");
    expect_part("        200.000        1      #3 (still running)\n");
    expect_part("by total time\n        total ms        self ms        calls  method\n"
                "          60.000          2.000            9  a.B;\"c\"\n"
                "          40.000         40.000            9  d.E\n\n");
    cr_expect(eq(ptr, (void *)strstr(text, "Methods of thread"), NULL),
              "one thread needs no tables of its own");
}

Test(export, text_has_tables_of_each_of_several_threads)
{
    const struct export_thread threads[] = {thread, {.name = MB_TEXT_ROW("idle")}, thread};
    struct export_report several = report;

    several.threads = threads;
    several.thread_count = 3;
    (void)write(&export_text, &several);
    expect_part("Methods of thread main;1 (id 7)\n        total ms        self ms        calls  "
                "method\n  by total time\n          60.000          2.000            9  "
                "a.B;\"c\"\n          40.000         40.000            9  d.E\n  by own time\n"
                "          40.000         40.000            9  d.E\n");
    cr_expect(eq(ptr, (void *)strstr(text, "Methods of thread idle"), NULL));
}
