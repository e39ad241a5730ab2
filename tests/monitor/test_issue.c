#include "base/clock.h"
#include "monitor/issue.h"

#include "names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <jansson.h>
#include <string.h>

enum { PROCESS = 1, MACHINE, SCENE, MESSAGE, LOAD, RUN, STACKS };

static const struct name_list list = {{"com.x", "HIGH", "a.b.MainActivity", "Handler \"q\" {..}: 7",
                                       "a.b.C.load", "a.b.C.<run>", "all\nstacks", NULL}};
static const struct mon_process process = {.name = PROCESS,
                                           .start = 0x5f1c,
                                           .mapping = 0x91ab,
                                           .machine = MACHINE,
                                           .wall_ns = INT64_C(1790000000000) * MB_NS_PER_MS,
                                           .mem_bytes = 8012345344,
                                           .mem_free_kb = 123456,
                                           .cpu_share = 3100,
                                           .priority = 20,
                                           .nice = -10,
                                           .dalvik_kb = 1,
                                           .native_kb = 2,
                                           .vm_kb = 3};
static const struct mon_trace trace = {.key = 171,
                                       .items = {2, {{0, 1048574, 1, 871}, {1, 171, 1, 637}}}};
static const struct mon_frames frames = {
    .count = 2, .names = {LOAD, RUN}, .files = {0, LOAD}, .lines = {0, 12}};
static const struct mon_hottest hottest = {.frames = &frames,
                                           .weight_ns = 650000000,
                                           .of_ns = 1000000000,
                                           .samples = 20,
                                           .repeats = {13, 20}};
static const struct mon_dump dump = {1500000000, {.count = 2, .names = {LOAD, RUN}}};

static struct mon_options options;
static struct mb_buf text;
static json_t *json;

static struct mon_issue issue_of(enum mon_detail detail)
{
    return (struct mon_issue){.detail = detail,
                              .span.number = 17,
                              .start = 0x5f1c,
                              .span.begin_ns = 1000000000,
                              .span.end_ns = 1870123456,
                              .cost_ns = 870123456,
                              .span.watched_ns = 870123456,
                              .cpu_ns = 577000000,
                              .cpu_of_ns = 870000000,
                              .is_foreground = true,
                              .span.message = MESSAGE,
                              .scene = SCENE,
                              .process = &process,
                              .trace = &trace,
                              .hottest = &hottest,
                              .dumps = &dump,
                              .dump_count = 1,
                              .all_stacks = STACKS};
}

static void set_up(void)
{
    mon_options_init(&options);
}

static void tear_down(void)
{
    json_decref(json);
    json = NULL;
    mb_buf_finish(&text);
}

TestSuite(issue, .init = set_up, .fini = tear_down);

