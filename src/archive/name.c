#include "archive/archive.h"

#include <string.h>

static bool is_drive(struct mb_text name)
{
    return name.size >= 2 && name.data[1] == ':';
}

bool ar_name_is_safe(struct mb_text name)
{
    if (name.size == 0 || is_drive(name) || memchr(name.data, '\\', name.size) != NULL ||
        memchr(name.data, '\0', name.size) != NULL) {
        return false;
    }
    struct mb_text rest = name;
    while (rest.size > 0) {
        struct mb_text part = mb_text_split(&rest, '/');
        if (part.size == 0 || mb_text_is(part, ".") || mb_text_is(part, "..")) {
            return false;
        }
    }
    return name.data[name.size - 1] != '/';
}
