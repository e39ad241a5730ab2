#include "base/strmap.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>
/* uthash's hash; Clang reads no comments */
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

struct mb_strmap_entry {
    UT_hash_handle hh;
    void *value;
    char key[];
};

/* NOLINTBEGIN(readability-function-size): uthash's macros nest deeply. */
static struct mb_strmap_entry *find_entry(const struct mb_strmap *map, const char *key, size_t size)
{
    struct mb_strmap_entry *entry = NULL;

    HASH_FIND(hh, map->head, key, (unsigned)size, entry);
    return entry;
}

void **mb_strmap_slot(struct mb_strmap *map, const char *key, size_t size)
{
    struct mb_strmap_entry *entry = find_entry(map, key, size);

    if (entry != NULL) {
        return &entry->value;
    }
    entry = malloc(sizeof(*entry) + size + 1);
    if (entry == NULL) {
        return NULL;
    }
    *entry = (struct mb_strmap_entry){0};
    if (size > 0) {
        memcpy(entry->key, key, size);
    }
    entry->key[size] = '\0';
    HASH_ADD_KEYPTR(hh, map->head, entry->key, (unsigned)size, entry);
    if (entry->hh.tbl == NULL) { /* uthash found no memory and left the entry out */
        free(entry);
        return NULL;
    }
    map->count++;
    return &entry->value;
}
/* NOLINTEND(readability-function-size) */

void *mb_strmap_find(const struct mb_strmap *map, const char *key, size_t size)
{
    const struct mb_strmap_entry *entry = find_entry(map, key, size);

    return entry != NULL ? entry->value : NULL;
}

void mb_strmap_finish(struct mb_strmap *map)
{
    struct mb_strmap_entry *entry = map->head;

    if (entry != NULL) {
        HASH_CLEAR(hh, map->head);
    }
    while (entry != NULL) { /* HASH_CLEAR frees the table, not the entries' list links */
        struct mb_strmap_entry *next = entry->hh.next;
        free(entry);
        entry = next;
    }
    *map = (struct mb_strmap){0};
}
