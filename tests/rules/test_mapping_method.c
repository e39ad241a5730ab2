/* Which method of the source a method of an obfuscated class was. */

#include "rules/mapping.h"

#include "base/check.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

/* Lines under "com.app.Main -> a.b:", beside classes that only rename types. */
struct method_case {
    const char *what;
    const char *lines;
    const char *name; /* obfuscated */
    const char *descriptor;
    const char *original; /* "class name descriptor" */
};

static const char other_classes[] = "com.app.Item -> c:\n"
                                    "com.app.Item$Part -> a.d:\n"
                                    "    int x -> a\n"
                                    "com.Same -> com.Same:\n";

static const struct method_case method_cases[] = {
    {"a plain line", "    void run() -> a\n", "a", "()V", "com/app/Main run ()V"},
    {"not renamed and not listed", "    void run() -> a\n", "b", "()V", "com/app/Main b ()V"},
    {"types are translated anyway", "", "b", "([Lc;ILa/d;Lx/Y;)Lc;",
     "com/app/Main b ([Lcom/app/Item;ILcom/app/Item$Part;Lx/Y;)Lcom/app/Item;"},
    {"a field of the same name", "    int count -> a\n    void run() -> a\n", "a", "()V",
     "com/app/Main run ()V"},
    {"overloads, by argument",
     "    void run(int) -> a\n    void stop(com.app.Item) -> a\n    void go(long[][]) -> a\n", "a",
     "(Lc;)V", "com/app/Main stop (Lcom/app/Item;)V"},
    {"overloads, by array",
     "    void run(int) -> a\n    void stop(com.app.Item) -> a\n    void go(long[][]) -> a\n", "a",
     "([[J)V", "com/app/Main go ([[J)V"},
    {"overloads, by result",
     "    boolean run(char,byte) -> a\n    short run2(char,byte) -> a\n"
     "    float run3(char,byte) -> a\n    double run4(char,byte) -> a\n",
     "a", "(CB)F", "com/app/Main run3 (CB)F"},
    {"one overload starts the other",
     "    void run(int) -> a\n    void stop(int,int) -> a\n    void go() -> a\n", "a", "(II)V",
     "com/app/Main stop (II)V"},
    {"overloads, none fits: the name stays", "    void run(int) -> a\n    void stop(long) -> a\n",
     "a", "(F)V", "com/app/Main a (F)V"},
    {"overloads of one name, none fits", "    void run(int) -> a\n    void run(long) -> a\n", "a",
     "(F)V", "com/app/Main run (F)V"},
    {"changed types, one name", "    1:2:void run(int):3:4 -> a\n", "a", "()V",
     "com/app/Main run ()V"},
    {"ranges", "    1:3:void run():10:12 -> a\n    4:4:void run():20:20 -> a\n", "a", "()V",
     "com/app/Main run ()V"},
    {"an inlined method is not the name",
     "    1:1:void a():10:10 -> b\n    1:1:void outer():20 -> b\n", "b", "()V",
     "com/app/Main outer ()V"},
    {"inlined from elsewhere, with other types",
     "    1:1:int x.Y.inlined(int):10:20 -> b\n    1:1:void outer():30 -> b\n"
     "    2:5:void outer():31:34 -> b\n",
     "b", "()V", "com/app/Main outer ()V"},
    {"an inlined method that fits better",
     "    1:1:void x.Y.inlined():10:20 -> b\n    1:1:void outer(int):30 -> b\n", "b", "()V",
     "com/app/Main outer ()V"},
    {"three frames and a comment between",
     "    7:7:void q.in2():1:1 -> b\n    # {\"id\":\"x\"}\n    7:7:void in1():2 -> b\n"
     "    7:7:void outer():3 -> b\n    8:8:void outer():4:4 -> b\n",
     "b", "()V", "com/app/Main outer ()V"},
    {"a method that is also inlined into an overload",
     "    1:3:void x():1:3 -> a\n    4:4:void x():1:1 -> a\n    4:4:void y(int):9:9 -> a\n", "a",
     "()V", "com/app/Main x ()V"},
    {"and that overload",
     "    1:3:void x():1:3 -> a\n    4:4:void x():1:1 -> a\n    4:4:void y(int):9:9 -> a\n", "a",
     "(I)V", "com/app/Main y (I)V"},
    {"ProGuard: two overloads on one source line",
     "    5:5:void x() -> a\n    5:5:void y(int) -> a\n", "a", "()V", "com/app/Main x ()V"},
    {"same range, other method", "    1:1:void x():5:5 -> a\n    1:1:void y():6:6 -> b\n", "a",
     "()V", "com/app/Main x ()V"},
    {"a method moved from another class", "    1:1:void com.Base.run():5:5 -> a\n", "a", "()V",
     "com/Base run ()V"},
    {"a constructor", "    void <init>(com.app.Item) -> <init>\n", "<init>", "(Lc;)V",
     "com/app/Main <init> (Lcom/app/Item;)V"},
    {"R8 gives the residual signature",
     "    1:1:void run(int,com.app.Item):5:5 -> a\n"
     "      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"(Lc;)V\"}\n"
     "    2:2:void stop(com.app.Item):6:6 -> a\n"
     "      # { \"id\" : \"com.android.tools.r8.residualsignature\", \"signature\" : \"(I)V\" }\n",
     "a", "(Lc;)V", "com/app/Main run (ILcom/app/Item;)V"},
    {"the residual signature behind an inlined frame",
     "    1:1:void run(int,com.app.Item):5:5 -> a\n"
     "    2:2:void in():5:5 -> a\n"
     "      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"(Lc;)V\"}\n"
     "    2:2:void stop(long):6 -> a\n",
     "a", "(Lc;)V", "com/app/Main stop (J)V"},
    {"the residual signature of another",
     "    1:1:void run(int,com.app.Item):5:5 -> a\n"
     "      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"(Lc;)V\"}\n",
     "a", "()V", "com/app/Main a ()V"},
    {"the residual signature of a field is not the method's",
     "    void run() -> a\n    int x -> x\n"
     "      # {\"id\":\"com.android.tools.r8.residualsignature\",\"signature\":\"J\"}\n",
     "a", "()V", "com/app/Main run ()V"},
    {"CRLF and tabs", "\tvoid run() -> a\r\n\tint stop(int) -> b \r\n", "b", "(I)I",
     "com/app/Main stop (I)I"},
    {"names with spaces, as Kotlin's tests have", "    void it just works() -> a\n", "a", "()V",
     "com/app/Main it just works ()V"},
    {"one number in front", "    4:void run():5 -> a\n", "a", "()V", "com/app/Main run ()V"},
    {"a damaged descriptor", "    void run() -> a\n", "b", "(Lc", "com/app/Main b (Lcom/app/Item"},
};

