#include "instrument/plan/crew.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define CLASSES 100

/* Classes of one size. */
struct work {
    struct plan_class classes[CLASSES];
    struct plan_class *list[CLASSES];
};

static void fill(struct work *work, uint32_t size)
{
    for (size_t i = 0; i < CLASSES; i++) {
        work->classes[i].size = size;
        work->list[i] = &work->classes[i];
    }
}

/* Cuts the part and expects batches of `length`, the last being what is left. */
static void expect_batches(uint32_t size, struct plan_span part, uint32_t length)
{
    static struct work work;
    struct plan_span batches[CLASSES];

    fill(&work, size);
    size_t count = plan_cut_batches(work.list, part, batches);
    cr_assert(eq(sz, count, (part.end - part.first + length - 1) / length));
    cr_assert(eq(sz, plan_cut_batches(work.list, part, NULL), count));
    for (size_t i = 0; i < count; i++) {
        uint32_t first = part.first + (uint32_t)i * length;
        cr_assert(eq(u32, batches[i].first, first));
        cr_assert(eq(u32, batches[i].end, first + length < part.end ? first + length : part.end));
    }
}

Test(batch, small_classes_go_by_number)
{
    expect_batches(1, (struct plan_span){0, CLASSES}, PLAN_BATCH_CLASSES);
    expect_batches(0, (struct plan_span){7, CLASSES}, PLAN_BATCH_CLASSES);
}

Test(batch, large_classes_go_by_size)
{
    expect_batches(16 * 1024, (struct plan_span){3, 90}, 4);
    expect_batches(UINT32_MAX, (struct plan_span){0, 5}, 1);
}

Test(batch, nothing_needs_no_batch)
{
    cr_assert(eq(sz, plan_cut_batches(NULL, (struct plan_span){4, 4}, NULL), 0));
}
