#include "rules/platform.h"

#define LOW_BITS 16

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "as platform.py takes words");

uint64_t rule_method_hash(struct mb_text name, struct mb_text descriptor)
{
    return mb_text_hash(name) ^ 3 * mb_text_hash(descriptor);
}

uint32_t rule_method_key(struct mb_text name, struct mb_text descriptor)
{
    return (uint32_t)(rule_method_hash(name, descriptor) >> 32);
}

bool rule_platform_knows(uint32_t key)
{
    uint8_t group = (uint8_t)(key >> LOW_BITS);
    uint16_t wanted = (uint16_t)key;
    size_t low = rule_platform_key_groups[group];
    size_t end = rule_platform_key_groups[group + 1];

    for (size_t high = end; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (rule_platform_keys[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && rule_platform_keys[low] == wanted;
}

bool rule_platform_has(struct mb_text type)
{
    size_t slash = mb_text_after_last(type, '/');
    struct mb_text package = {type.data, slash > 0 ? slash - 1 : 0};
    uint32_t hash = rule_method_key(package, (struct mb_text){NULL, 0});
    size_t low = 0;

    for (size_t high = rule_platform_package_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (rule_platform_packages[middle] < hash) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < rule_platform_package_count && rule_platform_packages[low] == hash;
}
