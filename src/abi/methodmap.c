#include "abi/methodmap.h"

#include "base/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct abi_method message = {
    .id = ABI_MESSAGE_ID,
    .access = 1,
    .class_name = MB_TEXT_ROW(ABI_MESSAGE_CLASS),
    .name = MB_TEXT_ROW(ABI_MESSAGE_METHOD),
    .descriptor = MB_TEXT_ROW(ABI_MESSAGE_DESC),
};

/* Split what follows the last space off, if that is a descriptor. */
static struct mb_text take_descriptor(struct mb_text *text)
{
    size_t at = text->size;

    while (at > 0 && text->data[at - 1] != ' ') {
        at--;
    }
    if (at == 0 || at == text->size || text->data[at] != '(') {
        return (struct mb_text){NULL, 0};
    }
    struct mb_text descriptor = {text->data + at, text->size - at};
    text->size = at - 1;
    return descriptor;
}

static const char *parse_line(struct abi_method *method, struct mb_text line)
{
    uint64_t id = 0;
    uint64_t access = 0;

    if (!mb_text_to_number(mb_text_split(&line, ','), ABI_MESSAGE_ID, &id) || id == 0) {
        return "no method id from 1 to 1048574 at the start of the line";
    }
    if (!mb_text_to_number(mb_text_split(&line, ','), UINT32_MAX, &access)) {
        return "no access flags after the id";
    }
    method->id = (uint32_t)id;
    method->access = (uint32_t)access;
    method->descriptor = take_descriptor(&line);
    method->class_name = mb_text_split(&line, ' ');
    method->name = line;
    if (method->class_name.size == 0 || method->name.size == 0) {
        return "no class and method name after the access flags";
    }
    return NULL;
}

static enum mb_status fail_at(const char *path, size_t number, const char *reason,
                              struct mb_error *err)
{
    (void)mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET, "%s", reason);
    mb_error_at_line(err, path, number);
    return MB_BAD_TEXT;
}

/* By id; lines with the same id in the order of the file. */
static int compare_methods(const void *left, const void *right)
{
    const struct abi_method *a = left;
    const struct abi_method *b = right;

    if (a->id != b->id) {
        return a->id < b->id ? -1 : 1;
    }
    return (a->class_name.data > b->class_name.data) - (a->class_name.data < b->class_name.data);
}

static size_t line_number(struct mb_text text, const char *place)
{
    size_t number = 0;
    struct mb_text line;

    while (mb_text_next_line(&text, &line, &number) && line.data + line.size < place) {
    }
    return number;
}

static bool is_same(const struct abi_method *a, const struct abi_method *b)
{
    return mb_text_equal(a->class_name, b->class_name) && mb_text_equal(a->name, b->name) &&
           mb_text_equal(a->descriptor, b->descriptor);
}

/* ---- What stands for spaces, and for itself ---- */

static char *unescape_character(char *to, const char **from, const char *end)
{
    char next = **from == '\\' && end - *from > 1 ? (*from)[1] : '\0';

    *to = next == 's' ? ' ' : next == '(' ? '(' : **from;
    *from += next == 's' || next == '(' || next == '\\' ? 2 : 1;
    return to + 1;
}

static enum mb_status unescape_text(struct abi_methodmap *map, struct mb_text *text,
                                    struct mb_error *err)
{
    const char *from = text->data;
    const char *end = text->data + text->size;

    if (text->size == 0 || memchr(text->data, '\\', text->size) == NULL) {
        return MB_OK;
    }
    char *copy = mb_arena_alloc(&map->arena, text->size);
    if (copy == NULL) {
        return mb_fail_memory(err);
    }
    text->data = copy;
    while (from < end) {
        copy = unescape_character(copy, &from, end);
    }
    text->size = (size_t)(copy - text->data);
    return MB_OK;
}

static enum mb_status unescape_all(struct abi_methodmap *map, struct mb_error *err)
{
    for (size_t i = 0; i < map->count; i++) {
        struct abi_method *method = &map->methods[i];
        MB_TRY(unescape_text(map, &method->class_name, err));
        MB_TRY(unescape_text(map, &method->descriptor, err));
        if (method->descriptor.size == 0) {
            MB_TRY(unescape_text(map, &method->name, err));
        }
    }
    return MB_OK;
}

/* ---- The whole ---- */

/* Sort, and let go of repeated lines. */
static enum mb_status put_in_order(struct abi_methodmap *map, struct mb_text text, const char *path,
                                   struct mb_error *err)
{
    size_t kept = 0;

