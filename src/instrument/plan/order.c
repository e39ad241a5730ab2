#include "instrument/plan/order.h"

#include "instrument/plan/sort.h"

#include <string.h>

static size_t count_new(const struct plan_sources *sources)
{
    size_t count = 0;

    for (uint32_t i = 0; i < sources->count; i++) {
        count += sources->items[i].is_unchanged ? 0 : sources->items[i].class_count;
    }
    return count;
}

static void list_new(struct plan_order *order, const struct plan_sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct plan_source *source = &sources->items[i];
        for (uint32_t k = 0; !source->is_unchanged && k < source->class_count; k++) {
            struct plan_class *cls = &source->classes[k];
            if (cls->is_readable && !cls->is_dropped) {
                order->new_classes[order->new_count++] = cls;
            }
        }
    }
}

enum mb_status plan_order_classes(struct plan_order *order, const struct plan_sources *sources,
                                  const struct plan_order *known, const struct mb_intern *names,
                                  struct mb_workers *workers, struct mb_error *err)
{
    size_t room = count_new(sources);

    order->new_classes = MB_NEW_ARRAY(&order->arena, struct plan_class *, room);
    if (order->new_classes == NULL) {
        return mb_fail_memory(err);
    }
    list_new(order, sources);
    MB_TRY(plan_sort_classes(order->new_classes, order->new_count, names, workers, err));
    if (known->count == 0) {
        order->classes = order->new_classes;
        order->count = order->new_count;
        return MB_OK;
    }
    order->count = known->count + order->new_count;
    order->classes = MB_NEW_ARRAY(&order->arena, struct plan_class *, order->count);
    if (order->classes == NULL) {
        return mb_fail_memory(err);
    }
    memcpy(order->classes, known->classes, known->count * sizeof(*known->classes));
    memcpy(order->classes + known->count, order->new_classes,
           order->new_count * sizeof(*order->new_classes));
    return plan_merge_classes(order->classes, known->count, order->count, names, err);
}

void plan_order_finish(struct plan_order *order)
{
    mb_arena_finish(&order->arena);
    *order = (struct plan_order){0};
}
