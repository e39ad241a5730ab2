/* The lines of an upload, which zstd (RFC 8878) may have packed. */

#ifndef ISSUES_FLEET_LINES_H
#define ISSUES_FLEET_LINES_H

#include "base/text.h"

#define FLEET_LINE_MOST ((size_t)16 << 20)
#define FLEET_UPLOAD_MOST ((uint64_t)256 << 20) /* bytes, packed or not */

/* line is called with each complete line, without its end; valid during the call. */
struct fleet_hearer {
    enum mb_status (*line)(void *context, struct mb_text line, struct mb_error *err);
    void *context;
};

/* How an upload ended. */
struct fleet_ending {
    bool is_too_large;     /* unpacked: lines were left out at the end */
    bool is_cut;           /* in the middle of a line, or of what is packed */
    uint64_t lines_beyond; /* that were longer than FLEET_LINE_MOST, and left out */
};

/* Packed bytes begin with zstd's magic number. Damage is an ending, no failure; MB_UNSUPPORTED for
 * packed bytes in a build without libzstd. */
MB_MUST_CHECK enum mb_status fleet_lines_each(struct mb_text bytes,
                                              const struct fleet_hearer *hearer,
                                              struct fleet_ending *ending, struct mb_error *err);

#endif
