#include "rules/rule.h"

#include "classfile/opcode.h"
#include "tests/support/failing.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As much of a class file as rules look at: a pool of two names. */
static const uint8_t pool_bytes[] = "\x01\x00\x03run\x01\x00\x06<init>\x01\x00\x03()V";
static uint32_t pool_offsets[] = {0, 1, 7, 16};

enum name { RUN = 1, INIT = 2 };

static struct cf_class class_named(const char *name, uint16_t access_flags)
{
    static uint8_t bytes[1 + sizeof(pool_bytes)];

    memcpy(bytes + 1, pool_bytes, sizeof(pool_bytes)); /* offset 0 means: no entry */
    return (struct cf_class){.bytes = bytes,
                             .size = sizeof(bytes),
                             .access_flags = access_flags,
                             .name = mb_text_of(name),
                             .pool = {.bytes = bytes, .offsets = pool_offsets, .count = 4}};
}

static struct rule_set *set_of(enum rule_profile profile)
{
    struct rule_options options = {.profile = profile, .beat_class = MB_TEXT("beat/MethodBeat")};
    struct rule_set *set = NULL;
    struct mb_error err = {0};

    cr_assert(eq(int, rule_set_create(&set, &options, &err), MB_OK));
    return set;
}

#define BODY(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})
#define POOL 0, 1

struct body_case {
    const char *what;
    enum name name;
    uint16_t access_flags;
    uint8_t code[24];
    uint32_t code_size;
    const char *by_default; /* the rule */
    const char *by_matrix;
};

