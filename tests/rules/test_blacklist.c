#include "rules/parts.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

/* A class name against the rules of one text. */
struct match_case {
    const char *rules;
    const char *name;
    const char *blocked_by; /* "path:line" of the rule, NULL: not blocked */
    bool is_matrix;
};

static const struct match_case match_cases[] = {
    {"-keepclass a/b/C", "a/b/C", "f:1", false},
    {"-keepclass a.b.C", "a/b/C", "f:1", false},
    {"-keepclass a/b/C", "a/b/C$D", "f:1", false},
    {"-keepclass a/b/C", "a/b/CD", NULL, false},
    {"-keepclass a/b/C", "a/b/C/D", NULL, false},
    {"-keepclass a/b/C", "a/b", NULL, false},
    {"-keepclass C", "C$1", "f:1", false},
    {"-keeppackage a/b/", "a/b/C", "f:1", false},
    {"-keeppackage a/b", "a/b/C", "f:1", false},
    {"-keeppackage a.b.**", "a/b/C", "f:1", false},
    {"-keeppackage a.b.**", "a/b/c/D", "f:1", false},
    {"-keeppackage a/b", "a/b/c/D$E", "f:1", false},
    {"-keeppackage a/b", "a/bc/D", NULL, false},
    {"-keeppackage android/", "androidx/A", NULL, false},
    {"-keeppackage a/b", "a/b", NULL, false},
    {"-keeppackage a/b", "a/b$C", NULL, false},
    {"-keeppackage **", "a/B", "f:1", false},
    {"-keeppackage **", "B", NULL, false},
    {"-keepclass **", "B", "f:1", false},
    {"-keepclass **", "a/b/C", "f:1", false},
    {"-keeppackage a/*/gen", "a/x/gen/y/C", "f:1", false},
    {"-keeppackage a/*/gen", "a/x/y/gen/C", NULL, false},
    {"-keeppackage a/**/gen", "a/x/y/gen/C", "f:1", false},
    {"-keepclass a/*Adapter", "a/ListAdapter$1", "f:1", false},
    {"-keepclass a/*Adapter", "a/b/ListAdapter", NULL, false},
    /* several rules: a class before a shorter package, an exemption before both */
    {"-keeppackage a\n-keepclass a/B", "a/B", "f:2", false},
    {"-keepclass a/B\n-keeppackage a", "a/C", "f:2", false},
    {"-keepclass a/B\n-keeppackage a\n-keeppackage a/b", "a/b/C", "f:3", false},
    {"-keeppackage **\n-tracepackage a/b", "a/b/C", NULL, false},
    {"-keeppackage **\n-tracepackage a/b", "a/c/C", "f:1", false},
    {"-traceclass a/B\n-keeppackage a", "a/B$C", NULL, false},
    {"-keepclass a/A\n-keepclass a/AA\n-keepclass a/AB\n-keepclass a/B", "a/AC", NULL, false},
    {"-keepclass a/A\n-keepclass a/A$B\n-keepclass a/A$C", "a/A$D", "f:1", false},
    {"-keepclass a/B\n-keepclass a/B", "a/B", "f:1", false},
    {"-keepmethod a/B run", "a/B", NULL, false},
    /* what a file may look like */
    {"\xef\xbb\xbf-keepclass a/B\r\n", "a/B", "f:1", false},
    {"# c\r\n\r\n[package]\r\n  -keepclass \t a/B  # why\r\n", "a/B", "f:4", false},
    {"\t[section] # c\n-keepclass a/B#C", "a/B#C", "f:2", false},
    {"", "a/B", NULL, false},
    /* upstream: plain prefixes, but only its own two */
    {"-keepclass a/b/C", "a/b/CD", "f:1", true},
    {"-keepclass a/b/", "a/b/C", "f:1", true},
    {"-keeppackage a/b", "a/bc/D", "f:1", true},
    {"-keeppackage a/b/", "a/bc/D", NULL, true},
    {"-keeppackage a/b/", "a/b/c/D", "f:1", true},
    {"-keeppackage com/Foo", "com/Foo", "f:1", true},
    {"-keeppackage a\n-traceclass a/B", "a/BC", "f:1", true},
};

