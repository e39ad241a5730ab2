#include "answer/words.h"

#include "answer/issue.h"
#include "base/platform_system.h"

#include <inttypes.h>
#include <stdio.h>

struct unit {
    uint64_t size;
    const char *name;
};

/* value / size with three digits; 1000 and more have all of theirs. */
static void put_three_digits(char *text, size_t room, uint64_t value, const struct unit *unit)
{
    uint64_t whole = value / unit->size;
    uint64_t part = value % unit->size;

    if (whole >= 100 || unit->size == 1) {
        (void)snprintf(text, room, "%" PRIu64 " %s", whole, unit->name);
    } else if (whole >= 10) {
        (void)snprintf(text, room, "%" PRIu64 ".%" PRIu64 " %s", whole, part * 10 / unit->size,
                       unit->name);
    } else {
        (void)snprintf(text, room, "%" PRIu64 ".%02" PRIu64 " %s", whole, part * 100 / unit->size,
                       unit->name);
    }
}

void answer_put_time(struct mb_buf *out, int64_t ns, int width)
{
    static const struct unit units[] = {
        {1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    size_t unit = 0;
    char text[40] = "-";

    while (unit + 1 < MB_COUNT(units) && size < units[unit].size) {
        unit++;
    }
    put_three_digits(text + (ns < 0), sizeof(text) - 1, size, &units[unit]);
    mb_buf_printf(out, "%*s", width, text);
}

void answer_put_count(struct mb_buf *out, uint64_t count, int width)
{
    static const struct unit units[] = {{1000000000, "G"}, {1000000, "M"}, {1000, "k"}};
    size_t unit = 0;
    char text[40];

    if (count < 100000) {
        mb_buf_printf(out, "%*" PRIu64, width, count);
        return;
    }
    while (count < units[unit].size) {
        unit++;
    }
    put_three_digits(text, sizeof(text), count, &units[unit]);
    mb_buf_printf(out, "%*s", width, text);
}

void answer_put_percent(struct mb_buf *out, int64_t part, int64_t whole, int width)
{
    double share = whole > 0 ? (double)part * 100 / (double)whole : 0;

    mb_buf_printf(out, "%*.1f", width, share);
}

size_t answer_columns(struct mb_text text)
{
    size_t columns = 0;

    for (size_t i = 0; i < text.size; i++) {
        columns += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    }
    return columns;
}

/* ---- Names ---- */

size_t answer_package_size(struct mb_text name)
{
    size_t end = 0;
    size_t dots = 0;

    while (end < name.size && name.data[end] != '(') {
        end++;
    }
    while (end > 0 && dots < 2) {
        dots += name.data[--end] == '.';
    }
    return dots == 2 ? end + 1 : 0;
}

static bool is_rest(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Put the name with the fewest packages cut to a letter that make it fit into room columns. */
static void put_short_packages(struct mb_buf *to, struct mb_text name, size_t room)
{
    size_t package = answer_package_size(name);
    size_t columns = answer_columns(name);
    size_t at = 0;

    while (at < package && columns > room) {
        size_t first = at++;
        while (at < package && is_rest(name.data[at])) {
            at++;
        }
        mb_buf_put(to, name.data + first, at - first);
        for (; at < package && name.data[at] != '.'; at++) {
            columns -= !is_rest(name.data[at]);
        }
        mb_buf_put_u1(to, '.');
        at += at < package;
    }
    mb_buf_put(to, name.data + at, name.size - at);
}

/* "name(..)" if the name with its parameters does not fit. */
static void cut_parameters(struct mb_buf *name, size_t room)
{
    const uint8_t *end = name->size > 0 ? memchr(name->bytes, '(', name->size) : NULL;

    if (end != NULL && answer_columns((struct mb_text){(char *)name->bytes, name->size}) > room) {
        name->size = (size_t)(end - name->bytes);
        mb_buf_put_string(name, "(..)");
    }
}

/* The last columns of what is too long, after two dots. */
static void put_tail(struct mb_buf *out, struct mb_text name, size_t room)
{
    size_t columns = answer_columns(name);

    if (columns > room) {
        mb_buf_put_string(out, "..");
        for (columns += 2; columns > room || is_rest(name.data[0]); name.data++, name.size--) {
            columns -= !is_rest(name.data[0]);
        }
        while (name.size > 0 && name.data[0] == '.') {
            name.data++;
            name.size--;
        }
    }
    mb_buf_put(out, name.data, name.size);
}

void answer_put_fitting(struct mb_buf *out, struct mb_text name, size_t room)
{
    struct mb_buf whole = {0};
    struct mb_buf cut = {0};

    mb_buf_put_printable(&whole, name);
    if (room == 0) {
        mb_buf_put(out, whole.bytes, whole.size);
    } else if (!whole.failed) {
        put_short_packages(&cut, (struct mb_text){(const char *)whole.bytes, whole.size}, room);
        cut_parameters(&cut, room);
    }
    if (!cut.failed && cut.size > 0) {
        put_tail(out, (struct mb_text){(const char *)cut.bytes, cut.size}, room);
    }
    mb_buf_finish_part(out, &whole);
    mb_buf_finish_part(out, &cut);
}

void answer_put_method(struct mb_buf *out, const struct answer_names *names, uint32_t id,
                       size_t room)
{
    struct mb_text name = names->find(names->context, id);
    char number[24];

    if (name.size == 0) {
        (void)snprintf(number, sizeof(number), "#%" PRIu32, id);
        name = mb_text_of(number);
    }
    answer_put_fitting(out, name, room);
}

/* What slow requests did. */
static const char *const words[ANSWER_STATES] = {
    [ANSWER_STATE_MIXED] = "no single cause",
    [ANSWER_STATE_COLLECTED] = "paused for garbage collection",
    [ANSWER_STATE_THROTTLED] = "held back by the container's limit of CPU time",
    [ANSWER_STATE_STOPPED] = "the whole process was stopped",
    [ANSWER_STATE_READY] = "ready without a processor",
    [ANSWER_STATE_TIME] = "in ",
    [ANSWER_STATE_WORKED] = "worked in ",
    [ANSWER_STATE_LOCKED] = "waited in ",
    [ANSWER_STATE_IO] = "read or wrote in ",
    [ANSWER_STATE_WAITED] = "waited in ",
};

const char *answer_state_words(enum answer_state state, uint32_t id)
{
    return state == ANSWER_STATE_READY && id != 0 ? "ready without a processor in " : words[state];
}

/* ---- Times ---- */

void answer_format_time(char text[ANSWER_TIME_SIZE], int64_t ms)
{
    struct tm parts = {0};

    if (!mb_time_to_utc(ms / 1000, &parts) ||
        strftime(text, ANSWER_TIME_SIZE, "%Y-%m-%d %H:%M:%S", &parts) == 0) {
        text[0] = '\0';
    }
}
