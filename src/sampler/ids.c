#include "sampler/ids.h"

#include "recorder/method_names.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST_LOADERS 10000 /* 16 MB if each has a class of four methods */

struct samp_ids samp_ids_all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The loaders of a package. */
struct crowd {
    uint32_t first; /* which stays, mostly */
    uint32_t last;
    uint32_t count;
};

static void *pointer_of(uint32_t id)
{
    return (void *)(uintptr_t)id;
}

static bool make_key(struct samp_ids *ids, const struct abi_method *method)
{
    mb_buf_reset(&ids->key);
    abi_methodmap_put_name(&ids->key, method);
    return !ids->key.failed;
}

/* Where the id of a method is kept; NULL without memory. */
static void **find_slot(struct samp_ids *ids, const struct abi_method *method)
{
    return make_key(ids, method)
               ? mb_strmap_slot(&ids->by_name, (const char *)ids->key.bytes, ids->key.size)
               : NULL;
}

static struct crowd *find_crowd(struct mb_strmap *crowds, struct mb_text class_name)
{
    size_t size = class_name.size;

    while (size > 0 && class_name.data[size - 1] != '/') {
        size--;
    }
    void **slot = mb_strmap_slot(crowds, class_name.data, size);
    if (slot != NULL && *slot == NULL) {
        *slot = calloc(1, sizeof(struct crowd));
    }
    return slot != NULL ? *slot : NULL;
}

/* One more class of that loader. */
static bool join_crowd(struct mb_strmap *crowds, struct mb_text class_name, uint32_t loader)
{
    struct crowd *crowd = loader != 0 ? find_crowd(crowds, class_name) : NULL;

    if (crowd == NULL) {
        return true;
    }
    crowd->first = crowd->first == 0 ? loader : crowd->first;
    if (crowd->last != loader && crowd->count <= MOST_LOADERS) {
        crowd->last = loader;
        crowd->count += loader != crowd->first || crowd->count == 0;
    }
    return crowd->count <= MOST_LOADERS || loader == crowd->first;
}

bool samp_ids_admit(struct samp_ids *ids, const struct abi_method *method, uint32_t loader)
{
    bool is_known = make_key(ids, method) &&
                    mb_strmap_find(&ids->by_name, (char *)ids->key.bytes, ids->key.size) != NULL;

    return is_known || join_crowd(&ids->crowds, method->class_name, loader);
}

bool samp_ids_admit_class(struct mb_text class_name, uint32_t loader)
{
    struct samp_ids *ids = &samp_ids_all;

    (void)pthread_mutex_lock(&ids->lock);
    bool is_admitted = join_crowd(&ids->sampled_crowds, class_name, loader);
    (void)pthread_mutex_unlock(&ids->lock);
    return is_admitted;
}

static _Atomic(uint64_t) crowded;

void samp_ids_leave_out_class(void)
{
    atomic_fetch_add(&crowded, 1);
}

uint64_t samp_ids_crowded(void)
{
    return atomic_load(&crowded);
}

/* Room for the bits of all ids. */
static bool reserve_bits(struct samp_ids *ids)
{
    return ids->told.size > 0 || mb_buf_zero(&ids->told, ABI_MAX_ID / 8 + 1);
}

uint32_t samp_ids_get(struct samp_ids *ids, const struct abi_method *method)
{
    void **slot = find_slot(ids, method);

    if (slot == NULL) {
        return 0;
    }
    if (ids->last == 0) {
        ids->last = SAMP_FIRST_ID - 1;
    }
    if (*slot == NULL && ids->last < ABI_MAX_ID) {
        *slot = pointer_of(++ids->last);
    }
    uint32_t id = (uint32_t)(uintptr_t)*slot;
    return reserve_bits(ids) ? id : 0;
}

bool samp_ids_keep(struct samp_ids *ids, const struct abi_method *method)
{
    void **slot = find_slot(ids, method);

    if (slot == NULL || !reserve_bits(ids)) {
        return false;
    }
    if (*slot == NULL) {
        *slot = pointer_of(method->id);
        (void)samp_ids_tell(ids, method->id);
    }
    return true;
}

bool samp_ids_tell(struct samp_ids *ids, uint32_t id)
{
    uint8_t bit = (uint8_t)(1u << id % 8);
    assert(id / 8 < ids->told.size); /* get or keep came before */
    bool is_told = (ids->told.bytes[id / 8] & bit) != 0;

    ids->told.bytes[id / 8] |= bit;
    return !is_told;
}

/* Its names are in the map's form already. */
static bool take_method(struct samp_ids *ids, const struct abi_method *method)
{
    void **slot = find_slot(ids, method);

    if (slot == NULL) {
        return false;
    }
    *slot = pointer_of(method->id);
    ids->last = method->id > ids->last ? method->id : ids->last;
    return true;
}

enum mb_status samp_ids_load(struct samp_ids *ids, const char *map_path, struct mb_error *err)
{
    struct abi_methodmap map = {0};
    enum mb_status status = abi_methodmap_load(&map, map_path, err);

    for (size_t i = 0; status == MB_OK && i < map.count; i++) {
        const struct abi_method *method = &map.methods[i];
        if (method->id <= ABI_MAX_ID && !take_method(ids, method)) {
            status = mb_fail_memory(err);
        }
    }
    abi_methodmap_finish(&map);
    return status;
}

uint32_t samp_ids_name(const struct abi_method *method)
{
    struct samp_ids *ids = &samp_ids_all;
    struct abi_method named = *method;
    struct mb_buf line = {0};

    (void)pthread_mutex_lock(&ids->lock);
    named.id = samp_ids_get(ids, method);
    bool is_new = named.id != 0 && samp_ids_tell(ids, named.id);
    (void)pthread_mutex_unlock(&ids->lock);
    if (is_new) {
        abi_methodmap_put_line(&line, &named);
        if (!line.failed) {
            /* Without memory, its id stands for it. */
            (void)beat_names_add((const char *)line.bytes, line.size);
        }
    }
    mb_buf_finish(&line);
    return named.id;
}
