#include "instrument/plan/output_paths.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/platform.h"
#include "base/platform_folder.h"
#include "base/strmap.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- names --- */

static struct mb_text last_part(struct mb_text path)
{
    while (path.size > 1 && path.data[path.size - 1] == '/') {
        path.size--;
    }
    size_t start = path.size;
    while (start > 0 && path.data[start - 1] != '/') {
        start--;
    }
    return (struct mb_text){path.data + start, path.size - start};
}

/* A folder given as "." has the name it has in its parent. */
static struct mb_text own_name(const char *path, struct mb_arena *arena)
{
    struct mb_text name = last_part(mb_text_of(path));
    char *folder = mb_text_is(name, ".") ? mb_path_working() : NULL;

    if (folder != NULL) {
        name = last_part(mb_text_of(folder));
        name.data = mb_arena_copy(arena, name.data, name.size);
    }
    free(folder);
    bool is_usable = name.data != NULL && name.size > 0 && !mb_text_is(name, ".") &&
                     !mb_text_is(name, "..") && !mb_text_is(name, "/");
    return is_usable ? name : MB_TEXT("root");
}

struct named {
    const char *path;
    uint32_t source;
};

static int compare_paths(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;
    int order = strcmp(a->path, b->path);

    return order != 0 ? order : (a->source > b->source) - (a->source < b->source);
}

static struct mb_text stem_of(struct mb_text name, bool is_folder)
{
    size_t dot = name.size;

    while (dot > 0 && name.data[dot - 1] != '.') {
        dot--;
    }
    return is_folder || dot <= 1 ? name : (struct mb_text){name.data, dot - 1};
}

/* folder/name, or with a number. NULL when out of memory. */
static char *output_path(struct mb_arena *arena, const char *folder, struct mb_text name,
                         struct mb_text stem, unsigned number)
{
    size_t size = strlen(folder) + name.size + 16;
    char *path = mb_arena_alloc(arena, size);
    char suffix[16] = "";

    if (number > 1) {
        (void)snprintf(suffix, sizeof(suffix), "-%u", number);
    }
    if (path != NULL) {
        (void)snprintf(path, size, "%s/%.*s%s%.*s", folder, (int)stem.size, stem.data, suffix,
                       (int)(name.size - stem.size), name.data + stem.size);
    }
    return path;
}

/* By the path apart from case, so that names do not depend on the machine; NULL: out of memory. */
static void **slot_of(struct mb_strmap *taken, const char *path)
{
    struct mb_buf key = {0};

    mb_put_case_key(&key, mb_text_of(path));
    void **slot = key.failed ? NULL : mb_strmap_slot(taken, (const char *)key.bytes, key.size);
    mb_buf_finish(&key);
    return slot;
}

/* The first free name. */
static const char *choose_path(struct plan_source *source, const char *folder,
                               struct mb_strmap *taken, struct mb_arena *arena)
{
    struct mb_text name = own_name(ar_input_path(source->archive), arena);
    bool is_folder = ar_input_kind(source->archive) == AR_INPUT_FOLDER;
    struct mb_text stem = stem_of(name, is_folder);

    for (unsigned number = 1;; number++) {
        char *path = output_path(arena, folder, name, stem, number);
        void **slot = path != NULL ? slot_of(taken, path) : NULL;
        if (slot == NULL || *slot == NULL) {
            if (slot != NULL) {
                *slot = path;
                source->is_renamed = number > 1;
            }
            return slot != NULL ? path : NULL;
        }
    }
}

/* Jars below a folder go where the folder goes, under the names they have there. */
static enum mb_status name_files_in_folders(const struct plan_sources *sources,
                                            struct mb_arena *arena, const char **paths,
                                            struct mb_error *err)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct plan_source *source = &sources->items[i];
        if (!plan_source_is_file_in_folder(sources, i)) {
            continue;
        }
        const struct ar_input *folder = sources->items[source->outer].archive;
        struct mb_text name = ar_input_entry(folder, source->outer_entry)->name;
        paths[i] = output_path(arena, paths[source->outer], name, name, 1);
        if (paths[i] == NULL) {
            return mb_fail_memory(err);
        }
    }
    return MB_OK;
}

enum mb_status plan_name_outputs(struct plan_sources *sources, const char *folder,
                                 struct mb_arena *arena, const char ***paths, struct mb_error *err)
{
    struct named *order = MB_NEW_ARRAY(arena, struct named, sources->count);
    struct mb_strmap taken = {0};
    size_t count = 0;
    enum mb_status status = MB_OK;

