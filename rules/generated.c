/* Classes that tools generate and that hardly run: constants of resources and builds, and
 * descriptions of modules and packages. */

#include "rules/parts.h"

static struct mb_text simple_name(const struct rule_subject *subject)
{
    struct mb_text name = subject->cls->input.original_name;
    size_t start = name.size;

    while (start > 0 && name.data[start - 1] != '/') {
        start--;
    }
    return (struct mb_text){name.data + start, name.size - start};
}

bool rule_is_generated(struct rule_subject *subject)
{
    struct mb_text name = simple_name(subject);

    return mb_text_is(name, "R") || mb_text_is(name, "BuildConfig") ||
           mb_text_is(name, "Manifest") || mb_text_starts(name, MB_TEXT("R$")) ||
           mb_text_starts(name, MB_TEXT("Manifest$"));
}

bool rule_is_descriptor(struct rule_subject *subject)
{
    struct mb_text name = simple_name(subject);

    return mb_text_is(name, "module-info") || mb_text_is(name, "package-info");
}
