#include "instrument/slices.h"

#include "base/file.h"
#include "base/text.h"
#include "instrument/plan/ids_order.h"
#include "instrument/plan/names.h"
#include "instrument/plan/output_paths.h"

#include <string.h>

/* Above it, without a ledger, one method more moves the ids of many others. */
#define FULL_PERCENT 85

/* Frees the bytes. */
static enum mb_status publish_bytes(struct pub_outputs *publish, const char *path,
                                    struct mb_buf *bytes, enum mb_status status,
                                    struct mb_error *err)
{
    bool is_same = false;

    if (status == MB_OK) {
        status = pub_update(publish, path, bytes->bytes, bytes->size, &is_same, err);
    }
    mb_buf_finish(bytes);
    return status;
}

enum mb_status ins_write_names(struct pub_outputs *publish, const struct ins_options *options,
                               const struct mb_intern *names, const struct plan_order *order,
                               struct mb_error *err)
{
    struct mb_buf bytes = {0};
    enum mb_status status =
        plan_names_put(&bytes, names, order->classes, order->count, ins_hash_choice(options), err);

    return publish_bytes(publish, options->method_map, &bytes, status, err);
}

/* --- from names --- */

/* DIR/NAME. NULL without memory. */
static const char *slice_path(struct mb_arena *arena, const char *folder, const char *input)
{
    struct mb_buf path = {0};

    mb_buf_printf(&path, "%s/%s", folder, mb_last_part(input));
    const char *copy = path.failed ? NULL : mb_arena_copy(arena, path.bytes, path.size);
    mb_buf_finish(&path);
    return copy;
}

/* No output is an input, or another output. */
static enum mb_status choose_paths(struct ins_slices *slices, struct mb_error *err)
{
    const struct ins_list *inputs = &slices->options->inputs;
    const struct plan_sources no_sources = {0};
    size_t count = 2 * inputs->count + 1;
    const char **paths = MB_NEW_ARRAY(&slices->arena, const char *, count);

    for (size_t i = 0; paths != NULL && i < inputs->count; i++) {
        paths[inputs->count + i] = inputs->items[i];
        paths[i] = slice_path(&slices->arena, slices->options->slices, inputs->items[i]);
        if (paths[i] == NULL) {
            return mb_fail_memory(err);
        }
    }
    if (paths == NULL) {
        return mb_fail_memory(err);
    }
    paths[count - 1] = slices->options->method_map;
    slices->paths = paths;
    return plan_check_outputs(&no_sources, paths, count, err);
}

static enum mb_status load_input(struct ins_slices *slices, const char *path, struct mb_error *err)
{
    struct mb_buf bytes = {0};
    enum mb_status status = mb_file_read(&bytes, path, err);

    if (status == MB_OK) {
        struct mb_text file = {(const char *)bytes.bytes, bytes.size};
        status = plan_names_parse(slices->sources, slices->names, file, path, &slices->choice, err);
    }
    mb_buf_finish(&bytes);
    return status;
}

enum mb_status ins_load_names(struct ins_slices *slices, struct mb_error *err)
{
    const struct ins_list *inputs = &slices->options->inputs;
    struct plan_sources *sources = slices->sources;

    MB_TRY(pub_prepare(slices->publish, slices->options->slices, err));
    MB_TRY(choose_paths(slices, err));
    sources->items = MB_NEW_ARRAY(&sources->arena, struct plan_source, inputs->count);
    if (sources->items == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < inputs->count; i++) {
        MB_TRY(load_input(slices, inputs->items[i], err));
    }
    return MB_OK;
}

/* --- to slices --- */

static enum mb_status warn_full(const struct ins_slices *slices, size_t taken_count,
                                struct mb_error *err)
{
    struct mb_error warning;

    if (taken_count * 100 <= (size_t)ABI_MAX_ID * FULL_PERCENT) {
        return MB_OK;
    }
    (void)mb_fail_in(&warning, MB_TOO_LARGE, slices->options->method_map,
                     "%zu of %u ids are taken, over %d %%: without a ledger, one method more moves "
                     "the ids of many",
                     taken_count, ABI_MAX_ID, FULL_PERCENT);
    return plan_warnings_add(slices->warnings, 0, &warning, err);
}

static enum mb_status give_ids(struct ins_slices *slices, const union plan_ids *ledger,
                               struct mb_error *err)
{
    const struct plan_sources *sources = slices->sources;
    size_t taken_count = 0;

    MB_TRY(plan_ids_collect(&slices->all, slices->names, sources->items, sources->count, err));
    MB_TRY(plan_ids_assign(&slices->all, ledger, &taken_count, err));
    return warn_full(slices, taken_count, err);
}

static enum mb_status write_ids(const struct ins_slices *slices, const union plan_ids *ids,
                                const char *path, struct mb_error *err)
{
    struct mb_buf bytes = {0};
    enum mb_status status = plan_ids_put(&bytes, ids, slices->choice, err);

    return publish_bytes(slices->publish, path, &bytes, status, err);
}

static enum mb_status write_slice(const struct ins_slices *slices, const struct plan_ids_index *all,
                                  uint32_t number, struct mb_error *err)
{
    union plan_ids slice = {0};
    enum mb_status status =
        plan_ids_collect(&slice, slices->names, &slices->sources->items[number], 1, err);

    if (status == MB_OK) {
        plan_ids_take(&slice, all);
        status = write_ids(slices, &slice, slices->paths[number], err);
    }
    mb_buf_finish(&slice.buf);
    return status;
}

static enum mb_status write_slices(const struct ins_slices *slices, struct mb_error *err)
{
    struct plan_ids_index all = {0};
    enum mb_status status = plan_ids_index_init(&all, &slices->all, err);

    for (uint32_t i = 0; status == MB_OK && i < slices->sources->count; i++) {
        status = write_slice(slices, &all, i, err);
    }
    plan_ids_index_finish(&all);
    return status;
}

enum mb_status ins_write_slices(struct ins_slices *slices, struct mb_error *err)
{
    const char *path = slices->options->ledger;
    union plan_ids ledger = {0};
    enum mb_status status =
        path != NULL ? plan_ids_load(&ledger, path, PLAN_ANY_OPTIONS, err) : MB_OK;

    status = status == MB_OK ? give_ids(slices, &ledger, err) : status;
    mb_buf_finish(&ledger.buf);
    status = status == MB_OK ? write_slices(slices, err) : status;
    return status == MB_OK ? write_ids(slices, &slices->all, slices->options->method_map, err)
                           : status;
}

void ins_slices_finish(struct ins_slices *slices)
{
    mb_buf_finish(&slices->all.buf);
    mb_arena_finish(&slices->arena);
}
