/* The mapping files of one or of several builds of a program: which is that of a stack. R8 writes
 * the same id at the start of a mapping, for the source of each frame, and for "r8" of an app. */

#ifndef RULES_BUILDS_H
#define RULES_BUILDS_H

#include "base/strmap.h"
#include "base/vec.h"
#include "rules/mapping.h"

struct rule_build;

/* Zeroed memory with a path is ready, and without one names stay. path is a file, or a folder in
 * which mappings are found by what they contain, borrowed. One thread at a time. */
struct rule_builds {
    const char *path;
    MB_VEC(struct rule_build *) all;
    struct mb_strmap asked; /* id -> struct rule_build */
    struct mb_arena arena;
    MB_VEC(struct mb_error) faults;
    uint64_t lost; /* frames and maps that keep their names, as their mapping is not there */
};

/* Read the file or, of a folder, the starts of all; the second time does nothing. Fails as
 * rule_mapping_load does, and for a folder without mappings. builds may be NULL. */
MB_MUST_CHECK enum mb_status rule_builds_open(struct rule_builds *builds, struct mb_error *err);

/* The mapping of the build with that id, whole or at least 7 characters of it; an empty id, or a
 * mapping without one, fits where there is only one mapping. NULL if names stay as they are. */
const struct rule_mapping *rule_builds_find(struct rule_builds *builds, struct mb_text id);

/* rule_mapping_put_frame by the mapping of the build that the frame names, else of the one with
 * that id. A frame stays without one. */
void rule_builds_put_frame(struct mb_buf *out, struct rule_builds *builds, struct mb_text id,
                           struct mb_text frame, struct rule_outline *outline);

/* What was asked for and is not there, and what is odd about the mappings: each once. */
const struct mb_error *rule_builds_faults(const struct rule_builds *builds, size_t *count);
void rule_builds_finish(struct rule_builds *builds);

#endif
