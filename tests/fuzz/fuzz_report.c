/* Any bytes that are a trace give a whole report, in a format that they choose: tags of the page are closed,
 * JSON's brackets and strings too, and texts hold no control character. */

#include "export/export.h"
#include "fuzz.h"
#include "report/model.h"

#include <string.h>
#include <strings.h>

#define DEEPEST 64

static bool is_control(uint8_t byte)
{
    return byte < 0x20 && byte != '\n' && byte != '\t';
}

static void check_text(const struct mb_buf *out)
{
    for (size_t i = 0; i < out->size; i++) {
        PROMISE(!is_control(out->bytes[i]));
    }
}

/* ---- JSON ---- */

/* Behind the string that begins there. */
static size_t pass_string(const struct mb_buf *out, size_t at)
{
    for (at++; at < out->size && out->bytes[at] != '"'; at++) {
        PROMISE(out->bytes[at] >= 0x20);
        at += out->bytes[at] == '\\';
    }
    PROMISE(at < out->size);
    return at + 1;
}

static void check_json(const struct mb_buf *out)
{
    char closing[DEEPEST];
    size_t depth = 0;

    for (size_t at = 0; at < out->size;) {
        char byte = (char)out->bytes[at];
        if (byte == '"') {
            at = pass_string(out, at);
            continue;
        }
        if (byte == '{' || byte == '[') {
            PROMISE(depth < DEEPEST);
            closing[depth++] = byte == '{' ? '}' : ']';
        } else if (byte == '}' || byte == ']') {
            PROMISE(depth > 0 && closing[--depth] == byte);
        }
        at++;
    }
    PROMISE(depth == 0);
}

/* ---- HTML ---- */

struct tag {
    struct mb_text name;
    bool is_end;
    bool is_closed; /* by itself */
};

static bool is_void(struct mb_text name)
{
    static const char *const names[] = {"!doctype", "meta", "link", "br",    "hr",
                                        "input",    "img",  "col",  "source"};

    for (size_t i = 0; i < MB_COUNT(names); i++) {
        if (name.size == strlen(names[i]) && strncasecmp(name.data, names[i], name.size) == 0) {
            return true;
        }
    }
    return false;
}

/* Behind the tag that begins there. */
static const char *read_tag(struct tag *tag, const char *at, const char *end)
{
    const char *close;

    tag->is_end = ++at < end && *at == '/';
    at += tag->is_end;
    tag->name.data = at;
    while (at < end && *at != '>' && *at != ' ' && *at != '\n' && *at != '/') {
        at++;
    }
    tag->name.size = (size_t)(at - tag->name.data);
    PROMISE(tag->name.size > 0);
    for (close = at; close < end && *close != '>'; close++) {
        if (*close == '"') {
            close = memchr(close + 1, '"', (size_t)(end - close - 1));
            PROMISE(close != NULL);
        }
        PROMISE(*close != '<');
    }
    PROMISE(close < end);
    tag->is_closed = close[-1] == '/' || is_void(tag->name);
    return close + 1;
}

/* Program, style and data are no HTML: behind them, where their end tag begins. */
static const char *pass_raw(struct mb_text name, const char *at)
{
    char closing[16];

    if (!mb_text_equal(name, MB_TEXT("script")) && !mb_text_equal(name, MB_TEXT("style"))) {
        return at;
    }
    (void)snprintf(closing, sizeof(closing), "</%.*s>", (int)name.size, name.data);
    at = strstr(at, closing);
    PROMISE(at != NULL);
    return at;
}

static void check_html(const struct mb_buf *out)
{
    const char *at = (const char *)out->bytes;
    const char *end = at + out->size;
    struct mb_text open[DEEPEST];
    size_t depth = 0;

    while ((at = memchr(at, '<', (size_t)(end - at))) != NULL) {
        struct tag tag;
        at = read_tag(&tag, at, end);
        if (tag.is_end) {
            PROMISE(depth > 0 && mb_text_equal(open[--depth], tag.name));
        } else if (!tag.is_closed) {
            PROMISE(depth < DEEPEST);
            open[depth++] = tag.name;
            at = pass_raw(tag.name, at);
        }
    }
    PROMISE(depth == 0);
}

/* ---- Any format ---- */

static void check_output(const struct export_format *format, const struct mb_buf *out)
{
    struct mb_text extension = mb_text_of(format->extension);

    if (!format->is_binary) {
        check_text(out);
    }
    if (mb_text_ends(extension, MB_TEXT(".html"))) {
        check_html(out);
    } else if (mb_text_ends(extension, MB_TEXT(".json"))) {
        check_json(out);
    }
}

static void write_format(const struct report_trace *trace, const struct export_format *format)
{
    const struct report_options options = {.top = 20, .columns = 80, .threshold_ns = 1000000};
    struct report_model model = {0};
    struct export_writer writer = {0};

    PROMISE(export_writer_init(&writer, format, NULL, NULL) == MB_OK);
    enum mb_status status = report_model_build(&model, trace, &options, &writer, NULL);
    PROMISE(status == MB_OK || status == MB_BAD_TRACE);
    if (status == MB_OK) {
        mb_buf_put_u1(&writer.out, 0); /* a string, for strstr */
        writer.out.size--;
        check_output(format, &writer.out);
    }
    export_writer_finish(&writer);
    report_model_finish(&model);
}

static const struct export_format *choose(const uint8_t *bytes, size_t size)
{
    size_t sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < size; i++) {
        sum += bytes[i];
    }
    while (export_format_at(count) != NULL) {
        count++;
    }
    return export_format_at(sum % count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct report_trace trace = {0};

    mb_buf_put(&trace.bytes, bytes, size);
    if (abi_tracefile_open(&trace.file, trace.bytes.bytes, trace.bytes.size, NULL) == MB_OK) {
        write_format(&trace, choose(bytes, size));
    }
    report_trace_finish(&trace);
    return 0;
}
