/* What a frame of a shrunk program's stack was in the source. */

#include "rules/mapping.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const char mapping[] = "com.app.Main -> a.b:\n"
                              "    int count -> a\n"
                              "    1:3:void run():10:12 -> a\n"
                              "    4:4:boolean com.app.Part.inlined(int):7:7 -> a\n"
                              "    4:4:void run():20 -> a\n"
                              "    5:5:void stop(int):30:30 -> a\n"
                              "    void only(int) -> b\n"
                              "    void only(long) -> b\n"
                              "    void x.Y.moved() -> c\n"
                              "    void first() -> d\n"
                              "    void x.Y.second() -> d\n"
                              "    void x.Y.third() -> d\n"
                              "    void m1() -> e\n    void m2() -> e\n    void m3() -> e\n"
                              "    void m4() -> e\n    void m5() -> e\n    void m6() -> e\n"
                              "    9:11:void wide():40:40 -> f\n"
                              "    0:65535:void zero():50:50 -> g\n"
                              "com.app.Main$Inner -> a.c:\n";

static const struct {
    const char *what;
    const char *frame;
    const char *expected;
} frames[] = {
    {"a line in a range", "a.b.a(SourceFile:2)", "com.app.Main.run:11"},
    {"what was inlined", "a.b.a(SourceFile:4)", "com.app.Part.inlined:7\ncom.app.Main.run:20"},
    {"lines that became one", "a.b.f(SourceFile:10)", "com.app.Main.wide:40"},
    {"a line that is not known", "a.b.a(SourceFile:99)", "com.app.Main.run or stop"},
    {"the first instruction", "a.b.g(Unknown Source:0)", "com.app.Main.zero:50"},
    {"no line", "a.b.a", "com.app.Main.run or stop"},
    {"no number", "a.b.a(Unknown Source)", "com.app.Main.run or stop"},
    {"overloads of one name", "a.b.b", "com.app.Main.only"},
    {"moved from elsewhere", "a.b.c", "x.Y.moved"},
    {"some moved", "a.b.d", "com.app.Main.first or x.Y.second or third"},
    {"too many", "a.b.e", "com.app.Main.m1 or m2 or m3 or m4 or m5"},
    {"a method that kept its name", "a.c.onCreate", "com.app.Main$Inner.onCreate"},
    {"a class that is not known", "java.lang.Thread.run(Thread.java:829)",
     "java.lang.Thread.run(Thread.java:829)"},
    {"no class", "main", "main"},
    {"nothing", "", ""},
    {"no frame", "(:)", "(:)"},
};

Test(mapping_frame, is_named_as_in_the_source)
{
    struct rule_mapping *names;

    cr_assert(eq(int, rule_mapping_parse(&names, mb_text_of(mapping), "m", NULL), MB_OK));
    for (size_t i = 0; i < MB_COUNT(frames); i++) {
        struct mb_buf out = {0};

        rule_mapping_put_frame(&out, names, mb_text_of(frames[i].frame));
        mb_buf_put_u1(&out, 0);
        cr_expect_str_eq((char *)out.bytes, frames[i].expected, "%s", frames[i].what);
        mb_buf_finish(&out);
    }
    rule_mapping_destroy(names);
}
