#include "issues/output.h"

#include "abi/names.h"

#define MAX_DIGITS 10
#define MAX_ESCAPING 3 /* JSON inside JSON inside JSON */

/* A line on its way out: everything before `copied` has been put. */
struct rewriting {
    struct mb_buf *out;
    struct mb_text line;
    const struct answer_names *names;
    size_t copied;
    unsigned escaping; /* JSON strings around the current place */
};

/* ---- What stands at a place; all move *at past it or leave it ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* '\0' after the end. */
static char char_at(struct mb_text line, size_t at)
{
    return at < line.size ? line.data[at] : '\0';
}

static bool take_char(struct mb_text line, size_t *at, char c)
{
    bool is_there = *at < line.size && line.data[*at] == c;

    *at += is_there;
    return is_there;
}

static void skip_char(struct mb_text line, size_t *at, char c)
{
    while (take_char(line, at, c)) {
    }
}

static void skip_blanks(struct mb_text line, size_t *at)
{
    while (*at < line.size && is_blank(line.data[*at])) {
        ++*at;
    }
}

/* Decimal, as a program prints it. */
static bool take_number(struct mb_text line, size_t *at, uint64_t *number)
{
    size_t end = *at;

    *number = 0;
    while (end < line.size && end - *at < MAX_DIGITS && mb_is_digit(line.data[end])) {
        *number = *number * 10 + (uint64_t)(line.data[end++] - '0');
    }
    if (end == *at || mb_is_digit(char_at(line, end)) || (line.data[*at] == '0' && end - *at > 1)) {
        return false;
    }
    *at = end;
    return true;
}

/* Upstream keeps negative times of calls that were open. */
static bool take_time(struct mb_text line, size_t *at)
{
    uint64_t ignored;

    (void)take_char(line, at, '-');
    return take_number(line, at, &ignored);
}

/* "\n" as a JSON string has it, however often escaped. */
static bool take_escaped_newline(struct mb_text line, size_t *at)
{
    size_t next = *at;

    skip_char(line, &next, '\\');
    if (next == *at || !take_char(line, &next, 'n')) {
        return false;
    }
    *at = next;
    return true;
}

/* A quote; *escaping = how many JSON strings begin or end there. */
static bool take_quote(struct mb_text line, size_t *at, unsigned *escaping)
{
    static const unsigned levels[] = {[0] = 1, [1] = 2, [3] = MAX_ESCAPING};
    size_t next = *at;

    skip_char(line, &next, '\\');
    size_t backslashes = next - *at;
    if (backslashes >= MB_COUNT(levels) || levels[backslashes] == 0 ||
        !take_char(line, &next, '"')) {
        return false;
    }
    *escaping = levels[backslashes];
    *at = next;
    return true;
}

/* ---- Putting names ---- */

static bool needs_escape(struct mb_text name)
{
    for (size_t i = 0; i < name.size; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7f) {
            return true;
        }
    }
    return false;
}

static void put_escaped(struct mb_buf *out, struct mb_text name, unsigned escaping)
{
    struct mb_buf texts[2] = {{0}};

    for (unsigned i = 0; i < escaping && needs_escape(name); i++) {
        struct mb_buf *text = &texts[i % 2];
        mb_buf_reset(text);
        mb_buf_put_json_string(text, name);
        mb_buf_fail_with(out, text);
        name = text->failed ? MB_TEXT("")
                            : (struct mb_text){(const char *)text->bytes + 1, text->size - 2};
    }
    if (escaping == 0) {
        mb_buf_put_printable(out, name);
    } else {
        mb_buf_put(out, name.data, name.size);
    }
    mb_buf_finish(&texts[0]);
    mb_buf_finish(&texts[1]);
}

/* The id in [from, to) becomes a name, if it has one. */
static void replace_id(struct rewriting *r, size_t from, size_t to, uint64_t id)
{
    struct mb_text name = {0};

    if (id >= ABI_FIRST_ID && id <= ABI_MESSAGE_ID) {
        name = r->names->find(r->names->context, (uint32_t)id);
    }
    if (name.size > 0) {
        mb_buf_put(r->out, r->line.data + r->copied, from - r->copied);
        put_escaped(r->out, name, r->escaping);
        r->copied = to;
    }
}

/* ---- Lines of the log ---- */

static bool is_end(struct mb_text line, size_t at)
{
    skip_blanks(line, &at);
    return at == line.size;
}

/* "id count ms" or "id[ms]" up to the end of the line. */
static bool is_item(struct mb_text line, size_t at, uint64_t *id, size_t *id_end)
{
    uint64_t ignored;

    if (!take_number(line, &at, id)) {
        return false;
    }
    *id_end = at;
    if (take_char(line, &at, '[')) {
        return take_time(line, &at) && take_char(line, &at, ']') && is_end(line, at);
    }
    return take_char(line, &at, ' ') && take_number(line, &at, &ignored) &&
           take_char(line, &at, ' ') && take_time(line, &at) && is_end(line, at);
}