static const struct body_case body_cases[] = {
    {"nothing but return", RUN, 0, BODY(CF_OP_RETURN), "empty", "no-call"},
    {"nothing but return, synchronized", RUN, CF_ACC_SYNCHRONIZED, BODY(CF_OP_RETURN), "otherwise",
     "no-call"},
    {"no body, abstract", RUN, CF_ACC_ABSTRACT, {0}, 0, "abstract", "no-call"},
    {"no body, native", RUN, CF_ACC_NATIVE, {0}, 0, "native", "no-call"},
    {"return this.x", RUN, 0, BODY(CF_OP_ALOAD_0, CF_OP_GETFIELD, POOL, CF_OP_IRETURN), "getter",
     "no-call"},
    {"return X", RUN, CF_ACC_STATIC, BODY(CF_OP_GETSTATIC, POOL, CF_OP_ARETURN), "getter",
     "no-call"},
    {"this.x = x", RUN, 0, BODY(CF_OP_ALOAD_0, CF_OP_ILOAD_1, CF_OP_PUTFIELD, POOL, CF_OP_RETURN),
     "setter", "no-call"},
    {"this.x = true, return this", RUN, 0,
     BODY(CF_OP_ALOAD_0, CF_OP_ICONST_1, CF_OP_PUTFIELD, POOL, CF_OP_ALOAD_0, CF_OP_ARETURN),
     "setter", "no-call"},
    {"return 1", RUN, 0, BODY(CF_OP_ICONST_1, CF_OP_IRETURN), "leaf", "no-call"},
    {"x > 0 ? 1 : 0", RUN, 0,
     BODY(CF_OP_ILOAD_1, CF_OP_IFLE, 0, 5, CF_OP_ICONST_1, CF_OP_IRETURN, CF_OP_ICONST_0,
          CF_OP_IRETURN),
     "leaf", "no-call"},
    {"throw x", RUN, 0, BODY(CF_OP_ALOAD_1, CF_OP_ATHROW), "leaf", "no-call"},
    {"a loop", RUN, 0, BODY(CF_OP_IINC, 1, 1, CF_OP_GOTO, 0xff, 0xfd), "otherwise", "no-call"},
    {"a loop on the spot", RUN, 0, BODY(CF_OP_GOTO, 0, 0), "otherwise", "no-call"},
    {"a loop, goto_w", RUN, 0, BODY(CF_OP_NOP, CF_OP_GOTO_W, 0xff, 0xff, 0xff, 0xff), "otherwise",
     "no-call"},
    {"a loop through ifnull", RUN, 0, BODY(CF_OP_ALOAD_0, CF_OP_IFNULL, 0xff, 0xff, CF_OP_RETURN),
     "otherwise", "no-call"},
    {"a switch that goes back", RUN, 0,
     BODY(CF_OP_ILOAD_0, CF_OP_LOOKUPSWITCH, 0, 0, 0, 0, 0, 19, 0, 0, 0, 1, 0, 0, 0, 7, 0xff, 0xff,
          0xff, 0xff, CF_OP_RETURN),
     "otherwise", "no-call"},
    {"a switch that goes on", RUN, 0,
     BODY(CF_OP_ILOAD_0, CF_OP_LOOKUPSWITCH, 0, 0, 0, 0, 0, 19, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0, 19,
          CF_OP_RETURN),
     "leaf", "no-call"},
    {"new int[x]", RUN, 0, BODY(CF_OP_ILOAD_1, CF_OP_NEWARRAY, 10, CF_OP_ARETURN), "otherwise",
     "no-call"},
    {"new String[x]", RUN, 0, BODY(CF_OP_ILOAD_1, CF_OP_ANEWARRAY, POOL, CF_OP_ARETURN),
     "otherwise", "no-call"},
    {"a monitor", RUN, 0, BODY(CF_OP_ALOAD_1, CF_OP_MONITORENTER, CF_OP_RETURN), "otherwise",
     "no-call"},
    {"a subroutine", RUN, 0, BODY(CF_OP_JSR, 0, 4, CF_OP_RETURN, CF_OP_ASTORE_1, CF_OP_RET, 1),
     "otherwise", "no-call"},
    {"a call", RUN, 0, BODY(CF_OP_INVOKESTATIC, POOL, CF_OP_RETURN), "otherwise", "otherwise"},
    {"an interface call", RUN, 0, BODY(CF_OP_INVOKEINTERFACE, POOL, 1, 0, CF_OP_RETURN),
     "otherwise", "otherwise"},
    {"a dynamic call", RUN, 0, BODY(CF_OP_INVOKEDYNAMIC, POOL, 0, 0, CF_OP_ARETURN), "otherwise",
     "otherwise"},
    {"invokespecial outside of a constructor", RUN, 0,
     BODY(CF_OP_ALOAD_0, CF_OP_INVOKESPECIAL, POOL, CF_OP_RETURN), "otherwise", "otherwise"},
    {"super()", INIT, 0, BODY(CF_OP_ALOAD_0, CF_OP_INVOKESPECIAL, POOL, CF_OP_RETURN),
     "constructor", "constructor"},
    {"super(x), this.x = x", INIT, 0,
     BODY(CF_OP_ALOAD_0, CF_OP_ILOAD_1, CF_OP_INVOKESPECIAL, POOL, CF_OP_ALOAD_0, CF_OP_WIDE,
          CF_OP_ILOAD, 0, 1, CF_OP_PUTFIELD, POOL, CF_OP_RETURN),
     "constructor", "constructor"},
    {"super(x[1])", INIT, 0,
     BODY(CF_OP_ALOAD_0, CF_OP_ALOAD_1, CF_OP_ICONST_1, CF_OP_SALOAD, CF_OP_INVOKESPECIAL, POOL,
          CF_OP_RETURN),
     "constructor", "constructor"},
    {"super(x + x): upstream sees no plain one", INIT, 0,
     BODY(CF_OP_ALOAD_0, CF_OP_ILOAD_1, CF_OP_ILOAD_1, CF_OP_IADD, CF_OP_INVOKESPECIAL, POOL,
          CF_OP_RETURN),
     "constructor", "otherwise"},
    {"super(), y = x: a store is none of upstream's", INIT, 0,
     BODY(CF_OP_ALOAD_0, CF_OP_INVOKESPECIAL, POOL, CF_OP_ILOAD_1, CF_OP_ISTORE, 2, CF_OP_RETURN),
     "constructor", "otherwise"},
    {"super(), new int[x]", INIT, 0,
     BODY(CF_OP_ALOAD_0, CF_OP_INVOKESPECIAL, POOL, CF_OP_ILOAD_1, CF_OP_NEWARRAY, 10, CF_OP_POP,
          CF_OP_RETURN),
     "otherwise", "otherwise"},
    {"super(), x()", INIT, 0,
     BODY(CF_OP_ALOAD_0, CF_OP_INVOKESPECIAL, POOL, CF_OP_INVOKESTATIC, POOL, CF_OP_RETURN),
     "otherwise", "otherwise"},
    {"super(new X())", INIT, 0,
     BODY(CF_OP_ALOAD_0, CF_OP_NEW, POOL, CF_OP_DUP, CF_OP_INVOKESPECIAL, POOL, CF_OP_INVOKESPECIAL,
          POOL, CF_OP_RETURN),
     "otherwise", "otherwise"},
    {"Object's own constructor", INIT, 0, BODY(CF_OP_RETURN), "empty", "no-call"},
    {"an undefined instruction", RUN, 0, BODY(0xfe, CF_OP_RETURN), "otherwise", "otherwise"},
    {"an instruction that is cut off", RUN, 0, BODY(CF_OP_RETURN, CF_OP_SIPUSH, 0), "otherwise",
     "otherwise"},
};

