#include "monitor/options.h"

#include "abi/settings.h"
#include "base/clock.h"
#include "base/file.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <ctype.h>
#include <string.h>

static struct mon_options options;

static void set_up(void)
{
    mon_options_init(&options);
}

TestSuite(options, .init = set_up);

Test(options, have_their_defaults)
{
    cr_assert(eq(i64, options.evil_ms, 700));
    cr_assert(options.evil_enable);
    cr_assert(eq(u32, options.often.count, 2));
    cr_assert(eq(u32, options.often.limits[1].ms, 300));
    cr_assert(eq(u32, options.often.limits[1].count, 5));
    cr_assert_str_eq(options.platform, "");
}

struct set_case {
    char name[48];
    char value[32];
    bool is_taken;
};

static const struct set_case set_cases[] = {
    {"evil_ms", "30", true},
    {"evil_ms", "0", false},
    {"evil_ms", "600001", false},
    {"evil_ms", "-1", false},
    {"evil_ms", "30ms", false},
    {"evil_ms", "", false},
    {"clicfg_matrix_trace_evil_method_threshold", "30", true},
    {"clicfg_matrix_trace_evil_method_enable", "false", true},
    {"evil_enable", "1", true},
    {"evil_enable", "yes", false},
    {"cpu_enable", "off", true},
    {"cpu_enable", "never", false},
    {"monitors", "", true},
    {"monitors", "slow,start", true},
    {"monitors", "slow,,start", false},
    {"monitors", "slow,lag", false},
    {"monitors", "slow start", false},
    {"preset", "matrix", true},
    {"preset", "matrx", false},
    {"often", "", true},
    {"often", "1x1,2x2,3x3,4x16", true},
    {"often", "1x1,2x2,3x3,4x4,5x5", false},
    {"often", "300x17", false},
    {"often", "300x0", false},
    {"often", "0x3", false},
    {"often", "300", false},
    {"often", "300x5,", false},
    {"often", ",300x5", false},
    {"stall_ms", "20", true},
    {"stall_ms", "20:30:40:50", true},
    {"stall_ms", "20:30:40:50:60", false},
    {"stall_ms", "20:9", false},
    {"stall_ms", "20::40", false},
    {"stall_ms", "", false},
    {"lag_ms", "2000", false},
    {"cpu_percent", "95", true},
    {"fps_slice_ms", "500", true},
    {"platform", "com.acme.,org.x.", true},
    {"platform", "a\x1b", false},
    {"platform", "a\"b\\", true},
    {"EVIL_MS", "30", false},
    {"", "30", false},
    {"nothing", "1", false},
};

EACH_ROW(options, take_what_they_can_have, set_cases);

ParameterizedTest(size_t *row, options, take_what_they_can_have)
{
    const struct set_case *c = &set_cases[*row];
    struct mon_options before = options;
    bool is_taken = mon_options_set(&options, c->name, c->value);

    cr_expect(eq(int, is_taken, c->is_taken), "%s=%s", c->name, c->value);
    if (!c->is_taken) {
        cr_expect(eq(int, memcmp(&before, &options, sizeof(options)), 0), "%s=%s", c->name,
                  c->value);
    }
}

Test(options, of_a_preset_can_be_set_after_it)
{
    cr_assert(mon_options_set(&options, "preset", "production"));
    cr_assert(eq(i64, options.report_share, 500));
    cr_assert(mon_options_set(&options, "report_share", "700"));
    cr_assert(eq(i64, options.report_share, 700));
    cr_assert(mon_options_set(&options, "preset", "matrix"));
    cr_assert(eq(i64, options.keep_days, 10));
    cr_assert(mon_options_set(&options, "preset", "development"));
    cr_assert(eq(i64, options.keep_days, 7));
}

