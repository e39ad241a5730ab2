#include "rules/builds.h"

#include "base/file.h"
#include "base/platform_folder.h"
#include "base/text.h"

#include <string.h>

#define START_SIZE 4096u /* bytes in which a mapping's head ends */
#define LEAST_ID 7u      /* characters that tell builds apart */
#define MOST_DEPTH 4u    /* folders inside each other */

struct rule_build {
    const char *path;
    struct mb_text id; /* empty: it does not say */
    struct rule_mapping *names;
    bool is_read;
};

static struct rule_build no_build;

/* ---- What there is ---- */

/* NULL without memory. */
static struct rule_build *add_build(struct rule_builds *builds, const char *path)
{
    struct rule_build *build = MB_NEW(&builds->arena, struct rule_build);
    char *copy = mb_arena_copy(&builds->arena, path, strlen(path));

    if (build == NULL || copy == NULL) {
        return NULL;
    }
    *build = (struct rule_build){.path = copy};
    MB_VEC_PUSH(&builds->all, build);
    return builds->all.buf.failed ? NULL : build;
}

static enum mb_status keep_id(struct rule_builds *builds, struct rule_build *build,
                              struct mb_text id, struct mb_error *err)
{
    build->id = (struct mb_text){mb_arena_copy(&builds->arena, id.data, id.size), id.size};
    return build->id.data != NULL ? MB_OK : mb_fail_memory(err);
}

/* Of a folder: a mapping is known by its comments and its first class. */
static enum mb_status add_file(struct rule_builds *builds, const char *path, struct mb_error *err)
{
    char bytes[START_SIZE];
    ptrdiff_t size = mb_file_read_start(path, bytes, sizeof(bytes));
    struct mb_text rest = {bytes, size > 0 ? (size_t)size : 0};
    struct mb_text line = {0};
    size_t number = 0;
    struct rule_mapping *names = NULL;
    enum mb_status status = MB_OK;

    while (mb_text_next_line(&rest, &line, &number) && (line.size == 0 || line.data[0] == '#')) {
    }
    const struct mb_text head = {bytes, rest.data != NULL ? (size_t)(rest.data - bytes) : 0};
    if (rule_mapping_parse(&names, head, path, NULL) == MB_OK &&
        (rule_mapping_id(names).size > 0 || (line.size > 0 && line.data[0] != '#'))) {
        struct rule_build *build = add_build(builds, path);
        status = build != NULL ? keep_id(builds, build, rule_mapping_id(names), err)
                               : mb_fail_memory(err);
    }
    rule_mapping_destroy(names);
    return status;
}

static enum mb_status add_folder(struct rule_builds *builds, const char *path, unsigned depth,
                                 struct mb_error *err)
{
    struct mb_names names;
    struct mb_file_info info;
    struct mb_buf name = {0};
    enum mb_status status =
        mb_names_list(&names, path, NULL) ? MB_OK : mb_fail_file(err, path, "cannot list");

    for (size_t i = 0; i < names.count && status == MB_OK; i++) {
        mb_buf_reset(&name);
        mb_buf_printf(&name, "%s/%s", path, names.items[i]);
        mb_buf_put_u1(&name, '\0');
        status = mb_buf_check(&name, err);
        if (status != MB_OK || !mb_file_look(NULL, (const char *)name.bytes, &info)) {
            continue;
        }
        if (info.type == MB_FILE_REGULAR) {
            status = add_file(builds, (const char *)name.bytes, err);
        } else if (info.type == MB_FILE_FOLDER && depth < MOST_DEPTH) {
            status = add_folder(builds, (const char *)name.bytes, depth + 1, err);
        }
    }
    mb_names_finish(&names);
    mb_buf_finish(&name);
    return status;
}

/* ---- Which is asked for ---- */

static enum mb_status read_build(struct rule_builds *builds, struct rule_build *build,
                                 struct mb_error *err)
{
    struct mb_error fault;

    build->is_read = true;
    MB_TRY(rule_mapping_load(&build->names, build->path, err));
    if (rule_mapping_has_fault(build->names, build->path, &fault)) {
        MB_VEC_PUSH(&builds->faults, fault);
    }
    return MB_OK;
}

enum mb_status rule_builds_open(struct rule_builds *builds, struct mb_error *err)
{
    struct mb_file_info info;