static struct rule_decision decide(const struct rule_class *cls, const struct body_case *c)
{
    struct cf_member member = {.access_flags = c->access_flags, .name_index = c->name};
    struct cf_code code = {.bytes = c->code, .size = c->code_size};
    struct rule_method_input method = {.member = &member,
                                       .code = c->code_size > 0 ? &code : NULL,
                                       .name = MB_TEXT("run"),
                                       .descriptor = MB_TEXT("()V")};

    return rule_decide_method(cls, &method);
}

EACH_ROW(decide, looks_at_bodies, body_cases);

ParameterizedTest(size_t *row, decide, looks_at_bodies)
{
    const struct body_case *c = &body_cases[*row];
    struct cf_class cls = class_named("a/B", CF_ACC_PUBLIC);
    struct rule_class_input input = {&cls, MB_TEXT("a/B.class"), cls.name};

    for (int profile = RULE_PROFILE_DEFAULT; profile <= RULE_PROFILE_MATRIX; profile++) {
        const char *expected = profile == RULE_PROFILE_MATRIX ? c->by_matrix : c->by_default;
        struct rule_set *set = set_of((enum rule_profile)profile);
        struct rule_class decided = rule_decide_class(set, &input);
        struct rule_decision decision = decide(&decided, c);
        bool is_traced = strcmp(expected, "otherwise") == 0;
        cr_expect_str_eq(decision.rule, expected, "%s: %s", c->what, decision.rule);
        cr_expect(eq(int, decision.verdict == RULE_TRACE, is_traced), "%s", c->what);
        cr_expect(eq(int, decision.verdict == RULE_SKIP, strcmp(expected, "abstract") == 0));
        rule_set_destroy(set);
    }
}

struct class_case {
    const char *name;
    const char *original;
    const char *entry;
    uint16_t access_flags;
    const char *by_default;
    const char *by_matrix;
    bool is_blocked[2];
};

#define TRACED                \
    "otherwise", "otherwise", \
    {                         \
        false, false          \
    }

static const struct class_case class_cases[] = {
    {"a/B", "a/B", "a/B.class", 0, TRACED},
    {"a/B", "a/B", "a/B.class", CF_ACC_ABSTRACT, "otherwise", "abstract-class", {false, false}},
    {"a/B", "a/B", "B.class", CF_ACC_INTERFACE, "otherwise", "abstract-class", {false, false}},
    {"a/R", "a/R", "a/R.class", 0, "generated", "file", {true, true}},
    {"a/R$id", "a/R$id", "R$id.class", 0, "generated", "file", {true, true}},
    {"a/BuildConfig", "a/BuildConfig", "x", 0, "generated", "otherwise", {true, false}},
    {"Manifest", "Manifest", "x", 0, "generated", "otherwise", {true, false}},
    {"a/Manifest$p", "a/Manifest$p", "Manifest$p.class", 0, "generated", "file", {true, true}},
    {"a/ManifestReader",
     "a/ManifestReader",
     "a/ManifestReader.class",
     0,
     "otherwise",
     "file",
     {false, true}},
    {"a/SABER", "a/SABER", "a/SABER.class", 0, "otherwise", "file", {false, true}},
    {"a/SABER", "a/SABER", "saber.class", 0, TRACED},
    {"a/B$R", "a/B$R", "B$R", 0, TRACED},
    {"R/b", "R/b", "R/b.class", 0, TRACED},
    {"a/a", "a/R$id", "a/a.class", 0, "generated", "otherwise", {true, false}},
    {"module-info",
     "module-info",
     "module-info.class",
     0,
     "descriptor",
     "otherwise",
     {true, false}},
    {"a/package-info", "a/package-info", "x", 0, "descriptor", "otherwise", {true, false}},
    {"android/app/A", "android/app/A", "x", 0, "keeppackage", "keeppackage", {true, true}},
    {"androidx/app/A", "androidx/app/A", "x", 0, TRACED},
    {"a", "com/tencent/matrix/A", "x", 0, "keeppackage", "keeppackage", {true, true}},
    {"android/A", "com/A", "x", 0, TRACED},
    {"beat/X", "y/Z", "x", 0, "beat", "beat", {true, true}},
    {"beat/x/Y", "y/Z", "x", 0, "beat", "beat", {true, true}},
    {"beater/X", "y/Z", "x", 0, TRACED},
};

