#include "base/platform_names.h"

#include <string.h>

static bool is_numbered(struct mb_text stem, const char *device)
{
    struct mb_text letters = {stem.data, 3};

    return stem.size == 4 && stem.data[3] >= '1' && stem.data[3] <= '9' &&
           mb_text_equal_any_case(letters, mb_text_of(device));
}

bool mb_name_is_device(struct mb_text name)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul", "conin$", "conout$"};
    struct mb_text rest = name;
    struct mb_text stem = mb_text_trim(mb_text_split(&rest, '.'));

    for (size_t i = 0; i < MB_COUNT(devices); i++) {
        if (mb_text_equal_any_case(stem, mb_text_of(devices[i]))) {
            return true;
        }
    }
    return is_numbered(stem, "com") || is_numbered(stem, "lpt");
}

static bool is_kept(char c)
{
    return (unsigned char)c < ' ' || strchr("<>:\"/\\|?*", c) != NULL;
}

bool mb_name_is_portable(struct mb_text name)
{
    for (struct mb_text rest = name; rest.size > 0;) {
        size_t size = mb_text_utf8(rest);
        if (size == 0 || (size == 1 && is_kept(rest.data[0]))) {
            return false;
        }
        rest = mb_text_from(rest, size);
    }
    return name.size > 0 && name.data[name.size - 1] != '.' && name.data[name.size - 1] != ' ' &&
           !mb_name_is_device(name);
}
