#include "instrument/plan/ids_order.h"
#include "instrument/plan/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* The same spread over all 64 bits in each run; the lowest bit is free for the flag. */
static uint64_t hash_of(uint64_t number)
{
    return plan_hash_method((struct mb_text){(const char *)&number, sizeof(number)}, 0);
}

/* Methods first to end, without ids. */
static void add(union plan_ids *ids, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++) {
        MB_VEC_PUSH(ids, (struct plan_id){hash_of(i), 0, 0});
    }
    cr_assert(eq(int, plan_ids_sort(ids, NULL), MB_OK));
}

static size_t assign(union plan_ids *ids, const union plan_ids *ledger)
{
    size_t taken_count = 0;

    cr_assert(eq(int, plan_ids_assign(ids, ledger, &taken_count, NULL), MB_OK));
    return taken_count;
}

static void finish(union plan_ids *ids)
{
    mb_buf_finish(&ids->buf);
}

static size_t count_moved(const union plan_ids *before, const union plan_ids *after)
{
    struct plan_ids_index index;
    union plan_ids now = {0};
    size_t count = 0;

    mb_buf_put(&now.buf, before->buf.bytes, before->buf.size);
    for (size_t i = 0; i < MB_VEC_COUNT(&now); i++) {
        now.items[i].id = 0;
    }
    cr_assert(eq(int, plan_ids_index_init(&index, after, NULL), MB_OK));
    plan_ids_take(&now, &index);
    plan_ids_index_finish(&index);
    for (size_t i = 0; i < MB_VEC_COUNT(&now); i++) {
        count += now.items[i].id != before->items[i].id;
    }
    finish(&now);
    return count;
}

Test(ids, each_method_has_its_own)
{
    static bool seen[ABI_MAX_ID + 1];
    const union plan_ids none = {0};
    union plan_ids ids = {0};

    add(&ids, 0, ABI_MAX_ID);
    cr_assert(eq(sz, assign(&ids, &none), ABI_MAX_ID));
    for (size_t i = 0; i < ABI_MAX_ID; i++) {
        uint32_t id = ids.items[i].id;
        cr_assert(id >= ABI_FIRST_ID && id <= ABI_MAX_ID && !seen[id]);
        seen[id] = true;
    }
    finish(&ids);
}

Test(ids, one_more_moves_few_and_with_a_ledger_none)
{
    const union plan_ids none = {0};
    union plan_ids old = {0};
    union plan_ids by_hash = {0};
    union plan_ids by_ledger = {0};

    add(&old, 0, 700000);
    add(&by_hash, 0, 700001);
    add(&by_ledger, 1, 700001); /* and one is gone: its id stays taken */
    (void)assign(&old, &none);
    (void)assign(&by_hash, &none);
    cr_assert(lt(sz, count_moved(&old, &by_hash), 100));
    cr_assert(eq(sz, assign(&by_ledger, &old), 700001));
    cr_assert(eq(sz, MB_VEC_COUNT(&by_ledger), 700001));
    cr_assert(eq(sz, count_moved(&old, &by_ledger), 0));
    finish(&old);
    finish(&by_hash);
    finish(&by_ledger);
}

/* How many ids one method more moves, on average of some. */
static size_t mean_moved(const union plan_ids *old, const union plan_ids *ledger, uint64_t count)
{
    enum { TURNS = 8 };
    size_t moved = 0;

    for (uint64_t i = 0; i < TURNS; i++) {
        union plan_ids more = {0};
        for (size_t k = 0; k < MB_VEC_COUNT(old); k++) {
            MB_VEC_PUSH(&more, (struct plan_id){old->items[k].hash, 0, 0});
        }
        add(&more, count + i, count + i + 1);
        cr_assert(eq(sz, assign(&more, ledger), count + 1));
        moved += count_moved(old, &more);
        finish(&more);
    }
    return moved / TURNS;
}

Test(ids, one_more_when_90_percent_are_taken)
{
    static const uint64_t count = (uint64_t)ABI_MAX_ID * 9 / 10;
    const union plan_ids none = {0};
    union plan_ids old = {0};

    add(&old, 0, count);
    (void)assign(&old, &none);
    cr_assert(lt(sz, mean_moved(&old, &none, count), 200)); /* 81 of 943,715 */
    cr_assert(eq(sz, mean_moved(&old, &old, count), 0));
    finish(&old);
}

Test(ids, copies_of_a_method_share_one)
{
    const union plan_ids none = {0};
    union plan_ids ids = {0};

    MB_VEC_PUSH(&ids, (struct plan_id){hash_of(1), 0, 0});
    MB_VEC_PUSH(&ids, (struct plan_id){hash_of(1) | 1, 0, 0});
    cr_assert(eq(sz, assign(&ids, &none), 1));
    cr_assert(eq(u32, ids.items[0].id, ids.items[1].id));
    finish(&ids);
}

Test(ids, a_full_room_is_an_error)
{
    union plan_ids ledger = {0};
    union plan_ids ids = {0};
    const union plan_ids none = {0};
    struct mb_error err;
    size_t taken_count = 0;

    add(&ledger, 0, ABI_MAX_ID);
    (void)assign(&ledger, &none);
    add(&ids, 1, ABI_MAX_ID + 1);
    cr_assert(eq(int, plan_ids_assign(&ids, &ledger, &taken_count, &err), MB_TOO_LARGE));
    cr_assert_str_eq(err.reason, "1048574 method ids are needed, but there are only 1048573: trace "
                                 "fewer methods, or begin a new ledger");
    finish(&ledger);
    finish(&ids);
}
