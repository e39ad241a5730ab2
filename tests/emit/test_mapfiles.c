/* The mapping files as they are written: whole, by any number of threads, or not at all. */

#include "instrument/emit/mapfiles.h"
#include "planned.h"

#include "base/file.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

#define CLASSES 700 /* more than a part of each file has */

static struct planned planned;
static struct emit_map_model model;
static char paths[3][96];

static void open_classes(size_t count, unsigned jobs)
{
    static char texts[CLASSES][40];
    static struct input_class classes[CLASSES];
    static const char *const names[] = {"m", "i", "e"};

    for (size_t i = 0; i < count; i++) {
        (void)snprintf(texts[i], sizeof(texts[i]), "p/C%03zu go run -stop", i);
        classes[i] = (struct input_class){"in", texts[i]};
    }
    planned_open(&planned, classes, count, jobs);
    model = (struct emit_map_model){&planned.describer, &planned.inputs.sources, &planned.order,
                                    &planned.numbering, &planned.base};
    for (size_t i = 0; i < MB_COUNT(paths); i++) {
        (void)snprintf(paths[i], sizeof(paths[i]), "%s/out/%s", planned.inputs.root, names[i]);
    }
}

static enum mb_status write_files(const struct emit_mapfile_paths *wanted, struct mb_error *err)
{
    struct pub_outputs *publish = pub_create();
    struct emit_mapfiles *maps = emit_mapfiles_create(&model);
    enum mb_status status = emit_mapfiles_open(maps, wanted, publish, err);

    if (status == MB_OK) {
        status = emit_mapfiles_put_all(maps, planned.inputs.crew.workers, err);
    }
    if (status == MB_OK) {
        status = emit_mapfiles_close(maps, err);
    }
    emit_mapfiles_destroy(maps);
    if (status == MB_OK) {
        status = pub_commit(publish, err);
    }
    pub_destroy(publish);
    return status;
}

/* A file must be what its format says in one part; returns its lines. */
static size_t expect_file(const char *path, const struct emit_map_format *format)
{
    struct mb_buf found = {0};
    struct mb_buf expected = {0};
    struct emit_map_part part = {.model = &model, .out = &expected};
    size_t lines = 0;

    cr_assert(eq(int, mb_file_read(&found, path, NULL), MB_OK));
    cr_assert(eq(int, format->put(&part, 0, format->count(&model), NULL), MB_OK));
    cr_assert(eq(sz, found.size, expected.size));
    cr_assert(found.size == 0 || memcmp(found.bytes, expected.bytes, found.size) == 0);
    for (size_t i = 0; i < found.size; i++) {
        lines += found.bytes[i] == '\n';
    }
    mb_arena_finish(&part.scratch);
    mb_buf_finish(&found);
    mb_buf_finish(&expected);
    return lines;
}

Test(mapfiles, are_the_same_by_any_number_of_threads)
{
    const struct emit_mapfile_paths all = {paths[0], paths[1], paths[2]};

    for (unsigned jobs = 1; jobs < 5; jobs++) {
        planned = (struct planned){0};
        open_classes(CLASSES, jobs);
        cr_assert(eq(int, write_files(&all, NULL), MB_OK));
        cr_expect(eq(sz, expect_file(paths[0], &emit_method_map_format), 2 * CLASSES + 1));
        cr_expect(eq(sz, expect_file(paths[1], &emit_ignore_map_format), CLASSES + 1));
        cr_expect(eq(sz, expect_file(paths[2], &emit_explain_format), 3 * CLASSES));
        planned_close(&planned);
    }
}

Test(mapfiles, of_nothing_have_head_and_end)
{
    const struct emit_mapfile_paths all = {paths[0], paths[1], paths[2]};

    open_classes(1, 2);
    planned.order.count = 0;
    planned.numbering.end_id = 1;
    cr_assert(eq(int, write_files(&all, NULL), MB_OK));
    cr_expect(eq(sz, expect_file(paths[0], &emit_method_map_format), 1));
    cr_expect(eq(sz, expect_file(paths[1], &emit_ignore_map_format), 1));
    cr_expect(eq(sz, expect_file(paths[2], &emit_explain_format), 0));
    planned_close(&planned);
}

Test(mapfiles, only_those_that_have_a_path)
{
    const struct emit_mapfile_paths one = {NULL, paths[1], NULL};

    open_classes(1, 1);
    cr_assert(eq(int, write_files(&one, NULL), MB_OK));
    cr_expect(eq(sz, expect_file(paths[1], &emit_ignore_map_format), 2));
    cr_expect(eq(int, mb_file_read(&(struct mb_buf){0}, paths[0], NULL), MB_IO));
    planned_close(&planned);
}

Test(mapfiles, a_place_that_cannot_be_is_named)
{
    const struct emit_mapfile_paths bad = {paths[0], "/proc/none/i", NULL};
    struct mb_error err;

    open_classes(1, 1);
    cr_assert(eq(int, write_files(&bad, &err), MB_IO));
    cr_expect_str_eq(err.input, "/proc/none/i");
    cr_expect(eq(int, mb_file_read(&(struct mb_buf){0}, paths[0], NULL), MB_IO));
    planned_close(&planned);
}
