/* Names replace ids and nothing else. With names that spell the id as it was, or none at all, a log
 * comes out as it went in; with others it keeps its number of lines. */

#include "fuzz.h"
#include "issues/output.h"

#include <string.h>

static struct mb_text no_name(const void *context, uint32_t id)
{
    (void)context;
    (void)id;
    return (struct mb_text){0};
}

static struct mb_text own_digits(const void *context, uint32_t id)
{
    static char digits[16];

    (void)context;
    return (struct mb_text){digits, (size_t)snprintf(digits, sizeof(digits), "%u", id)};
}

/* What has to be escaped in JSON, and what the log gives a meaning. */
static struct mb_text odd_name(const void *context, uint32_t id)
{
    (void)context;
    return id % 2 == 0 ? MB_TEXT("a.\"\\\xff.b") : MB_TEXT("stack:|* 1 1 1");
}

static size_t symbolize(struct mb_buf *out, struct mb_text rest,
                        struct mb_text (*find)(const void *context, uint32_t id))
{
    const struct answer_names names = {find, NULL};
    size_t lines = 0;

    mb_buf_reset(out);
    while (rest.size > 0) {
        const char *end = memchr(rest.data, '\n', rest.size);
        size_t size = end != NULL ? (size_t)(end - rest.data) + 1 : rest.size;
        size_t before = out->size;
        issues_symbolize(out, (struct mb_text){rest.data, size}, &names);
        PROMISE(!out->failed && out->size > before);
        PROMISE((out->bytes[out->size - 1] == '\n') == (end != NULL));
        PROMISE(memchr(out->bytes + before, '\n', out->size - before - 1) == NULL);
        rest.data += size;
        rest.size -= size;
        lines++;
    }
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct mb_text log = {(const char *)bytes, size};
    struct mb_buf out = {0};

    size_t lines = symbolize(&out, log, no_name);
    PROMISE(out.size == size && (size == 0 || memcmp(out.bytes, bytes, size) == 0));
    PROMISE(symbolize(&out, log, own_digits) == lines);
    PROMISE(out.size == size && (size == 0 || memcmp(out.bytes, bytes, size) == 0));
    PROMISE(symbolize(&out, log, odd_name) == lines);
    mb_buf_finish(&out);
    return 0;
}
