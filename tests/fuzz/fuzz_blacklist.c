/* Any text is a blacklist or is refused with its line; and the index finds for a class what a scan
 * over all rules finds. The first line is the class. */

#include "fuzz.h"
#include "rules/parts.h"

#include <string.h>

static void compare(const struct rule_blacklist *blacklist, struct mb_text name)
{
    size_t expected = 0;
    size_t found = 0;

    for (const struct rule_pattern *p = blacklist->first; p != NULL; p = p->next) {
        expected += rule_pattern_matches_class(p, name);
    }
    for (const struct rule_pattern *p = rule_blacklist_chain(blacklist, name); p != NULL;
         p = p->parent) {
        found += rule_pattern_matches_class(p, name);
    }
    PROMISE(found == expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mb_text text = {(const char *)data, size};
    struct mb_text name = mb_text_split(&text, '\n');
    struct rule_blacklist blacklist = {.is_matrix = size % 2 == 1};
    struct mb_arena arena = {0};
    struct mb_error err = {0};
    enum mb_status status = rule_blacklist_parse(&blacklist, &arena, text, "b", &err);

    PROMISE(status == MB_OK || status == MB_BAD_TEXT);
    PROMISE(status == MB_OK || strncmp(err.input, "b:", 2) == 0);
    if (status == MB_OK) {
        PROMISE(rule_blacklist_index(&blacklist, &arena, &err) == MB_OK);
        compare(&blacklist, name);
    }
    mb_arena_finish(&arena);
    return 0;
}
