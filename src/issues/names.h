/* Names of the methods in issues, from the method maps that their issues name. */

#ifndef ISSUES_NAMES_H
#define ISSUES_NAMES_H

#include "answer/issue.h"
#include "answer/map.h"
#include "base/error.h"
#include "base/text.h"

/* Where maps are to be had. All borrowed. */
struct issues_map_source {
    struct answer_map_place map; /* no file: to be found */
    struct rule_builds *mapping; /* of ProGuard or R8, or NULL */
    const char *const *paths;    /* inputs, beside which maps are looked for; NULL ends them */
};

struct issues_names;

/* NULL and an error if the map that is named cannot be read. Free with issues_names_destroy, which
 * accepts NULL. */
struct issues_names *issues_names_create(const struct issues_map_source *source,
                                         struct mb_error *err);
void issues_names_destroy(struct issues_names *names);

/* The name of a method in the program with the map of that hash (0 if unknown), and of that build;
 * empty if there is none. Stays until destroy. */
struct mb_text issues_name(struct issues_names *names, const struct answer_when *when, uint64_t id);

/* Hashes of maps that were asked for and are not there, from 0; false after the last. */
uint64_t issues_names_lost(const struct issues_names *names); /* names that they would have */
bool issues_names_missing(const struct issues_names *names, size_t number, uint64_t *mapping);

#endif
