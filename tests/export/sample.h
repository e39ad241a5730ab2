/* A small report for the tests of all formats. */

#ifndef EXPORT_SAMPLE_H
#define EXPORT_SAMPLE_H

#include "export/writer.h"

extern const struct trace_method sample_methods[3];
extern const struct export_thread sample_thread;
extern const struct export_report sample_report; /* of that thread; a unit is 2 ms */

/* All that a writer is told of a report, its calls as often as the format wants them. */
void sample_pass(struct export_writer *writer, const struct export_report *about);

/* What the format writes about the report, terminated; until the next call. */
const char *sample_write(const struct export_format *format, const struct export_report *about);

/* The part is in what was written last. */
void sample_expect(const char *part);

/* All that put says of the report. */
void sample_expect_put(void (*put)(const struct export_report *report, struct mb_buf *out),
                       const struct export_report *report, const char *expected);

#endif
