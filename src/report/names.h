/* What a user calls the methods of a program: a method map and, for obfuscated ones, the mapping
 * file of ProGuard or R8. */

#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include "abi/methodmap.h"
#include "export/export.h"

/* Zeroed memory knows no method and can be finished. */
struct report_names {
    struct abi_methodmap map;
    struct mb_arena arena;
    struct mb_text *texts;   /* of map.methods: "class.method", more for overloads */
    bool has_plain_messages; /* of a program that is no Android: not those of its Handler */
};

/* mapping is a ProGuard or R8 file, or NULL. Finish also after failure. */
MB_MUST_CHECK enum mb_status report_names_load(struct report_names *names, const char *map_path,
                                               const char *mapping, struct mb_error *err);

/* Views of names. */
struct export_names report_names_view(const struct report_names *names);
void report_names_finish(struct report_names *names);

#endif
