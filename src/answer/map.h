/* What a user calls the methods of a program: a method map and, for obfuscated ones, the mapping
 * file of ProGuard or R8. */

#ifndef ANSWER_MAP_H
#define ANSWER_MAP_H

#include "abi/methodmap.h"
#include "answer/facts.h"

/* Zeroed memory knows no method and can be finished. */
struct answer_map {
    struct abi_methodmap map;
    struct mb_arena arena;
    struct mb_text *texts;   /* of map.methods: "class.method", more for overloads */
    bool has_plain_messages; /* of a program that is no Android: not those of its Handler */
};

/* mapping is a ProGuard or R8 file, or NULL. Finish also after failure. */
MB_MUST_CHECK enum mb_status answer_map_load(struct answer_map *names, const char *map_path,
                                             const char *mapping, struct mb_error *err);

/* The same of a map's text in memory, which is borrowed; path is for messages. */
MB_MUST_CHECK enum mb_status answer_map_parse(struct answer_map *names, struct mb_text text,
                                              const char *path, const char *mapping,
                                              struct mb_error *err);

/* Views of names. */
struct answer_names answer_map_names(const struct answer_map *names);
void answer_map_finish(struct answer_map *names);

#endif
