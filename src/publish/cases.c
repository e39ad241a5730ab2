#include "publish/cases.h"

#include "base/platform_case.h"

#include <string.h>

bool pub_cases_matter(const struct pub_commit *commit)
{
    const struct pub_place *place = commit->places;

    while (place != NULL && !place->ignores_case) {
        place = place->next;
    }
    return place != NULL;
}

/* NULL when out of memory. */
static void **slot_of(struct mb_strmap *cases, const char *path)
{
    struct mb_buf key = {0};

    mb_put_case_key(&key, mb_text_of(path));
    void **slot = key.failed ? NULL : mb_strmap_slot(cases, (const char *)key.bytes, key.size);
    mb_buf_finish(&key);
    return slot;
}

/* From the part of the path on in which they differ. */
static const char *differing_part(const char *path, const char *other)
{
    const char *part = other;

    for (size_t i = 0; other[i] != '\0' && other[i] == path[i]; i++) {
        part = other[i] == '/' ? other + i + 1 : part;
    }
    return part;
}

enum mb_status pub_cases_keep(struct mb_strmap *cases, const char *path, struct mb_error *err)
{
    void **slot = slot_of(cases, path);

    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    *slot = (void *)(uintptr_t)path;
    return MB_OK;
}

static enum mb_status check_put(struct mb_strmap *cases, const char *path, struct mb_error *err)
{
    void **slot = slot_of(cases, path);
    const char *other = slot != NULL && *slot != NULL ? *slot : path;

    if (strcmp(other, path) != 0) {
        return mb_fail_in(err, MB_IO, path,
                          "case does not count here, where '%.80s' is an output too: write a jar",
                          differing_part(path, other));
    }
    return pub_cases_keep(cases, path, err);
}

static enum mb_status check_removal(struct mb_strmap *cases, struct pub_commit *commit,
                                    struct pub_move *move, struct mb_error *err)
{
    void **slot = slot_of(cases, move->path);

    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    if (*slot != NULL && strcmp(*slot, move->path) != 0) {
        pub_commit_drop(commit, move);
    }
    return MB_OK;
}

enum mb_status pub_cases_check(struct mb_strmap *cases, struct pub_commit *commit,
                               struct mb_error *err)
{
    for (const struct pub_move *move = commit->first; move != NULL; move = move->next) {
        if (move->kind == PUB_PUT && move->place->ignores_case) {
            MB_TRY(check_put(cases, move->path, err));
        }
    }
    for (struct pub_move *move = commit->first; move != NULL; move = move->next) {
        if (move->kind == PUB_REMOVE && move->place->ignores_case) {
            MB_TRY(check_removal(cases, commit, move, err));
        }
    }
    return MB_OK;
}