    if (builds == NULL || builds->path == NULL || builds->all.buf.size > 0) {
        return MB_OK;
    }
    if (mb_file_look(NULL, builds->path, &info) && info.type == MB_FILE_FOLDER) {
        MB_TRY(add_folder(builds, builds->path, 0, err));
        return builds->all.buf.size > 0
                   ? MB_OK
                   : mb_fail_in(err, MB_BAD_TEXT, builds->path, "has no mapping file");
    }
    struct rule_build *build = add_build(builds, builds->path);
    if (build == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(read_build(builds, build, err));
    return keep_id(builds, build, rule_mapping_id(build->names), err);
}

static int shown_size(struct mb_text id)
{
    return id.size < 12 ? (int)id.size : 12;
}

static void tell_refused(struct rule_builds *builds, struct mb_text id)
{
    size_t count = MB_VEC_COUNT(&builds->all);
    const struct rule_build *first = builds->all.items[0];
    struct mb_error fault;

    if (id.size == 0) {
        (void)mb_fail_in(&fault, MB_BAD_TEXT, builds->path,
                         "has mappings of %zu builds: what does not say its own keeps its names",
                         count);
    } else if (count == 1) {
        (void)mb_fail_in(&fault, MB_BAD_TEXT, first->path,
                         "is of build %.*s: what is of build %.*s keeps its names",
                         shown_size(first->id), first->id.data, shown_size(id), id.data);
    } else {
        (void)mb_fail_in(&fault, MB_BAD_TEXT, builds->path,
                         "has no mapping of build %.*s, which keeps its names", shown_size(id),
                         id.data);
    }
    MB_VEC_PUSH(&builds->faults, fault);
}

static bool is_same(struct mb_text a, struct mb_text b)
{
    return a.size >= LEAST_ID && b.size >= LEAST_ID &&
           (mb_text_starts(a, b) || mb_text_starts(b, a));
}

static struct rule_build *choose_build(struct rule_builds *builds, struct mb_text id)
{
    size_t count = MB_VEC_COUNT(&builds->all);
    struct rule_build *found = &no_build;

    for (size_t i = count; i > 0; i--) {
        struct rule_build *build = builds->all.items[i - 1];
        bool says = id.size > 0 && build->id.size > 0;
        bool fits = says ? is_same(build->id, id) : count == 1;
        found = fits ? build : found;
    }
    if (found == &no_build) {
        tell_refused(builds, id);
    } else if (!found->is_read) {
        struct mb_error fault;
        if (read_build(builds, found, &fault) != MB_OK) {
            MB_VEC_PUSH(&builds->faults, fault);
        }
    }
    return found;
}

const struct rule_mapping *rule_builds_find(struct rule_builds *builds, struct mb_text id)
{
    if (builds == NULL || builds->all.buf.size == 0) {
        return NULL;
    }
    const char *key = id.size > 0 ? id.data : "";
    void **slot = mb_strmap_slot(&builds->asked, key, id.size);
    struct rule_build *found = slot != NULL ? *slot : NULL;
    found = found != NULL ? found : choose_build(builds, id);
    if (slot != NULL) {
        *slot = found;
    }
    builds->lost += found->names == NULL;
    return found->names;
}

void rule_builds_put_frame(struct mb_buf *out, struct rule_builds *builds, struct mb_text id,
                           struct mb_text frame, struct rule_outline *outline)
{
    static const struct mb_text lead = MB_TEXT_ROW("r8-map-id-");
    struct mb_text function = frame;
    const struct mb_place place = mb_place_cut(&function);

    if (mb_text_starts(place.file, lead)) {
        id = mb_text_from(place.file, lead.size);
    }
    rule_mapping_put_frame(out, rule_builds_find(builds, id), frame, outline);
}

const struct mb_error *rule_builds_faults(const struct rule_builds *builds, size_t *count)
{
    *count = MB_VEC_COUNT(&builds->faults);
    return builds->faults.items;
}

void rule_builds_finish(struct rule_builds *builds)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&builds->all); i++) {
        rule_mapping_destroy(builds->all.items[i]->names);
    }
    mb_buf_finish(&builds->all.buf);
    mb_buf_finish(&builds->faults.buf);
    mb_strmap_finish(&builds->asked);
    mb_arena_finish(&builds->arena);
}
