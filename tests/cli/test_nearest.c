#include "cli/nearest.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static const char *nearest_of(const char *word)
{
    static const char *const names[] = {"output",  "output-jar", "format", "force", "method-map",
                                        "mapping", "map-path",   "top",    "quiet"};
    struct cli_nearest nearest = {.word = word};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cli_nearest_offer(&nearest, names[i]);
    }
    return nearest.best != NULL ? nearest.best : "";
}

Test(nearest, is_what_was_mistyped)
{
    cr_expect_str_eq(nearest_of("fromat"), "format");
    cr_expect_str_eq(nearest_of("ouptut"), "output");
    cr_expect_str_eq(nearest_of("outputjar"), "output-jar");
    cr_expect_str_eq(nearest_of("methodmap"), "method-map");
    cr_expect_str_eq(nearest_of("tpo"), "top");
    cr_expect_str_eq(nearest_of("maping"), "mapping");
    cr_expect_str_eq(nearest_of("quite"), "quiet");
}

Test(nearest, is_what_the_word_begins)
{
    cr_expect_str_eq(nearest_of("output-"), "output-jar");
    cr_expect_str_eq(nearest_of("ma"), "mapping");
    cr_expect_str_eq(nearest_of("f"), "format");
}

Test(nearest, is_nothing_if_all_is_far)
{
    char endless[4096];

    memset(endless, 'o', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    cr_expect_str_eq(nearest_of("verbose"), "");
    cr_expect_str_eq(nearest_of("xy"), "");
    cr_expect_str_eq(nearest_of(""), "");
    cr_expect_str_eq(nearest_of(endless), "");
}
