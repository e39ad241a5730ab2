#include "publish/cases.h"

#include "base/text.h"

#include <stdlib.h>
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
static void **slot_of(struct pub_cases *cases, const char *path)
{
    struct mb_text text = mb_text_of(path);
    char *folded = malloc(text.size + 1);
    void **slot = NULL;

    if (folded != NULL) {
        mb_text_fold(folded, text);
        slot = mb_strmap_slot(&cases->paths, folded, text.size);
    }
    free(folded);
    return slot;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

enum mb_status pub_cases_claim(struct pub_cases *cases, const char *path, struct mb_error *err)
{
    void **slot = slot_of(cases, path);

    const char *other = slot != NULL ? *slot : NULL;
    char *copy = mb_arena_copy(cases->arena, path, strlen(path));

    if (slot == NULL || copy == NULL) {
        return mb_fail_memory(err);
    }
    *slot = copy;
    if (other == NULL || strcmp(other, path) == 0) {
        return MB_OK;
    }
    (void)mb_fail(err, MB_IO, MB_NO_OFFSET,
                  "case does not count in this folder, where '%.80s' is an output too: write a jar",
                  last_part(other));
    mb_error_in_input(err, path);
    return MB_IO;
}

enum mb_status pub_cases_check(struct pub_cases *cases, struct pub_commit *commit,
                               struct mb_error *err)
{
    for (const struct pub_move *move = commit->first; move != NULL; move = move->next) {
        if (move->kind == PUB_PUT) {
            MB_TRY(pub_cases_claim(cases, move->path, err));
        }
    }
    for (struct pub_move *move = commit->first; move != NULL; move = move->next) {
        if (move->kind != PUB_REMOVE) {
            continue;
        }
        void **slot = slot_of(cases, move->path);
        if (slot == NULL) {
            return mb_fail_memory(err);
        }
        if (*slot != NULL && strcmp(*slot, move->path) != 0) {
            pub_commit_drop(commit, move);
        }
    }
    return MB_OK;
}
