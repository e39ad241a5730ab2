#include "plan/content.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MB ((uint64_t)1 << 20)

static const char content[] = "some bytes of a class";

/* ASan sees room that is too small. */
static bool keeps(struct plan_contents *contents, const char *bytes, size_t size)
{
    char *room = plan_contents_take(contents, size);

    return room != NULL && memcmp(memcpy(room, bytes, size), bytes, size) == 0;
}

Test(content, keeps_what_was_announced_and_no_more)
{
    struct plan_contents contents = {0};

    plan_contents_reserve(&contents, 2 * sizeof(content));
    cr_assert(keeps(&contents, content, sizeof(content)));
    cr_assert(keeps(&contents, content, sizeof(content)));
    cr_assert(not(keeps(&contents, content, 1)));
    plan_contents_finish(&contents);
}

Test(content, keeps_nothing_of_large_runs)
{
    struct plan_contents contents = {0};

    plan_contents_reserve(&contents, 4096 * MB);
    cr_assert(not(keeps(&contents, content, 1)));
    plan_contents_finish(&contents);
}

Test(content, fills_large_pages_to_the_end)
{
    struct plan_contents contents = {0};
    char *large = calloc(1, MB);

    plan_contents_reserve(&contents, 3 * MB);
    for (int i = 0; i < 4; i++) { /* whole pages of 2 MB are taken */
        cr_assert(keeps(&contents, large, MB));
    }
    cr_assert(not(keeps(&contents, large, MB)));
    plan_contents_finish(&contents);
    free(large);
}

/* Room that was given back is used again if it is the last, and never while somebody else's
 * follows. */
Test(content, takes_back_the_last)
{
    struct plan_contents contents = {0};

    plan_contents_reserve(&contents, 300);
    char *first = plan_contents_take(&contents, 100);
    char *second = plan_contents_take(&contents, 100);
    plan_contents_give_back(&contents, first, 100);
    cr_assert(eq(ptr, plan_contents_take(&contents, 50), second + 100));
    plan_contents_give_back(&contents, second + 100, 50);
    plan_contents_give_back(&contents, second, 100);
    cr_assert(eq(ptr, plan_contents_take(&contents, 200), second));
    cr_assert(eq(ptr, plan_contents_take(&contents, 1), NULL));
    plan_contents_finish(&contents);
}