    *paths = MB_NEW_ARRAY(arena, const char *, sources->count);
    if (order == NULL || *paths == NULL) {
        return mb_fail_memory(err);
    }
    for (uint32_t i = 0; i < sources->count; i++) {
        if (sources->items[i].outer == PLAN_NO_SOURCE) {
            order[count++] = (struct named){ar_input_path(sources->items[i].archive), i};
        }
    }
    qsort(order, count, sizeof(*order), compare_paths);
    for (size_t i = 0; status == MB_OK && i < count; i++) {
        const char *path = choose_path(&sources->items[order[i].source], folder, &taken, arena);
        (*paths)[order[i].source] = path;
        status = path != NULL ? MB_OK : mb_fail_memory(err);
    }
    mb_strmap_finish(&taken);
    return status == MB_OK ? name_files_in_folders(sources, arena, *paths, err) : status;
}

/* --- places --- */

static int compare_ids(const void *left, const void *right)
{
    const struct mb_file_id *a = left;
    const struct mb_file_id *b = right;

    if (a->device != b->device) {
        return a->device < b->device ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

static enum mb_status refuse_path(const char *path, const char *reason, struct mb_error *err)
{
    return mb_fail_in(err, MB_BAD_USAGE, path, "%s", reason);
}

struct checker {
    struct mb_file_id *inputs; /* sorted */
    size_t input_count;
    struct mb_strmap outputs; /* by resolved path */
    struct mb_arena arena;
};

static const struct mb_file_id *find_input(const struct checker *checker, const char *path)
{
    struct mb_file_info info;

    if (!mb_file_look(NULL, path, &info)) {
        return NULL;
    }
    return bsearch(&info.id, checker->inputs, checker->input_count, sizeof(info.id), compare_ids);
}

static enum mb_status check_others(struct checker *checker, const char *absolute, const char *path,
                                   struct mb_error *err)
{
    void **slot = mb_strmap_slot(&checker->outputs, absolute, strlen(absolute));

    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    if (*slot != NULL) {
        return refuse_path(path, "two outputs would have this name", err);
    }
    *slot = checker;
    return MB_OK;
}

/* The path of the folder above; false at the root. */
static bool cut_part(char *path)
{
    char *end = strrchr(path, '/');
    size_t root = mb_path_root_size(path);

    if (end == NULL || path[root] == '\0') {
        return false;
    }
    *(end < path + root ? path + root : end) = '\0';
    return true;
}

/* The output itself and the folders above it must not be inputs. */
static enum mb_status check_place(struct checker *checker, const char *path, struct mb_error *err)
{
    const char *resolved = NULL;

    MB_TRY(mb_path_resolve(path, &checker->arena, &resolved, err));
    if (find_input(checker, path) != NULL) {
        return refuse_path(path, "the output is an input", err);
    }
    MB_TRY(check_others(checker, resolved, path, err));
    char *above = mb_arena_copy(&checker->arena, resolved, strlen(resolved));
    if (above == NULL) {
        return mb_fail_memory(err);
    }
    while (cut_part(above)) {
        if (find_input(checker, above) != NULL) {
            return refuse_path(path, "the output is inside an input folder", err);
        }
    }
    return MB_OK;
}

enum mb_status plan_check_outputs(const struct plan_sources *sources, const char *const *paths,
                                  size_t count, struct mb_error *err)
{
    struct checker checker = {.inputs = calloc(sources->count + 1, sizeof(struct mb_file_id))};
    enum mb_status status = MB_OK;

    if (checker.inputs == NULL) {
        return mb_fail_memory(err);
    }
    for (uint32_t i = 0; i < sources->count; i++) {
        struct mb_file_info info;
        if (mb_file_look(NULL, ar_input_path(sources->items[i].archive), &info)) {
            checker.inputs[checker.input_count++] = info.id;
        }
    }
    qsort(checker.inputs, checker.input_count, sizeof(*checker.inputs), compare_ids);
    for (size_t i = 0; status == MB_OK && i < count; i++) {
        status = paths[i] != NULL ? check_place(&checker, paths[i], err) : MB_OK;
    }
    mb_strmap_finish(&checker.outputs);
    mb_arena_finish(&checker.arena);
    free(checker.inputs);
    return status;
}

/* --- places below an output folder --- */

/* Is called with each folder below the source that has files below it: the first size bytes of
 * name. */
typedef enum mb_status (*visit_folder)(void *context, const struct ar_input *archive,
                                       const char *name, size_t size, struct mb_error *err);

/* Those of name that the name before, in the order of a list that is sorted, did not lead to. */
static enum mb_status visit_new_folders(const struct ar_input *archive, const char *name,
                                        const char *before, visit_folder visit, void *context,
                                        struct mb_error *err)
{
    size_t same = 0;

    while (name[same] != '\0' && name[same] == before[same]) {
        same++;
    }
    for (const char *slash = strchr(name + same, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        MB_TRY(visit(context, archive, name, (size_t)(slash - name), err));
    }
    return MB_OK;
}

static enum mb_status visit_folders(const struct ar_input *archive, visit_folder visit,
                                    void *context, struct mb_error *err)
{
    const char *before = "";

    for (size_t i = 0; i < ar_input_count(archive); i++) {
        const char *name = ar_input_entry(archive, i)->name.data;
        MB_TRY(visit_new_folders(archive, name, before, visit, context, err));
        before = name;
    }
    return MB_OK;
}

MB_VEC_TYPE(file_ids, struct mb_file_id);

struct folder_checker {
    union file_ids inputs; /* of each folder that is read, sorted */
    const char *output;    /* where the source goes */
};

/* False if the path would be too long for the system. */
static bool join_path(char path[MB_PATH_SIZE], const char *folder, const char *name, size_t size)
{
    int length = snprintf(path, MB_PATH_SIZE, "%s/%.*s", folder, (int)size, name);

    return length > 0 && length < MB_PATH_SIZE;
}

static enum mb_status collect_folder(void *context, const struct ar_input *archive,
                                     const char *name, size_t size, struct mb_error *err)
{
    union file_ids *inputs = context;
    char path[MB_PATH_SIZE];
    struct mb_file_info info;

    if (join_path(path, ar_input_path(archive), name, size) && mb_file_look(NULL, path, &info)) {
        MB_VEC_PUSH(inputs, info.id);
    }
    return mb_buf_check(&inputs->buf, err);
}

static bool is_read(const struct folder_checker *checker, const char *path)
{
    size_t count = MB_VEC_COUNT(&checker->inputs);
    struct mb_file_info info;

    return mb_file_look(NULL, path, &info) &&
           bsearch(&info.id, checker->inputs.items, count, sizeof(info.id), compare_ids) != NULL;
}

/* Does a link lead there or below? */
static bool leads_into_input(const struct folder_checker *checker, const char *link)
{
    char *path = mb_path_real(link);
    bool leads = path != NULL && is_read(checker, path);

    while (path != NULL && !leads && cut_part(path)) {
        leads = is_read(checker, path);
    }
    free(path);
    return leads;
}

static enum mb_status check_folder(void *context, const struct ar_input *archive, const char *name,
                                   size_t size, struct mb_error *err)
{
    const struct folder_checker *checker = context;
    char path[MB_PATH_SIZE];
    struct mb_file_info info;

    (void)archive;
    if (!join_path(path, checker->output, name, size) || !mb_file_look_at_link(NULL, path, &info)) {
        return MB_OK;
    }
    bool leads =
        info.type == MB_FILE_LINK ? leads_into_input(checker, path) : is_read(checker, path);
    return leads ? refuse_path(path, "output folder is also an input: choose another", err) : MB_OK;
}

static enum mb_status collect_folders(const struct plan_sources *sources, union file_ids *inputs,
                                      struct mb_error *err)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct ar_input *archive = sources->items[i].archive;
        if (ar_input_kind(archive) == AR_INPUT_FOLDER) {
            MB_TRY(collect_folder(inputs, archive, "", 0, err));
            MB_TRY(visit_folders(archive, collect_folder, inputs, err));
        }
    }
    MB_VEC_SORT(inputs, compare_ids);
    return MB_OK;
}

static bool is_folder_that_is_there(const struct ar_input *archive, const char *path)
{
    return path != NULL && ar_input_kind(archive) == AR_INPUT_FOLDER && mb_file_is_there(path);
}

enum mb_status plan_check_output_folders(const struct plan_sources *sources,
                                         const char *const *paths, struct mb_error *err)
{
    struct folder_checker checker = {.output = NULL};
    enum mb_status status = MB_OK;

    for (uint32_t i = 0; status == MB_OK && i < sources->count; i++) {
        const struct ar_input *archive = sources->items[i].archive;
        if (!is_folder_that_is_there(archive, paths[i])) {
            continue;
        }
        if (checker.output == NULL) {
            status = collect_folders(sources, &checker.inputs, err);
        }
        checker.output = paths[i];
        if (status == MB_OK) {
            status = visit_folders(archive, check_folder, &checker, err);
        }
    }
    mb_buf_finish(&checker.inputs.buf);
    return status;
}
