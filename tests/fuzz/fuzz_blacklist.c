/* Any text is a blacklist or is refused with its line; and the indexes find for a class and a
 * method what a scan over all rules finds. The first line is the class and, behind a space, the
 * method. */

#include "fuzz.h"
#include "rules/parts.h"

#include <string.h>

static void compare_classes(const struct rule_blacklist *blacklist, struct mb_text name)
{
    size_t expected = 0;
    size_t found = 0;

    for (const struct rule_pattern *p = blacklist->first; p != NULL; p = p->next) {
        expected += p->target != RULE_TARGET_METHOD && rule_pattern_matches_class(p, name);
    }
    for (const struct rule_pattern *p =
             rule_index_chain(&blacklist->indexes[RULE_INDEX_CLASSES], name);
         p != NULL; p = p->parent) {
        found += rule_pattern_matches_class(p, name);
    }
    PROMISE(found == expected);
}

static void compare_methods(const struct rule_blacklist *blacklist, struct mb_text class_name,
                            struct mb_text name)
{
    struct rule_class cls = {.input = {.original_name = class_name}};
    struct rule_method_input method = {.name = name, .descriptor = MB_TEXT("()V")};

    rule_blacklist_match_class(blacklist, &cls);
    (void)rule_blacklist_match_method(blacklist, &cls, &method, false);
    (void)rule_blacklist_match_method(blacklist, &cls, &method, true);
    for (const struct rule_pattern *p = blacklist->first; p != NULL; p = p->next) {
        if (p->target == RULE_TARGET_METHOD) {
            PROMISE(p->is_used == (rule_pattern_matches_class(p, class_name) &&
                                   rule_pattern_matches_method(p, name, method.descriptor)));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mb_text text = {(const char *)data, size};
    struct mb_text name = mb_text_split(&text, '\n');
    struct mb_text class_name = mb_text_split(&name, ' ');
    struct rule_blacklist blacklist = {.is_matrix = size % 2 == 1};
    struct mb_arena arena = {0};
    struct mb_error err = {0};
    enum mb_status status = rule_blacklist_parse(&blacklist, &arena, text, "b", &err);

    PROMISE(status == MB_OK || status == MB_BAD_TEXT);
    PROMISE(status == MB_OK || strncmp(err.input, "b:", 2) == 0);
    if (status == MB_OK) {
        PROMISE(rule_blacklist_index(&blacklist, &arena, &err) == MB_OK);
        compare_classes(&blacklist, class_name);
        compare_methods(&blacklist, class_name, name);
    }
    mb_arena_finish(&arena);
    return 0;
}
