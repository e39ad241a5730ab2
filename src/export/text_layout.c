#include "export/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"
#define LABEL_WIDTH 13
#define LEAST_NAME 20

void export_put_heading(const struct export_report *report, struct mb_buf *out, const char *format,
                        ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    mb_buf_printf(out, "\n%s", report->colour ? BOLD : "");
    mb_buf_put_printable(out, mb_text_of(text));
    mb_buf_printf(out, "%s\n", report->colour ? PLAIN : "");
}

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

void export_put_time(struct mb_buf *out, int64_t ns, int width)
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

void export_put_count(struct mb_buf *out, uint64_t count, int width)
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

void export_put_percent(struct mb_buf *out, int64_t part, int64_t whole, int width)
{
    double share = whole > 0 ? (double)part * 100 / (double)whole : 0;

    mb_buf_printf(out, "%*.1f", width, share);
}

void export_put_whole_percent(struct mb_buf *out, int64_t part, int64_t whole)
{
    mb_buf_printf(out, "%.0f", whole > 0 ? (double)part * 100 / (double)whole : 0);
}

size_t export_columns(struct mb_text text)
{
    size_t columns = 0;

    for (size_t i = 0; i < text.size; i++) {
        columns += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    }
    return columns;
}

int64_t export_tick_ns(const struct export_report *report)
{
    return report->is_coarse_clock ? (int64_t)(report->resolution_ns & INT64_MAX) : 0;
}

/* ---- Names ---- */

size_t export_package_size(struct mb_text name)
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
    size_t package = export_package_size(name);
    size_t columns = export_columns(name);
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

    if (end != NULL && export_columns((struct mb_text){(char *)name->bytes, name->size}) > room) {
        name->size = (size_t)(end - name->bytes);
        mb_buf_put_string(name, "(..)");
    }
}

/* The last columns of what is too long, behind two dots. */
static void put_tail(struct mb_buf *out, struct mb_text name, size_t room)
{
    size_t columns = export_columns(name);

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

void export_put_fitting(struct mb_buf *out, struct mb_text name, size_t room)
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
    out->failed = out->failed || whole.failed || cut.failed;
    mb_buf_finish(&whole);
    mb_buf_finish(&cut);
}

size_t export_room(const struct export_report *report, size_t used)
{
    if (report->columns == 0) {
        return 0;
    }
    return report->columns > used + LEAST_NAME ? report->columns - used : LEAST_NAME;
}

void export_put_method(const struct export_report *report, struct mb_buf *out, uint32_t id,
                       size_t used)
{
    struct mb_text name = report->names.find(report->names.context, id);
    char number[24];

    if (name.size == 0) {
        (void)snprintf(number, sizeof(number), "#%" PRIu32, id);
        name = mb_text_of(number);
    }
    export_put_fitting(out, name, export_room(report, used));
}

void export_put_marks(const struct export_report *report, struct mb_buf *out, uint32_t id,
                      bool is_open)
{
    const struct export_marks marks = export_marks_of(report, id, 0, 0);

    export_put_signs(out, &marks);
    mb_buf_put_string(out, is_open ? " +" : "");
    const struct export_suspended *suspended = export_find_suspended(report, id);
    if (suspended != NULL && suspended->resumed > 0) {
        mb_buf_put_string(out, " (suspend, resumed ");
        export_put_count(out, suspended->resumed, 0);
        mb_buf_put_string(out, suspended->resumed == 1 ? " time)" : " times)");
    } else {
        mb_buf_put_string(out, suspended != NULL ? " (suspend)" : "");
    }
}

void export_put_inferred(struct mb_buf *out, int64_t inferred, int64_t total)
{
    uint32_t percent = export_inferred_percent(inferred, total);
    const struct export_marks marks = {.set = percent > 0 ? 1u << EXPORT_MARK_INFERRED : 0,
                                       .inferred_percent = percent};

    export_put_signs(out, &marks);
}

/* ---- Paragraphs ---- */

/* Words from column first on; lines that follow are indented as far. */
static void put_wrapped(const struct export_report *report, struct mb_buf *out, size_t first,
                        const struct mb_buf *text)
{
    struct mb_text rest = {(const char *)text->bytes, text->failed ? 0 : text->size};
    size_t column = first;

    out->failed = out->failed || text->failed;
    while (rest.size > 0) {
        struct mb_text word = mb_text_split(&rest, ' ');
        size_t width = export_columns(word);
        bool is_first = column == first;
        if (!is_first && report->columns > 0 && column + 1 + width > report->columns) {
            mb_buf_printf(out, "\n%*s", (int)first, "");
            column = first;
            is_first = true;
        }
        mb_buf_put_string(out, is_first ? "" : " ");
        mb_buf_put(out, word.data, word.size);
        column += width + !is_first;
    }
    mb_buf_put_u1(out, '\n');
}

void export_put_item(const struct export_report *report, struct mb_buf *out, const char *label,
                     const struct mb_buf *text)
{
    mb_buf_printf(out, "  %-*s", LABEL_WIDTH - 2, label);
    put_wrapped(report, out, LABEL_WIDTH, text);
}

void export_put_paragraph(const struct export_report *report, struct mb_buf *out,
                          const struct mb_buf *text)
{
    put_wrapped(report, out, 0, text);
}
