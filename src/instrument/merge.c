#include "instrument/merge.h"

#include <stdlib.h>
#include <string.h>

static const struct mb_text meta_inf = MB_TEXT_ROW("META-INF/");
static const struct mb_text class_suffix = MB_TEXT_ROW(".class");

static bool is_wanted(const struct ins_run *run, const struct ar_entry *entry)
{
    switch (entry->kind) {
    case AR_ENTRY_CLASS:
        return !mb_text_starts(entry->name, meta_inf) &&
               !mb_text_is(entry->name, "module-info.class");
    case AR_ENTRY_OTHER:
        return run->options->keep_resources;
    case AR_ENTRY_DIRECTORY:
    case AR_ENTRY_MANIFEST:
    case AR_ENTRY_SIGNATURE:
    case AR_ENTRY_JAR:
        break;
    }
    return false;
}

/* A class given by itself gets the name that its own says. */
static enum mb_status name_member(struct ins_run *run, const struct ar_input *archive,
                                  struct ins_member *member, struct mb_error *err)
{
    member->name = ar_input_entry(archive, member->entry)->name;
    if (ar_input_kind(archive) != AR_INPUT_CLASS || member->cls == NULL ||
        !member->cls->is_readable) {
        return MB_OK;
    }
    struct mb_text name = ins_names_get(run->names, member->cls->name);
    char *text = mb_arena_alloc(&run->arena, name.size + class_suffix.size);
    if (text == NULL) {
        return mb_fail_memory(err);
    }
    memcpy(text, name.data, name.size);
    memcpy(text + name.size, class_suffix.data, class_suffix.size);
    member->name = (struct mb_text){text, name.size + class_suffix.size};
    return MB_OK;
}

static enum mb_status add_members(struct ins_run *run, uint32_t number, struct ins_member *members,
                                  size_t *count, struct mb_error *err)
{
    struct ins_source *source = &run->sources.items[number];
    struct ins_class *next_class = source->classes;

    for (size_t i = 0; i < ar_input_count(source->archive); i++) {
        const struct ar_entry *entry = ar_input_entry(source->archive, i);
        struct ins_class *cls = entry->kind == AR_ENTRY_CLASS ? next_class++ : NULL;
        if (is_wanted(run, entry)) {
            struct ins_member *member = &members[(*count)++];
            *member = (struct ins_member){.source = number, .entry = (uint32_t)i, .cls = cls};
            MB_TRY(name_member(run, source->archive, member, err));
        } else if (cls != NULL) {
            cls->is_dropped = true;
        }
    }
    return MB_OK;
}

static int compare_members(const void *left, const void *right)
{
    const struct ins_member *a = left;
    const struct ins_member *b = right;
    int order = mb_text_compare(a->name, b->name);

    order = order != 0 ? order : (a->source > b->source) - (a->source < b->source);
    return order != 0 ? order : (a->entry > b->entry) - (a->entry < b->entry);
}

static bool is_same_content(const struct ins_run *run, const struct ins_member *a,
                            const struct ins_member *b)
{
    if (a->cls != NULL && b->cls != NULL) {
        return a->cls->size == b->cls->size && a->cls->mark == b->cls->mark;
    }
    const struct ar_entry *left = ar_input_entry(run->sources.items[a->source].archive, a->entry);
    const struct ar_entry *right = ar_input_entry(run->sources.items[b->source].archive, b->entry);
    return left->size == right->size && left->crc32 == right->crc32;
}

static enum mb_status drop(struct ins_run *run, const struct ins_member *winner,
                           const struct ins_member *loser, struct mb_error *err)
{
    const char *path = ar_input_path(run->sources.items[loser->source].archive);
    struct mb_error warning;

    if (loser->cls != NULL) {
        loser->cls->is_dropped = true;
    }
    if (is_same_content(run, winner, loser)) {
        return MB_OK;
    }
    (void)mb_fail(&warning, MB_BAD_ARCHIVE, MB_NO_OFFSET, "left out: another one is in %s",
                  ar_input_path(run->sources.items[winner->source].archive));
    mb_error_in_entry(&warning, path, loser->name.data, loser->name.size);
    return ins_warnings_add(&run->warnings, ins_place(loser->source, loser->entry), &warning, err);
}

static enum mb_status keep_winners(struct ins_run *run, struct ins_member *members, size_t *count,
                                   struct mb_error *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++) {
        if (kept > 0 && mb_text_equal(members[kept - 1].name, members[i].name)) {
            MB_TRY(drop(run, &members[kept - 1], &members[i], err));
        } else {
            members[kept++] = members[i];
        }
    }
    *count = kept;
    return MB_OK;
}

enum mb_status ins_merge(struct ins_run *run, struct ins_member **members, size_t *count,
                         struct mb_error *err)
{
    size_t room = 0;

    for (uint32_t i = 0; i < run->sources.count; i++) {
        room += ar_input_count(run->sources.items[i].archive);
    }
    *count = 0;
    *members = MB_NEW_ARRAY(&run->arena, struct ins_member, room);
    if (*members == NULL) {
        return mb_fail_memory(err);
    }
    for (uint32_t i = 0; i < run->sources.count; i++) {
        MB_TRY(add_members(run, i, *members, count, err));
    }
    qsort(*members, *count, sizeof(**members), compare_members);
    return keep_winners(run, *members, count, err);
}
