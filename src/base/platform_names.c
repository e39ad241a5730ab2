#include "base/platform_names.h"

#include "base/platform.h"

#include <string.h>

static bool is_numbered(struct mb_text stem, const char *device)
{
    struct mb_text letters = {stem.data, 3};

    return stem.size == 4 && stem.data[3] >= '1' && stem.data[3] <= '9' &&
           mb_text_equal_any_case(letters, mb_text_of(device));
}

/* CON, NUL, COM1 and others, in any case, and with any extension. */
static bool is_device(struct mb_text name)
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
           !is_device(name);
}

enum mb_status mb_name_check_path(const char *input, struct mb_text path, struct mb_error *err)
{
    struct mb_text rest = path;

    while (mb_path_has_devices && rest.size > 0) {
        struct mb_text part = mb_text_split(&rest, '/');
        if (!mb_name_is_portable(part)) {
            (void)mb_fail(err, MB_IO, MB_NO_OFFSET,
                          "Windows keeps the name '%.*s' for itself: write a jar", (int)part.size,
                          part.data);
            mb_error_in_entry(err, input, path.data, path.size);
            return MB_IO;
        }
    }
    return MB_OK;
}
