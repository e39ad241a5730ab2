#include "classfile/names.h"

#include "classfile/code.h"

#include <string.h>

/* Size of the character at the start of text, which is not ASCII; 0 if it is malformed, is longer
 * than it need be, or lies outside the basic plane (JVMS §4.4.7). */
static size_t long_character(struct mb_text text)
{
    const uint8_t *b = (const uint8_t *)text.data;

    if ((b[0] & 0xe0) == 0xc0 && text.size >= 2 && (b[1] & 0xc0) == 0x80) {
        unsigned point = (b[0] & 0x1fU) << 6 | (b[1] & 0x3fU);
        return point == 0 || point >= 0x80 ? 2 : 0; /* zero is written in two bytes */
    }
    if ((b[0] & 0xf0) == 0xe0 && text.size >= 3 && (b[1] & 0xc0) == 0x80 && (b[2] & 0xc0) == 0x80) {
        return b[0] > 0xe0 || b[1] >= 0xa0 ? 3 : 0;
    }
    return 0;
}

/* Properties of a character, or of all characters of a name. */
enum use {
    IN_NO_CLASS = 1,    /* forbidden in names of classes */
    IN_NO_METHOD = 2,   /* and of methods */
    IS_SLASH = 4,       /* between the parts of a class's name */
    IS_NO_ASCII = 8,    /* or NUL, which class files encode differently */
    IS_EMPTY_PART = 16, /* before, between or after slashes */
};

static const uint8_t ascii_uses[128] = {
    ['\0'] = IS_NO_ASCII,
    ['.'] = IN_NO_CLASS | IN_NO_METHOD,
    [';'] = IN_NO_CLASS | IN_NO_METHOD,
    ['['] = IN_NO_CLASS | IN_NO_METHOD,
    ['/'] = IN_NO_METHOD | IS_SLASH,
    ['<'] = IN_NO_METHOD,
    ['>'] = IN_NO_METHOD,
};

static unsigned use_of(char c)
{
    uint8_t byte = (uint8_t)c;

    return byte < MB_COUNT(ascii_uses) ? ascii_uses[byte] : IS_NO_ASCII;
}

/* The uses of all characters. */
static unsigned uses_of(struct mb_text name)
{
    unsigned all = 0;
    unsigned both = 0; /* of two neighbours */
    unsigned last = IS_SLASH;

    for (size_t i = 0; i < name.size; i++) {
        unsigned use = use_of(name.data[i]);
        all |= use;
        both |= use & last;
        last = use;
    }
    return all | (((both | last) & IS_SLASH) != 0 ? IS_EMPTY_PART : 0);
}

/* True if each non-ASCII character is complete. */
static bool is_well_coded(struct mb_text name)
{
    while (name.size > 0) {
        size_t size = use_of(name.data[0]) != IS_NO_ASCII ? 1 : long_character(name);
        if (size == 0) {
            return false;
        }
        name.data += size;
        name.size -= size;
    }
    return true;
}

static bool is_name(struct mb_text name, unsigned forbidden)
{
    unsigned uses = uses_of(name);

    return (uses & (forbidden | IS_EMPTY_PART)) == 0 &&
           ((uses & IS_NO_ASCII) == 0 || is_well_coded(name));
}

/* Vectors of bytes, as in GCC and Clang: comparison gives -1 for true. Non-ASCII bytes are
 * negative. */
typedef int8_t eight __attribute__((vector_size(8)));
typedef int8_t sixteen __attribute__((vector_size(16)));

static bool has_any(sixteen found)
{
    uint64_t halves[2];

    memcpy(halves, &found, sizeof(halves));
    return (halves[0] | halves[1]) != 0;
}

/* For sixteen bytes of a class name: -1 for each byte that is rare in names. */
static sixteen find_unusual(const char *at)
{
    sixteen b;
    sixteen next;

    memcpy(&b, at, sizeof(b));
    memcpy(&next, at + 1, sizeof(next));
    return (b <= 0) | (b == '.') | (b == ';') | (b == '[') | ((b == '/') & (next == '/'));
}

/* A fast check for common class names, which are a large part of all checked names: it does not
 * look at ASCII letters one by one. False means undecided. The last row of bytes may overlap the
 * one before. */
static bool is_usual_class(struct mb_text name)
{
    const size_t row = sizeof(sixteen) + 1; /* with the following one */
    sixteen unusual = {0};

    if (name.size < row || name.data[0] == '/') {
        return false;
    }
    for (size_t i = 0; i + row < name.size; i += sizeof(sixteen)) {
        unusual |= find_unusual(name.data + i);
    }
    unusual |= find_unusual(name.data + name.size - row);
    return !has_any(unusual) && use_of(name.data[name.size - 1]) == 0;
}

bool cf_is_class_name(struct mb_text name)
{
    return is_usual_class(name) || is_name(name, IN_NO_CLASS);
}

/* For eight bytes: zero if a method's name may contain all of them. Ignoring one bit pairs the
 * forbidden characters with each other, and a bracket with a brace. */
static uint64_t find_unusual_eight(const char *at)
{
    uint64_t found;
    eight b;

    memcpy(&b, at, sizeof(b));
    eight unusual = (b <= 0) | ((b | 1) == '/') | ((b | 2) == '>') | ((b | 0x60) == '{');
    memcpy(&found, &unusual, sizeof(found));
    return found;
}

/* As is_usual_class. */
static bool is_usual_method(struct mb_text name)
{
    const size_t row = sizeof(eight);
    uint64_t unusual = 0;

    if (name.size < row) {
        return false;
    }
    for (size_t i = 0; i + row < name.size; i += row) {
        unusual |= find_unusual_eight(name.data + i);
    }
    return (unusual | find_unusual_eight(name.data + name.size - row)) == 0;
}

bool cf_is_method_name(struct mb_text name)
{
    if (name.size > 0 && name.data[0] == '<') {
        return mb_text_is(name, "<init>") || mb_text_is(name, "<clinit>");
    }
    return is_usual_method(name) || is_name(name, IN_NO_METHOD);
}

static enum mb_status check_method(const struct cf_class *cls, const struct cf_member *method,
                                   struct mb_error *err)
{
    struct mb_text descriptor = cf_member_descriptor(cls, method);
    const char *what = !cf_is_method_name(cf_member_name(cls, method))     ? "name"
                       : descriptor.size == 0 || descriptor.data[0] != '(' ? "descriptor"
                                                                           : NULL;

    if (what == NULL) {
        return MB_OK;
    }
    (void)mb_fail(err, MB_BAD_CLASS, method->offset, "the method's %s is not legal", what);
    cf_error_in_method(err, cls, method);
    return MB_BAD_CLASS;
}

enum mb_status cf_class_check_names(const struct cf_class *cls, struct mb_error *err)
{
    const char *what = !cf_is_class_name(cls->name)                                  ? "this_class"
                       : cls->super_class != 0 && !cf_is_class_name(cls->super_name) ? "super_class"
                                                                                     : NULL;

    if (what != NULL) {
        return mb_fail(err, MB_BAD_CLASS, cls->pool.end, "the name of %s is not legal", what);
    }
    for (uint16_t i = 0; i < cls->method_count; i++) {
        MB_TRY(check_method(cls, &cls->methods[i], err));
    }
    return MB_OK;
}
