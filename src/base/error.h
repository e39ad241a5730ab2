/* Errors, in the words of the input, with their place: filled inside out, printed once by cli. */

#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/check.h"

#include <stddef.h>

enum mb_status {
    MB_OK = 0,
    MB_BAD_CLASS,   /* bytes that are not a valid class file (JVMS chapter 4) */
    MB_BAD_ARCHIVE, /* not a valid zip archive, or refused for safety */
    MB_BAD_TEXT,    /* a malformed line of a rule, mapping or argument file */
    MB_BAD_TRACE,   /* bytes that are not a valid trace file */
    MB_BAD_USAGE,   /* a command line that asks for the impossible */
    MB_UNSUPPORTED, /* valid, but we cannot do it safely: a skip, not a failure of the run */
    MB_TOO_LARGE,   /* a limit of the format is exceeded: the method is skipped, if one is
                     * concerned */
    MB_IO,          /* a system call failed; the reason holds its message */
    MB_NO_MEMORY,
    MB_INTERRUPTED, /* a signal asked us to stop */
};

#define MB_NO_OFFSET ((size_t)-1)

/* Transparent: a value, kept by the caller. Owns its text, so it outlives every arena. */
struct mb_error {
    enum mb_status status;
    size_t offset;        /* bytes from the start of the class file or archive, or MB_NO_OFFSET */
    char reason[160];     /* one clause, lower case, no trailing period */
    char method[192];     /* name and descriptor */
    char class_name[192]; /* internal form, with slashes */
    char input[256];      /* path, or "path!entry" inside an archive, or "path:line" of a text */
};

/* Fill status, offset and reason, and return status. err may be NULL. The other blanks are
 * emptied: the place that detects a failure starts the story. */
enum mb_status mb_fail(struct mb_error *err, enum mb_status status, size_t offset,
                       const char *format, ...) MB_PRINTF(4, 5);

/* MB_NO_MEMORY with the standard words. */
static inline enum mb_status mb_fail_memory(struct mb_error *err)
{
    (void)mb_fail(err, MB_NO_MEMORY, MB_NO_OFFSET, "out of memory");
    return MB_NO_MEMORY;
}

/* MB_IO with "what: strerror(errno)"; MB_NO_MEMORY for ENOMEM. */
enum mb_status mb_fail_errno(struct mb_error *err, const char *what);

/* Both about a file, or what else path names. */
enum mb_status mb_fail_in(struct mb_error *err, enum mb_status status, const char *path,
                          const char *format, ...) MB_PRINTF(4, 5);
enum mb_status mb_fail_file(struct mb_error *err, const char *path, const char *what);

/* Each layer on the way out fills the blank it owns; a blank already filled is kept, so the
 * innermost truth wins. err may be NULL. Text is size bytes long, cut if it does not fit. */
void mb_error_in_method(struct mb_error *err, const char *name, size_t name_size,
                        const char *descriptor, size_t descriptor_size);
void mb_error_in_class(struct mb_error *err, const char *name, size_t size);
void mb_error_in_input(struct mb_error *err, const char *path);
void mb_error_at_line(struct mb_error *err, const char *path, size_t line);
void mb_error_in_entry(struct mb_error *err, const char *path, const char *entry, size_t size);

/* The one line that cli prints: "input: method @ 0xOFFSET: reason". Always terminated.
 * Returns text. */
char *mb_error_format(const struct mb_error *err, char *text, size_t size);

#endif
