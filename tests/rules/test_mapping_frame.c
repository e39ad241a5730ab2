/* What a frame of a shrunk program's stack was in the source. */

#include "rules/mapping.h"

#include "base/check.h"
#include "tests/support/failing.h"

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
                              "    37:39:void kept(int) -> h\n"
                              "    1039:1039:int gcd(int):8:8 -> h\n"
                              "    1039:1039:void kept(int):39 -> h\n"
                              "    1:1:void bare():0:0 -> i\n"
                              "    1:9:int merged():60:62 -> j\n"
                              "    5:5:void x() -> k\n    5:5:void y(int) -> k\n"
                              "    1:2:void caller():70:71 -> l\n"
                              "    3:6:void caller():0:0 -> l\n"
                              "      # {\"id\":\"com.android.tools.r8.outlineCallsite\","
                              "\"positions\":{\"1\":14,\"3\":16},\"outline\":\"La.d;a()V\"}\n"
                              "    14:14:int com.app.Part.inlined(int):7:7 -> l\n"
                              "    14:14:void caller():72 -> l\n"
                              "    16:16:void caller():73:73 -> l\n"
                              "    4:4:void real():80:80 -> m\n"
                              "    4:4:void bridge():0 -> m\n"
                              "      # {\"id\":\"com.android.tools.r8.synthesized\"}\n"
                              "com.app.Main$$Outline -> a.d:\n"
                              "    1:2:void outline():0:0 -> a\n"
                              "      # {\"id\":\"com.android.tools.r8.outline\"}\n"
                              "    3:3:void outline():0:0 -> a\n"
                              "com.app.Main$Inner -> a.c:\n";

static const struct {
    const char *what;
    const char *frame;
    const char *expected;
} frames[] = {
    {"a line in a range", "a.b.a(SourceFile:2)", "com.app.Main.run:11"},
    {"what was inlined", "a.b.a(SourceFile:4)", "com.app.Part.inlined:7\ncom.app.Main.run:20"},
    {"lines that became others", "a.b.f(SourceFile:10)", "com.app.Main.wide:40"},
    {"a line that is not known", "a.b.a(SourceFile:99)", "com.app.Main.a:99"},
    {"lines that are as they were", "a.b.h(Main.java:38)", "com.app.Main.kept:38"},
    {"what was inlined there", "a.b.h(Main.java:1039)", "com.app.Main.gcd:8\ncom.app.Main.kept:39"},
    {"such a method without a line", "a.b.h", "com.app.Main.kept"},
    {"a method that kept its lines", "a.b.b(Main.java:5)", "com.app.Main.only:5"},
    {"a line 0", "a.b.i(SourceFile:1)", "com.app.Main.bare"},
    {"several lines that became one", "a.b.j(SourceFile:3)",
     "com.app.Main.merged:60 or merged:61 or merged:62"},
    {"overloads on one line", "a.b.k(Main.java:5)", "com.app.Main.x:5 or y:5"},
    {"in an outline", "a.d.a(SourceFile:3)\na.b.l(SourceFile:4)", "com.app.Main.caller:73"},
    {"what was inlined into its caller", "a.d.a(SourceFile:1)\na.b.l(SourceFile:5)",
     "com.app.Part.inlined:7\ncom.app.Main.caller:72"},
    {"a caller of an outline, itself", "a.b.l(SourceFile:2)", "com.app.Main.caller:71"},
    {"an outline that is not the next frame", "a.d.a(SourceFile:1)\nx.y\na.b.l(SourceFile:2)",
     "x.y\ncom.app.Main.caller:71"},
    {"a bridge of R8's", "a.b.m(SourceFile:4)", "com.app.Main.real:80"},
    {"the first instruction", "a.b.g(Unknown Source:0)", "com.app.Main.zero:50"},
    {"no line", "a.b.a", "com.app.Main.run or stop"},
    {"no number", "a.b.a(Unknown Source)", "com.app.Main.run or stop"},
    {"overloads of one name", "a.b.b", "com.app.Main.only"},
    {"moved from elsewhere", "a.b.c", "x.Y.moved"},
    {"some moved", "a.b.d", "com.app.Main.first or x.Y.second or third"},
    {"all that may be meant", "a.b.e", "com.app.Main.m1 or m2 or m3 or m4 or m5 or m6"},
    {"a method that kept its name", "a.c.onCreate", "com.app.Main$Inner.onCreate"},
    {"a class that is not known", "java.lang.Thread.run(Thread.java:829)",
     "java.lang.Thread.run(Thread.java:829)"},
    {"no class", "main", "main"},
    {"nothing", "", ""},
    {"no frame", "(:)", "(:)"},
};

