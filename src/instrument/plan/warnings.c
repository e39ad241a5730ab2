#include "instrument/plan/warnings.h"

#include <stdlib.h>
#include <string.h>

void plan_warnings_init(struct plan_warnings *warnings)
{
    *warnings = (struct plan_warnings){0};
    (void)pthread_mutex_init(&warnings->lock, NULL);
}

void plan_warnings_finish(struct plan_warnings *warnings)
{
    (void)pthread_mutex_destroy(&warnings->lock);
    free(warnings->items);
    *warnings = (struct plan_warnings){0};
}

static struct plan_warning *add_item(struct plan_warnings *warnings)
{
    if (warnings->count == warnings->capacity) {
        size_t capacity = warnings->capacity > 0 ? warnings->capacity * 2 : 8;
        struct plan_warning *items = realloc(warnings->items, capacity * sizeof(*items));
        if (items == NULL) {
            return NULL;
        }
        warnings->items = items;
        warnings->capacity = capacity;
    }
    return &warnings->items[warnings->count++];
}

enum mb_status plan_warnings_add(struct plan_warnings *warnings, uint64_t place,
                                 const struct mb_error *warning, struct mb_error *err)
{
    (void)pthread_mutex_lock(&warnings->lock);
    struct plan_warning *item = add_item(warnings);
    if (item != NULL) {
        *item = (struct plan_warning){place, *warning};
    }
    (void)pthread_mutex_unlock(&warnings->lock);
    return item != NULL ? MB_OK : mb_fail_memory(err);
}

enum mb_status plan_warn_class(struct plan_warnings *warnings, const struct plan_source *source,
                               const struct plan_class *cls, const struct mb_error *reason,
                               struct mb_error *err)
{
    const struct ar_entry *entry = ar_input_entry(source->archive, cls->entry);
    struct mb_error warning = *reason;

    mb_error_in_entry(&warning, ar_input_path(source->archive), entry->name.data, entry->name.size);
    return plan_warnings_add(warnings, plan_place(cls->source, cls->entry), &warning, err);
}

static int compare_warnings(const void *left, const void *right)
{
    const struct plan_warning *a = left;
    const struct plan_warning *b = right;

    if (a->place != b->place) {
        return a->place < b->place ? -1 : 1;
    }
    return strcmp(a->error.reason, b->error.reason);
}

void plan_warnings_sort(struct plan_warnings *warnings)
{
    if (warnings->count > 1) {
        qsort(warnings->items, warnings->count, sizeof(*warnings->items), compare_warnings);
    }
}
