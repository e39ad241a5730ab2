#include "answer/map_finder.h"

#include "abi/hash.h"
#include "bench.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(map_finder, .init = bench_begin, .fini = bench_end);

static struct mb_buf content; /* of what was found */

static uint64_t hash_of(const char *text)
{
    return abi_hash(ABI_HASH_START, text, strlen(text));
}

/* The name of what is found beside "t" and in the folders; "" if nothing is. */
static const char *find(uint64_t hash, const char *folders)
{
    static char name[512];
    struct abi_tracefile trace = {.header = {.mapping_hash = hash}};
    struct mb_buf found = {0};
    struct mb_error err;
    enum mb_status status =
        answer_find_map(&found, &content, &trace, bench_path("t"), folders, &err);

    cr_expect(status == MB_OK || status == MB_BAD_USAGE);
    (void)snprintf(name, sizeof(name), "%s",
                   status == MB_OK ? strrchr((const char *)found.bytes, '/') + 1 : "");
    mb_buf_finish(&found);
    return name;
}

Test(map_finder, takes_what_has_the_hash)
{
    bench_write_text("methodMapping.txt", "old");
    bench_write_text("a.txt", "older");
    bench_write_text("z.txt", "this");
    bench_write_text("this.map", "of another kind");
    cr_expect_str_eq(find(hash_of("this"), NULL), "z.txt");
    cr_expect_str_eq(find(hash_of("old"), NULL), "methodMapping.txt");
    cr_expect_str_eq(find(hash_of("of another kind"), NULL), "");
}

Test(map_finder, without_a_hash_takes_the_usual_name)
{
    bench_write_text("a.txt", "any");
    cr_expect_str_eq(find(0, NULL), "");
    bench_write_text("methodMapping.txt", "any");
    cr_expect_str_eq(find(0, NULL), "methodMapping.txt");
}

Test(map_finder, looks_into_folders)
{
    char folders[1024];

    bench_write_text("far.txt", "far");
    (void)snprintf(folders, sizeof(folders), "/nowhere::%s", bench_path("."));
    struct abi_tracefile trace = {.header = {.mapping_hash = hash_of("far")}};
    struct mb_buf found = {0};
    cr_assert(
        eq(int, answer_find_map(&found, &content, &trace, "t.mbtrace", folders, NULL), MB_OK));
    cr_expect(ne(ptr, strstr((const char *)found.bytes, "/./far.txt"), NULL));
    mb_buf_finish(&found);
}

/* A pipe would be waited for. */
Test(map_finder, opens_regular_files_only, .timeout = 20)
{
    cr_assert(eq(int, mkfifo(bench_path("methodMapping.txt"), 0600), 0));
    cr_assert(eq(int, mkfifo(bench_path("a.txt"), 0600), 0));
    cr_expect_str_eq(find(hash_of("x"), NULL), "");
    cr_expect_str_eq(find(0, NULL), "");
}

static struct mb_error failure;

/* The file that is found by what a trace says of its map's place. */
static enum mb_status find_where_it_lay(struct mb_buf *found, uint64_t hash, const char *path)
{
    const struct abi_tracefile trace = {
        .header = {.mapping_hash = hash, .mapping_path = strlen(path)},
        .bytes = (const uint8_t *)path,
        .size = strlen(path),
    };

    mb_buf_reset(found);
    return answer_find_map(found, &content, &trace, bench_path("t"), NULL, &failure);
}

