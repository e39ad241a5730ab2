#include "instrument/names.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A name is a shard (high bits) and the place of a record in it, in units of RECORD_ALIGN bytes.
 * A record is u2 size, then the text. Place 0 of each shard stays free for INS_NO_NAME. */
#define SHARD_BITS 4
#define SHARD_COUNT (1U << SHARD_BITS)
#define PLACE_BITS (32 - SHARD_BITS)
#define PLACE_MASK ((1U << PLACE_BITS) - 1)
#define RECORD_ALIGN 4U
#define CHUNK_BITS 17 /* longer than the longest record */
#define CHUNK_SIZE (1U << CHUNK_BITS)
#define CHUNK_COUNT (((size_t)PLACE_MASK + 1) * RECORD_ALIGN / CHUNK_SIZE)
#define FIRST_CAPACITY 256U

struct slot {
    uint32_t hash;
    uint32_t place; /* 0: free */
};

struct shard {
    pthread_mutex_t lock;
    struct slot *slots; /* open addressing, a power of two */
    uint32_t capacity;
    uint32_t used;
    uint32_t end;       /* place behind the last record */
    bool borrows_slots; /* from an image */
    size_t borrowed_chunks;
    uint8_t *chunks[CHUNK_COUNT];
};

struct ins_names {
    struct shard shards[SHARD_COUNT];
};

struct ins_names *ins_names_create(void)
{
    struct ins_names *names = calloc(1, sizeof(*names));

    for (size_t i = 0; names != NULL && i < SHARD_COUNT; i++) {
        (void)pthread_mutex_init(&names->shards[i].lock, NULL);
        names->shards[i].end = 1;
    }
    return names;
}

void ins_names_destroy(struct ins_names *names)
{
    if (names == NULL) {
        return;
    }
    for (size_t i = 0; i < SHARD_COUNT; i++) {
        struct shard *shard = &names->shards[i];
        for (size_t k = shard->borrowed_chunks; k < CHUNK_COUNT && shard->chunks[k] != NULL; k++) {
            free(shard->chunks[k]);
        }
        if (!shard->borrows_slots) {
            free(shard->slots);
        }
        (void)pthread_mutex_destroy(&shard->lock);
    }
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

/* The slot of the text, or the free one where it belongs. */
static struct slot *find_slot(const struct shard *shard, uint32_t hash, struct mb_text text)
{
    uint32_t mask = shard->capacity - 1;

    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        struct slot *slot = &shard->slots[i];
        if (slot->place == 0 ||
            (slot->hash == hash && mb_text_equal(text_at(shard, slot->place), text))) {
            return slot;
        }
    }
}

static bool grow(struct shard *shard)
{
    uint32_t capacity = shard->capacity > 0 ? shard->capacity * 2 : FIRST_CAPACITY;
    struct slot *slots = calloc(capacity, sizeof(*slots));

    if (slots == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < shard->capacity; i++) {
        uint32_t to = shard->slots[i].hash & (capacity - 1);
        while (slots[to].place != 0) {
            to = (to + 1) & (capacity - 1);
        }
        slots[to] = shard->slots[i];
    }
    if (!shard->borrows_slots) {
        free(shard->slots);
    }
    shard->borrows_slots = false;
    shard->slots = slots;
    shard->capacity = capacity;
    return true;
}

/* The place of a new record; 0 when out of memory. Records do not cross chunks. */
static uint32_t put_record(struct shard *shard, struct mb_text text)
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
    if (*chunk == NULL && (*chunk = calloc(1, CHUNK_SIZE)) == NULL) {
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

static uint32_t add(struct shard *shard, uint32_t hash, struct mb_text text)
{
    if (shard->used >= shard->capacity / 4 * 3 && !grow(shard)) {
        return 0;
    }
    struct slot *slot = find_slot(shard, hash, text);
    if (slot->place == 0) {
        uint32_t place = put_record(shard, text);
        if (place == 0) {
            return 0;
        }
        *slot = (struct slot){hash, place};
        shard->used++;
    }
    return slot->place;
}

uint32_t ins_names_add(struct ins_names *names, struct mb_text text)
{
    uint64_t hash = mb_text_hash(text);
    uint32_t number = (uint32_t)(hash >> (64 - SHARD_BITS));
    struct shard *shard = &names->shards[number];

    assert(text.size <= UINT16_MAX);
    (void)pthread_mutex_lock(&shard->lock);
    uint32_t place = add(shard, (uint32_t)hash, text);
    (void)pthread_mutex_unlock(&shard->lock);
    return place != 0 ? number << PLACE_BITS | place : INS_NO_NAME;
}

struct mb_text ins_names_get(const struct ins_names *names, uint32_t name)
{
    return name != INS_NO_NAME ? text_at(&names->shards[name >> PLACE_BITS], name & PLACE_MASK)
                               : (struct mb_text){NULL, 0};
}

/* --- images --- */

struct shard_image {
    uint32_t capacity;
    uint32_t used;
    uint32_t end;
    uint32_t chunk_count;
};

void ins_names_save(const struct ins_names *names,
                    void (*put)(void *context, const void *bytes, size_t size), void *context)
{
    for (size_t i = 0; i < SHARD_COUNT; i++) {
        const struct shard *shard = &names->shards[i];
        struct shard_image image = {shard->capacity, shard->used, shard->end, 0};
        while (image.chunk_count < CHUNK_COUNT && shard->chunks[image.chunk_count] != NULL) {
            image.chunk_count++;
        }
        put(context, &image, sizeof(image));
        put(context, shard->slots, shard->capacity * sizeof(*shard->slots));
        for (size_t k = 0; k < image.chunk_count; k++) {
            put(context, shard->chunks[k], CHUNK_SIZE);
        }
    }
}

static bool load_shard(struct shard *shard, uint8_t **next, const uint8_t *end)
{
    struct shard_image image;

    if ((size_t)(end - *next) < sizeof(image)) {
        return false;
    }
    memcpy(&image, *next, sizeof(image));
    *next += sizeof(image);
    size_t slots_size = image.capacity * sizeof(struct slot);
    if (image.chunk_count > CHUNK_COUNT || (image.capacity & (image.capacity - 1)) != 0 ||
        image.used > image.capacity || image.end == 0 ||
        image.end > (uint64_t)image.chunk_count * (CHUNK_SIZE / RECORD_ALIGN) + 1 ||
        (size_t)(end - *next) < slots_size + (size_t)image.chunk_count * CHUNK_SIZE) {
        return false;
    }
    shard->capacity = image.capacity;
    shard->used = image.used;
    shard->end = image.end;
    shard->slots = (struct slot *)(void *)*next;
    shard->borrows_slots = true;
    *next += slots_size;
    for (; shard->borrowed_chunks < image.chunk_count; *next += CHUNK_SIZE) {
        shard->chunks[shard->borrowed_chunks++] = *next;
    }
    return true;
}

struct ins_names *ins_names_load(uint8_t *image, size_t size)
{
    struct ins_names *names = ins_names_create();
    const uint8_t *end = image + size;

    for (size_t i = 0; names != NULL && i < SHARD_COUNT; i++) {
        if (!load_shard(&names->shards[i], &image, end)) {
            ins_names_destroy(names);
            names = NULL;
        }
    }
    return names;
}
