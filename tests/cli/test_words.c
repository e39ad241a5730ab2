/* What a command takes for what. */

#include "base/buf.h"
#include "base/check.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/options.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

enum speed { SLOW, FAST };

struct values {
    bool is_loud;
    const char *name;
    enum speed speed;
    uint64_t count;
    uint64_t seconds;
};

static const struct cli_choice speeds[] = {{"slow", SLOW}, {"fast", FAST}, {NULL, 0}};
#define PLACE(field) .commands = "try, another", .offset = offsetof(struct values, field)

static const struct cli_option rows[] = {
    {.name = "verbose", .commands = "other", .take = cli_take_flag},
    {.name = "loud", .letter = 'l', .take = cli_take_flag, PLACE(is_loud)},
    {.name = "name", .letter = 'n', .take = cli_take_text, PLACE(name)},
    {.name = "speed", .take = cli_take_choice, .choices = speeds, PLACE(speed)},
    {.name = "count", .take = cli_take_number, .least = 2, .most = 9, PLACE(count)},
    {.name = "for", .take = cli_take_seconds, .least = 1, .most = 86400, PLACE(seconds)},
    {.name = NULL},
};

/* The words after "try", up to NULL. What is said goes to standard error. */
static int take(struct values *values, const char *const *words)
{
    const struct cli_parser parser = {.command = "try", .options = rows, .values = values};
    char *argv[16] = {(char *)(uintptr_t) "try"};
    int argc = 1;

    while (words[argc - 1] != NULL) {
        argv[argc] = (char *)(uintptr_t)words[argc - 1];
        argc++;
    }
    return cli_take_options(&parser, argc, argv);
}

Test(options, go_to_their_places)
{
    struct values values = {.count = 3};

    cr_assert(eq(int,
                 take(&values, (const char *const[]){"in", "-ln", "x y", "--speed=fast", "more",
                                                     "--count", "9", NULL}),
                 CLI_DONE));
    cr_expect(values.is_loud);
    cr_expect_str_eq(values.name, "x y");
    cr_expect(eq(int, values.speed, FAST));
    cr_expect(eq(u64, values.count, 9));
    cr_expect(eq(int, optind, 6), "operands come last");
}

Test(options, take_times_in_units, .init = cr_redirect_stderr)
{
    static const struct {
        const char *text;
        uint64_t seconds; /* 0: refused */
    } times[] = {{"90", 90},    {"90s", 90},  {"5m", 300},  {"1h", 3600}, {"24h", 86400},
                 {"1d", 86400}, {"2d", 0},    {"25h", 0},   {"0", 0},     {"0m", 0},
                 {"m", 0},      {"", 0},      {"1.5h", 0},  {"5 m", 0},   {"5ms", 0},
                 {"-5s", 0},    {"1h30m", 0}, {"86401", 0}, {"1w", 0},    {"1440m", 86400}};

    for (size_t i = 0; i < MB_COUNT(times); i++) {
        struct values values = {0};
        int code = take(&values, (const char *const[]){"--for", times[i].text, NULL});
        cr_expect(eq(int, code, times[i].seconds > 0 ? CLI_DONE : CLI_USAGE), "%s", times[i].text);
        cr_expect(times[i].seconds == 0 || values.seconds == times[i].seconds, "%s", times[i].text);
    }
}

Test(options, end_at_two_dashes)
{
    struct values values = {0};

    cr_assert(eq(int, take(&values, (const char *const[]){"--", "--loud", NULL}), CLI_DONE));
    cr_expect(not(values.is_loud));
    cr_expect(eq(int, optind, 2));
}

