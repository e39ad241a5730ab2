#include "instrument/plan/sort.h"

#include <stdlib.h>
#include <string.h>

/* The name beside the class saves a look-up at each comparison. */
struct row {
    struct mb_text name; /* as printed */
    struct plan_class *cls;
};

struct sorter {
    const struct mb_intern *names;
    struct row *rows;
    struct row *spare;
    size_t count;
    size_t slice_size; /* each task sorts one slice */
};

static bool is_copy(const struct plan_class *a, const struct plan_class *b)
{
    return a->name == b->name && a->original_name == b->original_name;
}

size_t plan_end_of_copies(struct plan_class *const *classes, size_t count, size_t start)
{
    size_t end = start + 1;

    while (end < count && is_copy(classes[start], classes[end])) {
        end++;
    }
    return end;
}

static bool has_same_names(const struct mb_intern *names, const struct plan_class *a,
                           const struct plan_class *b, uint16_t method)
{
    const struct plan_method *in_a = &a->methods[method];
    const struct plan_method *in_b = &b->methods[method];

    if (!a->names_in_content && !b->names_in_content) {
        return in_a->name == in_b->name && in_a->descriptor == in_b->descriptor;
    }
    return mb_text_equal(plan_class_text(names, a, in_a->name),
                         plan_class_text(names, b, in_b->name)) &&
           mb_text_equal(plan_class_text(names, a, in_a->descriptor),
                         plan_class_text(names, b, in_b->descriptor));
}

static bool is_alike(const struct plan_method *a, const struct plan_method *b)
{
    return a->access_flags == b->access_flags && a->verdict == b->verdict &&
           a->is_deprecated == b->is_deprecated;
}

bool plan_has_same_methods(const struct mb_intern *names, const struct plan_class *a,
                           const struct plan_class *b)
{
    bool is_same = a->method_count == b->method_count;

    for (uint16_t i = 0; is_same && i < a->method_count; i++) {
        is_same = is_alike(&a->methods[i], &b->methods[i]) && has_same_names(names, a, b, i);
    }
    return is_same;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Copies by content, so that the order of the inputs only decides between equals. */
static int compare_copies(const struct plan_class *a, const struct plan_class *b)
{
    int order = compare_numbers(a->size, b->size);

    order = order != 0 ? order : compare_numbers(a->content_hash, b->content_hash);
    order = order != 0 ? order : compare_numbers(a->source, b->source);
    return order != 0 ? order : compare_numbers(a->entry, b->entry);
}

static int compare_rows(const struct sorter *sorter, const struct row *a, const struct row *b)
{
    if (a->cls->original_name != b->cls->original_name) {
        return mb_text_compare(a->name, b->name);
    }
    if (a->cls->name != b->cls->name) {
        return mb_text_compare(mb_intern_get(sorter->names, a->cls->name),
                               mb_intern_get(sorter->names, b->cls->name));
    }
    return compare_copies(a->cls, b->cls);
}

/* Merge from[start, middle) and from[middle, end) into to[start, end). */
static void merge_pair(const struct sorter *sorter, const struct row *from, struct row *to,
                       const size_t bounds[3])
{
    size_t left = bounds[0];
    size_t right = bounds[1];

    if (right == bounds[2] || compare_rows(sorter, &from[right - 1], &from[right]) <= 0) {
        memcpy(to + left, from + left, (bounds[2] - left) * sizeof(*to)); /* it is in order */
        return;
    }
    for (size_t i = bounds[0]; i < bounds[2]; i++) {
        bool take_left = left < bounds[1] && (right == bounds[2] ||
                                              compare_rows(sorter, &from[left], &from[right]) <= 0);
        to[i] = from[take_left ? left++ : right++];
    }
}

/* One pass of a merge sort over [start, end): runs of run_size become runs of twice that. */
static void merge_runs(struct sorter *sorter, size_t start, size_t end, size_t run_size)
{
    for (size_t at = start; at < end; at += 2 * run_size) {
        size_t bounds[3] = {at, at + run_size, at + 2 * run_size};
        bounds[1] = bounds[1] < end ? bounds[1] : end;
        bounds[2] = bounds[2] < end ? bounds[2] : end;
        merge_pair(sorter, sorter->rows, sorter->spare, bounds);
    }
    memcpy(sorter->rows + start, sorter->spare + start, (end - start) * sizeof(*sorter->rows));
}

static enum mb_status sort_slice(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    struct sorter *sorter = context;
    size_t start = task * sorter->slice_size;
    size_t end = start + sorter->slice_size;

    (void)worker;
    (void)err;
    end = end < sorter->count ? end : sorter->count;
    for (size_t i = start; i < end; i++) {
        sorter->rows[i].name = mb_intern_get(sorter->names, sorter->rows[i].cls->original_name);
    }
    for (size_t run_size = 1; run_size < end - start; run_size *= 2) {
        merge_runs(sorter, start, end, run_size);
    }
    return MB_OK;
}

static enum mb_status init_rows(struct sorter *sorter, struct plan_class *const *classes,
                                struct mb_error *err)
{
    sorter->rows = calloc(sorter->count, 2 * sizeof(*sorter->rows));
    if (sorter->rows == NULL) {
        return mb_fail_memory(err);
    }
    sorter->spare = sorter->rows + sorter->count;
    for (size_t i = 0; i < sorter->count; i++) {
        sorter->rows[i].cls = classes[i];
    }
    return MB_OK;
}

static void put_classes(const struct sorter *sorter, const struct row *sorted,
                        struct plan_class **classes)
{
    for (size_t i = 0; i < sorter->count; i++) {
        classes[i] = sorted[i].cls;
    }
}

enum mb_status plan_sort_classes(struct plan_class **classes, size_t count,
                                 const struct mb_intern *names, struct mb_workers *workers,
                                 struct mb_error *err)
{
    static const size_t least_slice_size = 1024; /* below, a thread costs more than it gives */
    size_t slice_count = mb_workers_count(workers);
    struct sorter sorter = {.names = names, .count = count};

    if (count < 2) {
        return MB_OK;
    }
    MB_TRY(init_rows(&sorter, classes, err));
    sorter.slice_size = (count + slice_count - 1) / slice_count;
    if (sorter.slice_size < least_slice_size) {
        sorter.slice_size = least_slice_size;
    }
    enum mb_status status = mb_workers_run(
        workers, (count + sorter.slice_size - 1) / sorter.slice_size, sort_slice, &sorter, err);
    for (size_t run_size = sorter.slice_size; run_size < count; run_size *= 2) {
        merge_runs(&sorter, 0, count, run_size);
    }
    put_classes(&sorter, sorter.rows, classes);
    free(sorter.rows);
    return status;
}

enum mb_status plan_merge_classes(struct plan_class **classes, size_t middle, size_t count,
                                  const struct mb_intern *names, struct mb_error *err)
{
    struct sorter sorter = {.names = names, .count = count};
    const size_t bounds[3] = {0, middle, count};

    if (middle == 0 || middle == count) {
        return MB_OK;
    }
    MB_TRY(init_rows(&sorter, classes, err));
    for (size_t i = 0; i < count; i++) {
        sorter.rows[i].name = mb_intern_get(names, classes[i]->original_name);
    }
    merge_pair(&sorter, sorter.rows, sorter.spare, bounds);
    put_classes(&sorter, sorter.spare, classes);
    free(sorter.rows);
    return MB_OK;
}

/* ---- The order of a run ---- */

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
