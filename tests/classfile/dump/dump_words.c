#include "dump_words.h"

/* Bytes up to the first escaped one: unprintable, a space, or a backslash. */
static size_t plain_size(struct mb_text text)
{
    size_t printable = mb_text_printable(text);
    size_t size = 0;

    while (size < printable && text.data[size] != ' ' && text.data[size] != '\\') {
        size++;
    }
    return size;
}

void cf_dump_text(struct mb_buf *out, struct mb_text text)
{
    if (text.size == 0) {
        mb_buf_put_u1(out, '-');
    }
    while (text.size > 0) {
        size_t size = plain_size(text);
        mb_buf_put(out, text.data, size);
        if (size < text.size) {
            mb_buf_printf(out, "\\x%02x", (unsigned)(uint8_t)text.data[size++]);
        }
        text.data += size;
        text.size -= size;
    }
}

struct flag {
    uint16_t bit;
    uint8_t places; /* enum cf_place */
    const char *name;
};

/* JVMS tables 4.1-B, 4.5-A and 4.6-A. */
static const struct flag flags[] = {
    {CF_ACC_PUBLIC, CF_IN_CLASS | CF_IN_FIELD | CF_IN_METHOD, "public"},
    {CF_ACC_PRIVATE, CF_IN_FIELD | CF_IN_METHOD, "private"},
    {CF_ACC_PROTECTED, CF_IN_FIELD | CF_IN_METHOD, "protected"},
    {CF_ACC_STATIC, CF_IN_FIELD | CF_IN_METHOD, "static"},
    {CF_ACC_FINAL, CF_IN_CLASS | CF_IN_FIELD | CF_IN_METHOD, "final"},
    {CF_ACC_SYNCHRONIZED, CF_IN_CLASS, "super"},
    {CF_ACC_SYNCHRONIZED, CF_IN_METHOD, "synchronized"},
    {CF_ACC_BRIDGE, CF_IN_FIELD, "volatile"},
    {CF_ACC_BRIDGE, CF_IN_METHOD, "bridge"},
    {CF_ACC_VARARGS, CF_IN_FIELD, "transient"},
    {CF_ACC_VARARGS, CF_IN_METHOD, "varargs"},
    {CF_ACC_NATIVE, CF_IN_METHOD, "native"},
    {CF_ACC_INTERFACE, CF_IN_CLASS, "interface"},
    {CF_ACC_ABSTRACT, CF_IN_CLASS | CF_IN_METHOD, "abstract"},
    {CF_ACC_STRICT, CF_IN_METHOD, "strict"},
    {CF_ACC_SYNTHETIC, CF_IN_CLASS | CF_IN_FIELD | CF_IN_METHOD, "synthetic"},
    {CF_ACC_ANNOTATION, CF_IN_CLASS, "annotation"},
    {CF_ACC_ENUM, CF_IN_CLASS | CF_IN_FIELD, "enum"},
    {CF_ACC_MODULE, CF_IN_CLASS, "module"},
};

void cf_dump_flags(struct mb_buf *out, uint16_t value, enum cf_place place)
{
    unsigned left = value;

    for (size_t i = 0; i < MB_COUNT(flags); i++) {
        if ((value & flags[i].bit) != 0 && (flags[i].places & place) != 0) {
            mb_buf_printf(out, " %s", flags[i].name);
            left &= ~(unsigned)flags[i].bit;
        }
    }
    if (left != 0) {
        mb_buf_printf(out, " 0x%04x", left);
    }
}
