#include "answer/map_finder.h"

#include "abi/hash.h"
#include "abi/methodmap.h"
#include "base/file.h"
#include "base/platform_folder.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The search, and what it has at hand. */
struct search {
    struct mb_buf *found;    /* the path that is looked at */
    uint64_t hash;           /* wanted; 0: any */
    const char *by;          /* the trace, where it names the path; else NULL */
    struct mb_buf *text;     /* of the file that is looked at */
    struct mb_error failure; /* the first file or folder that could not be read */
};

static void keep_failure(struct search *s, const char *what, const char *path)
{
    if (s->failure.status == MB_OK && errno != ENOENT && errno != ENOTDIR) {
        (void)mb_fail_file(&s->failure, path, what);
    }
}

/* Folder and name, or an empty folder and a path. */
static bool set_path(struct search *s, struct mb_text folder, struct mb_text name)
{
    mb_buf_reset(s->found);
    mb_buf_put(s->found, folder.data, folder.size);
    mb_buf_put(s->found, "/", folder.size > 0 ? 1 : 0);
    mb_buf_put(s->found, name.data, name.size);
    mb_buf_put_u1(s->found, '\0');
    return mb_buf_check(s->found, s->failure.status == MB_OK ? &s->failure : NULL) == MB_OK;
}

bool answer_map_has_hash(const struct mb_buf *map, uint64_t hash)
{
    return hash == abi_hash_map(map->bytes, map->size) ||
           hash == abi_hash(ABI_HASH_START, map->bytes, map->size);
}

/* Nothing is opened but a regular file: others are waited for. One beside a trace may be a link of
 * the trace's owner, too. */
static bool has_hash(struct search *s, const char *path)
{
    struct mb_file_info info;

    if (!mb_file_look(NULL, path, &info)) {
        keep_failure(s, "cannot stat", path);
        return false;
    }
    mb_buf_reset(s->text);
    struct mb_error *err = s->failure.status == MB_OK ? &s->failure : NULL;
    return info.type == MB_FILE_REGULAR &&
           mb_file_read_named(s->text, path, MB_NAMED_LIMIT, s->by, err) == MB_OK &&
           (s->hash == 0 || answer_map_has_hash(s->text, s->hash));
}

static bool is_here(struct search *s, struct mb_text folder, const char *name)
{
    return set_path(s, folder, mb_text_of(name)) && has_hash(s, (const char *)s->found->bytes);
}

static bool is_text_file(const char *name)
{
    return mb_text_ends(mb_text_of(name), MB_TEXT(".txt")) && strcmp(name, ABI_METHODMAP_NAME) != 0;
}

static bool search_others(struct search *s, struct mb_text folder)
{
    struct mb_names names;
    bool is_found = false;

    if (!set_path(s, folder, MB_TEXT(""))) {
        return false;
    }
    const char *path = (const char *)s->found->bytes;
    if (!mb_names_list(&names, path, is_text_file)) {
        keep_failure(s, "cannot list", path);
    }
    for (size_t i = 0; i < names.count && !is_found; i++) {
        is_found = is_here(s, folder, names.items[i]);
    }
    mb_names_finish(&names);
    return is_found;
}

static bool search_folder(struct search *s, struct mb_text folder)
{
    return is_here(s, folder, ABI_METHODMAP_NAME) || (s->hash != 0 && search_others(s, folder));
}

/* Where the trace was recorded, its map lay there; here that may be anything. */
static bool is_where_it_lay(struct search *s, const struct abi_tracefile *trace)
{
    struct mb_text path = abi_tracefile_mapping_path(trace);

    if (s->hash == 0 || path.size == 0 || memchr(path.data, '\0', path.size) != NULL) {
        return false;
    }
    return set_path(s, MB_TEXT(""), path) && has_hash(s, (const char *)s->found->bytes);
}

static struct mb_text folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL) {
        return MB_TEXT(".");
    }
    return (struct mb_text){path, (size_t)(slash - path)};
}

static bool search_all(struct search *s, const char *trace_path, const char *folders)
{
    struct mb_text rest = folders != NULL ? mb_text_of(folders) : MB_TEXT("");
    bool is_found = search_folder(s, folder_of(trace_path));

    s->by = NULL;
    while (!is_found && rest.size > 0) {
        struct mb_text folder = mb_text_split(&rest, mb_path_separator);
        is_found = folder.size > 0 && search_folder(s, folder);
    }
    return is_found;
}

/* What could not be read may have been it. */
static enum mb_status fail_search(const struct search *s, struct mb_error *err)
{
    return mb_fail_in(err, s->failure.status, s->failure.input,
                      "%s, and no other file is the method map: --method-map names it",
                      s->failure.reason);
}

static enum mb_status fail_where_it_lay(uint64_t hash, const char *path, struct mb_error *err)
{
    return mb_fail_in(err, MB_BAD_USAGE, path,
                      "is gone or has changed, and no method map with the hash %016" PRIx64
                      " is beside the trace: --method-map names it, or its folder",
                      hash);
}

enum mb_status answer_find_map(struct mb_buf *found, struct mb_buf *text,
                               const struct abi_tracefile *trace, const char *trace_path,
                               const char *folders, struct mb_error *err)
{
    struct search s = {
        .found = found, .text = text, .hash = trace->header.mapping_hash, .by = trace_path};

    if (is_where_it_lay(&s, trace) || search_all(&s, trace_path, folders)) {
        return MB_OK;
    }
    if (s.failure.status != MB_OK) {
        return fail_search(&s, err);
    }
    if (s.hash == 0) {
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET,
                       "no " ABI_METHODMAP_NAME " is beside it: --method-map names it");
    }
    if (set_path(&s, MB_TEXT(""), abi_tracefile_mapping_path(trace)) && found->size > 1) {
        return fail_where_it_lay(s.hash, (const char *)found->bytes, err);
    }
    return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET,
                   "no method map with the hash %016" PRIx64
                   " is beside it: --method-map names it, or its folder",
                   s.hash);
}
