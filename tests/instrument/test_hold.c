#include "instrument/hold.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MB ((uint64_t)1 << 20)

static const char content[] = "some bytes of a class";

static bool holds(struct ins_hold *hold, const char *bytes, size_t size)
{
    const char *copy = ins_hold_put(hold, (struct mb_text){bytes, size});

    return copy != NULL && copy != bytes && memcmp(copy, bytes, size) == 0;
}

Test(hold, keeps_what_was_announced_and_no_more)
{
    struct ins_hold hold = {0};

    ins_hold_open(&hold, 2 * sizeof(content));
    cr_assert(holds(&hold, content, sizeof(content)));
    cr_assert(holds(&hold, content, sizeof(content)));
    cr_assert(not(holds(&hold, content, 1)));
    ins_hold_finish(&hold);
}

Test(hold, keeps_nothing_of_large_runs)
{
    struct ins_hold hold = {0};

    ins_hold_open(&hold, 4096 * MB);
    cr_assert(not(holds(&hold, content, 1)));
    ins_hold_finish(&hold);
}

Test(hold, fills_large_pages_to_the_end)
{
    struct ins_hold hold = {0};
    char *large = calloc(1, MB);

    ins_hold_open(&hold, 3 * MB);
    for (int i = 0; i < 4; i++) { /* whole pages of 2 MB are taken */
        cr_assert(holds(&hold, large, MB));
    }
    cr_assert(not(holds(&hold, large, MB)));
    ins_hold_finish(&hold);
    free(large);
}