static const struct {
    const char *value;
    bool is_taken;
} spools[] = {
    {"", true},
    {"/var/spool/app", true},
    {"/home/ren\xc3\xa9/\xe4\xbd\xa0\xe5\xa5\xbd/\xf0\x9f\x98\x80", true},
    {"a \"folder\" \\ of ours", true},
    {"latin \xe9", false},
    {"cut \xc3", false},
    {"surrogate \xed\xa0\x80", false},
    {"line\n", false},
    {"terminal \x1b[31m", false},
    {"backwards \xe2\x80\xae", false},
};

Test(options, take_texts_that_people_can_read)
{
    for (size_t i = 0; i < MB_COUNT(spools); i++) {
        cr_expect(eq(int, mon_options_set(&options, "spool", spools[i].value), spools[i].is_taken),
                  "%s", spools[i].value);
        cr_expect(eq(int, strcmp(options.spool, spools[i].value) == 0, spools[i].is_taken));
    }
}

Test(options, read_what_they_print)
{
    struct mb_buf text = {0};
    const struct mon_option *option;
    struct mon_options copy;

    cr_assert(mon_options_set(&options, "preset", "matrix"));
    cr_assert(mon_options_set(&options, "often", "7x3"));
    cr_assert(mon_options_set(&options, "platform", "com.acme."));
    mon_options_init(&copy);
    for (size_t i = 0; (option = mon_option_at(i)) != NULL; i++) {
        if (mon_option_find(mon_option_name(option)) != option) {
            continue; /* one of a list */
        }
        mb_buf_reset(&text);
        mon_option_put_value(&text, option, &options);
        mb_buf_put_u1(&text, '\0');
        cr_assert(mon_options_set(&copy, mon_option_name(option), (const char *)text.bytes), "%s",
                  mon_option_name(option));
    }
    cr_assert(eq(int, memcmp(&copy, &options, sizeof(copy)), 0));
    mb_buf_finish(&text);
}

