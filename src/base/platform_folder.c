#include "base/platform_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 16

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(struct mb_names *names, const char *name)
{
    char **items = names->count % 64 != 0
                       ? names->items
                       : realloc(names->items, (names->count + 64) * sizeof(*items));
    char *copy = items != NULL ? strdup(name) : NULL;

    names->items = items != NULL ? items : names->items;
    if (copy == NULL) {
        errno = ENOMEM;
        return false;
    }
    names->items[names->count++] = copy;
    return true;
}

bool mb_names_list(struct mb_names *names, const char *path, bool (*is_chosen)(const char *name))
{
    struct mb_listing *listing = mb_listing_begin(NULL, path);
    struct mb_entry entry;
    int reason = 0;

    *names = (struct mb_names){0};
    if (listing == NULL) {
        return false;
    }
    while (reason == 0 && mb_listing_next(listing, &entry)) {
        bool is_taken = is_chosen == NULL || is_chosen(entry.name);
        reason = is_taken && !add_name(names, entry.name) ? errno : 0;
    }
    reason = reason != 0 ? reason : errno;
    mb_listing_end(listing);
    if (reason != 0) {
        mb_names_finish(names);
        errno = reason;
        return false;
    }
    if (names->count > 0) {
        qsort(names->items, names->count, sizeof(*names->items), compare_names);
    }
    return true;
}

void mb_names_finish(struct mb_names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->items[i]);
    }
    free(names->items);
    *names = (struct mb_names){0};
}

static bool remove_all(const char *path, unsigned depth)
{
    struct mb_file_info info;
    struct mb_names names;
    bool are_gone = true;

    if (!mb_file_look_at_link(NULL, path, &info)) {
        return false;
    }
    if (info.type != MB_FILE_FOLDER) {
        return mb_file_remove(NULL, path);
    }
    if (depth == MOST_DEPTH || !mb_names_list(&names, path, NULL)) {
        return false;
    }
    for (size_t i = 0; i < names.count; i++) {
        char inner[MB_PATH_SIZE];
        int size = snprintf(inner, sizeof(inner), "%s/%s", path, names.items[i]);
        are_gone &= size < (int)sizeof(inner) && remove_all(inner, depth + 1);
    }
    mb_names_finish(&names);
    return are_gone && mb_folder_remove(NULL, path);
}

bool mb_folder_remove_all(const char *path)
{
    return remove_all(path, 0);
}

bool mb_folder_remove_listed(const struct mb_folder *folder, bool (*is_chosen)(const char *name))
{
    struct mb_listing *listing = mb_listing_begin(folder, "");
    struct mb_entry entry;
    bool are_gone = listing != NULL;

    while (listing != NULL && mb_listing_next(listing, &entry)) {
        are_gone &= !is_chosen(entry.name) || mb_file_remove(folder, entry.name);
    }
    are_gone = are_gone && errno == 0;
    if (listing != NULL) {
        mb_listing_end(listing);
    }
    return are_gone;
}

bool mb_folder_has_device_of(const struct mb_folder *from, const char *path, bool *has_it)
{
    struct mb_file_info here;
    struct mb_file_info there;
    bool is_known = mb_file_look(from, "", &here) && mb_file_look(NULL, path, &there);

    *has_it = is_known && here.id.device == there.id.device;
    return is_known;
}
