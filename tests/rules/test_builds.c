#include "rules/builds.h"

#include "tests/support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char folder[] = "/tmp/test_builds.XXXXXX";
static struct rule_builds builds;

static const char *path_of(const char *name)
{
    static char path[64];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");

    cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void begin(void)
{
    cr_assert(mkdtemp(folder) != NULL && mkdir(path_of("old"), 0700) == 0);
    put_file("a.map", "# compiler: R8\n# pg_map_id: 1234567\nc.A -> a:\n    void one() -> a\n");
    put_file("old/m.txt", "# pg_map_id: 89abcdef01\nc.B -> a:\nc.C -> a:\nc.D -> d:\nc.D -> d:\n");
    put_file("seeds.txt", "c.A\n");
    put_file("empty.txt", "");
    builds.path = folder;
}

static void end(void)
{
    char line[80];

    rule_builds_finish(&builds);
    (void)snprintf(line, sizeof(line), "rm -r %s", folder);
    cr_expect(system(line) == 0); // NOLINT(cert-env33-c): names of our own
}

TestSuite(builds, .init = begin, .fini = end);

static const char *name_of(const char *id)
{
    const struct rule_mapping *names = rule_builds_find(&builds, mb_text_of(id));

    return names == NULL ? "none" : rule_mapping_class(names, MB_TEXT("a")).data;
}

static void expect_fault(size_t number, const char *reason)
{
    size_t count;
    const struct mb_error *faults = rule_builds_faults(&builds, &count);

    cr_assert(count > number, "%zu", count);
    cr_expect_str_eq(faults[number].reason, reason);
}

Test(builds, each_is_found_by_its_id_or_the_start_of_it)
{
    size_t count;

    cr_assert(eq(int, rule_builds_open(&builds, NULL), MB_OK));
    cr_expect_str_eq(name_of("1234567"), "c/A");
    cr_expect_str_eq(name_of("1234567ffff"), "c/A");
    (void)rule_builds_faults(&builds, &count);
    cr_expect(eq(sz, count, 0));
    cr_expect_str_eq(name_of("89abcde"), "c/C");
    expect_fault(0, "has a twice, and so 2 in all: the last of each counts");
    cr_expect_str_eq(name_of("89abcd"), "none");
    cr_expect_str_eq(name_of("89abcd"), "none");
    expect_fault(1, "has no mapping of build 89abcd, which keeps its names");
    cr_expect_str_eq(name_of(""), "none");
    expect_fault(2, "has mappings of 2 builds: what does not say its own keeps its names");
    (void)rule_builds_faults(&builds, &count);
    cr_expect(eq(sz, count, 3), "each once");
}

Test(builds, a_frame_says_more_than_its_app)
{
    struct mb_buf out = {0};

    cr_assert(eq(int, rule_builds_open(&builds, NULL), MB_OK));
    rule_builds_put_frame(&out, &builds, MB_TEXT("89abcdef"), MB_TEXT("a.a(r8-map-id-1234567:3)"),
                          NULL);
    rule_builds_put_frame(&out, &builds, MB_TEXT("1234567"), MB_TEXT("a.a(SourceFile:4)"), NULL);
    rule_builds_put_frame(&out, &builds, MB_TEXT(""), MB_TEXT("a.a(SourceFile:5)"), NULL);
    cr_expect(mb_text_equal((struct mb_text){(char *)out.bytes, out.size},
                            MB_TEXT("c.A.one:3\nc.A.one:4\na.a(SourceFile:5)\n")),
              "%.*s", (int)out.size, (char *)out.bytes);
    mb_buf_finish(&out);
}

Test(builds, a_file_alone_is_that_of_what_does_not_say)
{
    put_file("pro.txt", "c.P -> a:\n");
    builds.path = path_of("a.map");
    cr_assert(eq(int, rule_builds_open(&builds, NULL), MB_OK));
    cr_expect_str_eq(name_of(""), "c/A");
    cr_expect_str_eq(name_of("7777777"), "none");
    expect_fault(0, "is of build 1234567: what is of build 7777777 keeps its names");
    rule_builds_finish(&builds);
    builds = (struct rule_builds){.path = path_of("pro.txt")};
    cr_assert(eq(int, rule_builds_open(&builds, NULL), MB_OK));
    cr_expect_str_eq(name_of("7777777"), "c/P");
    rule_builds_finish(&builds);
    builds = (struct rule_builds){.path = path_of("empty.txt")};
    cr_assert(eq(int, rule_builds_open(&builds, NULL), MB_OK));
    expect_fault(0, "names no class");
}

Test(builds, what_cannot_be_read_fails)
{
    struct mb_error err;

    builds.path = path_of("none");
    cr_expect(eq(int, rule_builds_open(&builds, &err), MB_IO));
    cr_expect(eq(int, mkdir(path_of("new"), 0700), 0));
    builds = (struct rule_builds){.path = path_of("new")};
    cr_expect(eq(int, rule_builds_open(&builds, &err), MB_BAD_TEXT));
    cr_expect_str_eq(err.reason, "has no mapping file");
    cr_expect(eq(int, rule_builds_open(NULL, &err), MB_OK));
    cr_expect(rule_builds_find(NULL, MB_TEXT("")) == NULL);
}