EACH_ROW(mapping_method, gives_back_methods, method_cases);

static struct rule_mapping *names_of(const char *text)
{
    struct rule_mapping *names = NULL;
    struct mb_error err = {0};

    cr_assert(eq(int, rule_mapping_parse(&names, mb_text_of(text), "m", &err), MB_OK), "%s: %s",
              err.input, err.reason);
    return names;
}

ParameterizedTest(size_t *row, mapping_method, gives_back_methods)
{
    const struct method_case *c = &method_cases[*row];
    struct rule_original asked = {MB_TEXT("a/b"), mb_text_of(c->name), mb_text_of(c->descriptor)};
    struct rule_original answer = {0};
    const struct rule_class_names *methods = NULL;
    struct mb_arena arena = {0};
    char text[2000];

    (void)snprintf(text, sizeof(text), "com.app.Main -> a.b:\n%s%s", c->lines, other_classes);
    struct rule_mapping *names = names_of(text);
    cr_assert(eq(int, rule_mapping_open(names, asked.class_name, &arena, &methods, NULL), MB_OK));
    cr_assert(eq(int, rule_mapping_method(methods, &asked, &answer, NULL), MB_OK));
    (void)snprintf(text, sizeof(text), "%.*s %.*s %.*s", (int)answer.class_name.size,
                   answer.class_name.data, (int)answer.name.size, answer.name.data,
                   (int)answer.descriptor.size, answer.descriptor.data);
    cr_expect_str_eq(text, c->original, "%s: %s", c->what, text);
    rule_mapping_destroy(names);
    mb_arena_finish(&arena);
}

Test(mapping_method, without_a_mapping_nothing_changes)
{
    struct rule_original asked = {MB_TEXT("a/b"), MB_TEXT("c"), MB_TEXT("()V")};
    struct rule_original answer = {0};
    const struct rule_class_names *methods = NULL;

    cr_assert(eq(int, rule_mapping_open(NULL, asked.class_name, NULL, &methods, NULL), MB_OK));
    cr_assert(eq(int, rule_mapping_method(methods, &asked, &answer, NULL), MB_OK));
    cr_expect(mb_text_is(answer.class_name, "a/b"));
    cr_expect(mb_text_is(answer.name, "c"));
}