    if (map->count > 1) {
        qsort(map->methods, map->count, sizeof(*map->methods), compare_methods);
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct abi_method *method = &map->methods[i];
        if (kept == 0 || map->methods[kept - 1].id != method->id) {
            map->methods[kept++] = *method;
        } else if (!is_same(&map->methods[kept - 1], method)) {
            return fail_at(path, line_number(text, method->name.data),
                           "the id is already that of another method", err);
        }
    }
    map->count = kept;
    if (kept == 0 || map->methods[kept - 1].id != ABI_MESSAGE_ID) {
        map->methods[map->count++] = message; /* parse left room for it */
    }
    return MB_OK;
}

static size_t count_lines(struct mb_text text)
{
    struct mb_text line;
    size_t number = 0;

    while (mb_text_next_line(&text, &line, &number)) {
    }
    return number;
}

enum mb_status abi_methodmap_parse(struct abi_methodmap *map, struct mb_text text, const char *path,
                                   struct mb_error *err)
{
    struct mb_text rest = text;
    struct mb_text line;
    size_t number = 0;

    map->methods = MB_NEW_ARRAY(&map->arena, struct abi_method, count_lines(text) + 1);
    if (map->methods == NULL) {
        return mb_fail_memory(err);
    }
    while (mb_text_next_line(&rest, &line, &number)) {
        line = mb_text_trim(line);
        if (line.size == 0 || line.data[0] == '#') {
            continue;
        }
        const char *reason = parse_line(&map->methods[map->count], line);
        if (reason != NULL) {
            return fail_at(path, number, reason, err);
        }
        map->count++;
    }
    MB_TRY(put_in_order(map, text, path, err));
    return unescape_all(map, err);
}

enum mb_status abi_methodmap_load(struct abi_methodmap *map, const char *path, struct mb_error *err)
{
    MB_TRY(mb_file_read(&map->text, path, err));
    struct mb_text text = {(const char *)map->text.bytes, map->text.size};
    return abi_methodmap_parse(map, text, path, err);
}

enum mb_status abi_methodmap_add(struct abi_methodmap *map, const struct abi_method *methods,
                                 size_t count, struct mb_error *err)
{
    struct abi_method *all =
        count > 0 ? MB_NEW_ARRAY(&map->arena, struct abi_method, map->count + count + 1) : NULL;

    if (count == 0) {
        return MB_OK;
    }
    if (all == NULL) {
        return mb_fail_memory(err);
    }
    if (map->count > 0) {
        memcpy(all, map->methods, map->count * sizeof(*all));
    }
    memcpy(all + map->count, methods, count * sizeof(*all));
    map->methods = all;
    map->count += count;
    return put_in_order(map, (struct mb_text){NULL, 0}, "", err);
}

static int compare_id(const void *key, const void *row)
{
    uint32_t id = *(const uint32_t *)key;
    uint32_t other = ((const struct abi_method *)row)->id;

    return (id > other) - (id < other);
}

const struct abi_method *abi_methodmap_find(const struct abi_methodmap *map, uint32_t id)
{
    return map->count > 0
               ? bsearch(&id, map->methods, map->count, sizeof(*map->methods), compare_id)
               : NULL;
}

void abi_methodmap_finish(struct abi_methodmap *map)
{
    mb_buf_finish(&map->text);
    mb_arena_finish(&map->arena);
    *map = (struct abi_methodmap){0};
}

/* Half of a pair, which UTF-8 cannot say alone. */
static bool is_surrogate(const uint8_t *b, size_t left)
{
    return left >= 3 && b[0] == 0xed && (b[1] & 0xe0) == 0xa0 && (b[2] & 0xc0) == 0x80;
}

/* The low surrogate, as modified UTF-8, that must follow a high one; JVMS §4.4.7. */
static bool is_pair(const uint8_t *b, size_t left)
{
    return left >= 6 && is_surrogate(b, 3) && (b[1] & 0xf0) == 0xa0 && is_surrogate(b + 3, 3) &&
           (b[4] & 0xf0) == 0xb0;
}

static void put_pair(struct mb_buf *out, const uint8_t *b)
{
    uint32_t point = 0x10000U + ((b[1] & 0x0fU) << 16 | (b[2] & 0x3fU) << 10 | (b[4] & 0x0fU) << 6 |
                                 (b[5] & 0x3fU));

    mb_buf_put_u1(out, 0xf0U | point >> 18);
    mb_buf_put_u1(out, 0x80U | (point >> 12 & 0x3fU));
    mb_buf_put_u1(out, 0x80U | (point >> 6 & 0x3fU));
    mb_buf_put_u1(out, 0x80U | (point & 0x3fU));
}