static void write(const struct mon_issue *issue, const struct mon_verdict *verdict)
{
    const struct mon_names names = names_of(&list);
    json_error_t error;

    mb_buf_reset(&text);
    json_decref(json);
    mon_issue_put(&text, issue, &names, &options, verdict);
    json = json_loadb((const char *)text.bytes, text.size, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(json, "%s at %d: %.*s", error.text, error.position, (int)text.size,
                       (const char *)text.bytes);
}

/* What back ends of Matrix read: of which issues, which key, of which type. */
struct key_case {
    char key[24];
    int type;
    bool normal;
    bool lag;
    bool anr;
};

static const struct key_case key_cases[] = {
    {"tag", JSON_STRING, true, true, true},
    {"process", JSON_STRING, true, true, true},
    {"time", JSON_INTEGER, true, true, true},
    {"machine", JSON_STRING, true, true, true},
    {"cpu_app", JSON_REAL, true, true, true},
    {"mem", JSON_INTEGER, true, true, true},
    {"mem_free", JSON_INTEGER, true, true, true},
    {"detail", JSON_STRING, true, true, true},
    {"cost", JSON_INTEGER, true, true, true},
    {"usage", JSON_STRING, true, true, true},
    {"scene", JSON_STRING, true, true, true},
    {"stack", JSON_STRING, true, true, true},
    {"stackKey", JSON_STRING, true, true, true},
    {"threadStack", JSON_STRING, false, true, true},
    {"isProcessForeground", JSON_TRUE, false, true, true},
    {"processPriority", JSON_INTEGER, false, false, true},
    {"processNice", JSON_INTEGER, false, false, true},
    {"memory", JSON_OBJECT, false, false, true},
    {"methodbeat", JSON_OBJECT, true, true, true},
};

static void check_key(const struct key_case *c, const char *detail, bool is_expected)
{
    const json_t *value = json_object_get(json, c->key);

    cr_expect(eq(int, value != NULL, is_expected), "%s of %s", c->key, detail);
    if (value != NULL) {
        cr_expect(eq(int, json_typeof(value), c->type), "%s of %s", c->key, detail);
    }
}

static void check_keys(enum mon_detail detail, enum mon_ended ended, size_t offset)
{
    struct mon_issue issue = issue_of(detail);
    size_t expected = 0;

    issue.ended = ended;
    write(&issue, NULL);
    for (size_t i = 0; i < MB_COUNT(key_cases); i++) {
        bool is_expected = *(const bool *)((const char *)&key_cases[i] + offset);
        check_key(&key_cases[i], mon_detail_name(detail), is_expected);
        expected += is_expected;
    }
    cr_expect(eq(sz, json_object_size(json), expected), "no key that is not in the table");
}

Test(issue, has_the_keys_of_matrix)
{
    check_keys(MON_NORMAL, MON_ENDED_NORMAL, offsetof(struct key_case, normal));
    check_keys(MON_LAG, MON_ENDED_NORMAL, offsetof(struct key_case, lag));
    check_keys(MON_LAG, MON_ENDED_KILLED, offsetof(struct key_case, anr));
    check_keys(MON_ANR, MON_ENDED_NORMAL, offsetof(struct key_case, anr));
    check_keys(MON_HANG, MON_ENDED_KILLED, offsetof(struct key_case, anr));
}

static const char *string_of(const char *key)
{
    return json_string_value(json_object_get(json, key));
}

static const json_t *own(const char *key)
{
    return json_object_get(json_object_get(json, "methodbeat"), key);
}

Test(issue, has_its_units_and_forms)
{
    struct mon_issue issue = issue_of(MON_ANR);
    const json_t *memory;

    write(&issue, NULL);
    cr_assert_str_eq(string_of("tag"), "Trace_EvilMethod");
    cr_assert_str_eq(string_of("detail"), "ANR");
    cr_assert_str_eq(string_of("usage"), "66.32%");
    cr_assert_str_eq(string_of("stack"), "0,1048574,1,871\n1,171,1,637\n");
    cr_assert_str_eq(string_of("stackKey"), "171|");
    cr_assert_str_eq(string_of("threadStack"), "at a.b.C.load\nat a.b.C.<run>(a.b.C.load:12)\n");
    cr_assert_str_eq(string_of("machine"), "HIGH");
    cr_assert(eq(i64, json_integer_value(json_object_get(json, "cost")), 870));
    cr_assert(eq(i64, json_integer_value(json_object_get(json, "time")), 1790000001870));
    cr_assert(eq(i64, json_integer_value(json_object_get(json, "mem")), 8012345344));
    cr_assert(eq(i64, json_integer_value(json_object_get(json, "processNice")), -10));
    memory = json_object_get(json, "memory");
    cr_assert(eq(i64, json_integer_value(json_object_get(memory, "dalvik_heap")), 1));
    cr_assert(eq(i64, json_integer_value(json_object_get(memory, "native_heap")), 2));
    cr_assert(eq(i64, json_integer_value(json_object_get(memory, "vm_size")), 3));
    cr_assert(epsilon_eq(dbl, json_real_value(json_object_get(json, "cpu_app")), 0.31, 1e-9));
}

Test(issue, has_what_matrix_does_not_know)
{
    struct mon_issue issue = issue_of(MON_HANG);
    const struct mon_verdict verdict = {true, 4};

    write(&issue, &verdict);
    cr_assert_str_eq(string_of("detail"), "ANR");
    cr_assert_str_eq(json_string_value(own("detail")), "HANG");
    cr_assert_str_eq(json_string_value(own("incident")), "5f1c-17");
    cr_assert_str_eq(json_string_value(own("message")), "Handler \"q\" {..}: 7");
    cr_assert_str_eq(json_string_value(own("threads")), "all\nstacks");
    cr_assert_str_eq(json_string_value(own("mapping")), "91ab");
    cr_assert_str_eq(json_string_value(own("app_key")), "a.b.C.load");
    cr_assert_str_eq(json_string_value(own("ended")), "normal");
    cr_assert(eq(int, json_typeof(own("report")), JSON_TRUE));
    cr_assert(eq(int, json_typeof(own("busy")), JSON_TRUE));
    cr_assert(eq(i64,
                 json_integer_value(json_array_get(json_object_get(own("hottest"), "repeats"), 1)),
                 20));
    cr_assert(eq(i64,
                 json_integer_value(json_object_get(json_array_get(own("dumps"), 0), "after_ms")),
                 500));
    write(&issue, NULL);
    cr_assert_null(own("report"));
    (void)snprintf(options.platform, sizeof(options.platform), "a.b.");
    write(&issue, &verdict);
    cr_assert_str_eq(json_string_value(own("platform")), "a.b.");
}

Test(issue, takes_its_verdict_later)
{
    const struct mon_names names = names_of(&list);
    struct mon_issue issue = issue_of(MON_BUSY);
    const struct mon_verdict verdict = {true, 4};
    struct mb_buf at_once = {0};

    write(&issue, NULL);
    mon_issue_add_verdict(&text, &verdict);
    mon_issue_put(&at_once, &issue, &names, &options, &verdict);
    cr_assert(mb_text_equal((struct mb_text){(const char *)text.bytes, text.size},
                            (struct mb_text){(const char *)at_once.bytes, at_once.size}));
    mb_buf_finish(&at_once);
}

/* A process of which nothing is known, a stall of which nothing was seen. */
Test(issue, of_which_little_is_known_is_whole)
{
    for (enum mon_detail detail = MON_NORMAL; detail < MON_DETAIL_COUNT; detail++) {
        const struct mon_issue issue = {.detail = detail, .cpu_ns = -1, .is_unreachable = true};
        bool has_stack = detail != MON_FPS && detail != MON_START;
        write(&issue, NULL);
        if (has_stack) {
            cr_assert_str_eq(string_of("stack"), "");
            cr_assert_str_eq(string_of("stackKey"), "");
            cr_assert_str_eq(string_of("usage"), "");
        }
        cr_assert_str_eq(string_of("machine"), "UN_KNOW");
        cr_assert_str_eq(json_string_value(own("stack")), "not reachable");
    }
}

Test(issue, is_plain_json_whatever_names_hold)
{
    const struct name_list odd = {
        {"\xff\xfe", "\"", "\\", "\n", "\x01", "\xe2\x80\xa8", "\xed\xa0\x80", NULL}};
    const struct mon_names names = names_of(&odd);
    struct mon_issue issue = issue_of(MON_ANR);

    mb_buf_reset(&text);
    mon_issue_put(&text, &issue, &names, &options, NULL);
    json = json_loadb((const char *)text.bytes, text.size, JSON_REJECT_DUPLICATES, NULL);
    cr_assert_not_null(json, "%.*s", (int)text.size, (const char *)text.bytes);
    cr_assert_null(memchr(text.bytes, '\n', text.size), "one line");
}

Test(issue, of_a_stall_has_a_copy_as_slow_message)
{
    const struct mon_names names = names_of(&list);
    struct mon_issue issue = issue_of(MON_LAG);

    cr_assert(mon_issue_put_copy(&text, &issue, &names, &options));
    json = json_loadb((const char *)text.bytes, text.size, 0, NULL);
    cr_assert_str_eq(string_of("detail"), "NORMAL");
    cr_assert_str_eq(json_string_value(own("incident")), "5f1c-17");
    issue.detail = MON_NORMAL;
    cr_assert(not(mon_issue_put_copy(&text, &issue, &names, &options)));
    issue.detail = MON_LAG;
    issue.ended = MON_ENDED_KILLED;
    cr_assert(not(mon_issue_put_copy(&text, &issue, &names, &options)));
}

Test(issue, key_is_that_of_the_trace_else_of_the_stack)
{
    const struct mon_names names = names_of(&list);
    struct mon_issue issue = issue_of(MON_LAG);

    cr_assert(eq(u64, mon_issue_key(&issue, &names), 171));
    issue.trace = NULL;
    cr_assert(ne(u64, mon_issue_key(&issue, &names), 171));
    cr_assert(ne(u64, mon_issue_key(&issue, &names), 0));
    issue.hottest = NULL;
    cr_assert(eq(u64, mon_issue_key(&issue, &names), 0));
}

/* In trouble no memory may be asked for. */
Test(issue, fits_the_reserve)
{
    struct mon_issue issue = issue_of(MON_HANG);
    struct mon_dump dumps[8] = {0};
    char name[MON_NAME_SIZE + 1];
    struct name_list long_names;
    const struct mon_names names = names_of(&long_names);

    memset(name, 'a', MON_NAME_SIZE);
    name[MON_NAME_SIZE] = '\0';
    for (size_t i = 0; i < MB_COUNT(long_names.names); i++) {
        long_names.names[i] = name;
    }
    for (size_t i = 0; i < MB_COUNT(dumps); i++) {
        dumps[i].frames.count = MON_FRAME_COUNT;
        for (size_t f = 0; f < MON_FRAME_COUNT; f++) {
            dumps[i].frames.names[f] = LOAD;
            dumps[i].frames.files[f] = LOAD;
        }
    }
    struct mon_hottest big = {.frames = &dumps[0].frames, .samples = 20};
    issue.hottest = &big;
    issue.dumps = dumps;
    issue.dump_count = MB_COUNT(dumps);
    cr_assert(mb_buf_reserve(&text, MON_ISSUE_SIZE));
    const uint8_t *before = text.bytes;
    mon_issue_put(&text, &issue, &names, &options, NULL);
    cr_assert(eq(ptr, text.bytes, (void *)(uintptr_t)before));
}
