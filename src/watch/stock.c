#include "watch/stock.h"

#include "monitor/quota.h"
#include "watch/files.h"

#include <stdio.h>
#include <unistd.h>

/* ---- Age ---- */

struct cleaning {
    const struct mon_options *options;
    int64_t today;
    int64_t newest;
    uint64_t bytes;
};

static void find_newest(void *context, const struct watch_file *file)
{
    struct cleaning *cleaning = context;

    if (file->day > cleaning->newest) {
        cleaning->newest = file->day;
    }
}

static void keep_or_remove(void *context, const struct watch_file *file)
{
    struct cleaning *cleaning = context;
    bool is_old = mon_is_expired(cleaning->options, cleaning->today, cleaning->newest, file->day,
                                 file->changed);

    if (!is_old || !watch_file_remove(file)) {
        cleaning->bytes += file->is_counts ? 0 : file->size;
    }
}

bool watch_stock_clean(int folder, const struct mon_options *options, int64_t today,
                       uint64_t *bytes)
{
    struct cleaning cleaning = {.options = options, .today = today, .newest = today};

    if (!watch_files_visit(folder, find_newest, &cleaning)) {
        return false;
    }
    (void)watch_files_visit(folder, keep_or_remove, &cleaning);
    watch_files_tidy(folder);
    if (bytes != NULL) {
        *bytes = cleaning.bytes;
    }
    return true;
}

/* ---- Room ---- */

struct search {
    bool is_found;
    int weight; /* at most */
    int64_t day;
    uint64_t size;
    char name[WATCH_NAME_SIZE];
};

static bool is_before(const struct watch_file *file, int weight, const struct search *other)
{
    if (!other->is_found || weight != other->weight) {
        return weight < other->weight || !other->is_found;
    }
    return file->day != other->day ? file->day < other->day : strcmp(file->name, other->name) < 0;
}

static void compare(void *context, const struct watch_file *file)
{
    struct search *first = context;

    if (file->is_counts || file->is_hidden) {
        return;
    }
    int weight = mon_weight(file->parts.detail);
    if (weight <= first->weight && is_before(file, weight, first)) {
        first->is_found = true;
        first->weight = weight;
        first->day = file->day;
        first->size = file->size;
        (void)snprintf(first->name, sizeof(first->name), "%s", file->name);
    }
}

bool watch_stock_free(int folder, int weight, uint64_t *size)
{
    struct search first = {.weight = weight};

    (void)watch_files_visit(folder, compare, &first);
    if (!first.is_found) {
        return false;
    }
    int day_folder = watch_files_open_day(folder, first.day);
    bool is_free = day_folder >= 0 && unlinkat(day_folder, first.name, 0) == 0;
    if (day_folder >= 0) {
        (void)close(day_folder);
    }
    *size = first.size;
    return is_free;
}
