#include "issues/scanner.h"

#define MOST_TRIES 16u /* braces of a line that turn out to begin no object */

enum ending { CLOSED, CUT, OPEN };

struct start {
    size_t at;
    size_t column;
    bool is_first; /* of its line, so that more lines may be its own */
};

/* One line at work. */
struct telling {
    struct issues_scanner *scanner;
    const struct issues_hearer *hearer;
    size_t line;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* In front of an object that has lines of its own: also a byte order mark. */
static bool is_lead(char c)
{
    return is_blank(c) || c == '[' || c == ',' || (unsigned char)c == 0xef ||
           (unsigned char)c == 0xbb || (unsigned char)c == 0xbf;
}

/* A brace, followed by a member or a brace; also by a line end, if the object may have lines. */
static bool begins_object(struct mb_text text, size_t at, bool is_first)
{
    if (text.data[at++] != '{') {
        return false;
    }
    while (at < text.size && is_blank(text.data[at])) {
        at++;
    }
    return at == text.size || text.data[at] == '"' || text.data[at] == '}' ||
           (is_first && text.data[at] == '\n');
}

/* The next object of the line from `from` on; is_first where that is the line's start. */
static bool find_start(struct mb_text text, size_t from, bool is_first, struct start *start)
{
    for (size_t at = from; at < text.size && text.data[at] != '\n'; at++) {
        if (begins_object(text, at, is_first)) {
            *start = (struct start){at, at - from, is_first};
            return true;
        }
        is_first = is_first && is_lead(text.data[at]);
    }
    return false;
}

/* True if another object begins after a line end, not farther to the right than this one. */
static bool begins_next(struct mb_text text, size_t at, size_t column)
{
    size_t end = at;

    while (end < text.size && is_lead(text.data[end])) {
        end++;
    }
    return end < text.size && text.data[end] == '{' && end - at <= column;
}

/* *end becomes the place after the object, or where it is cut. */
static enum ending find_end(struct mb_text text, const struct start *start, size_t *end)
{
    bool in_string = false;
    size_t depth = 0;

    for (*end = start->at; *end < text.size; ++*end) {
        *end += in_string ? mb_text_plain(mb_text_from(text, *end)) : 0;
        if (*end == text.size) {
            break;
        }
        char c = text.data[*end];
        if (c == '\n' &&
            (in_string || !start->is_first || begins_next(text, *end + 1, start->column))) {
            return CUT;
        }
        if (in_string && c == '\\' && *end + 1 < text.size && text.data[*end + 1] != '\n') {
            ++*end;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '{' || c == '[')) {
            depth++;
        } else if (!in_string && (c == '}' || c == ']') && --depth == 0) {
            ++*end;
            return CLOSED;
        }
    }
    return OPEN;
}

static size_t count_lines(struct mb_text text, size_t from, size_t to)
{
    struct mb_text rest = {text.data + from, to - from};
    size_t count = 0;
    const char *end;

    while (rest.size > 0 && (end = memchr(rest.data, '\n', rest.size)) != NULL) {
        rest = mb_text_from(rest, (size_t)(end + 1 - rest.data));
        count++;
    }
    return count;
}

/* The next line end, or the text's. */
static size_t end_of_line(struct mb_text text, size_t from)
{
    const char *end = from < text.size ? memchr(text.data + from, '\n', text.size - from) : NULL;

    return end != NULL ? (size_t)(end - text.data) : text.size;
}

/* A failure stays, as one of memory. */
static void keep_failure(struct issues_scanner *scanner)
{
    scanner->waiting.failed = scanner->waiting.failed || mb_reader_failed(&scanner->reader);
}

/* Tell of an object, or of what is left of one. Where to go on. */
static size_t report_object(struct mb_text text, const struct start *start, enum ending ending,
                            size_t end, const struct telling *to)
{
    struct mb_text object = {text.data + start->at, end - start->at};

    if (ending == CLOSED) {
        const struct mb_value *value = mb_reader_read(&to->scanner->reader, object);
        keep_failure(to->scanner);
        to->hearer->object(to->hearer->context, object, value, to->line);
        return end;
    }
    to->hearer->cut(to->hearer->context, object, to->line);
    return start->is_first ? end : start->at + 1;
}