ParameterizedTestParameters(blacklist, blocks_by_name)
{
    static size_t rows[MB_COUNT(match_cases)];

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        rows[i] = i;
    }
    return cr_make_param_array(size_t, rows, MB_COUNT(rows));
}

struct fixture {
    struct rule_blacklist blacklist;
    struct mb_arena arena;
};

static void read_rules(struct fixture *f, const char *rules)
{
    struct mb_error err = {0};

    cr_assert(eq(int, rule_blacklist_parse(&f->blacklist, &f->arena, mb_text_of(rules), "f", &err),
                 MB_OK),
              "%s: %s", rules, err.reason);
    cr_assert(eq(int, rule_blacklist_index(&f->blacklist, &f->arena, &err), MB_OK));
}

static struct rule_class match(const struct fixture *f, const char *name)
{
    struct rule_class cls = {.input.original_name = mb_text_of(name)};

    rule_blacklist_match_class(&f->blacklist, &cls);
    return cls;
}

ParameterizedTest(size_t *row, blacklist, blocks_by_name)
{
    const struct match_case *c = &match_cases[*row];
    struct fixture f = {.blacklist.is_matrix = c->is_matrix};

    read_rules(&f, c->rules);
    struct rule_class cls = match(&f, c->name);
    const char *source = cls.blocks != NULL ? cls.blocks->source : "(none)";
    cr_expect_str_eq(source, c->blocked_by != NULL ? c->blocked_by : "(none)", "%s against %s: %s",
                     c->name, c->rules, source);
    mb_arena_finish(&f.arena);
}

struct method_case {
    const char *rule;
    const char *name;
    const char *descriptor;
    bool matches;
};

static const struct method_case method_cases[] = {
    {"a/B run", "run", "()V", true},
    {"a/B run", "run", "(I)V", true},
    {"a/B run", "runs", "()V", false},
    {"a.B run (Landroid.os.Bundle;)V", "run", "(Landroid/os/Bundle;)V", true},
    {"a/B run(Landroid/os/Bundle;)V", "run", "(Landroid/os/Bundle;)V", true},
    {"a/B run(Landroid/os/Bundle;)V", "run", "(Landroid/os/Bundle;)Z", false},
    {"a/B run(I)", "run", "(I)Z", true},
    {"a/B run(I)", "run", "(II)Z", false},
    {"a/B run(*)", "run", "(ILa/b/C;)[I", true},
    {"a/B run(*)V", "run", "(ILa/b/C;)[I", false},
    {"a/B run(*I)*", "run", "(La/b/C;I)[I", true},
    {"a/B run([[Ljava.*;)V", "run", "([[Ljava/util/List;)V", true},
    {"a/B get*", "getX", "()I", true},
    {"a/B get*", "get", "()I", true},
    {"a/B *", "<init>", "()V", true},
    {"a/B <init>(I)", "<init>", "(I)V", true},
    {"a/B <clinit>", "<clinit>", "()V", true},
    {"a/* run", "run", "()V", true},
    {"** run", "run", "()V", true},
    {"a/C run", "run", "()V", false},
    {"a run", "run", "()V", false},
};

ParameterizedTestParameters(blacklist, names_methods)
{
    static size_t rows[MB_COUNT(method_cases)];

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        rows[i] = i;
    }
    return cr_make_param_array(size_t, rows, MB_COUNT(rows));
}

ParameterizedTest(size_t *row, blacklist, names_methods)
{
    const struct method_case *c = &method_cases[*row];
    struct rule_method_input method = {.name = mb_text_of(c->name),
                                       .descriptor = mb_text_of(c->descriptor)};
    struct fixture f = {0};
    char rules[200];

    (void)snprintf(rules, sizeof(rules), "-keepclass x/Y\n-keepmethod %s # why", c->rule);
    read_rules(&f, rules);
    struct rule_class cls = match(&f, "a/B");
    cr_expect(eq(int, rule_blacklist_match_method(&cls, &method, false) != NULL, c->matches), "%s",
              c->rule);
    cr_expect(not(rule_blacklist_match_method(&cls, &method, true) != NULL));
    cls = match(&f, "a/B$C"); /* method rules cover one class only */
    if (strchr(c->rule, '*') == NULL) {
        cr_expect(not(rule_blacklist_match_method(&cls, &method, false) != NULL));
    }
    mb_arena_finish(&f.arena);
}

