#include "jni/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT 0xFFFDu
#define MOST_BYTES 3u /* of one UTF-16 unit: a pair takes 4 for two */

static bool is_high(jchar unit)
{
    return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low(jchar unit)
{
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* The character at *at, which moves past it. */
static uint32_t take_character(const jchar *units, size_t count, size_t *at)
{
    jchar unit = units[(*at)++];

    if (is_high(unit) && *at < count && is_low(units[*at])) {
        return 0x10000u + ((uint32_t)(unit - 0xD800) << 10) + (units[(*at)++] - 0xDC00u);
    }
    return is_high(unit) || is_low(unit) ? REPLACEMENT : unit;
}

static char *put_character(char *out, uint32_t character)
{
    if (character < 0x80) {
        *out++ = (char)character;
        return out;
    }
    int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    const uint8_t leads[] = {0, 0xC0, 0xE0, 0xF0};
    *out++ = (char)(leads[more] | character >> (6 * more));
    while (more-- > 0) {
        *out++ = (char)(0x80 | (character >> (6 * more) & 0x3F));
    }
    return out;
}

static char *encode_text(const jchar *units, size_t count)
{
    char *text = count <= (SIZE_MAX - 1) / MOST_BYTES ? malloc(count * MOST_BYTES + 1) : NULL;
    char *end = text;

    if (text == NULL) {
        return NULL;
    }
    for (size_t at = 0; at < count;) {
        end = put_character(end, take_character(units, count, &at));
    }
    *end = '\0';
    if (memchr(text, '\0', (size_t)(end - text)) != NULL) {
        free(text);
        return NULL;
    }
    return text;
}

char *jni_text_create(JNIEnv *env, jstring string)
{
    if (string == NULL) {
        return NULL;
    }
    size_t count = (size_t)(*env)->GetStringLength(env, string);
    jchar *units = count < SIZE_MAX / sizeof(*units) ? calloc(count + 1, sizeof(*units)) : NULL;
    if (units == NULL) {
        return NULL;
    }
    (*env)->GetStringRegion(env, string, 0, (jsize)count, units);
    char *text = encode_text(units, count);
    free(units);
    return text;
}
