/* What a run leaves behind, read back: all of it, or nothing where it is not a whole one of
 * ours. */

#include "instrument/history/resume.h"
#include "planned.h"

#include "base/file.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DENSE_SIZE 512 /* the header, and what follows */
#define SPARSE 4093

static const struct input_class some[] = {{"x", "a/A go -run"}, {"y", "b/B stop"}, {"y", "a/A go"}};

static struct planned planned;
static char path[96];
static char map_path[96];

static enum mb_status save(struct mb_error *err)
{
    static const char *const no_paths[MAX_INPUTS];
    struct pub_outputs *publish = pub_create();
    const struct history_record record = {
        .publish = publish,
        .path = path,
        .fingerprint = 4711,
        .names = planned.names,
        .sources = &planned.inputs.sources,
        .order = &planned.order,
        .warnings = &planned.warnings,
        .numbering = &planned.numbering,
        .base = &planned.base,
        .output_paths = no_paths,
        .method_map = map_path,
        .ignore_map = map_path,
    };
    enum mb_status status = pub_write(publish, map_path, "map", 3, err);

    status = status == MB_OK ? history_state_save(&record, err) : status;
    status = status == MB_OK ? pub_commit(publish, err) : status;
    pub_destroy(publish);
    return status;
}

static void init(void)
{
    planned_open(&planned, some, MB_COUNT(some), 1);
    (void)snprintf(path, sizeof(path), "%s/state", planned.inputs.root);
    (void)snprintf(map_path, sizeof(map_path), "%s/map", planned.inputs.root);
    cr_assert(eq(int,
                 abi_methodmap_parse(&planned.base,
                                     MB_TEXT("1,9,a.A go ()V\n9,1,old.Gone run ()V\n"), "b", NULL),
                 MB_OK));
}

static void finish(void)
{
    planned_close(&planned);
}

TestSuite(state, .init = init, .fini = finish);

static void expect_none(const char *what)
{
    struct history_state state;

    cr_assert(eq(int, history_state_load(&state, path, NULL), MB_OK), "%s", what);
    cr_assert(eq(ptr, state.image.bytes, NULL), "%s", what);
    cr_assert(eq(sz, state.class_count + state.source_count, 0), "%s", what);
    history_state_finish(&state);
}

static void write_state(const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    cr_assert(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* Whichever byte it is: a run from nothing is right, one from half of the truth is not. */
Test(state, damage_anywhere_is_seen)
{
    struct mb_buf whole = {0};
    struct history_state state;

    cr_assert(eq(int, save(NULL), MB_OK));
    cr_assert(eq(int, history_state_load(&state, path, NULL), MB_OK));
    cr_assert(eq(sz, state.class_count, 3));
    history_state_finish(&state);
    cr_assert(eq(int, mb_file_read(&whole, path, NULL), MB_OK));
    for (size_t i = 0; i < whole.size; i += i < DENSE_SIZE ? 1 : SPARSE) {
        whole.bytes[i] ^= 0x10;
        write_state(whole.bytes, whole.size);
        whole.bytes[i] ^= 0x10;
        expect_none("a byte");
    }
    for (size_t size = 0; size < whole.size; size += size < DENSE_SIZE ? 1 : SPARSE) {
        write_state(whole.bytes, size);
        expect_none("cut off");
    }
    mb_buf_put_u1(&whole, 0);
    write_state(whole.bytes, whole.size);
    expect_none("longer");
    mb_buf_finish(&whole);
}

Test(state, where_there_is_no_file_there_is_no_state)
{
    expect_none("missing");
    cr_assert(eq(int, mkdir(path, 0700), 0));
    expect_none("a folder");
    cr_assert(eq(int, rmdir(path), 0));
    cr_assert(eq(int, mkfifo(path, 0600), 0));
    expect_none("a pipe");
}

/* Without it ids would change: a link to itself cannot be opened by anybody. */
Test(state, one_that_cannot_be_read_is_a_failure)
{
    struct history_state state;
    struct mb_error err;

    cr_assert(eq(int, symlink("state", path), 0));
    cr_assert(eq(int, history_state_load(&state, path, &err), MB_IO));
    cr_expect_str_eq(err.input, path);
    cr_expect(eq(ptr, state.image.bytes, NULL));
}