struct bad_case {
    const char *rules;
    const char *place;
};

static const struct bad_case bad_cases[] = {
    {"a/B", "f:1"},
    {"\n-keep a/B", "f:2"},
    {"-keepClass a/B", "f:1"},
    {"-keepclass", "f:1"},
    {"-keeppackage   # nothing", "f:1"},
    {"-keepclass a/B a/C", "f:1"},
    {"-keepclass a/B;", "f:1"},
    {"-keepclass La/B;", "f:1"},
    {"-keepclass a//B", "f:1"},
    {"-keepclass /a/B", "f:1"},
    {"-keepclass a/b/", "f:1"},
    {"-keepclass ***", "f:1"},
    {"-keeppackage /", "f:1"},
    {"-keeppackage a//", "f:1"},
    {"-keepclass a/B\r\n\r\n-keepclass \"a/B\"\r\n", "f:3"},
    {"[package", "f:1"},
    {"-keepmethod a/B", "f:1"},
    {"-keepmethod a/B ()V", "f:1"},
    {"-keepmethod a/B run(", "f:1"},
    {"-keepmethod a/B run)", "f:1"},
    {"-keepmethod a/B run(int)", "f:1"},
    {"-keepmethod a/B run(La/B)V", "f:1"},
    {"-keepmethod a/B run()VV", "f:1"},
    {"-keepmethod a/B run()[", "f:1"},
    {"-keepmethod a/B run stop", "f:1"},
    {"-keepmethod a/B c.run", "f:1"},
    {"-keepmethod a/B <start>", "f:1"},
};

ParameterizedTestParameters(blacklist, malformed_lines_are_named)
{
    static size_t rows[MB_COUNT(bad_cases)];

    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        rows[i] = i;
    }
    return cr_make_param_array(size_t, rows, MB_COUNT(rows));
}

ParameterizedTest(size_t *row, blacklist, malformed_lines_are_named)
{
    const struct bad_case *c = &bad_cases[*row];
    struct fixture f = {0};
    struct mb_error err = {0};

    cr_expect(eq(int, rule_blacklist_parse(&f.blacklist, &f.arena, mb_text_of(c->rules), "f", &err),
                 MB_BAD_TEXT),
              "%s", c->rules);
    cr_expect_str_eq(err.input, c->place);
    mb_arena_finish(&f.arena);
}

Test(blacklist, look_up_equals_a_linear_scan)
{
    static const char *const parts[] = {"a", "b", "ab", "a$", "*", "b**", "aa"};
    static char rules[60000];
    struct fixture f = {0};
    size_t used = 0;

    for (size_t i = 0; i < 343; i++) {
        used += (size_t)snprintf(rules + used, sizeof(rules) - used, "-keepclass %s/%s%s\n",
                                 parts[i % 7], parts[i / 7 % 7], parts[i / 49]);
        if (strstr(rules, "***") != NULL || strstr(rules, "****") != NULL) {
            used -= strlen(strrchr(rules, '-'));
            rules[used] = '\0';
        }
    }
    read_rules(&f, rules);
    cr_assert(gt(sz, f.blacklist.count, 200));
    for (size_t i = 0; i < 343; i++) {
        char name[32];
        size_t linear = 0;
        size_t chained = 0;
        (void)snprintf(name, sizeof(name), "%s/%s%s", parts[i % 4], parts[i / 7 % 4],
                       parts[i / 49 % 4]);
        struct mb_text text = mb_text_of(name);
        for (struct rule_pattern *p = f.blacklist.first; p != NULL; p = p->next) {
            linear += rule_pattern_matches_class(p, text);
        }
        for (struct rule_pattern *p = rule_blacklist_chain(&f.blacklist, text); p != NULL;
             p = p->parent) {
            chained += rule_pattern_matches_class(p, text);
        }
        cr_expect(eq(sz, chained, linear), "%s", name);
    }
    mb_arena_finish(&f.arena);
}
