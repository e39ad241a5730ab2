#include "instrument/emit/mapfiles.h"

#include "abi/hash.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "instrument/emit/mapformat.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_FILES 3

struct map_file {
    const char *path;
    const struct emit_map_format *format;
    size_t part_count;
    uint64_t hash; /* guards writing */
    int fd;
};

/* The lines of a part. Recycled. */
struct text {
    struct text *next_free;
    struct mb_buf lines;
};

/* Parts are formatted in any order and written in order, by the thread that has formatted the next
 * one. */
struct emit_mapfiles {
    struct emit_map_model model;
    struct map_file files[MAX_FILES];
    size_t file_count;
    size_t part_count; /* of all files */

    pthread_mutex_t lock; /* of all below */
    struct text **texts;  /* by part; NULL: it is not formatted, or written */
    struct text *free_texts;
    size_t next_part; /* to be written */
    bool is_writing;
};

struct emit_mapfiles *emit_mapfiles_create(const struct emit_map_model *model)
{
    struct emit_mapfiles *maps = calloc(1, sizeof(*maps));

    if (maps != NULL) {
        maps->model = *model;
        (void)pthread_mutex_init(&maps->lock, NULL);
    }
    return maps;
}

static void destroy_text(struct text *text)
{
    if (text != NULL) {
        mb_buf_finish(&text->lines);
        free(text);
    }
}

void emit_mapfiles_destroy(struct emit_mapfiles *maps)
{
    if (maps == NULL) {
        return;
    }
    for (size_t i = 0; i < maps->file_count; i++) {
        if (maps->files[i].fd >= 0) {
            (void)close(maps->files[i].fd);
        }
    }
    for (size_t i = 0; maps->texts != NULL && i < maps->part_count; i++) {
        destroy_text(maps->texts[i]);
    }
    while (maps->free_texts != NULL) {
        struct text *text = maps->free_texts;
        maps->free_texts = text->next_free;
        destroy_text(text);
    }
    free(maps->texts);
    (void)pthread_mutex_destroy(&maps->lock);
    free(maps);
}

/* --- opening --- */

static enum mb_status add_file(struct emit_mapfiles *maps, struct pub_outputs *publish,
                               const char *path, const struct emit_map_format *format,
                               struct mb_error *err)
{
    struct map_file *file = &maps->files[maps->file_count];

    if (path == NULL) {
        return MB_OK;
    }
    file->path = path;
    file->format = format;
    file->hash = ABI_HASH_START;
    file->part_count = (format->count(&maps->model) + format->part_size - 1) / format->part_size;
    file->part_count += file->part_count == 0; /* head and end */
    MB_TRY(pub_open(publish, path, &file->fd, err));
    maps->part_count += file->part_count;
    maps->file_count++;
    return MB_OK;
}

enum mb_status emit_mapfiles_open(struct emit_mapfiles *maps,
                                  const struct emit_mapfile_paths *paths,
                                  struct pub_outputs *publish, struct mb_error *err)
{
    MB_TRY(add_file(maps, publish, paths->method_map, &emit_method_map_format, err));
    MB_TRY(add_file(maps, publish, paths->ignore_map, &emit_ignore_map_format, err));
    MB_TRY(add_file(maps, publish, paths->explain, &emit_explain_format, err));
    maps->texts = calloc(maps->part_count + 1, sizeof(struct text *));
    return maps->texts != NULL ? MB_OK : mb_fail_memory(err);
}

size_t emit_mapfiles_part_count(const struct emit_mapfiles *maps)
{
    return maps->part_count;
}

/* --- parts --- */

/* The file that a part belongs to; part becomes its number in there. */
static struct map_file *file_of(struct emit_mapfiles *maps, size_t *part)
{
    struct map_file *file = maps->files;

    for (; *part >= file->part_count; file++) {
        *part -= file->part_count;
    }
    return file;
}

static enum mb_status format_part(struct emit_mapfiles *maps, size_t number, struct mb_buf *out,
                                  struct mb_error *err)
{
    const struct map_file *file = file_of(maps, &number);
    struct emit_map_part part = {.model = &maps->model, .out = out};
    size_t count = file->format->count(&maps->model);
    size_t first = number * file->format->part_size;
    size_t end = first + file->format->part_size;

