/* What a user calls the methods of a program: a method map and, for obfuscated ones, the mapping
 * file of ProGuard or R8. */

#ifndef CLI_METHOD_NAMES_H
#define CLI_METHOD_NAMES_H

#include "abi/methodmap.h"
#include "export/export.h"

/* Zeroed memory knows no method and can be finished. */
struct cli_method_names {
    struct abi_methodmap map;
    struct mb_arena arena;
    struct mb_text *texts; /* of map.methods: "class.method", more for overloads */
};

/* mapping is a ProGuard or R8 file, or NULL. Finish also after failure. */
MB_MUST_CHECK enum mb_status cli_method_names_load(struct cli_method_names *names,
                                                   const char *map_path, const char *mapping,
                                                   struct mb_error *err);

/* Views of names. */
struct export_names cli_method_names_view(const struct cli_method_names *names);
void cli_method_names_finish(struct cli_method_names *names);

/* A copy in the arena in which control characters are '?'; empty without memory. */
struct mb_text cli_clean_text(struct mb_arena *arena, struct mb_text text);

#endif
