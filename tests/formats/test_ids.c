#include "formats/ids.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static void expect_number(struct format_ids *ids, uint32_t id, uint32_t number, bool wanted)
{
    struct mb_buf out = {0};
    bool is_new;

    cr_expect(eq(u32, format_ids_number(ids, id, &out, &is_new), number), "id %u", id);
    cr_expect(is_new == wanted && !out.failed, "id %u", id);
}

Test(ids, are_counted_as_they_turn_up)
{
    struct format_ids ids = {0};

    expect_number(&ids, 0xfffff, 1, true);
    expect_number(&ids, 0, 2, true);
    expect_number(&ids, 0xfffff, 1, false);
    expect_number(&ids, 7, 3, true);
    const uint32_t *seen = ids.seen.items;
    cr_assert(eq(sz, MB_VEC_COUNT(&ids.seen), 3));
    cr_expect(seen[0] == 0xfffff && seen[2] == 7);
    format_ids_reset(&ids);
    expect_number(&ids, 7, 1, true);
    expect_number(&ids, 0, 2, true);
    expect_number(&ids, 9, 3, true);
    format_ids_finish(&ids);
}
