/* Whom a file comes from: the object "app" of issues and sessions, a section of traces, labels of
 * profiles. Its setting, app, is KEY=VALUE pairs separated by commas: "id=com.acme,version=5.2". */

#ifndef ABI_IDENTITY_H
#define ABI_IDENTITY_H

#include "base/error.h"
#include "base/json.h"

#include <stdatomic.h>

#define ABI_IDENTITY_NAME "app"
#define ABI_IDENTITY_SIZE 1024u /* of all pairs, with their end */
#define ABI_IDENTITY_VALUE 127u /* bytes of the longest value */
#define ABI_IDENTITY_KEYS                                               \
    "id, version, code, channel, build, r8, device, model, maker, os, " \
    "os_level, abi, cores, memory, class or like_this"
#define ABI_STRATUM_MOST 8u  /* keys that the program adds, as country or arm */
#define ABI_STRATUM_NAME 31u /* bytes of the longest */

/* Where a trace has its pairs: in the header's page, after the path of the method map. */
#define ABI_IDENTITY_OFFSET 12288u
struct abi_identity_area {
    _Atomic(uint32_t) size; /* release, after the pairs; 0: it does not say */
    char pairs[ABI_IDENTITY_SIZE - 4];
};

/* MB_BAD_USAGE, with the key in its reason, unless each pair has a known key or a stratum, once,
 * and a value of UTF-8 that people can read; code, cores and memory (in MB) are numbers. */
MB_MUST_CHECK enum mb_status abi_identity_check(struct mb_text pairs, struct mb_error *err);

/* Whether it may name a stratum: a small word that is neither a known key nor another member. */
bool abi_identity_is_stratum(struct mb_text name);

/* BEST, HIGH, MIDDLE, LOW or BAD, by bytes of memory, as Matrix grades devices. */
const char *abi_identity_class(uint64_t memory);

/* The next of checked pairs; false at the end. */
bool abi_identity_next(struct mb_text *pairs, struct mb_text *key, struct mb_text *value);

/* Empty if absent. */
struct mb_text abi_identity_find(struct mb_text pairs, const char *key);

/* Add a pair to the terminated pairs, unless the key is there, the value cannot be one, or the room
 * is too small. */
void abi_identity_add(char pairs[ABI_IDENTITY_SIZE], const char *key, const char *value);

/* Copy the checked pairs; of a program that told any, add what the system tells: os, os_level, abi,
 * cores, memory, class. Empty pairs stay empty. */
void abi_identity_complete(char pairs[ABI_IDENTITY_SIZE], struct mb_text told);

struct abi_tracefile; /* abi/tracefile.h */

/* Those of a trace, checked; empty if it does not say, or something else. */
struct mb_text abi_identity_of_trace(const struct abi_tracefile *trace);

/* Put the members of checked pairs. */
void abi_identity_put(struct mb_json *json, struct mb_text pairs);

#endif
