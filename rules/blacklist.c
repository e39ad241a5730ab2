#include "rules/parts.h"

#include <stdlib.h>

/* Of equal literals the first in the files comes last, which is where chains start. */
static int compare_literals(const void *left, const void *right)
{
    const struct rule_pattern *const *a = left;
    const struct rule_pattern *const *b = right;

    int order = mb_text_compare((*a)->literal, (*b)->literal);

    return order != 0 ? order : ((*a)->order < (*b)->order) - ((*a)->order > (*b)->order);
}

/* A literal that starts another sorts before it, with nothing but longer ones of its kind between:
 * so the candidates for a name are the last literal not behind it and that one's parents. */
static void link_parents(struct rule_pattern **sorted, size_t count)
{
    struct rule_pattern *top = NULL;

    for (size_t i = 0; i < count; i++) {
        while (top != NULL && !mb_text_starts(sorted[i]->literal, top->literal)) {
            top = top->parent;
        }
        sorted[i]->parent = top;
        top = sorted[i];
    }
}

enum mb_status rule_blacklist_index(struct rule_blacklist *blacklist, struct mb_arena *arena,
                                    struct mb_error *err)
{
    size_t count = 0;

    if (blacklist->count == 0) {
        return MB_OK;
    }
    blacklist->sorted = MB_NEW_ARRAY(arena, struct rule_pattern *, blacklist->count);
    if (blacklist->sorted == NULL) {
        return mb_fail_memory(err);
    }
    for (struct rule_pattern *pattern = blacklist->first; pattern != NULL;
         pattern = pattern->next) {
        blacklist->sorted[count++] = pattern;
    }
    qsort(blacklist->sorted, count, sizeof(struct rule_pattern *), compare_literals);
    link_parents(blacklist->sorted, count);
    return MB_OK;
}

struct rule_pattern *rule_blacklist_chain(const struct rule_blacklist *blacklist,
                                          struct mb_text class_name)
{
    size_t low = 0;
    size_t high = blacklist->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mb_text_compare(blacklist->sorted[middle]->literal, class_name) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 ? blacklist->sorted[low - 1] : NULL;
}

/* Threads that all find the mark set need not fight for its cache line. Relaxed both: it is read
 * for good once the threads have been joined. */
static void mark_used(struct rule_pattern *pattern)
{
    if (!atomic_load_explicit(&pattern->is_used, memory_order_relaxed)) {
        atomic_store_explicit(&pattern->is_used, true, memory_order_relaxed);
    }
}

void rule_blacklist_match_class(const struct rule_blacklist *blacklist, struct rule_class *cls)
{
    struct mb_text name = cls->input.original_name;
    bool is_allowed = false;

    cls->chain = rule_blacklist_chain(blacklist, name);
    for (struct rule_pattern *pattern = cls->chain; pattern != NULL; pattern = pattern->parent) {
        if (!rule_pattern_matches_class(pattern, name)) {
            continue;
        }
        if (pattern->target == RULE_TARGET_METHOD) {
            cls->has_method_rules = true; /* used once a method matches too */
            continue;
        }
        mark_used(pattern);
        is_allowed |= pattern->allows;
        if (cls->blocks == NULL && !pattern->allows) {
            cls->blocks = pattern;
        }
    }
    if (is_allowed) {
        cls->blocks = NULL;
    }
}

const struct rule_pattern *rule_blacklist_match_method(const struct rule_class *cls,
                                                       const struct rule_method_input *method,
                                                       bool allows)
{
    const struct rule_pattern *match = NULL;

    if (!cls->has_method_rules) {
        return NULL;
    }
    for (struct rule_pattern *pattern = cls->chain; pattern != NULL; pattern = pattern->parent) {
        if (pattern->target == RULE_TARGET_METHOD && pattern->allows == allows &&
            rule_pattern_matches_class(pattern, cls->input.original_name) &&
            rule_pattern_matches_method(pattern, method->name, method->descriptor)) {
            mark_used(pattern);
            match = match == NULL ? pattern : match;
        }
    }
    return match;
}
