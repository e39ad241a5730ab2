#include "rules/parts.h"
#include "tests/support/drawing.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
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
    /* upstream: plain prefixes, but only its own two */
    {"-keepclass a/b/C", "a/b/CD", "f:1", true},
    {"-keepclass a/b/", "a/b/C", "f:1", true},
    {"-keeppackage a/b", "a/bc/D", "f:1", true},
    {"-keeppackage a/b/", "a/bc/D", NULL, true},
    {"-keeppackage a/b/", "a/b/c/D", "f:1", true},
    {"-keeppackage com/Foo", "com/Foo", "f:1", true},
    {"-keeppackage a\n-traceclass a/B", "a/BC", "f:1", true},
};

EACH_ROW(blacklist, blocks_by_name, match_cases);

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

EACH_ROW(blacklist, names_methods, method_cases);

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
    cr_expect(eq(int, rule_blacklist_match_method(&f.blacklist, &cls, &method, false) != NULL,
                 c->matches),
              "%s", c->rule);
    cr_expect(not(rule_blacklist_match_method(&f.blacklist, &cls, &method, true) != NULL));
    cls = match(&f, "a/B$C"); /* method rules cover one class only */
    if (strchr(c->rule, '*') == NULL) {
        cr_expect(not(rule_blacklist_match_method(&f.blacklist, &cls, &method, false) != NULL));
    }
    mb_arena_finish(&f.arena);
}

/* --- what the indexes find is what a look at every rule finds --- */

#define RULES 400
#define NAMES 600

/* A name of some parts of a few, so that names meet. */
static void draw_name(char *out, const char *const *parts, uint32_t part_count, uint32_t longest)
{
    out[0] = '\0';
    for (uint32_t i = 1 + draw(longest); i > 0; i--) {
        strcat(out, parts[draw(part_count)]);
    }
}

static void draw_rules(char *rules)
{
    static const char *const directives[] = {"-keepclass",    "-traceclass", "-keeppackage",
                                             "-tracepackage", "-keepmethod", "-tracemethod",
                                             "-keepmethod",   "-tracemethod"};
    static const char *const class_parts[] = {"a", "b", "a/", "b$", "*", "**"};
    static const char *const name_parts[] = {"x", "y", "xy", "*"};
    char name[40];

    for (size_t i = 0; i < RULES;) {
        uint32_t directive = draw(MB_COUNT(directives));
        draw_name(name, class_parts, MB_COUNT(class_parts), 4);
        size_t size = strlen(name);
        if (strstr(name, "***") != NULL || strstr(name, "//") != NULL || name[size - 1] == '/') {
            continue;
        }
        rules += sprintf(rules, "%s %s", directives[directive], name);
        if (directive >= 4) {
            do {
                draw_name(name, name_parts, MB_COUNT(name_parts), 3);
            } while (strstr(name, "***") != NULL);
            rules += sprintf(rules, " %s%s", name, draw(4) == 0 ? "(I)V" : "");
        }
        rules += sprintf(rules, "\n");
        i++;
    }
}

static bool is_better(const struct rule_pattern *pattern, const struct rule_pattern *best)
{
    return best == NULL || pattern->scope.literal.size > best->scope.literal.size;
}

/* Whether the pattern applies, without what the product does to refuse it quickly. */
static bool applies_to(const struct rule_pattern *pattern, struct mb_text class_name,
                       const struct rule_method_input *method)
{
    struct mb_text scope = {pattern->scope.literal.data,
                            pattern->scope.literal.size + pattern->scope.wild.size};
    struct mb_text name = {pattern->name.literal.data,
                           pattern->name.literal.size + pattern->name.wild.size};

    if (pattern->target == RULE_TARGET_PACKAGE) {
        while (class_name.size > 0 && class_name.data[class_name.size - 1] != '/') {
            class_name.size--;
        }
        if (class_name.size-- == 0) {
            return false;
        }
    }
    return rule_glob(scope, class_name, '/', pattern->ends) &&
           (method == NULL || (rule_glob(name, method->name, '/', "") &&
                               (pattern->descriptor.size == 0 ||
                                mb_text_equal(pattern->descriptor, method->descriptor))));
}

static const struct rule_pattern *scan_methods(struct fixture *f, struct mb_text class_name,
                                               const struct rule_method_input *method, bool allows)
{
    const struct rule_pattern *best = NULL;

    for (struct rule_pattern *p = f->blacklist.first; p != NULL; p = p->next) {
        if (p->target == RULE_TARGET_METHOD && p->allows == allows &&
            applies_to(p, class_name, method)) {
            best = is_better(p, best) ? p : best;
            cr_assert(p->is_used, "%.*s", (int)p->text.size, p->text.data);
        }
    }
    return best;
}

