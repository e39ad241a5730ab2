#include "formats/format.h"

#include <string.h>

static const struct format *const formats[] = {
#define FORMAT(name, ...) &format_##name,
#define FORMAT_MISSING(name, reason)
#include "formats/formats.def"
#undef FORMAT_MISSING
#undef FORMAT
};

static const char *const helps[] = {
#define FORMAT(name, marks, marks_of_calls, help) help,
#define FORMAT_MISSING(name, reason)
#include "formats/formats.def"
#undef FORMAT_MISSING
#undef FORMAT
};

static const struct missing {
    const char *name;
    const char *reason;
} missing[] = {
#define FORMAT(name, ...)
#define FORMAT_MISSING(name, reason) {#name, reason},
#include "formats/formats.def"
#undef FORMAT_MISSING
#undef FORMAT
    {NULL, NULL},
};

const struct format *format_find(const char *name)
{
    for (size_t i = 0; i < MB_COUNT(formats); i++) {
        if (strcmp(formats[i]->name, name) == 0) {
            return formats[i];
        }
    }
    return NULL;
}

const char *format_why_missing(const char *name)
{
    for (const struct missing *row = missing; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0) {
            return row->reason;
        }
    }
    return NULL;
}

/* How long the extension is that the path ends with; 0: it has another. */
static size_t match_extension(const char *path, const char *extension)
{
    size_t size = strlen(path);
    size_t length = extension != NULL ? strlen(extension) : 0;

    return length > 0 && length < size && strcmp(path + size - length, extension) == 0 ? length : 0;
}

const struct format *format_find_extension(const char *path)
{
    const struct format *found = NULL;
    size_t longest = 0;

    for (size_t i = 0; i < MB_COUNT(formats); i++) {
        size_t length = match_extension(path, formats[i]->extension);
        size_t other = match_extension(path, formats[i]->other_extension);
        length = other > length ? other : length;
        if (length > longest) {
            found = formats[i];
            longest = length;
        }
    }
    return found;
}

const struct format *format_at(size_t number)
{
    return number < MB_COUNT(formats) ? formats[number] : NULL;
}

const char *format_help_at(size_t number)
{
    return number < MB_COUNT(helps) ? helps[number] : NULL;
}
