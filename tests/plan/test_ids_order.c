#include "instrument/plan/ids_order.h"
#include "instrument/plan/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* Hashes as they are, and what nobody's are: of one place, of one method, falling, of the ends. */
static uint64_t spread(uint64_t number)
{
    return plan_hash_method_in(number, 0);
}

static uint64_t crowd(uint64_t number)
{
    return spread(number) >> 40;
}

static uint64_t crowd_above(uint64_t number)
{
    return UINT64_MAX - crowd(number);
}

static uint64_t copy(uint64_t number)
{
    return number % 2 == 0 ? 6 : 7;
}

static uint64_t fall(uint64_t number)
{
    return UINT64_MAX - (number << 44);
}

static uint64_t (*const makers[])(uint64_t) = {spread, crowd, crowd_above, copy, fall};

/* Each hash twice, by which the second has the better row. */
static void make(union plan_ids *ids, uint64_t (*hash)(uint64_t), uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        MB_VEC_PUSH(ids, (struct plan_id){hash(i), i + 2 * count, 0});
    }
    for (uint32_t i = 0; i < count; i++) {
        MB_VEC_PUSH(ids, (struct plan_id){hash(i), i + 2, i % 2});
    }
}

static void check_order(const union plan_ids *ids, uint32_t count)
{
    for (size_t i = 0; i < MB_VEC_COUNT(ids); i++) {
        cr_assert(i == 0 || ids->items[i - 1].hash < ids->items[i].hash);
        cr_assert(lt(u32, ids->items[i].id, count + 2));
    }
}

static void check_found(const union plan_ids *ids, uint64_t (*hash)(uint64_t), uint32_t count)
{
    struct plan_ids_index index;

    cr_assert(eq(int, plan_ids_index_init(&index, ids, NULL), MB_OK));
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_id *found = plan_ids_index_find(&index, hash(i) ^ 1);
        cr_assert(found != NULL && found->hash >> 1 == hash(i) >> 1);
    }
    cr_assert(plan_ids_index_find(&index, spread(count) & ~UINT64_C(0xffff)) == NULL);
    plan_ids_index_finish(&index);
}

Test(ids_order, any_hashes)
{
    static const uint32_t counts[] = {0, 1, 2, 31, 33, 1000, 50000};

    for (size_t k = 0; k < MB_COUNT(makers) * MB_COUNT(counts); k++) {
        uint64_t (*hash)(uint64_t) = makers[k % MB_COUNT(makers)];
        uint32_t count = counts[k / MB_COUNT(makers)];
        union plan_ids ids = {0};
        make(&ids, hash, count);
        cr_assert(eq(int, plan_ids_sort(&ids, NULL), MB_OK));
        check_order(&ids, count);
        check_found(&ids, hash, count);
        cr_assert(eq(int, plan_ids_sort(&ids, NULL), MB_OK));
        check_order(&ids, count);
        mb_buf_finish(&ids.buf);
    }
}
