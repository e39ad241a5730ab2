/* Lines of mapping.txt, one by one. */

#include "rules/mapping_lines.h"

#include "base/check.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

struct line_case {
    const char *text;
    enum rule_line_kind kind;
    const char *name;
    const char *obfuscated;
    const char *arguments; /* METHOD; of a comment what it tells */
    const char *holder;    /* METHOD */
    const char *range;     /* METHOD */
    bool has_origin;
};

static const struct line_case line_cases[] = {
    {.text = "", .kind = RULE_LINE_NOTHING},
    {.text = "  \t ", .kind = RULE_LINE_NOTHING},
    {.text = "# compiler: R8", .kind = RULE_LINE_NOTHING},
    {.text = "# {\"id\":\"sourceFile\",\"fileName\":\"A.kt\"}", .kind = RULE_LINE_NOTHING},
    {.text = "a.B -> c:", .kind = RULE_LINE_CLASS, .name = "a.B", .obfuscated = "c"},
    {.text = "a.B$C -> c.d$e:", .kind = RULE_LINE_CLASS, .name = "a.B$C", .obfuscated = "c.d$e"},
    {.text = "a.B -> :", .kind = RULE_LINE_BAD},
    {.text = "a.B c:", .kind = RULE_LINE_BAD},
    {.text = "    int x -> a", .kind = RULE_LINE_FIELD, .name = "x", .obfuscated = "a"},
    {.text = "    a.B[] x -> a", .kind = RULE_LINE_FIELD, .name = "x", .obfuscated = "a"},
    {.text = "    int -> a", .kind = RULE_LINE_BAD},
    {.text = "    int x a", .kind = RULE_LINE_BAD},
    {.text = "    void run() -> a",
     .kind = RULE_LINE_METHOD,
     .name = "run",
     .obfuscated = "a",
     .arguments = "",
     .holder = "",
     .range = ""},
    {.text = "    1:2:void run(int,a.B) -> a",
     .kind = RULE_LINE_METHOD,
     .name = "run",
     .obfuscated = "a",
     .arguments = "int,a.B",
     .holder = "",
     .range = "1:2:"},
    {.text = "    1:2:void c.D.run():10:20 -> a",
     .kind = RULE_LINE_METHOD,
     .name = "run",
     .obfuscated = "a",
     .arguments = "",
     .holder = "c.D",
     .range = "1:2:",
     .has_origin = true},
    {.text = "    7:void run():10 -> a",
     .kind = RULE_LINE_METHOD,
     .name = "run",
     .obfuscated = "a",
     .arguments = "",
     .holder = "",
     .range = "7:",
     .has_origin = true},
    {.text = "    void run():x -> a", .kind = RULE_LINE_BAD},
    {.text = "    void run( -> a", .kind = RULE_LINE_BAD},
    {.text = "    void () -> a", .kind = RULE_LINE_BAD},
    {.text = "# {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"(La;)V\"}",
     .kind = RULE_LINE_RESIDUAL,
     .arguments = "(La;)V"},
    {.text = "# {\"id\":\"com.android.tools.r8.synthesized\"}", .kind = RULE_LINE_SYNTHESIZED},
    {.text = "# {\"id\":\"com.android.tools.r8.outline\"}", .kind = RULE_LINE_OUTLINE},
    {.text = "# {\"id\":\"com.android.tools.r8.outlineCallsite\",\"positions\":{\"1\":2,\"3\":4},"
             "\"outline\":\"La;a()V\"}",
     .kind = RULE_LINE_CALLSITE,
     .arguments = "\"1\":2,\"3\":4"},
    {.text = "# {\"id\":\"com.android.tools.r8.else\"}", .kind = RULE_LINE_NOTHING},
};

EACH_ROW(mapping_lines, are_read, line_cases);

static void expect_text(struct mb_text found, const char *expected, const char *line)
{
    cr_expect(expected == NULL || mb_text_is(found, expected), "%s: %.*s is not %s", line,
              (int)found.size, found.data, expected);
}

ParameterizedTest(size_t *row, mapping_lines, are_read)
{
    const struct line_case *c = &line_cases[*row];
    struct rule_line line = rule_line_parse(mb_text_of(c->text));

    cr_assert(eq(int, line.kind, c->kind), "%s", c->text);
    cr_expect(eq(int, line.reason != NULL, c->kind == RULE_LINE_BAD), "%s", c->text);
    expect_text(line.name, c->name, c->text);
    expect_text(line.obfuscated, c->obfuscated, c->text);
    expect_text(c->kind >= RULE_LINE_RESIDUAL ? line.told : line.arguments, c->arguments, c->text);
    expect_text(line.holder, c->holder, c->text);
    expect_text(line.range, c->range, c->text);
    cr_expect(eq(int, line.origin.size > 0, c->has_origin), "%s", c->text);
}