static void rewrite_item(struct rewriting *r)
{
    uint64_t id;
    size_t id_end;

    for (size_t at = 0; at + 1 < r->line.size; at++) {
        if (r->line.data[at] == '|' && r->line.data[at + 1] == '*') {
            at += 2;
            skip_blanks(r->line, &at);
            skip_char(r->line, &at, '.');
            if (is_item(r->line, at, &id, &id_end)) {
                replace_id(r, at, id_end, id);
            }
            return;
        }
    }
}

/* ---- Values ---- */

/* "depth,id,count,ms" */
static bool take_quad(struct mb_text line, size_t *at, uint64_t *id, size_t *id_at)
{
    size_t next = *at;
    uint64_t ignored;

    if (!take_number(line, &next, &ignored) || !take_char(line, &next, ',')) {
        return false;
    }
    *id_at = next;
    if (!take_number(line, &next, id) || !take_char(line, &next, ',') ||
        !take_number(line, &next, &ignored) || !take_char(line, &next, ',') ||
        !take_time(line, &next)) {
        return false;
    }
    *at = next;
    return true;
}

/* Moves past what separates two items of a stack. False if no other item follows. */
static bool take_separator(struct mb_text line, size_t *at)
{
    size_t next = *at;

    if (take_char(line, &next, ',') && take_char(line, &next, ' ')) {
        *at = next;
        return true;
    }
    return take_escaped_newline(line, at);
}

static bool is_closed(struct mb_text line, size_t at)
{
    unsigned ignored;

    return is_end(line, at) || char_at(line, at) == ']' || take_quote(line, &at, &ignored);
}

static size_t rewrite_stack(struct rewriting *r, size_t at)
{
    uint64_t id;
    size_t id_at;
    size_t end = at;

    while (take_quad(r->line, &end, &id, &id_at)) {
        size_t id_end = id_at;
        uint64_t ignored;
        at = end;
        if (!take_separator(r->line, &end) && !is_closed(r->line, end)) {
            return at;
        }
        (void)take_number(r->line, &id_end, &ignored);
        replace_id(r, id_at, id_end, id);
    }
    return end;
}

/* Ids, each followed by a bar or, in early versions, a line end. */
static size_t rewrite_key(struct rewriting *r, size_t at)
{
    uint64_t id;
    size_t end = at;

    while (take_number(r->line, &end, &id)) {
        size_t id_end = end;
        if (!take_char(r->line, &end, '|') && !take_escaped_newline(r->line, &end)) {
            return id_end;
        }
        replace_id(r, at, id_end, id);
        at = end;
    }
    return at;
}

static bool is_part_of_name(char c)
{
    return mb_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$';
}

/* At a field's name: "stack" or "stackKey", in quotes or not. Returns where to go on. */
static size_t rewrite_field(struct rewriting *r, size_t at)
{
    static const char key[] = "Key";
    size_t name_end = at + 5;
    bool is_key = r->line.size - name_end >= 3 && memcmp(r->line.data + name_end, key, 3) == 0;
    size_t next = name_end + (is_key ? 3 : 0);
    bool is_quoted = take_quote(r->line, &next, &r->escaping);

    skip_blanks(r->line, &next);
    if (!take_char(r->line, &next, ':')) {
        return name_end;
    }
    skip_blanks(r->line, &next);
    if (is_quoted && !take_quote(r->line, &next, &r->escaping)) {
        return name_end;
    }
    r->escaping = is_quoted ? r->escaping : 0;
    if (!is_quoted && !is_key) {
        (void)take_char(r->line, &next, '[');
    }
    return is_key ? rewrite_key(r, next) : rewrite_stack(r, next);
}

static void rewrite_fields(struct rewriting *r)
{
    size_t at = 0;

    while (r->line.size - at >= 5) {
        const char *next = memchr(r->line.data + at, 't', r->line.size - at);
        if (next == NULL) {
            return;
        }
        size_t place = (size_t)(next - r->line.data);
        bool is_field = place > at && r->line.size - place >= 4 &&
                        (next[-1] == 's' || next[-1] == 'S') && memcmp(next, "tack", 4) == 0 &&
                        (place < 2 || !is_part_of_name(next[-2]));
        at = is_field ? rewrite_field(r, place - 1) : place + 1;
    }
}

void issues_symbolize(struct mb_buf *out, struct mb_text line, const struct answer_names *names)
{
    struct rewriting r = {.out = out, .line = line, .names = names};
    size_t at = 0;

    skip_blanks(line, &at);
    if (at < line.size && mb_is_digit(line.data[at])) {
        uint64_t id;
        size_t id_at;
        size_t end = at;
        if (take_quad(line, &end, &id, &id_at) && is_end(line, end)) {
            (void)rewrite_stack(&r, at);
        }
    }
    if (r.copied == 0) {
        rewrite_item(&r);
    }
    if (r.copied == 0) {
        rewrite_fields(&r);
    }
    mb_buf_put(out, line.data + r.copied, line.size - r.copied);
}
