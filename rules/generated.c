/* Classes that tools generate and that hardly run: constants of resources and builds, and
 * descriptions of modules and packages. And methods that tools of coverage add to each class. */

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

/* Of JaCoCo, Kover, Cobertura and EMMA. */
static bool is_of_coverage(struct mb_text name)
{
    return mb_text_is(name, "$jacocoInit") || mb_text_is(name, "$VRi") ||
           mb_text_starts(name, MB_TEXT("__cobertura_")) ||
           (mb_text_starts(name, MB_TEXT("__$")) && mb_text_ends(name, MB_TEXT("$__")));
}

bool rule_is_added(struct rule_subject *subject)
{
    return is_of_coverage(subject->method->name);
}

uint32_t rule_added_size(const struct cf_pool *pool, const struct cf_code *code)
{
    struct cf_ref ref;
    bool is_call = code->size > 3 && code->bytes[0] == CF_OP_INVOKESTATIC;

    return is_call && cf_pool_ref(pool, (uint16_t)(code->bytes[1] << 8 | code->bytes[2]), &ref) &&
                   is_of_coverage(ref.name)
               ? 3
               : 0;
}

bool rule_is_descriptor(struct rule_subject *subject)
{
    struct mb_text name = simple_name(subject);

    return mb_text_is(name, "module-info") || mb_text_is(name, "package-info");
}
