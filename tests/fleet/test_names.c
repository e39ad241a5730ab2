#include "issues/fleet/names.h"

#include <criterion/criterion.h>

static void expect_stable(const char *name, const char *stable)
{
    struct mb_buf out = {0};

    fleet_put_stable_name(&out, mb_text_of(name));
    mb_buf_put_u1(&out, '\0');
    cr_expect_str_eq((const char *)out.bytes, stable, "%s", name);
    mb_buf_finish(&out);
}

Test(names, numbers_of_compilers_go)
{
    expect_stable("a.b.Outer$1.run", "a.b.Outer$*.run");
    expect_stable("a.b.Outer$1$22.run", "a.b.Outer$*$*.run");
    expect_stable("a.b.Outer$1", "a.b.Outer$*");
    expect_stable("a.b.C.lambda$run$3", "a.b.C.lambda$run");
    expect_stable("a.b.C.lambda$run$3(Ljava/lang/Object;)V",
                  "a.b.C.lambda$run(Ljava/lang/Object;)V");
    expect_stable("lambda$run$3", "lambda$run");
    expect_stable("a.C$$Lambda/0x00007f1c.run", "a.C$$Lambda.run");
    expect_stable("a.C$$Lambda$14/1234.run", "a.C$$Lambda.run");
    expect_stable("a.C$$ExternalSyntheticLambda12.run", "a.C$$ExternalSyntheticLambda.run");
}

Test(names, others_stay)
{
    expect_stable("", "");
    expect_stable("a.b.C.run2", "a.b.C.run2");
    expect_stable("a.b.Outer$Inner.run", "a.b.Outer$Inner.run");
    expect_stable("a.b.Outer$2nd.run", "a.b.Outer$2nd.run");
    expect_stable("a.b.C.access$000", "a.b.C.access$*");
    expect_stable("a.b.C$.run", "a.b.C$.run");
    expect_stable("a.b.C$", "a.b.C$");
    expect_stable("\xff$1", "\xff$*");
}

Test(names, keys_of_methods_are_those_of_their_stable_names)
{
    struct mb_buf scratch = {0};
    int64_t first = fleet_hash_method(&scratch, MB_TEXT("a.Outer$1.run"));

    cr_expect_eq(first, fleet_hash_method(&scratch, MB_TEXT("a.Outer$7.run")));
    cr_expect_neq(first, fleet_hash_method(&scratch, MB_TEXT("a.Outer$7.stop")));
    cr_expect_neq(fleet_hash_path(0, first), fleet_hash_path(1, first));
    cr_expect_neq(fleet_hash_path(0, first), first);
    mb_buf_finish(&scratch);
}

static struct fleet_cause cause_of(const char *frames)
{
    struct mb_buf scratch = {0};
    struct fleet_cause cause = fleet_find_cause(mb_text_of(frames), MB_TEXT("org.lib."), &scratch);

    mb_buf_finish(&scratch);
    return cause;
}

static void expect_name(struct fleet_cause cause, const char *name)
{
    cr_expect(mb_text_is(cause.name, name), "%.*s", (int)cause.name.size, cause.name.data);
}

Test(causes, are_told_by_functions_not_by_places)
{
    struct fleet_cause cause = cause_of("a.C.m(C.java:7)\nb.D.n(D.java:1)\nc.E.o\nd.F.p\ne.G.q\n");
    struct fleet_cause moved = cause_of("a.C.m(C.java:9)\nb.D.n:12\nc.E.o(E.java:3)\nd.F.p\nx.Y.z");

    cr_expect_eq(cause.key, moved.key);
    cr_expect_eq(cause.key4, moved.key4);
    cr_expect_neq(cause.key, cause.key4);
    cr_expect_eq(cause.key, cause_of("a.C.m\nx.D.n\nc.E.o\nd.F.p").key);
    cr_expect_neq(cause.key4, cause_of("a.C.m\nb.D.n\nc.E.o\nd.F.x").key4);
    expect_name(cause, "a.C.m");
}

Test(causes, what_waits_does_not_count)
{
    struct fleet_cause cause = cause_of(
        "java.lang.Object.wait(Native Method)\njava.util.Queue.take\na.C.m(C.java:7)\nb.D.n");
    struct fleet_cause same = cause_of("java.lang.Thread.sleep\njava.util.Queue.take\na.C.m");

    cr_expect_eq(cause.key, same.key);
    expect_name(cause, "a.C.m");
    cr_expect_neq(cause_of("java.lang.Object.wait\n").key, 0);
    expect_name(cause_of("java.lang.Object.wait\n"), "java.lang.Object.wait");
}

Test(causes, are_the_own_function_and_what_it_waits_in)
{
    struct fleet_cause one = cause_of("java.lang.Object.wait\nandroid.os.Binder.call\na.C.m");
    struct fleet_cause other = cause_of("java.lang.Object.wait\nandroid.os.Binder.call\na.C.n");
    struct fleet_cause sort = cause_of("java.util.TimSort.sort\njava.util.Arrays.sort\na.C.m");

    cr_expect_neq(one.key, other.key);
    cr_expect_neq(one.key, cause_of("java.lang.Object.wait\njava.util.Queue.take\na.C.m").key);
    cr_expect_eq(sort.key, cause_of("java.util.TimSort.merge\njava.util.Arrays.sort\na.C.m").key);
    cr_expect_neq(sort.key4,
                  cause_of("java.util.TimSort.merge\njava.util.Arrays.sort\na.C.m").key4);
    expect_name(cause_of("org.lib.Pool.get\na.C.m"), "a.C.m");
    cr_expect_neq(cause_of("java.util.Queue.take\njava.lang.Thread.run").key,
                  cause_of("java.util.Queue.take\njava.util.Timer.run").key);
}

Test(causes, short_and_odd_stacks_have_some)
{
    cr_expect_eq(cause_of("").key, 0);
    cr_expect_eq(cause_of("\n\n").key, 0);
    cr_expect_eq(cause_of("a.C.m").key, cause_of("a.C.m\n\n").key);
    cr_expect_eq(cause_of("a.C.m").key, cause_of("a.C.m").key4);
    expect_name(cause_of("java.util.Queue.take\njava.lang.Thread.run"), "java.util.Queue.take");
}
