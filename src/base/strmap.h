/* A map from byte strings to pointers. The only code that knows uthash. */

#ifndef BASE_STRMAP_H
#define BASE_STRMAP_H

#include <stddef.h>

struct mb_strmap_entry;

/* Zeroed memory is a valid empty map. One writer; concurrent finds are safe while no thread adds.
 */
struct mb_strmap {
    struct mb_strmap_entry *head;
    size_t count;
};

/* The value slot of key, made (holding NULL) if absent; NULL when out of memory. The key's bytes
 * are copied. The slot stays where it is until mb_strmap_finish. */
void **mb_strmap_slot(struct mb_strmap *map, const char *key, size_t size);

/* NULL if absent (or if NULL was stored). */
void *mb_strmap_find(const struct mb_strmap *map, const char *key, size_t size);

/* Frees keys and entries, not the values. */
void mb_strmap_finish(struct mb_strmap *map);

#endif
