/* The cost of probes in bytes: the classes of a program before and after. */

#ifndef INSTRUMENT_SIZE_H
#define INSTRUMENT_SIZE_H

#include "base/buf.h"
#include "base/error.h"

#include <stddef.h>

/* The inputs: one of instrument and its output: jars, folders, AARs, WARs, single classes, with
 * nested jars. */
struct ins_size_paths {
    const char *original;
    const char *instrumented;
};

/* Append a table for people: unpacked bytes of class files by package, at most top packages, those
 * that grew most first. The package is the folder of the entry, without what stands before packages
 * in a WAR, a fat jar or a multi-release jar. */
MB_MUST_CHECK enum mb_status ins_size(const struct ins_size_paths *paths, size_t top,
                                      struct mb_buf *out, struct mb_error *err);

#endif
