#include "emit/mapfiles.h"

#include "base/file.h"
#include "base/interrupt.h"
#include "emit/mapformat.h"

#include <stdlib.h>
#include <unistd.h>

#define MAX_FILES 3

struct map_file {
    const char *path;
    const struct emit_map_format *format;
    size_t part_count;
    int fd;
};

/* Consecutive parts: while those of one round are formatted, those of the last are written. */
struct round {
    size_t first;
    size_t count;
    struct mb_buf *texts; /* room for as many as a round may have */
};

struct lister {
    const struct emit_map_model *model;
    struct mb_publish *publish;
    struct mb_workers *workers;
    struct map_file files[MAX_FILES];
    size_t file_count;
    size_t part_count; /* of all files */
    size_t round_size;
    struct mb_buf *texts;
    struct round formatted;
    struct round written;
};

static enum mb_status add_file(struct lister *lister, const char *path,
                               const struct emit_map_format *format, struct mb_error *err)
{
    struct map_file *file = &lister->files[lister->file_count];

    if (path == NULL) {
        return MB_OK;
    }
    file->path = path;
    file->format = format;
    file->part_count = (format->count(lister->model) + format->part_size - 1) / format->part_size;
    file->part_count += file->part_count == 0; /* head and end */
    MB_TRY(mb_publish_open(lister->publish, path, &file->fd, err));
    lister->part_count += file->part_count;
    lister->file_count++;
    return MB_OK;
}

static enum mb_status add_files(struct lister *lister, const struct emit_mapfile_paths *paths,
                                struct mb_error *err)
{
    MB_TRY(add_file(lister, paths->method_map, &emit_method_map_format, err));
    MB_TRY(add_file(lister, paths->ignore_map, &emit_ignore_map_format, err));
    return add_file(lister, paths->explain, &emit_explain_format, err);
}

/* The file that a part belongs to; part becomes its number in there. */
static struct map_file *file_of(struct lister *lister, size_t *part)
{
    struct map_file *file = lister->files;

    for (; *part >= file->part_count; file++) {
        *part -= file->part_count;
    }
    return file;
}

static enum mb_status format_part(struct lister *lister, size_t number, struct mb_buf *out,
                                  struct mb_error *err)
{
    const struct map_file *file = file_of(lister, &number);
    struct emit_map_part part = {.model = lister->model, .out = out};
    size_t count = file->format->count(lister->model);
    size_t first = number * file->format->part_size;
    size_t end = first + file->format->part_size;

    mb_buf_reset(out);
    enum mb_status status = file->format->put(&part, first, end < count ? end : count, err);
    mb_arena_finish(&part.scratch);
    return status == MB_OK ? mb_buf_check(out, err) : status;
}

static enum mb_status write_round(struct lister *lister, struct mb_error *err)
{
    const struct round *round = &lister->written;

    for (size_t i = 0; i < round->count; i++) {
        size_t part = round->first + i;
        const struct map_file *file = file_of(lister, &part);
        const struct mb_buf *text = &round->texts[i];
        enum mb_status status = mb_file_write_all(file->fd, text->bytes, text->size, err);
        if (status != MB_OK) {
            mb_error_in_input(err, file->path);
            return status;
        }
    }
    return MB_OK;
}

/* Task 0 writes, the others format a part each. */
static enum mb_status do_task(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    struct lister *lister = context;

    (void)worker;
    MB_TRY(mb_check_interrupt(err));
    return task == 0 ? write_round(lister, err)
                     : format_part(lister, lister->formatted.first + task - 1,
                                   &lister->formatted.texts[task - 1], err);
}

/* The round before is to be written, the next to be formatted in its place. */
static void turn_round(struct lister *lister)
{
    struct round written = lister->formatted;
    size_t first = written.first + written.count;
    size_t left = lister->part_count - first;

    lister->formatted = (struct round){
        .first = first,
        .count = left < lister->round_size ? left : lister->round_size,
        .texts = lister->written.texts,
    };
    lister->written = written;
}

static enum mb_status write_parts(struct lister *lister, struct mb_error *err)
{
    lister->round_size = 4 * (size_t)mb_workers_count(lister->workers);
    lister->texts = calloc(2 * lister->round_size, sizeof(*lister->texts));
    if (lister->texts == NULL) {
        return mb_fail_memory(err);
    }
    lister->formatted.texts = lister->texts;
    lister->written.texts = lister->texts + lister->round_size;
    for (turn_round(lister); lister->formatted.count + lister->written.count > 0;
         turn_round(lister)) {
        MB_TRY(mb_workers_run(lister->workers, 1 + lister->formatted.count, do_task, lister, err));
    }
    return MB_OK;
}

static enum mb_status close_files(struct lister *lister, enum mb_status status,
                                  struct mb_error *err)
{
    for (size_t i = 0; i < lister->file_count; i++) {
        if (close(lister->files[i].fd) != 0 && status == MB_OK) {
            status = mb_fail_errno(err, "cannot close");
            mb_error_in_input(err, lister->files[i].path);
        }
    }
    return status;
}

enum mb_status emit_mapfiles(const struct emit_map_model *model,
                             const struct emit_mapfile_paths *paths, struct mb_publish *publish,
                             struct mb_workers *workers, struct mb_error *err)
{
    struct lister lister = {.model = model, .publish = publish, .workers = workers};
    enum mb_status status = add_files(&lister, paths, err);

    status = status == MB_OK ? write_parts(&lister, err) : status;
    for (size_t i = 0; lister.texts != NULL && i < 2 * lister.round_size; i++) {
        mb_buf_finish(&lister.texts[i]);
    }
    free(lister.texts);
    return close_files(&lister, status, err);
}
