/* The types of the JDK and of Android that programs may extend, as found by platform.py: the
 * methods of a subclass that code without probes may call. Stored as hashes: a newer type whose
 * hash equals that of another counts as that type. */

#ifndef RULES_PLATFORM_H
#define RULES_PLATFORM_H

#include "base/text.h"

#include <stdint.h>

#define RULE_NO_PLATFORM_TYPE UINT32_MAX
#define RULE_METHOD_BITS UINT32_C(0xffffff) /* of a key that the platform's methods have */

/* A row: the beginnings of its lists, which end where those of the next row begin. */
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

/* Of all types, for who knows no supertypes: the low halves of the methods' keys, ascending in each
 * group, and where the group of each next byte begins. */
extern const uint16_t rule_platform_keys[];
extern const uint32_t rule_platform_key_groups[257];

/* FNV-1a of name and descriptor. */
uint32_t rule_method_key(struct mb_text name, struct mb_text descriptor);

/* The type's row, or RULE_NO_PLATFORM_TYPE. */
uint32_t rule_platform_find(struct mb_text name);

/* True if a method with the key can be overridden in subtypes of any type. */
bool rule_platform_knows(uint32_t key);

/* True if a method with the key can be overridden in subtypes of the row's type, but in none of its
 * listed supertypes. */
bool rule_platform_declares(uint32_t row, uint32_t key);

#endif
