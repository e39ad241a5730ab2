/* Original names of obfuscated classes and methods: mapping.txt of ProGuard and R8. */

#ifndef RULES_MAPPING_H
#define RULES_MAPPING_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

struct rule_mapping;

/* Read a mapping file. MB_BAD_TEXT with "path:line" for a malformed line. *names is NULL on
 * failure. Free with rule_mapping_destroy. Const afterwards: many threads may ask at once. */
MB_MUST_CHECK enum mb_status rule_mapping_load(struct rule_mapping **names, const char *path,
                                               struct mb_error *err);

/* The same over text in memory, which is borrowed and must outlive names; path is for messages. */
MB_MUST_CHECK enum mb_status rule_mapping_parse(struct rule_mapping **names, struct mb_text text,
                                                const char *path, struct mb_error *err);
void rule_mapping_destroy(struct rule_mapping *names);

/* The id that R8 gave to the mapping and to its build; empty if it does not say. Owned by names. */
struct mb_text rule_mapping_id(const struct rule_mapping *names);

/* True if a mapping that could be read is odd: fault, with path, says how. */
bool rule_mapping_has_fault(const struct rule_mapping *names, const char *path,
                            struct mb_error *fault);

/* Original internal name of a class; the argument itself if the mapping does not know it or names
 * is NULL. Owned by names otherwise. */
struct mb_text rule_mapping_class(const struct rule_mapping *names, struct mb_text obfuscated);

/* The methods of one obfuscated class, for the names of its methods. Owned by the arena. */
struct rule_class_names;

/* *methods is NULL if names is NULL; a class missing in the mapping has no methods, but descriptors
 * are still translated. Fails only without memory. */
MB_MUST_CHECK enum mb_status rule_mapping_open(const struct rule_mapping *names,
                                               struct mb_text obfuscated_class,
                                               struct mb_arena *arena,
                                               const struct rule_class_names **methods,
                                               struct mb_error *err);

/* Where a method comes from. */
struct rule_original {
    struct mb_text class_name; /* internal form; not the class asked for if R8 moved the method */
    struct mb_text name;
    struct mb_text descriptor;
};

/* Unknown names stay as they are, so the arguments are returned if methods is NULL. Descriptors
 * distinguish overloads. New texts are owned by the arena given to rule_mapping_open, so one thread
 * at a time. Fails only without memory. */
MB_MUST_CHECK enum mb_status rule_mapping_method(const struct rule_class_names *methods,
                                                 const struct rule_original *obfuscated,
                                                 struct rule_original *original,
                                                 struct mb_error *err);

/* The frame before one, if it is of an outline: code that R8 took out of several methods. Zeroed at
 * the start of a stack. */
struct rule_outline {
    bool is_inside;
    uint64_t line; /* in the outline */
};

/* Append what a frame of a stack, "a.b.m" or "a.b.m(SourceFile:12)", was before the program was
 * shrunk, each line with its end: "com.acme.Main.run:57", after lines of their own for what was
 * inlined there, innermost first; nothing for a frame that R8 made. Where several are possible all
 * are named: "com.acme.Main.run:57 or stop:60", of many the first, and how many there are more.
 * Frames of classes that it does not know stay as they are. outline is NULL for a frame alone. */
void rule_mapping_put_frame(struct mb_buf *out, const struct rule_mapping *names,
                            struct mb_text text, struct rule_outline *outline);

#endif
