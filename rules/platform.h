/* The names that the JDK and Android give to what they may call of a program: the methods that can
 * be overridden in their open types (platform.txt, by platform.py). Stored as hashes: a few others
 * count as known too. */

#ifndef RULES_PLATFORM_H
#define RULES_PLATFORM_H

#include "base/text.h"

#include <stdint.h>

/* Made of platform.txt. Packages ascend. Of methods the low halves of 24 bits of their keys,
 * ascending in each group, and where the group of each next byte begins. */
extern const uint32_t rule_platform_packages[];
extern const size_t rule_platform_package_count;
extern const uint16_t rule_platform_keys[];
extern const uint32_t rule_platform_key_groups[257];

/* Of name and descriptor; the key is its upper half. */
uint64_t rule_method_hash(struct mb_text name, struct mb_text descriptor);
uint32_t rule_method_key(struct mb_text name, struct mb_text descriptor);

/* True if some type of the platform has a method with the key that can be overridden. */
bool rule_platform_knows(uint32_t key);

/* True if the type is in a package whose types are in the list. */
bool rule_platform_has(struct mb_text type);

#endif
