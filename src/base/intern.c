#include "base/intern.h"

#include "base/arena.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A name is a shard (high bits) and the place of a record in it, in units of RECORD_ALIGN bytes.
 * A record is u2 size, then the text. Place 0 of each shard stays free for MB_INTERN_NONE. */
#define SHARD_BITS 4
#define SHARD_COUNT (1U << SHARD_BITS)
#define PLACE_BITS (32 - SHARD_BITS)
#define PLACE_MASK ((1U << PLACE_BITS) - 1)
#define RECORD_ALIGN 4U
#define CHUNK_BITS 17 /* longer than the longest record */
#define CHUNK_SIZE (1U << CHUNK_BITS)
#define CHUNK_COUNT (((size_t)PLACE_MASK + 1) * RECORD_ALIGN / CHUNK_SIZE)
#define FIRST_CAPACITY 256U

/* Open addressing. A slot is 0 while it is free, else hash << 32 | place; it never changes again,
 * so looking up takes no lock. */
struct table {
    uint32_t capacity; /* a power of two */
    uint32_t used;     /* under the lock */
    _Atomic(uint64_t) slots[];
};

struct shard {
    pthread_mutex_t lock; /* held while adding */
    _Atomic(struct table *) table;
    bool borrows_table;                 /* from an image */
    struct table *outgrown[PLACE_BITS]; /* some thread may still look there */
    size_t outgrown_count;
    uint32_t end; /* place after the last record */
    uint8_t *chunks[CHUNK_COUNT];
};

struct mb_intern {
    pthread_mutex_t lock;  /* guards the arena; locked inside the lock of a shard */
    struct mb_arena arena; /* of chunks */
    struct shard shards[SHARD_COUNT];
};

struct mb_intern *mb_intern_create(void)
{
    struct mb_intern *names = calloc(1, sizeof(*names));

    if (names == NULL) {
        return NULL;
    }
    (void)pthread_mutex_init(&names->lock, NULL);
    for (size_t i = 0; i < SHARD_COUNT; i++) {
        (void)pthread_mutex_init(&names->shards[i].lock, NULL);
        names->shards[i].end = 1;
    }
    return names;
}

static struct table *table_of(const struct shard *shard)
{
    return atomic_load_explicit(&shard->table, memory_order_acquire);
}

void mb_intern_free_outgrown(struct mb_intern *names)
{
    for (size_t i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &names->shards[i];
        while (shard->outgrown_count > 0) {
            free(shard->outgrown[--shard->outgrown_count]);
        }
    }
}

void mb_intern_destroy(struct mb_intern *names)
{
    if (names == NULL) {
        return;
    }
    mb_intern_free_outgrown(names);
    for (size_t i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &names->shards[i];
        if (!shard->borrows_table) {
            free(table_of(shard));
        }
        (void)pthread_mutex_destroy(&shard->lock);
    }
    (void)pthread_mutex_destroy(&names->lock);
    mb_arena_finish(&names->arena);
    free(names);
}

static uint8_t *record_at(const struct shard *shard, uint32_t place)
{
    size_t offset = (size_t)place * RECORD_ALIGN;

    return shard->chunks[offset >> CHUNK_BITS] + (offset & (CHUNK_SIZE - 1));
}

static struct mb_text text_at(const struct shard *shard, uint32_t place)
{
    const uint8_t *record = record_at(shard, place);

    return (struct mb_text){(const char *)record + 2, mb_get_u2(record)};
}

/* The slot of the text, with its content, or the free slot for it. */
static _Atomic(uint64_t) *find_slot(const struct shard *shard, struct table *table, uint32_t hash,
                                    struct mb_text text, uint64_t *found)
{
    uint32_t mask = table->capacity - 1;

    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        *found = atomic_load_explicit(&table->slots[i], memory_order_acquire);
        if (*found == 0 ||
            (*found >> 32 == hash && mb_text_equal(text_at(shard, (uint32_t)*found), text))) {
            return &table->slots[i];
        }
    }
}

static size_t table_size(uint32_t capacity)
{
    return sizeof(struct table) + capacity * sizeof(uint64_t);
}

/* Put a new text into a table that is not yet visible to other threads. */
static void put_slot(struct table *table, uint64_t slot)
{
    uint32_t mask = table->capacity - 1;
    uint32_t i = (uint32_t)(slot >> 32) & mask;

    while (atomic_load_explicit(&table->slots[i], memory_order_relaxed) != 0) {
        i = (i + 1) & mask;
    }
    atomic_store_explicit(&table->slots[i], slot, memory_order_relaxed);
    table->used++;
}

