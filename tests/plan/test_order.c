#include "inputs.h"
#include "instrument/plan/order.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct input_class some[] = {
    {"new", "d/D"}, {"new", "b/B"}, {"old", "c/C"}, {"old", "a/A"}, {"new", "e/E"}};

/* As collecting would: named by the names of their entries. */
static void name_classes(struct inputs *inputs, struct mb_intern *names)
{
    for (uint32_t i = 0; i < inputs->sources.count; i++) {
        struct plan_source *source = &inputs->sources.items[i];
        for (uint32_t k = 0; k < source->class_count; k++) {
            struct plan_class *cls = &source->classes[k];
            cls->name = mb_intern_add(names, ar_input_entry(source->archive, cls->entry)->name);
            cls->original_name = cls->name;
            cls->is_readable = true;
        }
    }
}

static void expect_names(const struct mb_intern *names, struct plan_class *const *classes,
                         size_t count, const char *wanted)
{
    for (size_t i = 0; i < count; i++) {
        cr_assert(eq(chr, mb_intern_get(names, classes[i]->name).data[0], wanted[i]));
    }
    cr_assert(eq(sz, count, strlen(wanted)));
}

Test(order, new_classes_come_between_known_ones)
{
    struct mb_intern *names = mb_intern_create();
    struct inputs inputs = {0};
    struct plan_order fresh = {0};
    struct plan_order again = {0};
    struct plan_order none = {0};

    inputs_open(&inputs, some, MB_COUNT(some), 2);
    name_classes(&inputs, names);
    cr_assert(eq(
        int, plan_order_classes(&fresh, &inputs.sources, &none, names, inputs.crew.workers, NULL),
        MB_OK));
    expect_names(names, fresh.classes, fresh.count, "abcde");
    expect_names(names, fresh.new_classes, fresh.new_count, "abcde");

    struct plan_class *old[] = {fresh.classes[0], fresh.classes[2]};
    struct plan_order known = {.classes = old, .count = 2};
    inputs.sources.items[1].is_unchanged = true;
    inputs.sources.items[0].classes[0].is_dropped = true; /* b */
    cr_assert(eq(
        int, plan_order_classes(&again, &inputs.sources, &known, names, inputs.crew.workers, NULL),
        MB_OK));
    expect_names(names, again.classes, again.count, "acde");
    expect_names(names, again.new_classes, again.new_count, "de");
    plan_order_finish(&fresh);
    plan_order_finish(&again);
    inputs_close(&inputs);
    mb_intern_destroy(names);
}
