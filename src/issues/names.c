#include "issues/names.h"

#include "abi/hash.h"
#include "abi/names.h"
#include "answer/map.h"
#include "answer/map_finder.h"
#include "base/platform.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

struct map {
    uint64_t wanted; /* hash */
    bool is_there;
    struct answer_map names;
};

struct issues_names {
    struct issues_map_source source;
    MB_VEC(struct map *) maps; /* the first is the one that the user names */
    uint64_t lost;
};

/* NULL without memory. */
static struct map *add_map(struct issues_names *names)
{
    struct map *map = calloc(1, sizeof(*map));
    struct map **place = map != NULL ? MB_VEC_ADD(&names->maps) : NULL;

    if (place == NULL) {
        free(map);
        return NULL;
    }
    *place = map;
    return map;
}

/* For answer_find_map: a file in the folder, or beside the input. */
static void put_place(struct mb_buf *place, const char *path)
{
    struct mb_file_info info;
    bool is_folder = mb_file_look(NULL, path, &info) && info.type == MB_FILE_FOLDER;

    mb_buf_reset(place);
    mb_buf_put_string(place, path);
    mb_buf_put_string(place, is_folder ? "/" : "");
    mb_buf_put_u1(place, '\0');
}

static bool find_map(const struct issues_map_source *source, struct map *map, struct mb_buf *found)
{
    const struct abi_tracefile like = {.header = {.mapping_hash = map->wanted}};
    struct mb_buf place = {0};
    bool is_found = false;

    for (const char *const *path = source->paths; !is_found && *path != NULL; path++) {
        put_place(&place, *path);
        is_found = !place.failed &&
                   answer_find_map(found, &map->names.map.text, &like, (const char *)place.bytes,
                                   source->map.folders, NULL) == MB_OK;
    }
    mb_buf_finish(&place);
    return is_found;
}

static void load_found(const struct issues_map_source *source, struct map *map, struct mb_text r8)
{
    struct mb_buf found = {0};
    bool is_found = find_map(source, map, &found);
    const struct answer_map_source from = {
        .map_path = (const char *)found.bytes,
        .is_found = true,
        .mapping = source->mapping,
        .r8 = r8,
    };

    map->is_there = is_found && answer_map_open(&map->names, &from, NULL) == MB_OK;
    mb_buf_finish(&found);
}

static enum mb_status load_named(const struct issues_map_source *source, struct map *map,
                                 struct mb_error *err)
{
    const struct mb_buf *text = &map->names.map.text;

    MB_TRY(answer_map_load(&map->names, source->map.file, source->mapping, err));
    map->wanted = abi_hash_map(text->bytes, text->size);
    map->is_there = true;
    return MB_OK;
}

struct issues_names *issues_names_create(const struct issues_map_source *source,
                                         struct mb_error *err)
{
    struct issues_names *names = calloc(1, sizeof(*names));

    if (names == NULL) {
        (void)mb_fail_memory(err);
        return NULL;
    }
    names->source = *source;
    struct map *named = source->map.file != NULL ? add_map(names) : NULL;
    if (named != NULL && load_named(source, named, err) == MB_OK) {
        return names;
    }
    if (source->map.file == NULL) {
        return names;
    }
    if (named == NULL) {
        (void)mb_fail_memory(err);
    }
    issues_names_destroy(names);
    return NULL;
}

void issues_names_destroy(struct issues_names *names)
{
    if (names == NULL) {
        return;
    }
    for (size_t i = 0; i < MB_VEC_COUNT(&names->maps); i++) {
        answer_map_finish(&names->maps.items[i]->names);
        free(names->maps.items[i]);
    }
    mb_buf_finish(&names->maps.buf);
    free(names);
}

/* The map that the user names is that of issues that name none; the others must be the right
 * ones. */
static struct map *get_map(struct issues_names *names, const struct answer_when *when)
{
    uint64_t mapping = when->mapping;

    if (mapping == 0 && names->source.map.file != NULL) {
        return names->maps.items[0];
    }
    for (size_t i = 0; i < MB_VEC_COUNT(&names->maps); i++) {
        if (names->maps.items[i]->wanted == mapping) {
            return names->maps.items[i];
        }
    }
    struct map *map = add_map(names);
    if (map != NULL) {
        map->wanted = mapping;
        load_found(&names->source, map, when->r8);
    }
    return map;
}

struct mb_text issues_name(struct issues_names *names, const struct answer_when *when, uint64_t id)
{
    if (id == ABI_MESSAGE_ID) {
        return MB_TEXT("(message)");
    }
    bool is_method = id >= ABI_FIRST_ID && id < ABI_MESSAGE_ID;
    struct map *map = is_method ? get_map(names, when) : NULL;
    if (map == NULL || !map->is_there) {
        names->lost += is_method;
        return MB_TEXT("");
    }
    struct answer_names view = answer_map_names(&map->names);
    return view.find(view.context, (uint32_t)id);
}

bool issues_names_missing(const struct issues_names *names, size_t number, uint64_t *mapping)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&names->maps); i++) {
        if (!names->maps.items[i]->is_there && number-- == 0) {
            *mapping = names->maps.items[i]->wanted;
            return true;
        }
    }
    return false;
}

uint64_t issues_names_lost(const struct issues_names *names)
{
    return names->lost;
}
