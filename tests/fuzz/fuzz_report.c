/* Any bytes that are a trace give a whole report, in a format that they choose: tags of the page
 * are closed, what its program unpacks is packed, JSON's brackets and strings are closed, messages
 * and records end where the file does, and texts hold no control character. */

#include "formats/writer.h"
#include "fuzz.h"

#include <libdeflate.h>
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

/* ---- What the page's program unpacks ---- */

static uint32_t digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = memchr(digits, c, sizeof(digits) - 1);

    PROMISE(at != NULL);
    return (uint32_t)(at - digits);
}

/* base64 in place; returns how many bytes it was. */
static size_t decode(char *text, size_t size)
{
    uint8_t *out = (uint8_t *)text;
    size_t padding = 0;
    size_t count = 0;

    PROMISE(size % 4 == 0);
    while (padding < 2 && padding < size && text[size - padding - 1] == '=') {
        padding++;
    }
    for (size_t i = 0; i < size; i += 4) {
        uint32_t group = 0;
        for (size_t k = i; k < i + 4; k++) {
            group = group << 6 | (k < size - padding ? digit_of(text[k]) : 0);
        }
        out[count++] = (uint8_t)(group >> 16);
        out[count++] = (uint8_t)(group >> 8);
        out[count++] = (uint8_t)group;
    }
    return count - padding;
}

/* zlib, of whatever size; or gzip. The result is the caller's. */
static struct mb_buf unpack(const uint8_t *bytes, size_t size, bool is_gzip)
{
    struct libdeflate_decompressor *unpacker = libdeflate_alloc_decompressor();
    enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;
    struct mb_buf out = {0};

    PROMISE(unpacker != NULL);
    for (size_t room = 65536; result == LIBDEFLATE_INSUFFICIENT_SPACE; room *= 2) {
        mb_buf_reset(&out);
        PROMISE(mb_buf_reserve(&out, room));
        result =
            is_gzip ? libdeflate_gzip_decompress(unpacker, bytes, size, out.bytes, room, &out.size)
                    : libdeflate_zlib_decompress(unpacker, bytes, size, out.bytes, room, &out.size);
    }
    PROMISE(result == LIBDEFLATE_SUCCESS);
    libdeflate_free_decompressor(unpacker);
    return out;
}

static void check_packed(const struct mb_buf *out)
{
    static const char head[] = "<script type=\"text/plain\" id=\"";

    for (char *at = (char *)out->bytes; (at = strstr(at, head)) != NULL;) {
        at = strchr(at, '>') + 1;
        const char *end = strstr(at, "</script>");
        PROMISE(end != NULL);
        size_t size = decode(at, (size_t)(end - at));
        struct mb_buf unpacked = unpack((uint8_t *)at, size, false);
        mb_buf_finish(&unpacked);
        at += end - at;
    }
}

/* ---- Bytes ---- */

static uint64_t take_varint(const struct mb_buf *bytes, size_t *at)
{
    uint64_t value = 0;
    unsigned shift = 0;

    do {
        PROMISE(*at < bytes->size && shift < 64);
        value |= (uint64_t)(bytes->bytes[*at] & 127) << shift;
        shift += 7;
    } while ((bytes->bytes[(*at)++] & 128) != 0);
    return value;
}

/* The fields of a message of protobuf. */
static void check_message(const struct mb_buf *bytes)
{
    static const size_t fixed[] = {[1] = 8, [5] = 4};

    for (size_t at = 0; at < bytes->size;) {
        uint64_t type = take_varint(bytes, &at) & 7;
        uint64_t value = type == 0 || type == 2 ? take_varint(bytes, &at) : 0;
        PROMISE(type == 0 || type == 1 || type == 2 || type == 5);
        size_t size = type == 2 ? (size_t)value : type == 0 ? 0 : fixed[type];
        PROMISE(size <= bytes->size - at);
        at += size;
    }
}

static void check_pprof(const struct mb_buf *out)
{
    struct mb_buf unpacked = unpack(out->bytes, out->size, true);

    check_message(&unpacked);
    mb_buf_finish(&unpacked);
}

/* Words, a head of 32 bytes, records of ten. */
static void check_art(const struct mb_buf *out)
{
    const char *end = strstr((const char *)out->bytes, "*end\n");

    PROMISE(end != NULL && memcmp(end + 5, "SLOW", 4) == 0);
    size_t head = (size_t)(end + 5 - (const char *)out->bytes) + 32;
    PROMISE(out->size >= head && (out->size - head) % 10 == 0);
}

/* Each stack once, and a number behind it. */
static void check_folded(const struct mb_buf *out)
{
    struct mb_text rest = {(const char *)out->bytes, out->size};
    struct mb_text before = {0};

    while (rest.size > 0) {
        struct mb_text line = mb_text_split(&rest, '\n');
        size_t size = line.size;
        while (size > 0 && line.data[size - 1] >= '0' && line.data[size - 1] <= '9') {
            size--;
        }
        PROMISE(size > 1 && size < line.size && line.data[size - 1] == ' ');
        line.size = size;
        PROMISE(!mb_text_equal(line, before));
        before = line;
    }
}

/* ---- Any format ---- */

static const struct {
    const char *extension;
    void (*check)(const struct mb_buf *out);
} checks[] = {
    {".html", check_html},       {".html", check_packed}, {".json", check_json},
    {".pftrace", check_message}, {".pb.gz", check_pprof}, {".trace", check_art},
    {".folded", check_folded},
};

static void check_output(const struct format *format, const struct mb_buf *out)
{
    struct mb_text extension = mb_text_of(format->extension);

    if (!format->is_binary) {
        check_text(out);
    }
    for (size_t i = 0; i < MB_COUNT(checks); i++) {
        if (mb_text_ends(extension, mb_text_of(checks[i].extension))) {
            checks[i].check(out);
        }
    }
}

static void write_format(const struct answer_trace *trace, const struct format *format)
{
    const struct answer_options options = {.threshold_ns = 1000000};
    const struct format_look look = {.top = 20, .columns = 80};
    struct answer_model model = {0};
    struct format_writer writer = {0};

    PROMISE(format_writer_init(&writer, format, &look, NULL, NULL) == MB_OK);
    enum mb_status status = format_write(&writer, &model, trace, &options, NULL);
    PROMISE(status == MB_OK || status == MB_BAD_TRACE);
    if (status == MB_OK) {
        mb_buf_put_u1(&writer.out, 0); /* a string, for strstr */
        writer.out.size--;
        check_output(format, &writer.out);
    }
    format_writer_finish(&writer);
    answer_model_finish(&model);
}

static const struct format *choose(const uint8_t *bytes, size_t size)
{
    size_t sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < size; i++) {
        sum += bytes[i];
    }
    while (format_at(count) != NULL) {
        count++;
    }
    return format_at(sum % count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct answer_trace trace = {0};

    mb_buf_put(&trace.bytes, bytes, size);
    if (abi_tracefile_open(&trace.file, trace.bytes.bytes, trace.bytes.size, NULL) == MB_OK) {
        write_format(&trace, choose(bytes, size));
    }
    answer_trace_finish(&trace);
    return 0;
}
