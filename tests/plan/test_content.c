#include "instrument/plan/content.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MB ((uint64_t)1 << 20)

static const char class_bytes[] = "some bytes of a class";

static struct plan_contents open_for(uint64_t size)
{
    struct plan_contents contents = {0};

    plan_contents_open(&contents, (struct plan_contents_size){.classes = size, .inputs = size});
    return contents;
}

/* A class that was unpacked into scratch; where it is kept, NULL if there is no room. ASan sees
 * room that is too small. */
static const char *keep(struct plan_contents *contents, const void *bytes, size_t size)
{
    struct plan_scratch scratch = {.content = {.bytes = malloc(size), .size = size}};
    struct plan_content content = {.bytes = {(const char *)scratch.content.bytes, size}};
    struct plan_class class = {0};

    memcpy(scratch.content.bytes, bytes, size);
    bool is_kept = plan_content_keep(contents, &class, &scratch, &content);
    free(scratch.content.bytes);
    cr_assert(eq(int, is_kept, class.content != NULL));
    cr_assert(class.content == NULL || memcmp(class.content, bytes, size) == 0);
    return class.content;
}

static void forget(struct plan_contents *contents, const char *room, size_t size)
{
    char *place = contents->bytes + (room - contents->bytes);

    plan_content_forget(contents, &(struct plan_content){.bytes = {room, size}, .room = place});
}

Test(content, keeps_what_was_announced_and_no_more)
{
    struct plan_contents contents = open_for(2 * sizeof(class_bytes));

    cr_assert_not_null(keep(&contents, class_bytes, sizeof(class_bytes)));
    cr_assert_not_null(keep(&contents, class_bytes, sizeof(class_bytes)));
    cr_assert_null(keep(&contents, class_bytes, 1));
    plan_contents_finish(&contents);
}

Test(content, keeps_nothing_of_large_runs)
{
    struct plan_contents contents = open_for(4096 * MB);

    cr_assert_null(keep(&contents, class_bytes, 1));
    plan_contents_finish(&contents);
}

Test(content, fills_large_pages_to_the_end)
{
    struct plan_contents contents = open_for(3 * MB);
    char *large = calloc(1, MB);

    for (int i = 0; i < 4; i++) { /* whole pages of 2 MB are taken */
        cr_assert_not_null(keep(&contents, large, MB));
    }
    cr_assert_null(keep(&contents, large, MB));
    plan_contents_finish(&contents);
    free(large);
}

/* Room that was given back is used again if it is the last, and never while another class's
 * follows. */
Test(content, takes_back_the_last)
{
    static const char bytes[200];
    struct plan_contents contents = open_for(300);

    const char *first = keep(&contents, bytes, 100);
    const char *second = keep(&contents, bytes, 100);
    forget(&contents, first, 100);
    cr_assert(keep(&contents, bytes, 50) == second + 100);
    forget(&contents, second + 100, 50);
    forget(&contents, second, 100);
    cr_assert(keep(&contents, bytes, 200) == second);
    cr_assert_null(keep(&contents, bytes, 1));
    plan_contents_finish(&contents);
}