EACH_ROW(decide, looks_at_classes, class_cases);

static const struct body_case a_call = {
    "a call", RUN, 0, BODY(CF_OP_INVOKESTATIC, POOL, CF_OP_RETURN), NULL, NULL};
static const struct body_case no_body = {"no body", RUN, CF_ACC_ABSTRACT, {0}, 0, NULL, NULL};

ParameterizedTest(size_t *row, decide, looks_at_classes)
{
    const struct class_case *c = &class_cases[*row];
    struct cf_class cls = class_named(c->name, c->access_flags);
    struct rule_class_input input = {&cls, mb_text_of(c->entry), mb_text_of(c->original)};

    for (int profile = RULE_PROFILE_DEFAULT; profile <= RULE_PROFILE_MATRIX; profile++) {
        const char *expected = profile == RULE_PROFILE_MATRIX ? c->by_matrix : c->by_default;
        struct rule_set *set = set_of((enum rule_profile)profile);
        struct rule_class decided = rule_decide_class(set, &input);
        struct rule_decision decision = decide(&decided, &a_call);
        cr_expect_str_eq(decision.rule, expected, "%s: %s", c->name, decision.rule);
        cr_expect(eq(int, decided.is_blocked, c->is_blocked[profile]), "%s", c->name);
        decision = decide(&decided, &no_body);
        cr_expect(eq(int, decision.verdict,
                     profile == RULE_PROFILE_DEFAULT ? RULE_SKIP
                     : strcmp(expected, "file") == 0 || strcmp(expected, "abstract-class") == 0
                         ? RULE_SKIP
                         : RULE_IGNORE));
        rule_set_destroy(set);
    }
}

Test(decide, a_beat_class_without_package_protects_only_itself)
{
    static const struct {
        const char *name;
        bool is_blocked;
    } cases[] = {{"Beat", true}, {"Beat$1", true}, {"Beater", false}, {"a/Beat", false}};
    struct rule_options options = {.beat_class = MB_TEXT("Beat")};
    struct rule_set *set = NULL;

    cr_assert(eq(int, rule_set_create(&set, &options, NULL), MB_OK));
    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        struct cf_class cls = class_named(cases[i].name, 0);
        struct rule_class_input input = {&cls, cls.name, cls.name};
        cr_expect(eq(int, rule_decide_class(set, &input).is_blocked, cases[i].is_blocked), "%s",
                  cases[i].name);
    }
    rule_set_destroy(set);
}

static char path[] = "/tmp/test_decide.XXXXXX";

static struct rule_set *set_with_file(enum rule_profile profile, const char *text)
{
    const char *const paths[] = {path};
    struct rule_options options = {.profile = profile,
                                   .drop_default_blacklist = true,
                                   .blacklists = paths,
                                   .blacklist_count = 1};
    struct rule_set *set = NULL;
    struct mb_error err = {0};
    int fd = mkstemp(path);

    cr_assert(ge(int, fd, 0));
    cr_assert(eq(sz, (size_t)write(fd, text, strlen(text)), strlen(text)));
    (void)close(fd);
    cr_assert(eq(int, rule_set_create(&set, &options, &err), MB_OK), "%s", err.reason);
    (void)unlink(path);
    return set;
}

static void count_unused(void *context, const char *source, struct mb_text text)
{
    size_t *count = context;

    cr_expect(mb_text_ends(mb_text_of(source), MB_TEXT(":3")));
    cr_expect(mb_text_is(text, "-keepclass a/D"));
    ++*count;
}

