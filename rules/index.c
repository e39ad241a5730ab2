#include "rules/parts.h"

#include <stdlib.h>

/* Among equal keys the first in the files comes last, where chains start. */
static int compare_keys(const void *left, const void *right)
{
    const struct rule_pattern *a = *(struct rule_pattern *const *)left;
    const struct rule_pattern *b = *(struct rule_pattern *const *)right;
    int groups = mb_text_compare(a->group, b->group);
    int keys = groups != 0 ? groups : mb_text_compare(a->key, b->key);

    return keys != 0 ? keys : (a->order < b->order) - (a->order > b->order);
}

static bool may_follow(const struct rule_pattern *parent, const struct rule_pattern *pattern)
{
    return mb_text_equal(parent->group, pattern->group) &&
           mb_text_starts(pattern->key, parent->key);
}

/* A key that is a prefix of another sorts before it, with only longer keys with that prefix
 * between: so the candidates for a name are the last key not after it and that key's parents. */
void rule_index_sort(struct rule_index *index)
{
    struct rule_pattern *top = NULL;

    if (index->count > 0) {
        qsort(index->sorted, index->count, sizeof(struct rule_pattern *), compare_keys);
    }
    for (size_t i = 0; i < index->count; i++) {
        while (top != NULL && !may_follow(top, index->sorted[i])) {
            top = top->parent;
        }
        index->sorted[i]->parent = top;
        top = index->sorted[i];
    }
}

/* The number of rules whose group comes before this one or, if asked, up to it. */
static size_t count_groups(const struct rule_index *index, struct mb_text group, bool with_it)
{
    size_t low = 0;
    size_t high = index->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mb_text_compare(index->sorted[middle]->group, group) < (with_it ? 1 : 0)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct rule_index rule_index_group(const struct rule_index *index, struct mb_text group)
{
    if (index->count == 0) {
        return *index;
    }
    size_t first = count_groups(index, group, false);
    return (struct rule_index){index->sorted + first, count_groups(index, group, true) - first};
}

struct rule_pattern *rule_index_chain(const struct rule_index *index, struct mb_text name)
{
    size_t low = 0;
    size_t high = index->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mb_text_compare(index->sorted[middle]->key, name) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? index->sorted[low - 1] : NULL;
}
