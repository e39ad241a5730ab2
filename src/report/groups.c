#include "report/building.h"

#include <stdlib.h>

static int by_key(const void *a, const void *b)
{
    const struct export_slow *x = a;
    const struct export_slow *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static int by_duration(const void *a, const void *b)
{
    const struct export_slow *x = a;
    const struct export_slow *y = b;
    int order = (x->duration_ns < y->duration_ns) - (x->duration_ns > y->duration_ns);
    order = order != 0 ? order : (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
    order = order != 0 ? order : by_key(a, b);
    return order != 0 ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

static int by_total(const void *a, const void *b)
{
    const struct export_group *x = a;
    const struct export_group *y = b;
    int order = (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
    return order != 0 ? order : (x->key > y->key) - (x->key < y->key);
}

void report_make_groups(struct report_model *model)
{
    struct export_slow *slow = (void *)model->slow.bytes;
    size_t count = model->slow.size / sizeof(*slow);
    struct export_group group = {0};

    if (count == 0) {
        return;
    }
    qsort(slow, count, sizeof(*slow), by_key);
    for (size_t i = 0; i < count; i++) {
        group.key = slow[i].key;
        group.count++;
        group.total_ns = trace_add(group.total_ns, slow[i].duration_ns);
        group.longest_ns =
            slow[i].duration_ns > group.longest_ns ? slow[i].duration_ns : group.longest_ns;
        if (i + 1 == count || slow[i + 1].key != group.key) {
            mb_buf_put(&model->groups, &group, sizeof(group));
            group = (struct export_group){0};
        }
    }
    qsort(slow, count, sizeof(*slow), by_duration);
    struct export_group *groups = (void *)model->groups.bytes;
    size_t group_count = model->groups.size / sizeof(*groups);
    if (group_count > 0) {
        qsort(groups, group_count, sizeof(*groups), by_total);
    }
    model->report.slow = slow;
    model->report.slow_count = count;
    model->report.groups = groups;
    model->report.group_count = group_count;
}
