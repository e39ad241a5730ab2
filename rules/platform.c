#include "rules/platform.h"

uint32_t rule_platform_find(struct mb_text name)
{
    uint32_t hash = rule_method_key(name, (struct mb_text){NULL, 0});
    size_t low = 0;

    for (size_t high = rule_platform_type_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (rule_platform_types[middle].name < hash) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < rule_platform_type_count && rule_platform_types[low].name == hash
               ? (uint32_t)low
               : RULE_NO_PLATFORM_TYPE;
}

bool rule_platform_declares(uint32_t row, uint32_t key)
{
    size_t low = rule_platform_types[row].methods;
    size_t end = rule_platform_types[row + 1].methods;

    for (size_t high = end; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (rule_platform_methods[middle] < (key & RULE_METHOD_BITS)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && rule_platform_methods[low] == (key & RULE_METHOD_BITS);
}