static const struct {
    const char *words[3];
    const char *said;
} wrong[] = {
    {{"--speed", "medium"}, "--speed cannot be 'medium': it is slow or fast"},
    {{"--name", ""}, "--name cannot be '': it is not empty"},
    {{"--count=1"}, "--count is a number from 2 to 9, not '1'"},
    {{"--count=10"}, "--count is a number from 2 to 9, not '10'"},
    {{"--count=0x5"}, "--count is a number from 2 to 9, not '0x5'"},
    {{"--count"}, "--count needs an argument"},
    {{"--loud=1"}, "--loud takes no argument"},
    {{"-x"}, "there is no option -x"},
    {{"--sped=fast"}, "there is no option --sped=fast: did you mean --speed?"},
    {{"--verbose"}, "there is no option --verbose"},
};

Test(options, say_what_is_wrong_with_them, .init = cr_redirect_stderr)
{
    struct mb_buf expected = {0};

    for (size_t i = 0; i < MB_COUNT(wrong); i++) {
        struct values values = {0};
        cr_expect(eq(int, take(&values, wrong[i].words), CLI_USAGE), "%s", wrong[i].said);
        mb_buf_printf(&expected, "methodbeat try: %s\nTry 'methodbeat help try'.\n", wrong[i].said);
    }
    mb_buf_put_u1(&expected, 0);
    (void)fflush(stderr);
    cr_assert_stderr_eq_str((const char *)expected.bytes);
    mb_buf_finish(&expected);
}

Test(options, alternatives_are_joined)
{
    char list[32] = "";

    cli_put_alternative(list, sizeof(list), "one", true);
    cr_expect_str_eq(list, "one");
    cli_put_alternative(list, sizeof(list), "two", false);
    cli_put_alternative(list, sizeof(list), "three", true);
    cr_expect_str_eq(list, "one, two or three");
    for (int i = 0; i < 9; i++) {
        cli_put_alternative(list, sizeof(list), "four", false);
    }
    cr_expect(eq(sz, strlen(list), sizeof(list) - 1), "what is too long is cut");
}

/* ---- Mistyped words ---- */

static const char *nearest_of(const char *word)
{
    static const char *const names[] = {"output",  "output-jar", "format", "force", "method-map",
                                        "mapping", "activity",   "top",    "quiet"};
    struct cli_nearest nearest = {.word = word};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cli_nearest_offer(&nearest, names[i]);
    }
    return nearest.best != NULL ? nearest.best : "";
}

Test(nearest, is_what_was_mistyped)
{
    cr_expect_str_eq(nearest_of("fromat"), "format");
    cr_expect_str_eq(nearest_of("ouptut"), "output");
    cr_expect_str_eq(nearest_of("outputjar"), "output-jar");
    cr_expect_str_eq(nearest_of("methodmap"), "method-map");
    cr_expect_str_eq(nearest_of("tpo"), "top");
    cr_expect_str_eq(nearest_of("maping"), "mapping");
    cr_expect_str_eq(nearest_of("quite"), "quiet");
}

Test(nearest, is_what_the_word_begins)
{
    cr_expect_str_eq(nearest_of("output-"), "output-jar");
    cr_expect_str_eq(nearest_of("ma"), "mapping");
    cr_expect_str_eq(nearest_of("f"), "format");
}

Test(nearest, is_nothing_if_all_is_far)
{
    char endless[4096];

    memset(endless, 'o', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    cr_expect_str_eq(nearest_of("verbose"), "");
    cr_expect_str_eq(nearest_of("xy"), "");
    cr_expect_str_eq(nearest_of(""), "");
    cr_expect_str_eq(nearest_of(endless), "");
}

/* ---- The path of a page ---- */

static void expect_path(const char *trace, const char *expected)
{
    char *page = cli_page_path(trace);

    cr_expect_str_eq(page, expected);
    free(page);
}

Test(page, goes_beside_the_trace)
{
    expect_path("app.mbtrace", "app.html");
    expect_path("/tmp/a.b/app.mbtrace", "/tmp/a.b/app.html");
    expect_path("app", "app.html");
    expect_path("app.mbtrace.old", "app.mbtrace.old.html");
    expect_path(".mbtrace", ".mbtrace.html");
    expect_path("a/.mbtrace", "a/.mbtrace.html");
}