Test(decide, blacklists_are_read_and_idle_rules_reported)
{
    struct rule_set *set = set_with_file(
        RULE_PROFILE_DEFAULT,
        "-keeppackage a\n-traceclass a/C\n  -keepclass a/D # idle\n-tracemethod a/B run\n");
    struct cf_class cls = class_named("a/B", 0);
    struct rule_class_input input = {&cls, cls.name, MB_TEXT("a/E")};
    size_t unused_count = 0;

    struct rule_class decided = rule_decide_class(set, &input);
    struct rule_decision decision = decide(&decided, &a_call);
    cr_expect_str_eq(decision.rule, "keeppackage");
    cr_assert(ne(ptr, (void *)(uintptr_t)decision.source, NULL));
    cr_expect(mb_text_ends(mb_text_of(decision.source), MB_TEXT(":1")));
    input.original_name = MB_TEXT("a/C");
    decided = rule_decide_class(set, &input);
    cr_expect_str_eq(decide(&decided, &a_call).rule, "otherwise");
    cr_expect_str_eq(decide(&decided, &body_cases[0]).rule, "empty");
    input.original_name = MB_TEXT("a/B");
    decided = rule_decide_class(set, &input);
    cr_expect(decided.is_blocked);
    cr_expect_str_eq(decide(&decided, &body_cases[0]).rule, "tracemethod");
    cr_expect(eq(int, decide(&decided, &no_body).verdict, RULE_SKIP));
    rule_set_each_unused(set, count_unused, &unused_count);
    cr_expect(eq(sz, unused_count, 1));
    rule_set_destroy(set);
}

Test(decide, a_method_rule_blocks_one_method)
{
    for (int profile = RULE_PROFILE_DEFAULT; profile <= RULE_PROFILE_MATRIX; profile++) {
        struct rule_set *set = set_with_file((enum rule_profile)profile, "-keepmethod a.B run(*)V");
        struct cf_class cls = class_named("a/B", 0);
        struct rule_class_input input = {&cls, cls.name, cls.name};
        struct rule_class decided = rule_decide_class(set, &input);
        cr_expect_str_eq(decide(&decided, &a_call).rule, "keepmethod");
        cr_expect(not(decided.is_blocked));
        memcpy(path + strlen(path) - 6, "XXXXXX", 6);
        rule_set_destroy(set);
    }
}

Test(decide, a_missing_file_fails)
{
    const char *const paths[] = {"/nonexistent/black.txt"};
    struct rule_options options = {.blacklists = paths, .blacklist_count = 1};
    struct rule_set *set = NULL;
    struct mb_error err = {0};

    cr_expect(eq(int, rule_set_create(&set, &options, &err), MB_IO));
    cr_expect(eq(ptr, set, NULL));
    cr_expect_str_eq(err.input, "/nonexistent/black.txt");
}

Test(decide, knows_whether_lines_leave_classes)
{
    static const struct {
        const char *text;
        bool leaves;
    } cases[] = {{"", false}, /* what is built in does not count */
                 {"-keepmethod a/A run\n-traceclass b/B\n", false},
                 {"-keepclass a/A\n", true},
                 {"-keeppackage a/\n", true}};

    for (size_t i = 0; i < MB_COUNT(cases); i++) {
        const struct rule_options options = {
            .beat_class = MB_TEXT("Beat"), .text = mb_text_of(cases[i].text), .text_name = "text"};
        struct rule_set *set = NULL;
        cr_assert(eq(int, rule_set_create(&set, &options, NULL), MB_OK));
        cr_expect(eq(int, rule_set_leaves_classes(set), cases[i].leaves), "%s", cases[i].text);
        rule_set_destroy(set);
    }
}

Test(decide, every_failing_allocation_is_reported)
{
    struct rule_options options = {.beat_class = MB_TEXT("Beat")};
    enum mb_status status = MB_NO_MEMORY;
    int first = 0;

    mb_alloc_should_fail = fail_later;
    for (first = 0; first < 100 && status == MB_NO_MEMORY; first++) {
        struct rule_set *set = NULL;
        allocations_left = first;
        status = rule_set_create(&set, &options, NULL);
        cr_expect(eq(int, status == MB_OK, set != NULL));
        rule_set_destroy(set);
    }
    mb_alloc_should_fail = NULL;
    cr_expect(eq(int, status, MB_OK));
    cr_expect(gt(int, first, 1));
}
