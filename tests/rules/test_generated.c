/* Classes that tools write: by their exact simple names. */

#include "rules/parts.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

struct name_case {
    const char *name;
    bool is_generated;
    bool is_descriptor;
};

static const struct name_case name_cases[] = {
    {"R", true, false},
    {"a/b/R", true, false},
    {"a/R$id", true, false},
    {"a/Manifest", true, false},
    {"a/Manifest$x", true, false},
    {"a/BuildConfig", true, false},
    {"a/BuildConfig$x", false, false},
    {"a/SABER", false, false},
    {"a/Rx", false, false},
    {"R/a", false, false},
    {"a/ManifestParser", false, false},
    {"a/xR", false, false},
    {"module-info", false, true},
    {"a/package-info", false, true},
    {"a/package-info2", false, false},
    {"", false, false},
    {"a/", false, false},
};

Test(generated, names_are_exact)
{
    for (size_t i = 0; i < MB_COUNT(name_cases); i++) {
        const struct name_case *c = &name_cases[i];
        struct rule_class cls = {.input = {.original_name = mb_text_of(c->name)}};
        struct rule_subject subject = {.cls = &cls};
        cr_expect(eq(int, rule_is_generated(&subject), c->is_generated), "%s", c->name);
        cr_expect(eq(int, rule_is_descriptor(&subject), c->is_descriptor), "%s", c->name);
    }
}
