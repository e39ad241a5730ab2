#include "formats/format.h"

#include "abi/identity.h"

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

/* ---- Whom a trace comes from ---- */

void format_put_identity(struct mb_json *json, struct mb_text app)
{
    if (app.size > 0) {
        mb_json_open(json, ABI_IDENTITY_NAME, "{");
        abi_identity_put(json, app);
        mb_json_close(json, "}");
    }
}

void format_say_identity(struct mb_buf *out, struct mb_text app,
                         void (*put)(struct mb_buf *out, struct mb_text text))
{
    static const struct {
        const char *key;
        const char *behind; /* what it follows, after a space */
    } words[] = {{"id", ""}, {"version", "id"}, {"model", ""}, {"os", ""}, {"os_level", "os"}};

    for (size_t i = 0; i < MB_COUNT(words); i++) {
        struct mb_text value = abi_identity_find(app, words[i].key);
        if (value.size > 0) {
            bool follows = abi_identity_find(app, words[i].behind).size > 0;
            mb_buf_put_string(out, follows ? " " : ", ");
            put(out, value);
        }
    }
}
