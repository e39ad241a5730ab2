#include "instrument/warnings.h"

#include <stdlib.h>
#include <string.h>

void ins_warnings_init(struct ins_warnings *warnings)
{
    *warnings = (struct ins_warnings){0};
    (void)pthread_mutex_init(&warnings->lock, NULL);
}

void ins_warnings_finish(struct ins_warnings *warnings)
{
    (void)pthread_mutex_destroy(&warnings->lock);
    free(warnings->items);
    *warnings = (struct ins_warnings){0};
}

static struct ins_warning *add_item(struct ins_warnings *warnings)
{
    if (warnings->count == warnings->capacity) {
        size_t capacity = warnings->capacity > 0 ? warnings->capacity * 2 : 8;
        struct ins_warning *items = realloc(warnings->items, capacity * sizeof(*items));
        if (items == NULL) {
            return NULL;
        }
        warnings->items = items;
        warnings->capacity = capacity;
    }
    return &warnings->items[warnings->count++];
}

enum mb_status ins_warnings_add(struct ins_warnings *warnings, uint64_t place,
                                const struct mb_error *warning, struct mb_error *err)
{
    (void)pthread_mutex_lock(&warnings->lock);
    struct ins_warning *item = add_item(warnings);
    if (item != NULL) {
        *item = (struct ins_warning){place, *warning};
    }
    (void)pthread_mutex_unlock(&warnings->lock);
    return item != NULL ? MB_OK : mb_fail_memory(err);
}

static int compare_warnings(const void *left, const void *right)
{
    const struct ins_warning *a = left;
    const struct ins_warning *b = right;

    if (a->place != b->place) {
        return a->place < b->place ? -1 : 1;
    }
    return strcmp(a->error.reason, b->error.reason);
}

void ins_warnings_sort(struct ins_warnings *warnings)
{
    if (warnings->count > 1) {
        qsort(warnings->items, warnings->count, sizeof(*warnings->items), compare_warnings);
    }
}
