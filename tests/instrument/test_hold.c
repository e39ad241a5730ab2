#include "instrument/hold.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MB ((uint64_t)1 << 20)

static const char content[] = "some bytes of a class";

/* ASan sees room that is too small. */
static bool holds(struct ins_hold *hold, const char *bytes, size_t size)
{
    char *room = ins_hold_take(hold, size);

    return room != NULL && memcmp(memcpy(room, bytes, size), bytes, size) == 0;
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

/* Room that was given back is used again if it is the last, and never while somebody else's follows. */
Test(hold, takes_back_the_last)
{
    struct ins_hold hold = {0};

    ins_hold_open(&hold, 300);
    char *first = ins_hold_take(&hold, 100);
    char *second = ins_hold_take(&hold, 100);
    ins_hold_give_back(&hold, first, 100);
    cr_assert(eq(ptr, ins_hold_take(&hold, 50), second + 100));
    ins_hold_give_back(&hold, second + 100, 50);
    ins_hold_give_back(&hold, second, 100);
    cr_assert(eq(ptr, ins_hold_take(&hold, 200), second));
    cr_assert(eq(ptr, ins_hold_take(&hold, 1), NULL));
    ins_hold_finish(&hold);
}
