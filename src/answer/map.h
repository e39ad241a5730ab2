/* What a user calls the methods of a program: a method map, the names that the trace has itself
 * and, for obfuscated ones, the mapping file of ProGuard or R8. */

#ifndef ANSWER_MAP_H
#define ANSWER_MAP_H

#include "abi/methodmap.h"
#include "answer/facts.h"
#include "rules/builds.h"
#include "rules/mapping.h"

/* Where a user says that method maps are; NULL: nothing is said. Borrowed. */
struct answer_map_place {
    const char *file;
    const char *folders; /* to be searched, separated by colons */
};

/* Zeroed memory knows no method and can be finished. */
struct answer_map {
    struct abi_methodmap map;
    struct abi_methodmap own; /* what the trace has; also in map, but for the joined */
    struct mb_buf joins;      /* struct answer_join, ascending */
    struct mb_arena arena;
    struct mb_text *texts;   /* of map.methods: "class.method", more for overloads */
    bool has_plain_messages; /* of a program that is no Android: not those of its Handler */
};

/* A method that stacks of Java name, without its types, and the one of the map that it is. */
struct answer_join {
    uint32_t from;
    uint32_t to;
};

/* All borrowed. */
struct answer_map_source {
    const char *map_path;        /* NULL if none */
    bool is_found;               /* by answer_find_map, which read it into map.text */
    struct mb_text own;          /* lines of the trace; may be none */
    const char *own_path;        /* of the trace, for messages */
    struct rule_builds *mapping; /* of ProGuard or R8, or NULL */
    struct mb_text r8;           /* the id of the program's build; may be empty */
};

/* Finish also after failure. */
MB_MUST_CHECK enum mb_status answer_map_open(struct answer_map *names,
                                             const struct answer_map_source *source,
                                             struct mb_error *err);

/* Of a map alone. Finish also after failure. */
MB_MUST_CHECK enum mb_status answer_map_load(struct answer_map *names, const char *map_path,
                                             struct rule_builds *mapping, struct mb_error *err);

/* The id that the map has for a method of the trace's own; else that id. */
uint32_t answer_map_joined(const struct answer_map *names, uint32_t id);

/* Views of names. */
struct answer_names answer_map_names(const struct answer_map *names);
void answer_map_finish(struct answer_map *names);

/* ---- Methods that stacks of Java name without their types, beside those of the map ---- */

/* Add the trace's own methods to the map. One without types is the map's method of that name, if
 * one has it, and a join. originals may be NULL. */
MB_MUST_CHECK enum mb_status answer_join_own(struct answer_map *names,
                                             const struct rule_mapping *originals,
                                             struct mb_error *err);

/* Append "class.method" as it was before the program was shrunk; "class.method or another" where
 * that is not sure. */
void answer_join_put_frame(struct mb_buf *out, const struct abi_method *method,
                           const struct rule_mapping *originals);

#endif
