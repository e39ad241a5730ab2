/* What one input tells the numbering of a build (methodbeat collect): its traced methods by hash,
 * its supertypes, what its classes call or refer to, and what could make them Activities. No path,
 * no time, no id: equal classes give equal bytes, so that a build cache can keep them.
 *
 * - file: seal, count:u4, classes, methods; integers after the seal are big-endian
 * - class: name, super name, flags:u1, names of interfaces, keys (u4) of calls, methods:u2
 * - several of one kind: count:u2, items
 * - name: size:u2, bytes as in class files
 * - method: hash:u6 (plan_hash_name_of); class by class, ascending
 */

#ifndef INSTRUMENT_PLAN_NAMES_H
#define INSTRUMENT_PLAN_NAMES_H

#include "instrument/plan/source.h"

/* --- who a method is, in every build of machines of one byte order --- */

/* Name and descriptor: rule_method_key, 14 more bits, and two that are 0. */
uint64_t plan_hash_name(struct mb_text name, struct mb_text descriptor);

/* The same of a traced method; the two bits say that its class itself makes it a boundary, and that
 * it is direct. */
uint64_t plan_hash_name_of(const struct mb_intern *names, const struct plan_class *cls,
                           const struct plan_method *method);

/* Of a class in internal form and the hash of a name; the lowest bit: the method is direct. */
uint64_t plan_hash_method(struct mb_text cls, uint64_t name);

/* The same by mb_text_hash of the class. */
uint64_t plan_hash_method_in(uint64_t cls, uint64_t name);

/* True if the method is direct: no subtype inherits it. */
bool plan_is_direct(const struct mb_intern *names, const struct plan_class *cls,
                    const struct plan_method *method);

/* --- files under a checksum --- */

struct plan_seal {
    char kind[16];
    uint64_t hash;    /* of all bytes after it (mb_text_checksum) */
    uint64_t options; /* which files that go together share */
};

/* Fill in the seal, all zeroes, that out begins with, once everything after it is complete. kind
 * is the name by which readers know the command that wrote it. */
void plan_seal(struct mb_buf *out, const char *kind, uint64_t options);

/* Take the seal off. options that are not 0 must be those of the file. MB_BAD_TEXT, MB_BAD_USAGE:
 * another kind, damage, or other options. */
MB_MUST_CHECK enum mb_status plan_seal_open(struct mb_text *file, const char *kind,
                                            const char *path, uint64_t *options,
                                            struct mb_error *err);
MB_MUST_CHECK enum mb_status plan_fail_damaged(const char *path, struct mb_error *err);

/* --- the file of names --- */

/* Append the file to out, which is empty; classes are all that are readable, in canonical order. */
MB_MUST_CHECK enum mb_status plan_names_put(struct mb_buf *out, const struct mb_intern *names,
                                            struct plan_class *const *classes, size_t count,
                                            uint64_t options, struct mb_error *err);

/* Add a source without archive, for which there is room, with classes that have keys (model.h): of
 * their methods only the traced ones, as hashes. As plan_seal_open. */
MB_MUST_CHECK enum mb_status plan_names_parse(struct plan_sources *sources, struct mb_intern *names,
                                              struct mb_text file, const char *path,
                                              uint64_t *options, struct mb_error *err);

#endif
