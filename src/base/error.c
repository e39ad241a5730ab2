#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

MB_PRINTF(4, 0)
static void fill(struct mb_error *err, enum mb_status status, size_t offset, const char *format,
                 va_list args)
{
    if (err != NULL) {
        *err = (struct mb_error){.status = status, .offset = offset};
        (void)vsnprintf(err->reason, sizeof(err->reason), format, args);
    }
}

enum mb_status mb_fail(struct mb_error *err, enum mb_status status, size_t offset,
                       const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fill(err, status, offset, format, args);
    va_end(args);
    return status;
}

enum mb_status mb_fail_in(struct mb_error *err, enum mb_status status, const char *path,
                          const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fill(err, status, MB_NO_OFFSET, format, args);
    va_end(args);
    mb_error_in_input(err, path);
    return status;
}

enum mb_status mb_fail_errno(struct mb_error *err, const char *what)
{
    if (errno == ENOMEM) {
        return mb_fail_memory(err);
    }
    return mb_fail(err, MB_IO, MB_NO_OFFSET, "%s: %s", what, strerror(errno));
}

enum mb_status mb_fail_file(struct mb_error *err, const char *path, const char *what)
{
    enum mb_status status = mb_fail_errno(err, what);

    mb_error_in_input(err, path);
    return status;
}

static void fill_blank(char *blank, size_t blank_size, const char *text, size_t size)
{
    if (blank[0] == '\0') {
        (void)snprintf(blank, blank_size, "%.*s", size < blank_size ? (int)size : (int)blank_size,
                       text);
    }
}

void mb_error_in_method(struct mb_error *err, const char *name, size_t name_size,
                        const char *descriptor, size_t descriptor_size)
{
    if (err != NULL && err->method[0] == '\0') {
        size_t room = sizeof(err->method);

        fill_blank(err->method, room, name, name_size);
        size_t used = strlen(err->method);
        fill_blank(err->method + used, room - used, descriptor, descriptor_size);
    }
}

void mb_error_in_class(struct mb_error *err, const char *name, size_t size)
{
    if (err != NULL) {
        fill_blank(err->class_name, sizeof(err->class_name), name, size);
    }
}

void mb_error_in_input(struct mb_error *err, const char *path)
{
    path = path[0] != '\0' ? path : "''"; /* not shown: the value is empty */
    if (err != NULL) {
        fill_blank(err->input, sizeof(err->input), path, strlen(path));
    }
}

void mb_error_at_line(struct mb_error *err, const char *path, size_t line)
{
    if (err != NULL && err->input[0] == '\0') {
        (void)snprintf(err->input, sizeof(err->input), "%s:%zu", path, line);
    }
}

void mb_error_in_entry(struct mb_error *err, const char *path, const char *entry, size_t size)
{
    if (err != NULL && err->input[0] == '\0') {
        (void)snprintf(err->input, sizeof(err->input), "%s!%.*s", path,
                       size < sizeof(err->input) ? (int)size : (int)sizeof(err->input), entry);
    }
}

static size_t append_value(char *text, size_t size, size_t used, const char *value,
                           const char *behind)
{
    if (value[0] == '\0' || used >= size) {
        return used;
    }
    int n = snprintf(text + used, size - used, "%s%s", value, behind);
    return n < 0 ? used : used + (size_t)n;
}

char *mb_error_format(const struct mb_error *err, char *text, size_t size)
{
    char where[32] = "";
    size_t used = 0;

    if (err->offset != MB_NO_OFFSET) {
        (void)snprintf(where, sizeof(where), "@ 0x%zx", err->offset);
    }
    text[0] = '\0';
    used = append_value(text, size, used, err->input, ": ");
    if (err->input[0] == '\0') { /* otherwise the path or entry names the class already */
        used = append_value(text, size, used, err->class_name, err->method[0] != '\0' ? "." : ": ");
    }
    used = append_value(text, size, used, err->method, where[0] != '\0' ? " " : ": ");
    used = append_value(text, size, used, where, ": ");
    (void)append_value(text, size, used, err->reason, "");
    return text;
}