/* The shard's table, with room for one more text; NULL when out of memory. */
static struct table *table_with_room(struct shard *shard)
{
    struct table *table = table_of(shard);

    if (table != NULL && table->used < table->capacity / 4 * 3) {
        return table;
    }
    uint32_t capacity = table != NULL ? table->capacity * 2 : FIRST_CAPACITY;
    struct table *larger = calloc(1, table_size(capacity));
    if (larger == NULL) {
        return NULL;
    }
    larger->capacity = capacity;
    for (uint32_t i = 0; table != NULL && i < table->capacity; i++) {
        uint64_t slot = atomic_load_explicit(&table->slots[i], memory_order_relaxed);
        if (slot != 0) {
            put_slot(larger, slot);
        }
    }
    if (table != NULL && !shard->borrows_table) {
        shard->outgrown[shard->outgrown_count++] = table;
    }
    shard->borrows_table = false;
    atomic_store_explicit(&shard->table, larger, memory_order_release);
    return larger;
}

static uint8_t *take_chunk(struct mb_intern *names)
{
    (void)pthread_mutex_lock(&names->lock);
    uint8_t *chunk = mb_arena_alloc_array(&names->arena, CHUNK_SIZE, 1);
    (void)pthread_mutex_unlock(&names->lock);
    return chunk;
}

/* The place of a new record; 0 when out of memory. Records do not cross chunks. */
static uint32_t put_record(struct mb_intern *names, struct shard *shard, struct mb_text text)
{
    uint32_t units = (uint32_t)((text.size + 2 + RECORD_ALIGN - 1) / RECORD_ALIGN);
    uint32_t chunk_units = CHUNK_SIZE / RECORD_ALIGN;
    uint32_t place = shard->end;

    if (place % chunk_units + units > chunk_units) {
        place = (place / chunk_units + 1) * chunk_units;
    }
    if (place > PLACE_MASK - units) {
        return 0;
    }
    uint8_t **chunk = &shard->chunks[place / chunk_units];
    if (*chunk == NULL && (*chunk = take_chunk(names)) == NULL) {
        return 0;
    }
    uint8_t *record = record_at(shard, place);
    mb_set_u2(record, (unsigned)text.size);
    if (text.size > 0) {
        memcpy(record + 2, text.data, text.size);
    }
    shard->end = place + units;
    return place;
}

/* The place of the text, 0 if it is not there. */
static uint32_t find_text(const struct shard *shard, uint32_t hash, struct mb_text text)
{
    struct table *table = table_of(shard);
    uint64_t found = 0;

    if (table != NULL) {
        (void)find_slot(shard, table, hash, text, &found);
    }
    return (uint32_t)found;
}

/* The same under the lock, once it is there; 0 when out of memory. */
static uint32_t add_text(struct mb_intern *names, struct shard *shard, uint32_t hash,
                         struct mb_text text)
{
    struct table *table = table_with_room(shard);
    uint64_t found = 0;

    if (table == NULL) {
        return 0;
    }
    _Atomic(uint64_t) *slot = find_slot(shard, table, hash, text, &found);
    uint32_t place = (uint32_t)found;
    if (place == 0 && (place = put_record(names, shard, text)) != 0) {
        table->used++;
        atomic_store_explicit(slot, (uint64_t)hash << 32 | place, memory_order_release);
    }
    return place;
}

static uint32_t shard_number(uint64_t hash)
{
    return (uint32_t)(hash >> (64 - SHARD_BITS));
}

static uint32_t add_hashed(struct mb_intern *names, uint64_t hash, struct mb_text text)
{
    uint32_t number = shard_number(hash);
    struct shard *shard = &names->shards[number];
    uint32_t place = find_text(shard, (uint32_t)hash, text);

    assert(text.size <= UINT16_MAX);
    if (place == 0) {
        (void)pthread_mutex_lock(&shard->lock);
        place = add_text(names, shard, (uint32_t)hash, text);
        (void)pthread_mutex_unlock(&shard->lock);
    }
    return place != 0 ? number << PLACE_BITS | place : MB_INTERN_NONE;
}

uint32_t mb_intern_add(struct mb_intern *names, struct mb_text text)
{
    return add_hashed(names, mb_text_hash(text), text);
}

/* Where the search for the text begins; NULL while the table is empty. */
static const _Atomic(uint64_t) *first_slot(const struct mb_intern *names, uint64_t hash)
{
    const struct table *table = table_of(&names->shards[shard_number(hash)]);

    return table != NULL ? &table->slots[(uint32_t)hash & (table->capacity - 1)] : NULL;
}