/* As one stack. */
static void put_frames(struct mb_buf *out, const struct rule_mapping *names, const char *stack)
{
    struct mb_text rest = mb_text_of(stack);
    struct rule_outline outline = {0};

    do {
        rule_mapping_put_frame(out, names, mb_text_split(&rest, '\n'), &outline);
    } while (rest.size > 0);
    out->size--; /* the end of the last line */
    mb_buf_put_u1(out, 0);
}

Test(mapping_frame, is_named_as_in_the_source)
{
    struct rule_mapping *names;

    cr_assert(eq(int, rule_mapping_parse(&names, mb_text_of(mapping), "m", NULL), MB_OK));
    for (size_t i = 0; i < MB_COUNT(frames); i++) {
        struct mb_buf out = {0};

        put_frames(&out, names, frames[i].frame);
        cr_expect_str_eq((char *)out.bytes, frames[i].expected, "%s", frames[i].what);
        mb_buf_finish(&out);
    }
    rule_mapping_destroy(names);
}

static struct rule_mapping *names_of(struct mb_buf *text)
{
    struct rule_mapping *names = NULL;

    mb_buf_put_u1(text, 0);
    cr_assert(
        eq(int, rule_mapping_parse(&names, mb_text_of((char *)text->bytes), "m", NULL), MB_OK));
    return names;
}

Test(mapping_frame, how_many_more_may_be_meant_is_said)
{
    struct mb_buf text = {0};
    struct mb_buf out = {0};

    mb_buf_put_string(&text, "A -> a:\n");
    for (int i = 0; i < 70; i++) {
        mb_buf_printf(&text, "    void m%d() -> a\n", i);
    }
    mb_buf_put_string(&text, "    1:1:void wide():1:60000 -> b\n");
    struct rule_mapping *names = names_of(&text);
    put_frames(&out, names, "a.a");
    cr_expect(mb_text_ends(mb_text_of((char *)out.bytes), MB_TEXT(" or m63 or 6 more")));
    mb_buf_reset(&out);
    put_frames(&out, names, "a.b(SourceFile:1)");
    cr_expect(mb_text_ends(mb_text_of((char *)out.bytes), MB_TEXT("wide:64 or at least 448 more")));
    mb_buf_finish(&out);
    rule_mapping_destroy(names);
    mb_buf_finish(&text);
}

Test(mapping_frame, a_lack_of_memory_shows)
{
    struct rule_mapping *names;

    cr_assert(eq(int, rule_mapping_parse(&names, mb_text_of(mapping), "m", NULL), MB_OK));
    bool has_failed = true;
    int first = 0;
    for (; has_failed && first < 20; first++) {
        struct mb_buf out = {0};
        mb_alloc_should_fail = fail_later;
        allocations_left = first;
        rule_mapping_put_frame(&out, names, MB_TEXT("a.b.a(SourceFile:4)"), NULL);
        mb_alloc_should_fail = NULL;
        has_failed = out.failed;
        mb_buf_finish(&out);
    }
    cr_expect(gt(int, first, 3));
    cr_expect(lt(int, first, 20));
    rule_mapping_destroy(names);
}
