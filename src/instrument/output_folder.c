#include "instrument/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* path/name for the file of an entry; a class given by itself goes to the path. Caller frees. */
static char *file_path(const struct ins_output *output, const struct ins_source *source,
                       struct mb_text name)
{
    bool is_folder = ar_input_kind(source->archive) == AR_INPUT_FOLDER;
    size_t base_size = strlen(output->path);
    char *path = malloc(base_size + name.size + 2);

    if (path != NULL) {
        memcpy(path, output->path, base_size + 1);
        if (is_folder) {
            path[base_size] = '/';
            memcpy(path + base_size + 1, name.data, name.size);
            path[base_size + 1 + name.size] = '\0';
        }
    }
    return path;
}

static enum mb_status put_file(const struct ins_output *output, uint32_t index,
                               struct mb_text content, struct mb_error *err)
{
    const struct ins_source *source = &output->run->sources.items[output->source];
    char *path = file_path(output, source, ar_input_entry(source->archive, index)->name);
    bool is_same = false;

    if (path == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status =
        mb_publish_update(output->run->publish, path, content.data, content.size, &is_same, err);
    free(path);
    return status;
}

enum mb_status ins_deliver_file(void *context, const struct ins_class *cls, struct mb_text content,
                                bool is_changed, struct mb_error *err)
{
    (void)is_changed;
    return put_file(context, cls->entry, content, err);
}

static enum mb_status copy_others(const struct ins_output *output, struct mb_error *err)
{
    struct ins_run *run = output->run;
    struct ins_scratch *scratch = &run->scratch[output->worker];
    const struct ar_input *archive = run->sources.items[output->source].archive;

    for (size_t i = 0; i < ar_input_count(archive); i++) {
        struct mb_text content;
        if (ar_input_entry(archive, i)->kind == AR_ENTRY_CLASS) {
            continue;
        }
        MB_TRY(ins_check_interrupt(err));
        MB_TRY(ar_entry_read(archive, i, scratch->codec, &scratch->content, &content, err));
        MB_TRY(put_file(output, (uint32_t)i, content, err));
    }
    return MB_OK;
}

static enum mb_status remove_file(const struct ins_output *output, struct mb_text name,
                                  struct mb_error *err)
{
    char *path = file_path(output, &output->run->sources.items[output->source], name);
    enum mb_status status =
        path != NULL ? mb_publish_remove(output->run->publish, path, err) : mb_fail_memory(err);

    free(path);
    return status;
}

/* Both lists are sorted by name. */
static enum mb_status remove_missing(const struct ins_output *output, const struct ar_input *old,
                                     const struct ar_input *archive, struct mb_error *err)
{
    size_t next = 0;

    for (size_t i = 0; i < ar_input_count(old); i++) {
        const struct ar_entry *entry = ar_input_entry(old, i);
        int order = -1;
        while (next < ar_input_count(archive) && order < 0) {
            order = mb_text_compare(ar_input_entry(archive, next)->name, entry->name);
            next += order < 0;
        }
        if (order != 0 && entry->kind == AR_ENTRY_CLASS) {
            MB_TRY(remove_file(output, entry->name, err));
        }
    }
    return MB_OK;
}

/* Classes that have left the input since an earlier run would be packaged for ever. Other files may
 * be anybody's and stay. */
static enum mb_status remove_stale(const struct ins_output *output, struct mb_error *err)
{
    const struct ar_input *archive = output->run->sources.items[output->source].archive;
    struct ar_input *old;

    if (ar_input_kind(archive) != AR_INPUT_FOLDER || access(output->path, F_OK) != 0) {
        return MB_OK;
    }
    MB_TRY(ar_input_open(&old, output->path, err));
    enum mb_status status = remove_missing(output, old, archive, err);
    ar_input_close(old);
    return status;
}

enum mb_status ins_write_folder(const struct ins_output *output, struct mb_error *err)
{
    ins_conveyor_open(output->conveyor, output->source);
    enum mb_status status = copy_others(output, err);
    if (status == MB_OK) {
        status = ins_conveyor_drain(output->conveyor, output->worker, output->source, err);
    }
    ins_conveyor_close(output->conveyor, output->source);
    return status == MB_OK ? remove_stale(output, err) : status;
}