static const struct rule_pattern *scan_classes(struct fixture *f, struct mb_text class_name)
{
    const struct rule_pattern *best = NULL;
    bool is_allowed = false;

    for (struct rule_pattern *p = f->blacklist.first; p != NULL; p = p->next) {
        if (p->target != RULE_TARGET_METHOD && applies_to(p, class_name, NULL)) {
            cr_assert(p->is_used, "%.*s", (int)p->text.size, p->text.data);
            is_allowed |= p->allows;
            best = !p->allows && is_better(p, best) ? p : best;
        }
    }
    return is_allowed ? NULL : best;
}

Test(blacklist, indexes_find_what_a_look_at_every_rule_finds)
{
    static const char *const class_parts[] = {"a", "b", "a/", "b$", "ab"};
    static const char *const name_parts[] = {"x", "y", "z"};
    static char rules[RULES * 64];
    struct fixture f = {0};
    size_t found = 0;

    state = 521288629U;
    draw_rules(rules);
    read_rules(&f, rules);
    for (size_t i = 0; i < NAMES; i++) {
        char class_name[40];
        char name[40];
        struct rule_method_input method = {.descriptor = mb_text_of(i % 2 == 0 ? "(I)V" : "()V")};
        draw_name(class_name, class_parts, MB_COUNT(class_parts), 5);
        draw_name(name, name_parts, MB_COUNT(name_parts), 4);
        method.name = mb_text_of(name);
        struct rule_class cls = match(&f, class_name);
        cr_assert(cls.blocks == scan_classes(&f, mb_text_of(class_name)), "%s", class_name);
        for (int allows = 0; allows < 2; allows++) {
            const struct rule_pattern *match =
                rule_blacklist_match_method(&f.blacklist, &cls, &method, allows == 1);
            cr_assert(match == scan_methods(&f, mb_text_of(class_name), &method, allows == 1),
                      "%s.%s", class_name, name);
            found += match != NULL;
        }
    }
    cr_expect(gt(sz, found, NAMES / 4));
    mb_arena_finish(&f.arena);
}

struct named_case {
    const char *class_name;
    const char *name;
    const char *descriptor;
    const char *line; /* NULL: no line can name it */
};

static const struct named_case named_cases[] = {
    {"a.B", "run", "(Lc.D;[[I)V", "-keepmethod a/B run (Lc/D;[[I)V"},
    {"a.B$C", "<init>", "()V", "-keepmethod a/B$C <init> ()V"},
    {"B", "<clinit>", "()V", "-keepmethod B <clinit> ()V"},
    {"a.B", "run", "", "-keepmethod a/B run"},
    {"a.b-c.D", "x-y$z", "()J", "-keepmethod a/b-c/D x-y$z ()J"},
    {"a.B", "x#", "()V", "-keepmethod a/B x# ()V"},
    {"a.B", "my test", "()V", "-keepmethod a/B my\\stest ()V"},
    {"a.My B\\", "run", "(La.My B;)V", "-keepmethod a/My\\sB\\\\ run (La/My\\sB;)V"},
    {"a.B", "r*n", "()V", NULL},
    {"a.*", "run", "()V", NULL},
    {"a.B", "#x", "()V", NULL},
    {"#a.B", "run", "()V", NULL},
    {"a.B", "x:y", "()V", NULL},
    {"a.B", "run", "(L*;)V", NULL},
    {"a.B", "run", "()?", NULL},
    {"a..B", "run", "()V", NULL},
    {"a.B", "", "()V", NULL},
};

/* What is written is a rule for that method and no other of the class; what else is there stays. */
Test(blacklist, names_one_method)
{
    for (size_t i = 0; i < MB_COUNT(named_cases); i++) {
        const struct named_case *c = &named_cases[i];
        struct mb_buf out = {0};
        mb_buf_put_string(&out, "x");
        bool fits = rule_put_keepmethod(&out, mb_text_of(c->class_name), mb_text_of(c->name),
                                        mb_text_of(c->descriptor));
        mb_buf_put_u1(&out, 0);
        cr_expect(eq(int, fits, c->line != NULL), "%s", c->name);
        cr_expect_str_eq((const char *)out.bytes + 1, c->line != NULL ? c->line : "");
        if (fits) {
            struct fixture f = {0};
            read_rules(&f, (const char *)out.bytes + 1);
            mb_arena_finish(&f.arena);
        }
        mb_buf_finish(&out);
    }
}
