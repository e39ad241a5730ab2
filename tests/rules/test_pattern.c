#include "rules/parts.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

struct glob_case {
    const char *pattern;
    const char *text;
    const char *ends; /* "any" stands for NULL */
    bool matches;
};

static const struct glob_case glob_cases[] = {
    {"", "", "", true},
    {"", "a", "", false},
    {"", "a", "any", true},
    {"a", "", "any", false},
    {"a/b", "a/b", "", true},
    {"a/b", "a/bc", "", false},
    {"a/b", "a/bc", "any", true},
    {"a/b", "a/b$c", "$", true},
    {"a/b", "a/bc$d", "$", false},
    {"a/b*", "a/bc$d", "$", true},
    {"*", "", "", true},
    {"*", "a/b", "", false},
    {"*", "a/b", "/", true},
    {"*/b", "a/b", "", true},
    {"*/b", "a/a/b", "", false},
    {"**/b", "a/a/b", "", true},
    {"**/b", "b", "", false},
    {"**b", "b", "", true},
    {"**", "a/b/c", "", true},
    {"a/**/d", "a/b/c/d", "", true},
    {"a/**/d", "a/d", "", false},
    {"a/**/d", "a/b/c/d/e", "", false},
    {"*Adapter", "ListAdapter", "$", true},
    {"*Adapter", "ListAdapter$View", "$", true},
    {"*Adapter", "ListAdapters", "$", false},
    {"*a*b", "xaxab", "", true},
    {"*a*b", "xaxaxc", "", false},
    {"**a/*b", "a/a/b", "", true},
    {"**a/*b/c", "a/xb/a/xb/c", "", true},
    {"**a/*b/c", "a/b/b/c", "", false},
    {"*$*", "A$1", "", true},
};

EACH_ROW(pattern, globs, glob_cases);

ParameterizedTest(size_t *row, pattern, globs)
{
    const struct glob_case *c = &glob_cases[*row];
    const char *ends = strcmp(c->ends, "any") == 0 ? NULL : c->ends;

    cr_expect(
        eq(int, rule_glob(mb_text_of(c->pattern), mb_text_of(c->text), '/', ends), c->matches),
        "%s against %s", c->pattern, c->text);
}

Test(pattern, many_wildcards_take_no_exponential_time)
{
    static char text[20000];

    memset(text, 'a', sizeof(text));
    struct mb_text name = {text, sizeof(text)};
    cr_expect(not(rule_glob(MB_TEXT("**a**a**a**a**a**a*a*a*a*b"), name, '/', "")));
}