/* Nearly all objects end within their line, and are found by reading them: its size, or 0. */
static size_t read_object(struct mb_text rest_of_line, const struct telling *to)
{
    struct mb_text object = {rest_of_line.data, 0};
    const struct mb_value *value =
        mb_reader_read_first(&to->scanner->reader, rest_of_line, &object.size);

    keep_failure(to->scanner);
    if (value != NULL) {
        to->hearer->object(to->hearer->context, object, value, to->line);
    }
    return object.size;
}

/* A line with all that belongs to it; text ends with a line, or it is the last. Its size with its
 * end; 0: that is not known before more of the text is there. */
static size_t scan_line(struct mb_text text, bool is_last, struct telling to)
{
    size_t line_end = end_of_line(text, 0);
    struct start start;
    size_t at = 0;

    for (unsigned tries = 0; tries < MOST_TRIES && find_start(text, at, at == 0, &start);) {
        size_t end;
        line_end = start.at < line_end ? line_end : end_of_line(text, start.at);
        at = start.at +
             read_object((struct mb_text){text.data + start.at, line_end - start.at}, &to);
        if (at > start.at) {
            continue;
        }
        enum ending ending = find_end(text, &start, &end);
        if (ending == OPEN && !is_last) {
            return 0;
        }
        tries += ending != CLOSED;
        at = report_object(text, &start, ending, end, &to);
        to.line += count_lines(text, start.at, at);
    }
    at = end_of_line(text, at);
    return at + (at < text.size);
}

static void drop_scanned(struct issues_scanner *scanner, size_t size)
{
    struct mb_buf *waiting = &scanner->waiting;

    waiting->size -= size;
    if (waiting->size > 0 && size > 0) {
        memmove(waiting->bytes, waiting->bytes + size, waiting->size);
    }
}

/* How much of the text its whole lines are. */
static size_t size_of_lines(struct mb_text text)
{
    while (text.size > 0 && text.data[text.size - 1] != '\n') {
        text.size--;
    }
    return text.size;
}

/* What does not end within the limit is cut there. */
static void scan_waiting(struct issues_scanner *scanner, bool is_last,
                         const struct issues_hearer *hearer)
{
    const struct mb_text text = {(const char *)scanner->waiting.bytes, scanner->waiting.size};
    size_t known = is_last ? text.size : size_of_lines(text);
    size_t at = 0;

    while (at < text.size) {
        struct mb_text rest = {text.data + at, known - at};
        const struct telling to = {scanner, hearer, scanner->lines + 1};
        size_t size = scan_line(rest, is_last, to);
        if (size == 0 && text.size - at >= ISSUES_OBJECT_SIZE) {
            known = text.size;
            rest.size = known - at;
            size = scan_line(rest, true, to);
        }
        if (size == 0) {
            break;
        }
        scanner->lines += count_lines(rest, 0, size);
        at += size;
    }
    drop_scanned(scanner, at);
    scanner->size_to_try = 2 * (text.size - at);
}

void issues_scan(struct issues_scanner *scanner, struct mb_text piece, bool is_last,
                 const struct issues_hearer *hearer)
{
    struct mb_buf *waiting = &scanner->waiting;

    mb_buf_put(waiting, piece.data, piece.size);
    if (waiting->failed || waiting->bytes == NULL) {
        return;
    }
    if (is_last || waiting->size >= scanner->size_to_try || waiting->size >= ISSUES_OBJECT_SIZE) {
        scan_waiting(scanner, is_last, hearer);
    }
}

void issues_scanner_finish(struct issues_scanner *scanner)
{
    mb_buf_finish(&scanner->waiting);
    mb_reader_finish(&scanner->reader);
}
