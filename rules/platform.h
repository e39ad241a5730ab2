/* The types of the JDK and of Android that programs may extend, as platform.py has found them: what
 * code without probes may call of a class that extends one. Hashes: a type that is new since, and
 * has the hash of another, counts as that. */

#ifndef RULES_PLATFORM_H
#define RULES_PLATFORM_H

#include "base/text.h"

#include <stdint.h>

#define RULE_NO_PLATFORM_TYPE UINT32_MAX

/* A row: where its lists begin; they end where those of the next row do. */
struct rule_platform_type {
    uint32_t name; /* hash; rows ascend by it */
    uint32_t supers;
    uint32_t methods;
};

/* Made of platform.txt. */
extern const struct rule_platform_type rule_platform_types[];
extern const size_t rule_platform_type_count;
extern const uint16_t rule_platform_supers[];  /* rows */
extern const uint32_t rule_platform_methods[]; /* 24 bits of their keys, ascending in each row */

/* FNV-1a of name and descriptor. */
uint32_t rule_method_key(struct mb_text name, struct mb_text descriptor);

/* The type's row, or RULE_NO_PLATFORM_TYPE. */
uint32_t rule_platform_find(struct mb_text name);

/* Whether a method with the key can be overridden in subtypes of the row's type, and in none of its
 * supertypes that are listed. */
bool rule_platform_declares(uint32_t row, uint32_t key);

#endif
