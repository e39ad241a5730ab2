#include "monitor/fps/text.h"

#define NO_CHARACTER 0xfffdu

static void put_utf8(struct mb_buf *out, uint32_t c)
{
    if (c < 0x80) {
        mb_buf_put_u1(out, c);
        return;
    }
    if (c < 0x800) {
        mb_buf_put_u1(out, 0xc0 | c >> 6);
    } else if (c < 0x10000) {
        mb_buf_put_u1(out, 0xe0 | c >> 12);
        mb_buf_put_u1(out, 0x80 | (c >> 6 & 0x3f));
    } else {
        mb_buf_put_u1(out, 0xf0 | c >> 18);
        mb_buf_put_u1(out, 0x80 | (c >> 12 & 0x3f));
        mb_buf_put_u1(out, 0x80 | (c >> 6 & 0x3f));
    }
    mb_buf_put_u1(out, 0x80 | (c & 0x3f));
}

static uint32_t unit_at(const uint8_t *bytes, size_t index, bool is_big)
{
    const uint8_t *unit = bytes + index * 2;

    return (uint32_t)unit[is_big ? 0 : 1] << 8 | unit[is_big ? 1 : 0];
}

static void put_utf16(struct mb_buf *out, const uint8_t *bytes, size_t count, bool is_big)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t unit = unit_at(bytes, i, is_big);
        uint32_t next = i + 1 < count ? unit_at(bytes, i + 1, is_big) : 0;
        if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
            put_utf8(out, 0x10000 + ((unit & 0x3ff) << 10 | (next & 0x3ff)));
            i++;
        } else {
            put_utf8(out, unit >= 0xd800 && unit < 0xe000 ? NO_CHARACTER : unit);
        }
    }
}

void fps_put_text(struct mb_buf *out, const void *bytes, size_t size)
{
    const uint8_t *start = bytes;
    bool is_little = size >= 2 && start[0] == 0xff && start[1] == 0xfe;
    bool is_big = size >= 2 && start[0] == 0xfe && start[1] == 0xff;

    if (is_little || is_big) {
        put_utf16(out, start + 2, (size - 2) / 2, is_big);
    } else {
        mb_buf_put(out, bytes, size);
    }
}

bool fps_next_line(struct fps_lines *lines)
{
    struct mb_text line;

    if (!mb_text_next_line(&lines->rest, &line, &lines->number)) {
        return false;
    }
    lines->line = mb_text_trim(line);
    return true;
}

enum mb_status fps_refuse(const struct fps_lines *lines, const char *reason, const char *what)
{
    (void)mb_fail(lines->err, MB_BAD_TEXT, MB_NO_OFFSET, "%s%s", reason, what);
    mb_error_at_line(lines->err, lines->path, lines->number > 0 ? lines->number : 1);
    return MB_BAD_TEXT;
}

bool fps_number(struct mb_text text, int64_t *number)
{
    uint64_t value;

    if (!mb_text_to_number(text, INT64_MAX, &value)) {
        return false;
    }
    *number = (int64_t)value;
    return true;
}

bool fps_next_word(struct mb_text *rest, struct mb_text *word)
{
    *rest = mb_text_trim(*rest);
    size_t size = 0;
    while (size < rest->size && rest->data[size] != ' ' && rest->data[size] != '\t') {
        size++;
    }
    *word = (struct mb_text){rest->data, size};
    *rest = (struct mb_text){rest->data + size, rest->size - size};
    return size > 0;
}