/* The recorder's settings and these are given in the same places; app is of both. */
Test(options, have_names_of_their_own)
{
    char name[ABI_SETTING_VARIABLE_SIZE];
    const struct mon_option *option;

    for (size_t i = 0; (option = mon_option_at(i)) != NULL; i++) {
        cr_expect(eq(int, abi_setting_find(mon_option_name(option)) != NULL,
                     strcmp(mon_option_name(option), "app") == 0),
                  "%s", mon_option_name(option));
        cr_expect(lt(sz, strlen(mon_option_name(option)), sizeof(name) - strlen("METHODBEAT_")));
        abi_setting_variable(mon_option_name(option), strlen(mon_option_name(option)), name);
        for (const char *c = name; *c != '\0'; c++) {
            cr_expect(
                ne(int, isupper((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_', 0));
        }
    }
    abi_setting_variable("evil_ms", strlen("evil_ms"), name);
    cr_assert_str_eq(name, "METHODBEAT_EVIL_MS");
}

Test(options, say_what_they_take)
{
    struct mb_buf text = {0};

    mon_option_put_values(&text, mon_option_find("evil_ms"));
    mb_buf_put_string(&text, "; ");
    mon_option_put_values(&text, mon_option_find("preset"));
    mb_buf_put_u1(&text, '\0');
    cr_assert_str_eq((const char *)text.bytes,
                     "a number from 1 to 600000; development, production or matrix");
    mb_buf_finish(&text);
}

Test(options, switch_monitors_together_or_one_by_one)
{
    struct mb_buf text = {0};

    cr_assert(mon_options_set(&options, "preset", "production"));
    cr_assert(mon_options_set(&options, "keep", "3"));
    cr_assert(mon_options_set(&options, "monitors", "start,cpu"));
    cr_expect(eq(i64, options.keep_days, 3));
    cr_expect(not(options.evil_enable));
    cr_expect(options.cpu_enable);
    cr_assert(mon_options_set(&options, "clicfg_matrix_trace_anr_enable", "true"));
    cr_assert(mon_options_set(&options, "start_enable", "0"));
    mon_option_put_value(&text, mon_option_find("monitors"), &options);
    mb_buf_put_u1(&text, '\0');
    cr_expect_str_eq((const char *)text.bytes, "stall,cpu");
    mb_buf_finish(&text);
    cr_assert(mon_options_set(&options, "monitors", ""));
    cr_expect(not(options.stall_enable));
    cr_assert(not(mon_options_set(&options, "monitors", "fps,none")));
    cr_expect(not(options.fps_enable));
}

Test(options, of_a_list_are_set_together)
{
    cr_assert(mon_options_set(&options, "stall_ms", "60:400"));
    cr_expect(eq(i64, options.sample_after_ms, 60));
    cr_expect(eq(i64, options.lag_ms, 400));
    cr_expect(eq(i64, options.hang_ms, 8000));
    cr_assert(mon_options_set(&options, "start_ms", "7000:5000"));
    cr_assert(mon_options_set(&options, "clicfg_matrix_trace_warm_app_start_up_threshold", "3000"));
    cr_expect(eq(i64, options.start_cold_ms, 7000));
    cr_expect(eq(i64, options.start_warm_ms, 3000));
}

Test(options, tell_which_messages_interest)
{
    cr_assert(eq(i64, mon_options_slow_ns(&options), 300 * MB_NS_PER_MS));
    cr_assert(mon_options_set(&options, "evil_ms", "30"));
    cr_assert(eq(i64, mon_options_slow_ns(&options), 30 * MB_NS_PER_MS));
    cr_assert(mon_options_set(&options, "often", "20x5"));
    cr_assert(eq(i64, mon_options_slow_ns(&options), 20 * MB_NS_PER_MS));
}

/* What the table has for readers only, in its order. */
static const struct {
    const char *matrix_key;
    const char *help;
} manual_rows[] = {
#define MON_NUMBER(field, value, from, to, key, help) {key, help},
#define MON_SET(field, help) {"", help},
#define MON_LIST(field, help) {"", help},
#define MON_ITEM(field, value, from, to, key) {key, NULL},
#define MON_PART(field, word, key) {key, NULL},
#define MON_PRESET(field, value, help) {"", help},
#define MON_TEXT(field, size, value, help) {"", help},
#define MON_LIMITS(field, value, help) {"", help},
#include "monitor/options.def"
};

static void put_manual(struct mb_buf *out)
{
    mb_buf_put_string(out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; i < MB_COUNT(manual_rows); i++) {
        const struct mon_option *option = mon_option_at(i);
        if (manual_rows[i].help == NULL) {
            continue;
        }
        mb_buf_printf(out, ".It Cm %s Ns = Ns Ar value\n%s: ", mon_option_name(option),
                      manual_rows[i].help);
        mon_option_put_values(out, option);
        mb_buf_put_string(out, "; default \"");
        mon_option_put_value(out, option, &options);
        mb_buf_put_u1(out, '"');
        if (manual_rows[i].matrix_key[0] != '\0') {
            mb_buf_printf(out, "; Matrix: %s", manual_rows[i].matrix_key);
            cr_expect(mon_option_find(manual_rows[i].matrix_key) == option);
        }
        mb_buf_put_string(out, ".\n");
    }
    mb_buf_put_string(out, ".El\n");
}

Test(options, are_in_the_man_page)
{
    struct mb_buf page = {0};
    struct mb_buf list = {0};
    struct mb_error err;

    cr_assert_null(mon_option_at(MB_COUNT(manual_rows)));
    put_manual(&list);
    mb_buf_put_u1(&list, '\0');
    cr_assert(eq(int, mb_file_read(&page, MAN_PAGE, &err), MB_OK));
    mb_buf_put_u1(&page, '\0');
    cr_assert_not_null(strstr((const char *)page.bytes, (const char *)list.bytes), "%s",
                       (const char *)list.bytes);
    mb_buf_finish(&list);
    mb_buf_finish(&page);
}
