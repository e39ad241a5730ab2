/* File systems of other systems: case does not count, and what stands open cannot be deleted. */

#include "tests/publish/bench.h"

#include "base/platform_folder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- names --- */

static const struct {
    const char *name;
    const char *other;
    bool is_one;
} names[] = {
    {"a/Core.jar", "A/core.JAR", true},
    {"Größe.class", "GRÖßE.class", true},
    {"\u0416.class", "\u0436.class", true},         /* Cyrillic */
    {"\u03a3.class", "\u03c2.class", true},         /* sigma, and as it ends a word */
    {"\u10a0.class", "\u2d00.class", true},         /* Georgian, of other blocks */
    {"\U00010400.class", "\U00010428.class", true}, /* Deseret, outside of the first plane */
    {"\u1e9e", "\u00df", true},                     /* they have other sizes */
    {"\u0131.class", "i.class", false},             /* one in Turkish only */
    {"stra\u00dfe", "strasse", false},              /* would be full case folding */
    {"\xc3.class", "\xe3.class", false},            /* no UTF-8 */
    {"\xff", "\u00ff", false},
    {"a", "a.", false},
    {"a/b", "a\\b", false},
};

static bool have_one_key(const char *name, const char *other)
{
    struct mb_buf keys[2] = {{0}, {0}};

    mb_put_case_key(&keys[0], mb_text_of(name));
    mb_put_case_key(&keys[1], mb_text_of(other));
    bool is_one = mb_text_equal((struct mb_text){(char *)keys[0].bytes, keys[0].size},
                                (struct mb_text){(char *)keys[1].bytes, keys[1].size});
    mb_buf_finish(&keys[0]);
    mb_buf_finish(&keys[1]);
    return is_one;
}

Test(ports, names_have_one_key_if_they_differ_in_case_alone)
{
    for (size_t i = 0; i < MB_COUNT(names); i++) {
        cr_expect(eq(int, have_one_key(names[i].name, names[i].other), names[i].is_one), "%s, %s",
                  names[i].name, names[i].other);
        cr_expect(have_one_key(names[i].name, names[i].name));
    }
}

/* --- outputs --- */

static const char *const both[][2] = {{"x/a", "x/A"}, {"x/é", "x/É"}, {"x/b/c", "x/B/c"}};

/* The second is refused, and names the first; nothing stays. Where case counts, both are there. */
static void put_both(const char *const pair[2], bool ignores)
{
    struct mb_error err = {0};
    struct pub_outputs *publish = pub_create();

    bench_ignores_case = ignores;
    cr_assert(eq(int, bench_put(publish, pair[0], "one"), MB_OK));
    cr_assert(eq(int, bench_put(publish, pair[1], "two"), MB_OK));
    cr_assert(eq(int, bench_put(publish, "x/other", "three"), MB_OK));
    cr_assert(eq(int, pub_commit(publish, &err), ignores ? MB_IO : MB_OK));
    pub_destroy(publish);
    bench_ignores_case = false;
    if (ignores) {
        cr_expect_str_eq(err.input, bench_at(pair[1]));
        cr_expect(ne(ptr, strstr(err.reason, pair[0] + 2), NULL), "%s", err.reason);
        cr_expect(ne(int, access(bench_at("x"), F_OK), 0));
    } else {
        cr_expect(bench_holds(pair[0], "one") && bench_holds(pair[1], "two"));
    }
}

Test(ports, names_that_differ_in_case_are_refused_where_case_does_not_count, .init = bench_begin,
     .fini = bench_end)
{
    for (size_t i = 0; i < 2 * MB_COUNT(both); i++) {
        put_both(both[i / 2], i % 2 != 0);
        bench_end();
        cr_assert(eq(int, mkdir(bench_root, 0700), 0));
    }
}

Test(ports, what_is_kept_has_a_name_too, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();
    struct mb_error err = {0};
    bool is_same = false;

    bench_ignores_case = true;
    bench_write("a", "one");
    cr_assert(eq(int, pub_update(publish, bench_at("a"), "one", 3, &is_same, NULL), MB_OK));
    cr_assert(is_same);
    cr_assert(eq(int, bench_put(publish, "A", "two"), MB_OK));
    cr_assert(eq(int, pub_commit(publish, &err), MB_IO));
    pub_destroy(publish);
    cr_expect(ne(ptr, strstr(err.reason, "'a'"), NULL), "%s", err.reason);
    cr_expect(bench_holds("a", "one"));
    cr_expect(eq(int, bench_count(""), 1));
}

Test(ports, a_file_that_changed_its_case_is_not_removed, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();
    bool is_same = false;

    bench_ignores_case = true;
    bench_write("a", "one");
    bench_write("b", "one");
    cr_assert(eq(int, pub_update(publish, bench_at("b"), "one", 3, &is_same, NULL), MB_OK));
    cr_assert(is_same);
    cr_assert(eq(int, pub_remove(publish, bench_at("B"), NULL), MB_OK));
    cr_assert(eq(int, bench_put(publish, "A", "two"), MB_OK));
    cr_assert(eq(int, pub_remove(publish, bench_at("a"), NULL), MB_OK));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    cr_assert(bench_holds("a", "one") && bench_holds("b", "one") && bench_holds("A", "two"));
}

/* As a class folder on a disk of Windows, with the state elsewhere. */
Test(ports, each_place_is_asked_for_itself, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();

    cr_assert(eq(int, mkdir(bench_at("counts"), 0700), 0));
    bench_write("counts/a", "old");
    cr_assert(eq(int, pub_prepare(publish, bench_at("counts"), NULL), MB_OK));
    cr_assert(eq(int, pub_prepare(publish, bench_at("ignores"), NULL), MB_OK));
    cr_assert(eq(int, bench_put(publish, "counts/A", "new"), MB_OK));
    cr_assert(eq(int, bench_put(publish, "counts/b", "one"), MB_OK));
    cr_assert(eq(int, bench_put(publish, "counts/B", "two"), MB_OK));
    cr_assert(eq(int, pub_remove(publish, bench_at("counts/a"), NULL), MB_OK));
    bench_ignores_case = true;
    cr_assert(eq(int, bench_put(publish, "ignores/a", "one"), MB_OK));
    cr_assert(eq(int, pub_commit(publish, NULL), MB_OK));
    pub_destroy(publish);
    cr_expect(bench_holds("counts/A", "new"));
    cr_expect(eq(int, bench_count("counts"), 3));
}

/* --- files that stand open --- */

/* What should be replaced stands open: the rename fails, and the link that kept it cannot be
 * deleted. Somebody removes it before the next run: it must not come back. */
Test(ports, what_cannot_be_deleted_is_deleted_later, .init = bench_begin, .fini = bench_end)
{
    struct pub_outputs *publish = pub_create();

    bench_write("a", "old");
    cr_assert(eq(int, bench_put(publish, "a", "new"), MB_OK));
    bench_keeps_old = true;
    bench_error = EBUSY;
    bench_calls_left = 2; /* the journal, the link */
    cr_assert(eq(int, pub_commit(publish, NULL), MB_IO));
    pub_destroy(publish);
    cr_expect(bench_holds("a", "old"));
    cr_expect(eq(int, bench_count(""), 2), "it and the staging folder");

    cr_assert(eq(int, unlink(bench_at("a")), 0));
    cr_assert(eq(int, bench_recover_in(""), 0));
    cr_expect(eq(int, bench_count(""), 1), "it is open still");
    bench_keeps_old = false;
    cr_assert(eq(int, bench_recover_in(""), 0));
    cr_expect(eq(int, bench_count(""), 0));
}
