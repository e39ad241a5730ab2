#include "instrument/output.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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

enum mb_status ins_write_folder(const struct ins_output *output, struct mb_error *err)
{
    ins_conveyor_open(output->conveyor, output->source);
    enum mb_status status = copy_others(output, err);
    if (status == MB_OK) {
        status = ins_conveyor_drain(output->conveyor, output->worker, output->source, err);
    }
    ins_conveyor_close(output->conveyor, output->source);
    return status;
}