/* The record that the first slot names is the text's own more often than not. */
static void fetch_record(const struct mb_intern *names, uint64_t hash)
{
    const _Atomic(uint64_t) *slot = first_slot(names, hash);
    uint64_t found = slot != NULL ? atomic_load_explicit(slot, memory_order_acquire) : 0;

    if (found != 0 && found >> 32 == (uint32_t)hash) {
        __builtin_prefetch(record_at(&names->shards[shard_number(hash)], (uint32_t)found));
    }
}

bool mb_intern_add_all(struct mb_intern *names, const struct mb_text *texts, size_t count,
                       uint32_t *numbers)
{
    uint64_t hashes[MB_INTERN_AT_ONCE];

    assert(count <= MB_INTERN_AT_ONCE);
    for (size_t i = 0; i < count; i++) {
        hashes[i] = mb_text_hash(texts[i]);
        __builtin_prefetch(first_slot(names, hashes[i]));
    }
    for (size_t i = 0; i < count; i++) {
        fetch_record(names, hashes[i]);
    }
    for (size_t i = 0; i < count; i++) {
        numbers[i] = add_hashed(names, hashes[i], texts[i]);
        if (numbers[i] == MB_INTERN_NONE) {
            return false;
        }
    }
    return true;
}

struct mb_text mb_intern_get(const struct mb_intern *names, uint32_t name)
{
    return name != MB_INTERN_NONE ? text_at(&names->shards[name >> PLACE_BITS], name & PLACE_MASK)
                                  : (struct mb_text){NULL, 0};
}

/* --- images --- */

/* Before the table, which is saved as it is, and the chunks. */
struct shard_image {
    uint32_t end;
    uint32_t chunk_count;
    uint64_t table_size; /* 0: not found */
};

void mb_intern_save(const struct mb_intern *names,
                    void (*put)(void *context, const void *bytes, size_t size), void *context)
{
    for (size_t i = 0; i < SHARD_COUNT; i++) {
        const struct shard *shard = &names->shards[i];
        const struct table *table = table_of(shard);
        struct shard_image image = {.end = shard->end};
        image.table_size = table != NULL ? table_size(table->capacity) : 0;
        while (image.chunk_count < CHUNK_COUNT && shard->chunks[image.chunk_count] != NULL) {
            image.chunk_count++;
        }
        put(context, &image, sizeof(image));
        put(context, table, (size_t)image.table_size);
        for (size_t k = 0; k < image.chunk_count; k++) {
            put(context, shard->chunks[k], CHUNK_SIZE);
        }
    }
}

static bool load_table(struct shard *shard, uint8_t *bytes, size_t size)
{
    struct table *table = (struct table *)(void *)bytes;

    if (size < sizeof(*table) || table->capacity < FIRST_CAPACITY ||
        (table->capacity & (table->capacity - 1)) != 0 || size != table_size(table->capacity) ||
        table->used >= table->capacity) {
        return false;
    }
    atomic_store_explicit(&shard->table, table, memory_order_relaxed);
    shard->borrows_table = true;
    return true;
}

static bool load_shard(struct shard *shard, uint8_t **next, const uint8_t *end)
{
    struct shard_image image;

    if ((size_t)(end - *next) < sizeof(image)) {
        return false;
    }
    memcpy(&image, *next, sizeof(image));
    *next += sizeof(image);
    size_t left = (size_t)(end - *next);
    if (image.chunk_count > CHUNK_COUNT || image.end == 0 ||
        image.end > (uint64_t)image.chunk_count * (CHUNK_SIZE / RECORD_ALIGN) + 1 ||
        image.table_size > left ||
        left - image.table_size < (size_t)image.chunk_count * CHUNK_SIZE ||
        (image.table_size > 0 && !load_table(shard, *next, (size_t)image.table_size))) {
        return false;
    }
    *next += image.table_size;
    shard->end = image.end;
    for (uint32_t i = 0; i < image.chunk_count; i++, *next += CHUNK_SIZE) {
        shard->chunks[i] = *next;
    }
    return true;
}

struct mb_intern *mb_intern_load(uint8_t *image, size_t size)
{
    struct mb_intern *names = mb_intern_create();
    const uint8_t *end = image + size;

    for (size_t i = 0; names != NULL && i < SHARD_COUNT; i++) {
        if (!load_shard(&names->shards[i], &image, end)) {
            mb_intern_destroy(names);
            names = NULL;
        }
    }
    return names;
}
