#include "jvms/live/watch.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define MS INT64_C(1000000)

static struct mb_text find_name(const void *context, uint32_t id)
{
    (void)context;
    return id == 1   ? MB_TEXT("org.example.Main.run")
           : id == 2 ? MB_TEXT("org.example.Gr\xc3\xb6\xc3\x9f"
                               "e.work")
                     : MB_TEXT("");
}

static const struct live_method methods[] = {
    {.id = 1, .threads = 2, .own_ns = 250 * MS, .total_ns = 1000 * MS, .running_ns = 90 * MS},
    {.id = 2,
     .threads = 1,
     .own_ns = 750 * MS,
     .waited_ns = 500 * MS,
     .total_ns = 750 * MS,
     .calls = 12345678,
     .ended = 10,
     .ended_ns = 7500 * MS,
     .muted = 9},
    {.id = 3, .threads = 1},
};
static const struct live_thread threads[] = {
    {.name = MB_TEXT_ROW("main"), .innermost = 2, .busy_ns = 1000 * MS, .running_ns = 5 * MS},
    {.name = MB_TEXT_ROW("over\x1b[2J"), .innermost = LIVE_NO_METHOD, .is_ended = true},
};
static const struct live_edge edges[] = {
    {.caller = LIVE_NO_METHOD, .callee = 1, .total_ns = 1000 * MS, .calls = 1},
    {.caller = 1, .callee = 2, .total_ns = 750 * MS, .calls = 12345678},
};
static struct live_recent recent;
static struct live_facts live;
static struct mb_buf out;

static void begin(void)
{
    recent = (struct live_recent){
        .interval_ns = 1000 * MS,
        .run_ns = 60000 * MS,
        .calls = 12345678,
        .live_threads = 2,
        .busy_threads = 1,
        .focus = 1,
        .methods = {.buf = {.bytes = (void *)(uintptr_t)methods, .size = sizeof(methods)}},
        .threads = {.buf = {.bytes = (void *)(uintptr_t)threads, .size = sizeof(threads)}},
        .edges = {.buf = {.bytes = (void *)(uintptr_t)edges, .size = sizeof(edges)}},
    };
    live = (struct live_facts){
        .recent = &recent,
        .names = {.find = find_name},
        .process = MB_TEXT("app"),
        .process_id = 4711,
        .order = "work",
    };
}

static void end(void)
{
    mb_buf_finish(&out);
}

TestSuite(table, .init = begin, .fini = end);

static const char *text_of(const struct live_layout *layout)
{
    mb_buf_reset(&out);
    live_put_table(&out, &live, layout);
    mb_buf_put_u1(&out, '\0');
    cr_assert(not(out.failed));
    return (const char *)out.bytes;
}

Test(table, a_table_of_methods)
{
    const struct live_layout layout = {.top = 2, .selected = SIZE_MAX};

    cr_assert_str_eq(
        text_of(&layout),
        "app (4711), by work: 1.00 s of 60.0 s, 2 threads, 1 in calls, 12.3 M calls/s\n"
        "in their callers' own time: methods without probes\n"
        "     own%   waits%   total%  calls/s     mean threads runs for  method\n"
        "     25.0      0.0    100.0        0        -       2  90.0 ms  org.example.Main.run\n"
        "     75.0     50.0     75.0   12.3 M   750 ms       1        -  "
        "org.example.Gr\xc3\xb6\xc3\x9f"
        "e.work (muted)\n"
        "(1 more)\n");
}

Test(table, requests_above_the_methods)
{
    static const struct answer_excess cause = {
        .state = ANSWER_STATE_WORKED, .id = 1, .count = 3, .more_ns = 90 * MS};
    const struct live_kind kinds[] = {{1, 120, 0, 40 * MS, 129 * MS, 4, cause}};
    struct live_layout layout = {.top = 2, .rows = 20, .columns = 90, .selected = SIZE_MAX};
    size_t before = live_table_page(&live, &layout);

    recent.kinds.buf = (struct mb_buf){.bytes = (void *)(uintptr_t)kinds, .size = sizeof(kinds)};
    cr_expect(eq(sz, live_table_page(&live, &layout), before - 2));
    cr_expect(strstr(text_of(&layout),
                     "methods without probes\n      120 requests/s, p50 40.0 ms, "
                     "p99 129 ms: org.example.Main.run\n"
                     "          3 of 4 slow, +30.0 ms each: worked in org.example.Main.run\n"
                     "     own%") != NULL,
              "%s", (const char *)out.bytes);
    layout.view = LIVE_THREADS;
    cr_expect(strstr(text_of(&layout), "requests/s") == NULL);
}

