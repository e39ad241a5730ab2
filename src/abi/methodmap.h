/* The method map: which id is which method. The grammar of methodMapping.txt is here and nowhere
 * else; the lines of ignoreMethodMapping.txt are its method without id and access.
 *
 *   file    = { ( method | comment | nothing ) end-of-line }
 *   method  = id "," access "," class " " name [ " " descriptor ]
 *   comment = "#" anything
 *
 * UTF-8. id and access (the flags of JVMS table 4.6-A) are decimal. Dots stand for slashes, in
 * descriptors too. A name before a descriptor may hold spaces; elsewhere "\s" stands for a space,
 * "\\" for a backslash, "\(" for the parenthesis that a name without descriptor begins with. Native
 * methods have no descriptor in the matrix profile. The last line is that of the message,
 * ABI_MESSAGE_ID. We write LF and sort by id; we read any line ends, a byte order mark and any
 * order. */

#ifndef ABI_METHODMAP_H
#define ABI_METHODMAP_H

#include "abi/names.h"
#include "base/arena.h"
#include "base/text.h"

#include <stdint.h>

/* File names unless options give others. */
#define ABI_METHODMAP_NAME "methodMapping.txt"
#define ABI_IGNOREMAP_NAME "ignoreMethodMapping.txt"

struct abi_method {
    uint32_t id;
    uint32_t access;
    struct mb_text class_name;
    struct mb_text name;
    struct mb_text descriptor; /* empty: none given */
};

/* Zeroed memory is an empty map. methods ascend by id, each id once; texts view `text`. */
struct abi_methodmap {
    struct abi_method *methods;
    size_t count;
    struct mb_buf text; /* the file as it is */
    struct mb_arena arena;
};

/* Read a whole file; the message is added if its line is missing. MB_BAD_TEXT, as "path:line": a
 * line that is not a method, an id out of range or given to two methods. Finish also after failure.
 */
MB_MUST_CHECK enum mb_status abi_methodmap_load(struct abi_methodmap *map, const char *path,
                                                struct mb_error *err);

/* The same over text in memory, which is borrowed; path is for messages. */
MB_MUST_CHECK enum mb_status abi_methodmap_parse(struct abi_methodmap *map, struct mb_text text,
                                                 const char *path, struct mb_error *err);

/* Add methods, whose texts are borrowed, in any order. Those whose ids the map has already must be
 * the same methods. */
MB_MUST_CHECK enum mb_status abi_methodmap_add(struct abi_methodmap *map,
                                               const struct abi_method *methods, size_t count,
                                               struct mb_error *err);

/* NULL if no method has the id. */
const struct abi_method *abi_methodmap_find(const struct abi_methodmap *map, uint32_t id);

void abi_methodmap_finish(struct abi_methodmap *map);

/* Append "class name descriptor", without a line end. The method's texts may come from class files:
 * slashes become dots, modified UTF-8 becomes UTF-8, control characters and halves of surrogate
 * pairs become '?'. */
void abi_methodmap_put_name(struct mb_buf *out, const struct abi_method *method);

/* Append a whole line. */
void abi_methodmap_put_line(struct mb_buf *out, const struct abi_method *method);

/* Append the line that ends every map. */
void abi_methodmap_put_message(struct mb_buf *out);

#endif
