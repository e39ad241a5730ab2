#include "instrument/mapfiles.h"

#include "instrument/mapformat.h"
#include "instrument/partfile.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_FILES 3

struct map_file {
    const char *path;
    const struct ins_map_format *format;
    bool is_map; /* not --explain, which knows nothing of earlier runs */
    size_t part_count;
    bool is_open;
    struct ins_partfile parts;
};

struct ins_mapfiles {
    struct ins_run *run;
    struct map_file items[MAX_FILES];
    size_t count;
    size_t step_count; /* parts of all files */
    atomic_size_t next_step;

    pthread_mutex_t lock; /* of all below */
    bool is_begun;
    bool is_writing;    /* the maps: what is in their places is not to stay */
    size_t failed_step; /* the lowest, of which the failure is */
    struct mb_error failure;
};

static void add(struct ins_mapfiles *files, const char *path, const struct ins_map_format *format)
{
    struct map_file *file = &files->items[files->count];

    if (path == NULL) {
        return;
    }
    file->path = path;
    file->format = format;
    file->is_map = format != &ins_explain_format;
    file->part_count = (format->count(files->run) + format->part_size - 1) / format->part_size;
    file->part_count += file->part_count == 0; /* head and end */
    files->step_count += file->part_count;
    files->count++;
}

struct ins_mapfiles *ins_mapfiles_create(struct ins_run *run)
{
    const struct ins_options *options = run->options;
    struct ins_mapfiles *files = calloc(1, sizeof(*files));

    if (files != NULL) {
        files->run = run;
        (void)pthread_mutex_init(&files->lock, NULL);
        add(files, options->method_map, &ins_method_map_format);
        add(files, options->ignore_map, &ins_ignore_map_format);
        add(files, options->explain, &ins_explain_format);
    }
    return files;
}

/* What is open already is written anew. */
static enum mb_status open_file(struct ins_mapfiles *files, struct map_file *file,
                                struct mb_error *err)
{
    int fd = file->parts.fd;

    if (!file->is_open) {
        MB_TRY(mb_publish_open(files->run->publish, file->path, &fd, err));
    } else if (ftruncate(fd, 0) != 0) {
        return mb_fail_errno(err, "cannot cut");
    } else {
        ins_partfile_finish(&file->parts);
    }
    ins_partfile_init(&file->parts, fd);
    file->is_open = true;
    return MB_OK;
}

static enum mb_status open_files(struct ins_mapfiles *files, struct mb_error *err)
{
    for (size_t i = 0; i < files->count; i++) {
        struct map_file *file = &files->items[i];
        if (file->is_map && files->run->are_maps_in_place) {
            continue;
        }
        MB_TRY(open_file(files, file, err));
    }
    return MB_OK;
}

static enum mb_status begin(struct ins_mapfiles *files, struct mb_error *err)
{
    struct ins_run *run = files->run;

    run->are_maps_in_place = !files->is_writing && ins_are_maps_in_place(run);
    files->is_writing = !run->are_maps_in_place;
    if (!run->are_maps_in_place) {
        MB_TRY(ins_find_owners(&run->numbering, run->classes, run->class_count, err));
        ins_numbering_settle(&run->numbering, run->classes, run->class_count);
    }
    return open_files(files, err);
}

/* Decided once for all steps, so that no part waits for one that is not made. */
static enum mb_status begin_once(struct ins_mapfiles *files, struct mb_error *err)
{
    (void)pthread_mutex_lock(&files->lock);
    if (!files->is_begun) {
        files->is_begun = true;
        (void)begin(files, &files->failure);
    }
    enum mb_status status = files->failure.status;
    if (status != MB_OK) {
        *err = files->failure;
    }
    (void)pthread_mutex_unlock(&files->lock);
    return status;
}

static enum mb_status make_part(struct ins_mapfiles *files, struct map_file *file, size_t number,
                                struct mb_buf *out, struct mb_error *err)
{
    struct ins_map_part part = {.run = files->run, .out = out};
    size_t count = file->format->count(files->run);
    size_t first = number * file->format->part_size;
    size_t end = first + file->format->part_size;

    mb_buf_reset(out);
    enum mb_status status = file->format->put(&part, first, end < count ? end : count, err);
    mb_arena_finish(&part.scratch);
    return status == MB_OK ? mb_buf_check(out, err) : status;
}

static enum mb_status write_part(struct ins_mapfiles *files, struct map_file *file, size_t number,
                                 struct mb_buf *out, struct mb_error *err)
{
    enum mb_status status = make_part(files, file, number, out, err);

    if (status == MB_OK) {
        status = ins_partfile_put(&file->parts, number, out, err);
    } else {
        ins_partfile_fail(&file->parts);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, file->path);
    }
    return status;
}

static enum mb_status do_step(struct ins_mapfiles *files, unsigned worker, size_t step,
                              struct mb_error *err)
{
    struct map_file *file = files->items;

    MB_TRY(begin_once(files, err));
    for (; step >= file->part_count; file++) {
        step -= file->part_count;
    }
    return file->is_open ? write_part(files, file, step, &files->run->scratch[worker].text, err)
                         : MB_OK;
}

static void keep_failure(struct ins_mapfiles *files, size_t step, const struct mb_error *err)
{
    atomic_store_explicit(&files->next_step, files->step_count, memory_order_relaxed);
    (void)pthread_mutex_lock(&files->lock);
    if (files->failure.status == MB_OK || step < files->failed_step) {
        files->failed_step = step;
        files->failure = *err;
    }
    (void)pthread_mutex_unlock(&files->lock);
}

bool ins_mapfiles_step(struct ins_mapfiles *files, unsigned worker)
{
    struct mb_error err;
    size_t step = atomic_load_explicit(&files->next_step, memory_order_relaxed);

    if (step < files->step_count) {
        step = atomic_fetch_add_explicit(&files->next_step, 1, memory_order_relaxed);
    }
    if (step >= files->step_count) {
        return false;
    }
    if (do_step(files, worker, step, &err) != MB_OK) {
        keep_failure(files, step, &err);
        return false;
    }
    return true;
}

void ins_mapfiles_restart(struct ins_mapfiles *files)
{
    files->is_begun = false;
    atomic_store_explicit(&files->next_step, 0, memory_order_relaxed);
}

enum mb_status ins_mapfiles_finish(struct ins_mapfiles *files, struct mb_error *err)
{
    if (files == NULL) {
        return MB_OK;
    }
    enum mb_status status = files->failure.status;
    if (status != MB_OK && err != NULL) {
        *err = files->failure;
    }
    for (size_t i = 0; i < files->count; i++) {
        struct map_file *file = &files->items[i];
        if (!file->is_open) {
            continue;
        }
        if (close(file->parts.fd) != 0 && status == MB_OK) {
            status = mb_fail_errno(err, "cannot close");
            mb_error_in_input(err, file->path);
        }
        ins_partfile_finish(&file->parts);
    }
    (void)pthread_mutex_destroy(&files->lock);
    free(files);
    return status;
}
