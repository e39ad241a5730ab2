#include "rules/parts.h"

/* The index and the key of a rule. */
static enum rule_index_kind file_pattern(struct rule_pattern *pattern)
{
    pattern->key = pattern->scope.literal;
    if (pattern->target != RULE_TARGET_METHOD) {
        return RULE_INDEX_CLASSES;
    }
    if (pattern->scope.wild.size > 0 && pattern->name.literal.size == 0) {
        return RULE_INDEX_METHOD_CLASSES;
    }
    pattern->key = pattern->name.literal;
    if (pattern->scope.wild.size > 0) {
        return RULE_INDEX_METHOD_NAMES;
    }
    pattern->group = pattern->scope.literal;
    return RULE_INDEX_METHODS;
}

enum mb_status rule_blacklist_index(struct rule_blacklist *blacklist, struct mb_arena *arena,
                                    struct mb_error *err)
{
    size_t counts[RULE_INDEX_KINDS] = {0};

    for (struct rule_pattern *p = blacklist->first; p != NULL; p = p->next) {
        counts[file_pattern(p)]++;
    }
    for (size_t kind = 0; kind < RULE_INDEX_KINDS; kind++) {
        struct rule_index *index = &blacklist->indexes[kind];
        index->sorted = MB_NEW_ARRAY(arena, struct rule_pattern *, counts[kind]);
        if (index->sorted == NULL) {
            return mb_fail_memory(err);
        }
    }
    for (struct rule_pattern *p = blacklist->first; p != NULL; p = p->next) {
        struct rule_index *index = &blacklist->indexes[file_pattern(p)];
        index->sorted[index->count++] = p;
    }
    for (size_t kind = 0; kind < RULE_INDEX_KINDS; kind++) {
        rule_index_sort(&blacklist->indexes[kind]);
    }
    return MB_OK;
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
    struct rule_pattern *pattern = rule_index_chain(&blacklist->indexes[RULE_INDEX_CLASSES], name);
    bool is_allowed = false;

    for (; pattern != NULL; pattern = pattern->parent) {
        if (!rule_pattern_matches_class(pattern, name)) {
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
    struct rule_index own = rule_index_group(&blacklist->indexes[RULE_INDEX_METHODS], name);
    cls->own_methods = own.sorted;
    cls->own_method_count = own.count;
    cls->any_methods = rule_index_chain(&blacklist->indexes[RULE_INDEX_METHOD_CLASSES], name);
    cls->has_method_rules = own.count > 0 || cls->any_methods != NULL ||
                            blacklist->indexes[RULE_INDEX_METHOD_NAMES].count > 0;
}

/* A method being looked for among rules. */
struct search {
    const struct rule_class *cls;
    const struct rule_method_input *method;
    bool allows;
    const struct rule_pattern *match; /* so far */
};

static bool goes_before(const struct rule_pattern *a, const struct rule_pattern *b)
{
    return a->scope.literal.size != b->scope.literal.size
               ? a->scope.literal.size > b->scope.literal.size
               : a->order < b->order;
}

static void search_chain(struct search *search, struct rule_pattern *pattern)
{
    for (; pattern != NULL; pattern = pattern->parent) {
        if (pattern->allows == search->allows &&
            rule_pattern_matches_class(pattern, search->cls->input.original_name) &&
            rule_pattern_matches_method(pattern, search->method->name,
                                        search->method->descriptor)) {
            mark_used(pattern);
            if (search->match == NULL || goes_before(pattern, search->match)) {
                search->match = pattern;
            }
        }
    }
}

const struct rule_pattern *rule_blacklist_match_method(const struct rule_blacklist *blacklist,
                                                       const struct rule_class *cls,
                                                       const struct rule_method_input *method,
                                                       bool allows)
{
    const struct rule_index *names = &blacklist->indexes[RULE_INDEX_METHOD_NAMES];
    struct rule_index own = {cls->own_methods, cls->own_method_count};
    struct search search = {.cls = cls, .method = method, .allows = allows};

    if (!cls->has_method_rules) {
        return NULL;
    }
    search_chain(&search, rule_index_chain(&own, method->name));
    search_chain(&search, rule_index_chain(names, method->name));
    search_chain(&search, cls->any_methods);
    return search.match;
}
