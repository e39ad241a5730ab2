#include "publish/commit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PREFIX ".methodbeat-"
#define OTHER_CASE ".METHODBEAT-"
#define RANDOM "XXXXXX"

static struct pub_place *make_place(struct pub_commit *commit, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    struct pub_place *place = MB_NEW(&commit->arena, struct pub_place);
    char *path = mb_arena_alloc(&commit->arena, size);

    if (place == NULL || path == NULL) {
        return NULL;
    }
    (void)snprintf(path, size, "%s/%s", folder, name);
    *place = (struct pub_place){
        .next = commit->places, .path = path, .folder = MB_NO_FOLDER, .staging = MB_NO_FOLDER};
    return place;
}

static const char *own_name(const struct pub_place *place)
{
    return strrchr(place->path, '/') + 1;
}

static bool open_both(struct pub_place *place, const char *folder)
{
    return mb_folder_open(&place->folder, folder) &&
           mb_folder_open_in(&place->staging, &place->folder, place->path);
}

void pub_staging_close(struct pub_place *place)
{
    mb_folder_close(&place->staging);
    mb_folder_close(&place->folder);
}

/* --- creating --- */

enum outcome { LOCKED, TAKEN, FAILED };

/* True if the staging folder has another name, too. */
static bool ignores_case(const struct pub_place *place)
{
    char name[] = OTHER_CASE RANDOM;
    struct mb_file_info own;
    struct mb_file_info other;

    memcpy(name + strlen(PREFIX), own_name(place) + strlen(PREFIX), strlen(RANDOM));
    return mb_file_look(&place->staging, "", &own) &&
           mb_file_look_at_link(&place->folder, name, &other) && mb_file_id_is(own.id, other.id);
}

/* Another run that looks for dead runs may have found the folder before it was locked: then it
 * removes the folder, which has no links left. */
static enum outcome lock_folder(struct mb_folder *staging)
{
    struct mb_file_info info;

    if (mb_folder_lock(staging, MB_LOCK_ALONE) == MB_LOCK_TAKEN) {
        return TAKEN;
    }
    if (!mb_file_look(staging, "", &info)) {
        return FAILED;
    }
    return info.is_removed ? TAKEN : LOCKED;
}

static enum outcome try_create(struct pub_place *place, const char *folder)
{
    enum outcome outcome = FAILED;

    if (!mb_folder_make_new(place->path)) {
        return FAILED;
    }
    if (open_both(place, folder)) {
        outcome = lock_folder(&place->staging);
        place->ignores_case = outcome == LOCKED && ignores_case(place);
    } else if (errno == ENOENT) {
        outcome = TAKEN;
    }
    if (outcome != LOCKED) {
        int reason = errno;
        (void)mb_folder_remove(NULL, place->path);
        pub_staging_close(place);
        errno = reason;
    }
    return outcome;
}

enum mb_status pub_staging_create(struct pub_commit *commit, const char *folder,
                                  struct mb_error *err)
{
    struct pub_place *place = make_place(commit, folder, PREFIX RANDOM);
    enum outcome outcome = TAKEN;

    if (place == NULL) {
        return mb_fail_memory(err);
    }
    for (int attempt = 0; outcome == TAKEN && attempt < 100; attempt++) {
        memcpy(strrchr(place->path, '-') + 1, RANDOM, sizeof(RANDOM));
        outcome = try_create(place, folder);
    }
    if (outcome != LOCKED) {
        return mb_fail_errno(err, "cannot make a staging folder");
    }
    enum mb_status status = pub_journal_create(place, err);
    if (status == MB_OK) {
        commit->places = place;
    } else {
        (void)pub_staging_remove(place);
        pub_staging_close(place);
    }
    return status;
}

/* --- staging folders of dead runs --- */

static bool is_own_name(const char *name)
{
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 && strlen(name) == strlen(PREFIX RANDOM);
}

/* The lock is shared, so that several may ask at once. */
static bool is_dead(struct mb_folder *staging)
{
    struct mb_file_info info;

    return mb_file_look(staging, "", &info) && mb_folder_is_ours(staging) && !info.is_removed &&
           mb_folder_lock(staging, MB_LOCK_SHARED) == MB_LOCKED;
}

/* What was removed meanwhile, a link or a file, and what another user made, is not to be recovered.
 */
static bool tells_other(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EACCES;
}

enum mb_status pub_staging_open_dead(struct pub_commit *commit, const char *folder,
                                     const char *name, struct mb_error *err)
{
    if (!is_own_name(name)) {
        return MB_OK;
    }
    struct pub_place *place = make_place(commit, folder, name);
    enum mb_status status = MB_OK;

    if (place == NULL) {
        return mb_fail_memory(err);
    }
    if (!open_both(place, folder)) {
        status = tells_other(errno) ? MB_OK : mb_fail_errno(err, "cannot open the staging folder");
    } else if (is_dead(&place->staging)) {
        commit->places = place;
        return MB_OK;
    }
    if (status != MB_OK) {
        mb_error_in_input(err, place->path);
    }
    pub_staging_close(place);
    return status;
}

/* --- removing --- */

static bool is_staged_name(const char *name)
{
    size_t digits = strspn(name, "0123456789");

    return digits > 0 && (name[digits] == '\0' || strcmp(name + digits, ".old") == 0);
}

/* The journal goes last: it identifies the folder's owner. */
bool pub_staging_remove(struct pub_place *place)
{
    if (place->state != PUB_FOREIGN &&
        !(mb_folder_remove_some(&place->staging, is_staged_name) && pub_journal_remove(place))) {
        return false;
    }
    (void)mb_folder_remove_open(&place->staging, &place->folder);
    return true;
}
