/* What lines of a blacklist may look like, and which line is wrong. */

#include "rules/parts.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
    struct rule_blacklist blacklist;
    struct mb_arena arena;
};

static enum mb_status parse(struct fixture *f, const char *rules, const char *path,
                            struct mb_error *err)
{
    return rule_blacklist_parse(&f->blacklist, &f->arena, mb_text_of(rules), path, err);
}

/* The rules as "kind name method descriptor source", a line each. */
static void put_rule(struct mb_buf *out, const struct rule_pattern *rule)
{
    static const char *const targets[] = {"class", "package", "method"};

    mb_buf_printf(out, "%s%s ", rule->allows ? "+" : "", targets[rule->target]);
    mb_buf_put(out, rule->scope.literal.data, rule->scope.literal.size + rule->scope.wild.size);
    if (rule->target == RULE_TARGET_METHOD) {
        mb_buf_put_u1(out, ' ');
        mb_buf_put(out, rule->name.literal.data, rule->name.literal.size + rule->name.wild.size);
        mb_buf_put(out, rule->descriptor.data, rule->descriptor.size);
    }
    mb_buf_printf(out, " %s\n", rule->source != NULL ? rule->source : "built in");
}

static void expect_rules(const char *rules, const char *path, const char *expected)
{
    struct fixture f = {0};
    struct mb_buf out = {0};
    size_t count = 0;

    cr_assert(eq(int, parse(&f, rules, path, NULL), MB_OK), "%s", rules);
    for (const struct rule_pattern *rule = f.blacklist.first; rule != NULL; rule = rule->next) {
        cr_expect(eq(sz, rule->order, count), "%s", rules);
        put_rule(&out, rule);
        count++;
    }
    mb_buf_put_u1(&out, '\0');
    cr_expect_str_eq((char *)out.bytes, expected, "%s", rules);
    cr_expect(eq(sz, f.blacklist.count, count));
    mb_buf_finish(&out);
    mb_arena_finish(&f.arena);
}

Test(blacklist_file, each_directive_is_a_rule)
{
    expect_rules("-keepclass a/B\n-keeppackage a/b\n-keepmethod a/B run (I)V\n"
                 "-traceclass a.C\n-tracepackage a.c.**\n-tracemethod a.C run\n",
                 "f",
                 "class a/B f:1\npackage a/b f:2\nmethod a/B run(I)V f:3\n"
                 "+class a/C f:4\n+package a/c f:5\n+method a/C run f:6\n");
}

/* As Kotlin's tests have them: as the method map has them, or with \\s for each space. */
Test(blacklist_file, names_have_spaces)
{
    expect_rules(
        "-keepmethod a/B it works (La/My\\sT;)V\n"
        "-keepmethod a/B it\\sworks\n-keepclass a/My\\sTest\n-keepclass a/B\\\\s\\x\n",
        "f",
        "method a/B it works(La/My T;)V f:1\nmethod a/B it works f:2\nclass a/My Test f:3\n"
        "class a/B\\s\\x f:4\n");
}

Test(blacklist_file, built_in_rules_have_no_place)
{
    expect_rules("-keeppackage android/\n", NULL, "package android built in\n");
}

Test(blacklist_file, what_people_do_to_files)
{
    expect_rules("\xef\xbb\xbf-keepclass a/B\r\n", "f", "class a/B f:1\n");
    expect_rules("# c\r\n\r\n[package]\r\n  -keepclass \t a/B  # why\r\n", "f", "class a/B f:4\n");
    expect_rules("\t[section] # c\n-keepclass a/B#C", "f", "class a/B#C f:2\n");
    expect_rules("", "f", "");
    expect_rules("#", "f", "");
}

/* The text may go as soon as it is read. */
Test(blacklist_file, the_bytes_are_copied)
{
    struct fixture f = {0};
    char *rules = strdup("-keepmethod a/B run (I)V\n");

    cr_assert(eq(int, parse(&f, rules, "f", NULL), MB_OK));
    memset(rules, 'x', strlen(rules));
    free(rules);
    cr_expect(mb_text_is(f.blacklist.first->text, "-keepmethod a/B run (I)V"));
    cr_expect(mb_text_is(f.blacklist.first->name.literal, "run"));
    mb_arena_finish(&f.arena);
}

/* Several files make one blacklist. */
Test(blacklist_file, rules_are_appended)
{
    struct fixture f = {0};

    cr_assert(eq(int, parse(&f, "-keepclass a/A\n", "f", NULL), MB_OK));
    cr_assert(eq(int, parse(&f, "\n-keepclass a/B\n", "g", NULL), MB_OK));
    cr_assert(eq(sz, f.blacklist.count, 2));
    cr_expect_str_eq(f.blacklist.first->source, "f:1");
    cr_expect_str_eq(f.blacklist.first->next->source, "g:2");
    cr_expect(eq(sz, f.blacklist.first->next->order, 1));
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

EACH_ROW(blacklist_file, malformed_lines_are_named, bad_cases);

ParameterizedTest(size_t *row, blacklist_file, malformed_lines_are_named)
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
