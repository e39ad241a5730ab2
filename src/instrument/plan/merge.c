#include "instrument/plan/merge.h"

#include <stdlib.h>
#include <string.h>

static const struct mb_text meta_inf = MB_TEXT_ROW("META-INF/");
static const struct mb_text class_suffix = MB_TEXT_ROW(".class");

/* A WAR and a fat jar of Spring Boot have their classes below a folder that their class loaders
 * know of; the merged jar is for any. */
static struct mb_text class_path_name(struct mb_text name)
{
    static const struct mb_text roots[] = {MB_TEXT_ROW("WEB-INF/classes/"),
                                           MB_TEXT_ROW("BOOT-INF/classes/")};

    for (size_t i = 0; i < MB_COUNT(roots); i++) {
        if (mb_text_starts(name, roots[i])) {
            return (struct mb_text){name.data + roots[i].size, name.size - roots[i].size};
        }
    }
    return name;
}

/* inner: the source that the entry is, or PLAN_NO_SOURCE. */
static bool is_wanted(const struct plan_merge_request *request, const struct ar_entry *entry,
                      uint32_t inner)
{
    struct mb_text name = class_path_name(entry->name);

    switch (entry->kind) {
    case AR_ENTRY_CLASS:
        return !mb_text_starts(name, meta_inf) && !mb_text_is(name, "module-info.class");
    case AR_ENTRY_OTHER:
    case AR_ENTRY_DEX:
    case AR_ENTRY_MANIFEST:
        return request->keeps_resources;
    case AR_ENTRY_JAR:
        return request->keeps_resources && inner == PLAN_NO_SOURCE;
    case AR_ENTRY_DIRECTORY:
    case AR_ENTRY_SIGNATURE:
    case AR_ENTRY_KINDS:
        break;
    }
    return false;
}

/* A class given by itself gets its own internal name. */
static enum mb_status name_member(const struct plan_merge_request *request,
                                  const struct ar_input *archive, struct plan_member *member,
                                  struct mb_error *err)
{
    member->name = class_path_name(ar_input_entry(archive, member->entry)->name);
    if (ar_input_kind(archive) != AR_INPUT_CLASS || member->cls == NULL ||
        !member->cls->is_readable) {
        return MB_OK;
    }
    struct mb_text name = mb_intern_get(request->names, member->cls->name);
    char *text = mb_arena_alloc(request->arena, name.size + class_suffix.size);
    if (text == NULL) {
        return mb_fail_memory(err);
    }
    memcpy(text, name.data, name.size);
    memcpy(text + name.size, class_suffix.data, class_suffix.size);
    member->name = (struct mb_text){text, name.size + class_suffix.size};
    return MB_OK;
}

static enum mb_status add_members(const struct plan_merge_request *request, uint32_t number,
                                  struct plan_member *members, size_t *count, struct mb_error *err)
{
    struct plan_source *source = &request->sources->items[number];
    struct plan_class *next_class = source->classes;
    uint32_t next_inner = number + 1;

    for (size_t i = 0; i < ar_input_count(source->archive); i++) {
        const struct ar_entry *entry = ar_input_entry(source->archive, i);
        struct plan_class *cls = entry->kind == AR_ENTRY_CLASS ? next_class++ : NULL;
        uint32_t inner = plan_source_take_inner(request->sources, number, &next_inner, i);
        if (is_wanted(request, entry, inner)) {
            struct plan_member *member = &members[(*count)++];
            *member = (struct plan_member){.source = number, .entry = (uint32_t)i, .cls = cls};
            MB_TRY(name_member(request, source->archive, member, err));
            member->is_manifest = mb_text_is(member->name, "META-INF/MANIFEST.MF");
        } else if (cls != NULL) {
            cls->is_dropped = true;
        }
    }
    return MB_OK;
}

/* By name; a stream of a jar finds the manifest ahead of all only. */
static int compare_members(const void *left, const void *right)
{
    const struct plan_member *a = left;
    const struct plan_member *b = right;
    int order = b->is_manifest - a->is_manifest;

    order = order != 0 ? order : mb_text_compare(a->name, b->name);
    order = order != 0 ? order : (a->source > b->source) - (a->source < b->source);
    return order != 0 ? order : (a->entry > b->entry) - (a->entry < b->entry);
}

static bool is_same_content(const struct plan_merge_request *request, const struct plan_member *a,
                            const struct plan_member *b)
{
    if (a->cls != NULL && b->cls != NULL) {
        return a->cls->size == b->cls->size && a->cls->content_hash == b->cls->content_hash;
    }
    const struct ar_entry *left =
        ar_input_entry(request->sources->items[a->source].archive, a->entry);
    const struct ar_entry *right =
        ar_input_entry(request->sources->items[b->source].archive, b->entry);
    return left->size == right->size && left->crc32 == right->crc32;
}

static enum mb_status drop_member(const struct plan_merge_request *request,
                                  const struct plan_member *winner, const struct plan_member *loser,
                                  struct mb_error *err)
{
    const char *path = ar_input_path(request->sources->items[loser->source].archive);
    struct mb_error warning;

    if (loser->cls != NULL) {
        loser->cls->is_dropped = true;
    }
    if (winner->is_manifest || is_same_content(request, winner, loser)) {
        return MB_OK;
    }
    (void)mb_fail(&warning, MB_BAD_ARCHIVE, MB_NO_OFFSET, "left out: another one is in %s",
                  ar_input_path(request->sources->items[winner->source].archive));
    mb_error_in_entry(&warning, path, loser->name.data, loser->name.size);
    return plan_warnings_add(request->warnings, plan_place(loser->source, loser->entry), &warning,
                             err);
}

static enum mb_status keep_winners(const struct plan_merge_request *request,
                                   struct plan_member *members, size_t *count, struct mb_error *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++) {
        if (kept > 0 && mb_text_equal(members[kept - 1].name, members[i].name)) {
            MB_TRY(drop_member(request, &members[kept - 1], &members[i], err));
        } else {
            members[kept++] = members[i];
        }
    }
    *count = kept;
    return MB_OK;
}

enum mb_status plan_merge(const struct plan_merge_request *request, struct plan_member **members,
                          size_t *count, struct mb_error *err)
{
    size_t room = 0;

    for (uint32_t i = 0; i < request->sources->count; i++) {
        room += ar_input_count(request->sources->items[i].archive);
    }
    *count = 0;
    *members = MB_NEW_ARRAY(request->arena, struct plan_member, room);
    if (*members == NULL) {
        return mb_fail_memory(err);
    }
    for (uint32_t i = 0; i < request->sources->count; i++) {
        MB_TRY(add_members(request, i, *members, count, err));
    }
    qsort(*members, *count, sizeof(**members), compare_members);
    return keep_winners(request, *members, count, err);
}