Test(map_finder, looks_where_the_map_lay, .timeout = 20)
{
    struct mb_buf found = {0};
    char elsewhere[512];

    cr_assert(eq(int, mkdir(bench_path("else where"), 0700), 0));
    bench_write_text("else where/any.map", "this");
    (void)snprintf(elsewhere, sizeof(elsewhere), "%s", bench_path("else where/any.map"));
    cr_assert(eq(int, find_where_it_lay(&found, hash_of("this"), elsewhere), MB_OK));
    cr_expect_str_eq((const char *)found.bytes, elsewhere);
    /* Another build's is none, nor is one that has no hash to be known by. */
    cr_expect(eq(int, find_where_it_lay(&found, hash_of("old"), elsewhere), MB_BAD_USAGE));
    cr_expect_str_eq(failure.input, elsewhere);
    cr_expect(eq(int, find_where_it_lay(&found, 0, elsewhere), MB_BAD_USAGE));
    cr_expect(eq(int, find_where_it_lay(&found, hash_of("this"), "/dev/zero"), MB_BAD_USAGE));
    cr_expect(eq(int, find_where_it_lay(&found, hash_of("this"), "/none"), MB_BAD_USAGE));
    bench_write_text("moved.txt", "this");
    cr_expect(eq(int, find_where_it_lay(&found, hash_of("this"), "/none"), MB_OK));
    cr_assert(eq(int, unlink(elsewhere), 0));
    cr_assert(eq(int, mkfifo(elsewhere, 0600), 0));
    cr_expect(eq(int, find_where_it_lay(&found, hash_of("old"), elsewhere), MB_BAD_USAGE));
    mb_buf_finish(&found);
    cr_assert(eq(int, unlink(elsewhere), 0));
    cr_assert(eq(int, rmdir(bench_path("else where")), 0));
}

static enum mb_status status_of(uint64_t hash, struct mb_error *err)
{
    struct abi_tracefile trace = {.header = {.mapping_hash = hash}};
    struct mb_buf found = {0};
    enum mb_status status = answer_find_map(&found, &content, &trace, bench_path("t"), NULL, err);

    mb_buf_finish(&found);
    return status;
}

/* A link to itself cannot be opened by anybody. */
Test(map_finder, tells_of_what_it_could_not_read)
{
    struct mb_error err = {0};

    cr_assert(eq(int, symlink("a.txt", bench_path("a.txt")), 0));
    cr_expect(eq(int, status_of(hash_of("x"), &err), MB_IO));
    cr_expect(ne(ptr, strstr(err.input, "/a.txt"), NULL));
    cr_expect(ne(ptr, strstr(err.reason, "Too many levels of symbolic links"), NULL));
    cr_expect(ne(ptr, strstr(err.reason, "--method-map"), NULL));
    cr_expect(eq(int, status_of(0, &err), MB_BAD_USAGE));
    bench_write_text("z.txt", "x");
    cr_expect_str_eq(find(hash_of("x"), NULL), "z.txt");
}

/* As it may be named by the trace of another. */
Test(map_finder, reads_in_bounds_and_for_the_owner_of_the_trace, .timeout = 20)
{
    struct mb_buf found = {0};
    char path[512];
    char linked[512];

    (void)snprintf(path, sizeof(path), "%s", bench_path("secret"));
    (void)snprintf(linked, sizeof(linked), "%s", bench_path("link"));
    bench_write_text("secret", "this");
    bench_write_text("t", "a trace");
    cr_assert(eq(int, symlink(path, linked), 0));
    if (geteuid() == 0) {
        cr_assert(eq(int, chown(bench_path("t"), 1234, 1234), 0));
        cr_assert(eq(int, chmod(path, 0600), 0));
        cr_expect(eq(int, find_where_it_lay(&found, hash_of("this"), linked), MB_IO));
        cr_expect(ne(ptr, strstr(failure.reason, "not a file that the owner of"), NULL));
        cr_assert(eq(int, chmod(path, 0604), 0));
        cr_expect(eq(int, find_where_it_lay(&found, hash_of("this"), linked), MB_OK));
        cr_expect(content.size == 4 && memcmp(content.bytes, "this", 4) == 0);
        cr_assert(eq(int, chmod(path, 0600), 0));
        cr_assert(eq(int, symlink("secret", bench_path("methodMapping.txt")), 0));
        cr_expect(eq(int, status_of(0, &failure), MB_IO), "beside the trace, without a hash");
        cr_assert(eq(int, unlink(bench_path("methodMapping.txt")), 0));
    }
    cr_assert(eq(int, truncate(path, (off_t)1 << 40), 0));
    failure = (struct mb_error){0};
    cr_expect(eq(int, find_where_it_lay(&found, hash_of("this"), path), MB_IO));
    cr_expect(ne(ptr, strstr(failure.reason, "over 256 MiB long"), NULL));
    cr_expect(ne(int, find_where_it_lay(&found, hash_of("this"), "/proc/kmsg"), MB_OK), "waits");
    mb_buf_finish(&found);
    cr_assert(eq(int, unlink(linked), 0));
    cr_assert(eq(int, unlink(bench_path("secret")), 0));
}