Test(table, a_table_of_threads)
{
    const struct live_layout layout = {.view = LIVE_THREADS, .top = 9, .selected = SIZE_MAX};
    const char *text = text_of(&layout);

    cr_expect(strstr(text, "   100.0     0.0        0   5.00 ms  main                      "
                           "org.example.Gr\xc3\xb6\xc3\x9f"
                           "e.work\n") != NULL,
              "%s", text);
    cr_expect(strstr(text, "over\\x1b[2J") != NULL, "%s", text);
    cr_expect(strstr(text, "(ended)\n") != NULL, "%s", text);
}

Test(table, callers_and_callees)
{
    const struct live_layout layout = {.view = LIVE_CALLS, .top = 9, .selected = SIZE_MAX};
    const char *text = text_of(&layout);

    cr_expect(strstr(text, "org.example.Main.run\n   100.0      1.0  from code without probes\n"
                           "    75.0   12.3 M  to   org.example.Gr\xc3\xb6\xc3\x9f"
                           "e.work\n") != NULL,
              "%s", text);
    recent.focus = 99;
    cr_expect(strstr(text_of(&layout), "#99: not called just now\n") != NULL);
}

Test(table, says_what_is_not_known)
{
    const struct live_layout layout = {.top = 9, .selected = SIZE_MAX};

    recent.muted = 3;
    recent.newly_muted = 1;
    recent.lost_words = 1;
    recent.refused_words = 200000;
    recent.absorbed_calls = 2;
    recent.late_threads = 1;
    recent.damaged = 4;
    recent.state = LIVE_LEFT;
    const char *text = text_of(&layout);
    cr_expect(strstr(text, "methods without probes, and 3 muted (1 just now); 1 record lost; "
                           "200 k records of threads without room so far; 2 calls without room; "
                           "1 thread not read to its end; 4 records make no sense\n") != NULL,
              "%s", text);
    cr_expect(strstr(text, "app (4711), its process was killed, by work: ") == text, "%s", text);
}

/* Each line is within the screen, and there are as many as it has. */
static void check_size(const char *text, const struct live_layout *layout)
{
    struct mb_text rest = mb_text_of(text);
    size_t lines = 0;

    while (rest.size > 0) {
        struct mb_text line = mb_text_split(&rest, '\n');
        size_t columns = 0;
        for (size_t i = 0; i < line.size; i++) {
            columns += ((unsigned char)line.data[i] & 0xc0) != 0x80;
        }
        cr_expect(le(sz, columns, layout->columns), "%zux%zu: %.*s", layout->columns, layout->rows,
                  (int)line.size, line.data);
        lines++;
    }
    cr_expect(le(sz, lines, layout->rows), "%zux%zu:\n%s", layout->columns, layout->rows, text);
}

Test(table, fits_any_screen)
{
    recent.muted = 12345;
    for (size_t columns = 1; columns < 120; columns++) {
        for (size_t rows = 3; rows < 30; rows++) {
            for (enum live_view view = 0; view <= LIVE_CALLS; view++) {
                const struct live_layout layout = {.view = view,
                                                   .columns = columns,
                                                   .rows = rows,
                                                   .selected = SIZE_MAX,
                                                   .last = "q quit"};
                check_size(text_of(&layout), &layout);
            }
        }
    }
}

Test(table, a_small_screen_has_the_heaviest)
{
    const struct live_layout layout = {.columns = 20, .rows = 5, .selected = SIZE_MAX};

    cr_assert_str_eq(text_of(&layout), "app (4711), by work:\n"
                                       "     own%  method\n"
                                       "     25.0  ..ain.run\n"
                                       "     75.0  ..e.work \n"
                                       "      0.0  #3\n");
}

Test(table, marks_the_selected_row)
{
    const struct live_layout layout = {
        .columns = 80, .rows = 20, .selected = 1, .last = "", .colour = true};

    cr_expect(strstr(text_of(&layout), "\x1b[7m     75.0") != NULL);
}
