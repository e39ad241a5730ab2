#include "instrument/emit/output.h"

#include "base/interrupt.h"
#include "base/platform.h"
#include "base/platform_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* path/name for the file of an entry; a class given by itself goes to the path. Caller frees. */
static char *file_path(const char *base, const struct plan_source *source, struct mb_text name)
{
    bool is_folder = ar_input_kind(source->archive) == AR_INPUT_FOLDER;
    size_t base_size = strlen(base);
    char *path = malloc(base_size + name.size + 2);

    if (path != NULL) {
        memcpy(path, base, base_size + 1);
        if (is_folder) {
            path[base_size] = '/';
            memcpy(path + base_size + 1, name.data, name.size);
            path[base_size + 1 + name.size] = '\0';
        }
    }
    return path;
}

static enum mb_status put_file(const struct emit_output *output, uint32_t index,
                               struct mb_text content, struct mb_error *err)
{
    const struct plan_source *source = emit_source_of(output);
    struct mb_text name = ar_input_entry(source->archive, index)->name;
    bool is_same = false;

    MB_TRY(mb_name_check_path(ar_input_path(source->archive), name, err));
    char *path = file_path(output->path, source, name);
    if (path == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status =
        pub_update(output->request->publish, path, content.data, content.size, &is_same, err);
    free(path);
    return status;
}

enum mb_status emit_deliver_file(void *context, const struct plan_class *cls,
                                 struct mb_text content, struct mb_error *err)
{
    return put_file(context, cls->entry, content, err);
}

/* Copy a file that is neither a class nor has an output of its own. */
static enum mb_status copy_others(const struct emit_output *output, struct mb_error *err)
{
    struct plan_scratch *scratch = output->scratch;
    const struct plan_sources *sources = output->request->transformer.sources;
    const struct ar_input *archive = emit_source_of(output)->archive;
    uint32_t next_inner = output->source + 1;

    for (size_t i = 0; i < ar_input_count(archive); i++) {
        struct mb_text content;
        uint32_t inner = plan_source_take_inner(sources, output->source, &next_inner, i);
        if (ar_input_entry(archive, i)->kind == AR_ENTRY_CLASS || inner != PLAN_NO_SOURCE) {
            continue;
        }
        MB_TRY(mb_check_interrupt(err));
        MB_TRY(ar_entry_read(archive, i, scratch->codec, &scratch->content, &content, err));
        MB_TRY(put_file(output, (uint32_t)i, content, err));
    }
    return MB_OK;
}

struct stale {
    struct pub_outputs *publish;
    const struct plan_source *source;
    const char *path; /* of the output */
};

static enum mb_status remove_file(const struct stale *stale, struct mb_text name,
                                  struct mb_error *err)
{
    char *path = file_path(stale->path, stale->source, name);
    enum mb_status status =
        path != NULL ? pub_remove(stale->publish, path, err) : mb_fail_memory(err);

    free(path);
    return status;
}

/* Both lists are sorted by name. */
static enum mb_status remove_missing(const struct stale *stale, const struct ar_input *old,
                                     struct mb_error *err)
{
    const struct ar_input *archive = stale->source->archive;
    size_t next = 0;

    for (size_t i = 0; i < ar_input_count(old); i++) {
        const struct ar_entry *entry = ar_input_entry(old, i);
        int order = -1;
        while (next < ar_input_count(archive) && order < 0) {
            order = mb_text_compare(ar_input_entry(archive, next)->name, entry->name);
            next += order < 0;
        }
        if (order != 0 && entry->kind == AR_ENTRY_CLASS) {
            MB_TRY(remove_file(stale, entry->name, err));
        }
    }
    return MB_OK;
}

enum mb_status emit_remove_stale(struct pub_outputs *publish, const struct plan_source *source,
                                 const char *path, struct mb_error *err)
{
    struct stale stale = {publish, source, path};
    struct ar_input *old;

    if (ar_input_kind(source->archive) != AR_INPUT_FOLDER) {
        return MB_OK;
    }
    if (!mb_file_is_there(path)) {
        return errno == ENOENT || errno == ENOTDIR ? MB_OK
                                                   : mb_fail_file(err, path, "cannot look into it");
    }
    /* Files reached by a link are not removed, although outputs may go there. */
    MB_TRY(ar_input_open_without_links(&old, path, err));
    enum mb_status status = remove_missing(&stale, old, err);
    ar_input_close(old);
    return status;
}

enum mb_status emit_write_folder(const struct emit_output *output, struct mb_error *err)
{
    emit_conveyor_open(output->conveyor, output->source);
    enum mb_status status = copy_others(output, err);
    if (status == MB_OK) {
        status = emit_conveyor_drain(output->conveyor, output->worker, output->source, err);
    }
    emit_conveyor_close(output->conveyor, output->source);
    return status == MB_OK ? emit_remove_stale(output->request->publish, emit_source_of(output),
                                               output->path, err)
                           : status;
}
