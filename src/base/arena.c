#include "base/arena.h"

#include "base/pages.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The first block holds the metadata of an ordinary class, and is small enough for one per thread.
 * Much larger pieces go to large pages. */
#define FIRST_BLOCK_SIZE ((size_t)64 * 1024)
#define SECOND_BLOCK_SIZE ((size_t)256 * 1024)

struct mb_arena_block {
    struct mb_arena_block *older;
    size_t size; /* of bytes */
    alignas(max_align_t) char bytes[];
};

int (*mb_alloc_should_fail)(void) = NULL;

/* The next block for small pieces. */
static size_t next_block_size(const struct mb_arena *arena)
{
    size_t size = arena->total_size < FIRST_BLOCK_SIZE / 2 ? FIRST_BLOCK_SIZE
                  : arena->total_size < SECOND_BLOCK_SIZE  ? SECOND_BLOCK_SIZE
                                                           : MB_LARGE_PAGE_SIZE;

    return size - sizeof(struct mb_arena_block);
}

static struct mb_arena_block *add_block(struct mb_arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(struct mb_arena_block) ||
        (mb_alloc_should_fail != NULL && mb_alloc_should_fail() != 0)) {
        return NULL;
    }
    size_t taken = sizeof(struct mb_arena_block) + size;
    struct mb_arena_block *block = mb_alloc_large(&taken);
    if (block == NULL) {
        return NULL;
    }
    block->older = arena->blocks;
    block->size = taken - sizeof(*block);
    arena->blocks = block;
    arena->total_size += block->size;
    return block;
}

static void *alloc_from_new_block(struct mb_arena *arena, size_t size)
{
#ifdef MB_DEBUG_ARENA
    size_t block_size = size;
#else
    size_t block_size = next_block_size(arena);
    block_size = size > block_size / 4 ? size : block_size;
#endif
    struct mb_arena_block *block = add_block(arena, block_size);

    if (block == NULL) {
        return NULL;
    }
    if (block->size - size > (size_t)(arena->end - arena->next)) {
        arena->next = block->bytes + size;
        arena->end = block->bytes + block->size;
    }
    return block->bytes;
}

void *mb_arena_alloc(struct mb_arena *arena, size_t size)
{
    if (size > SIZE_MAX - alignof(max_align_t)) {
        return NULL;
    }
    size += size == 0; /* so that NULL always means out of memory */
    size_t rounded = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
#ifndef MB_DEBUG_ARENA
    if (rounded <= (size_t)(arena->end - arena->next)) {
        void *bytes = arena->next;
        arena->next += rounded;
        return bytes;
    }
#endif
    return alloc_from_new_block(arena, rounded);
}

void *mb_arena_alloc_array(struct mb_arena *arena, size_t count, size_t item_size)
{
    if (item_size != 0 && count > SIZE_MAX / item_size) {
        return NULL;
    }
    void *items = mb_arena_alloc(arena, count * item_size);
    if (items != NULL) {
        memset(items, 0, count * item_size);
    }
    return items;
}

char *mb_arena_copy(struct mb_arena *arena, const void *bytes, size_t size)
{
    char *copy = size < SIZE_MAX ? mb_arena_alloc(arena, size + 1) : NULL;

    if (copy != NULL) {
        if (size > 0) {
            memcpy(copy, bytes, size);
        }
        copy[size] = '\0';
    }
    return copy;
}

static void free_blocks(struct mb_arena *arena, struct mb_arena_block *block)
{
    while (block != NULL) {
        struct mb_arena_block *older = block->older;
        arena->total_size -= block->size;
        free(block);
        block = older;
    }
}

void mb_arena_reset(struct mb_arena *arena)
{
    struct mb_arena_block *kept = arena->blocks;

#ifdef MB_DEBUG_ARENA
    mb_arena_finish(arena);
    kept = NULL;
#endif
    if (kept == NULL) {
        return;
    }
    free_blocks(arena, kept->older);
    kept->older = NULL;
    arena->next = kept->bytes;
    arena->end = kept->bytes + kept->size;
}

void mb_arena_finish(struct mb_arena *arena)
{
    free_blocks(arena, arena->blocks);
    *arena = (struct mb_arena){0};
}
