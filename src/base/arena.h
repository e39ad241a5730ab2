/* Memory allocated piece by piece and freed all at once: one arena per class being rewritten (reset
 * before the next), and one per run. */

#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct mb_arena_block;

/* Zeroed memory is a valid empty arena. One thread at a time. */
struct mb_arena {
    struct mb_arena_block *blocks; /* newest first */
    char *next;
    char *end;
    size_t total_size; /* bytes held from the system */
};

/* Uninitialised memory, aligned for any type; NULL when out of memory. */
void *mb_arena_alloc(struct mb_arena *arena, size_t size);

/* count zeroed items; NULL when out of memory or when count * item_size overflows. */
void *mb_arena_alloc_array(struct mb_arena *arena, size_t count, size_t item_size);

/* A copy of size bytes, followed by a '\0'; NULL when out of memory. */
char *mb_arena_copy(struct mb_arena *arena, const void *bytes, size_t size);

/* Forget everything, keep the newest block for reuse. */
void mb_arena_reset(struct mb_arena *arena);

void mb_arena_finish(struct mb_arena *arena);

#define MB_NEW(arena, type) ((type *)mb_arena_alloc_array((arena), 1, sizeof(type)))
#define MB_NEW_ARRAY(arena, type, count) \
    ((type *)mb_arena_alloc_array((arena), (count), sizeof(type)))

/* Test hook: called before every allocation of arenas and buffers; returning non-zero makes that
 * allocation fail. NULL (the default) never fails. Not for use while threads run. */
extern int (*mb_alloc_should_fail)(void);

#endif