    enum mb_status status = file->format->put(&part, first, end < count ? end : count, err);
    mb_arena_finish(&part.scratch);
    return status == MB_OK ? mb_buf_check(out, err) : status;
}

static enum mb_status write_part(struct emit_mapfiles *maps, size_t part, const struct text *text,
                                 struct mb_error *err)
{
    struct map_file *file = file_of(maps, &part);
    enum mb_status status = mb_file_write_all(file->fd, text->lines.bytes, text->lines.size, err);

    if (file->format == &emit_method_map_format) {
        file->hash = abi_hash(file->hash, text->lines.bytes, text->lines.size);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, file->path);
    }
    return status;
}

/* An empty text; NULL when out of memory. */
static struct text *take_text(struct emit_mapfiles *maps)
{
    (void)pthread_mutex_lock(&maps->lock);
    struct text *text = maps->free_texts;
    if (text != NULL) {
        maps->free_texts = text->next_free;
    }
    (void)pthread_mutex_unlock(&maps->lock);
    return text != NULL ? text : calloc(1, sizeof(*text));
}

static void recycle_text(struct emit_mapfiles *maps, struct text *text)
{
    mb_buf_reset(&text->lines);
    text->next_free = maps->free_texts;
    maps->free_texts = text;
}

/* NULL: the next part is not formatted. */
static struct text *take_next(struct emit_mapfiles *maps)
{
    struct text *text = maps->next_part < maps->part_count ? maps->texts[maps->next_part] : NULL;

    if (text != NULL) {
        maps->texts[maps->next_part] = NULL;
    }
    return text;
}

/* Hand over a part, and write all parts up to the first gap; no thread waits. After a failure
 * writing stops. */
static enum mb_status hand_over(struct emit_mapfiles *maps, size_t part, struct text *text,
                                struct mb_error *err)
{
    enum mb_status status = MB_OK;

    (void)pthread_mutex_lock(&maps->lock);
    maps->texts[part] = text;
    while (!maps->is_writing && (text = take_next(maps)) != NULL) {
        maps->is_writing = true;
        (void)pthread_mutex_unlock(&maps->lock);
        status = write_part(maps, maps->next_part, text, err);
        (void)pthread_mutex_lock(&maps->lock);
        recycle_text(maps, text);
        maps->next_part++;
        maps->is_writing = status != MB_OK;
    }
    (void)pthread_mutex_unlock(&maps->lock);
    return status;
}

enum mb_status emit_mapfiles_put(struct emit_mapfiles *maps, size_t part, struct mb_error *err)
{
    MB_TRY(mb_check_interrupt(err));
    struct text *text = take_text(maps);
    if (text == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = format_part(maps, part, &text->lines, err);
    if (status != MB_OK) {
        destroy_text(text);
        return status;
    }
    return hand_over(maps, part, text, err);
}

static enum mb_status do_part(void *context, unsigned worker, size_t part, struct mb_error *err)
{
    (void)worker;
    return emit_mapfiles_put(context, part, err);
}

enum mb_status emit_mapfiles_put_all(struct emit_mapfiles *maps, struct mb_workers *workers,
                                     struct mb_error *err)
{
    return mb_workers_run(workers, maps->part_count, do_part, maps, err);
}

enum mb_status emit_mapfiles_close(struct emit_mapfiles *maps, struct mb_error *err)
{
    for (size_t i = 0; i < maps->file_count; i++) {
        int fd = maps->files[i].fd;
        maps->files[i].fd = -1;
        if (close(fd) != 0) {
            return mb_fail_file(err, maps->files[i].path, "cannot close");
        }
    }
    return MB_OK;
}

uint64_t emit_mapfiles_hash(const struct emit_mapfiles *maps)
{
    for (size_t i = 0; i < maps->file_count; i++) {
        if (maps->files[i].format == &emit_method_map_format) {
            return maps->files[i].hash;
        }
    }
    return 0;
}