/* Put the first character of text, one that is not a pair; returns its size. */
static size_t put_character(struct mb_buf *out, struct mb_text text, bool escapes)
{
    const uint8_t *bytes = (const uint8_t *)text.data;
    size_t size = mb_text_utf8(text);

    if (escapes && (bytes[0] == ' ' || bytes[0] == '\\')) {
        mb_buf_put_string(out, bytes[0] == ' ' ? "\\s" : "\\\\");
        return 1;
    }
    if (size > 1) {
        mb_buf_put(out, bytes, size);
        return size;
    }
    mb_buf_put_u1(out, size == 0 || bytes[0] < ' ' ? '?' : bytes[0] == '/' ? '.' : bytes[0]);
    if (is_surrogate(bytes, text.size)) {
        return 3;
    }
    return bytes[0] == 0xc0 && text.size > 1 && bytes[1] == 0x80 ? 2 : 1; /* the zero character */
}

static MB_NOINLINE void put_unusual(struct mb_buf *out, struct mb_text text, bool escapes)
{
    size_t i = 0;

    while (i < text.size) {
        struct mb_text rest = {text.data + i, text.size - i};
        if (is_pair((const uint8_t *)rest.data, rest.size)) {
            put_pair(out, (const uint8_t *)rest.data);
            i += 6;
        } else {
            i += put_character(out, rest, escapes);
        }
    }
}

/* Bytes side by side, as GCC and Clang know them: compared, true is -1. */
typedef int8_t eight __attribute__((vector_size(8)));
typedef int8_t sixteen __attribute__((vector_size(16)));

/* Dots for slashes (a dot is a slash less one). Adds to unusual what is control character or, below
 * zero, no ASCII, and what is escaped. */
#define PUT_BYTES(type, to, from, unusual)                       \
    do {                                                         \
        type bytes_;                                             \
        memcpy(&bytes_, (from), sizeof(bytes_));                 \
        (unusual) |= bytes_ < (int8_t)(escapes ? ' ' + 1 : ' '); \
        (unusual) |= bytes_ == (int8_t)(escapes ? '\\' : '\0');  \
        bytes_ += bytes_ == '/';                                 \
        memcpy((to), &bytes_, sizeof(bytes_));                   \
    } while (0)

/* False if there is anything unusual. The last bytes of a row may overlap those before. */
static inline bool put_usual(uint8_t *to, const char *from, size_t size, bool escapes)
{
    uint64_t found[2] = {0, 0};

    if (size >= sizeof(sixteen)) {
        sixteen unusual = {0};
        for (size_t i = 0; i + sizeof(sixteen) < size; i += sizeof(sixteen)) {
            PUT_BYTES(sixteen, to + i, from + i, unusual);
        }
        PUT_BYTES(sixteen, to + size - sizeof(sixteen), from + size - sizeof(sixteen), unusual);
        memcpy(found, &unusual, sizeof(unusual));
    } else if (size >= sizeof(eight)) {
        eight unusual = {0};
        PUT_BYTES(eight, to, from, unusual);
        PUT_BYTES(eight, to + size - sizeof(eight), from + size - sizeof(eight), unusual);
        memcpy(found, &unusual, sizeof(unusual));
    } else {
        for (size_t i = 0; i < size; i++) {
            int8_t c = (int8_t)from[i];
            found[0] |= c < ' ' || (escapes && (c == ' ' || c == '\\'));
            to[i] = (uint8_t)(c == '/' ? '.' : c);
        }
    }
    return (found[0] | found[1]) == 0;
}

static inline void put_text(struct mb_buf *out, struct mb_text text, bool escapes)
{
    uint8_t *to = mb_buf_extend(out, text.size);

    if (to != NULL && !put_usual(to, text.data, text.size, escapes)) {
        out->size -= text.size;
        put_unusual(out, text, escapes);
    }
}

static void put_escaped(struct mb_buf *out, struct mb_text text)
{
    put_text(out, text, true);
}

void abi_methodmap_put_name(struct mb_buf *out, const struct abi_method *method)
{
    put_escaped(out, method->class_name);
    mb_buf_put_u1(out, ' ');
    if (method->descriptor.size == 0) {
        mb_buf_put_string(out, mb_text_starts(method->name, MB_TEXT("(")) ? "\\" : "");
        put_escaped(out, method->name);
        return;
    }
    put_text(out, method->name, false);
    mb_buf_put_u1(out, ' ');
    put_escaped(out, method->descriptor);
}

static void put_number(struct mb_buf *out, uint32_t value)
{
    char digits[10];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    mb_buf_put(out, digits + at, sizeof(digits) - at);
    mb_buf_put_u1(out, ',');
}

void abi_methodmap_put_line(struct mb_buf *out, const struct abi_method *method)
{
    put_number(out, method->id);
    put_number(out, method->access);
    abi_methodmap_put_name(out, method);
    mb_buf_put_u1(out, '\n');
}

void abi_methodmap_put_message(struct mb_buf *out)
{
    abi_methodmap_put_line(out, &message);
}
