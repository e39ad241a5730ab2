/* A small report for the tests of all formats. */

#ifndef FORMATS_SAMPLE_H
#define FORMATS_SAMPLE_H

#include "formats/writer.h"

extern const struct trace_method sample_methods[3];
extern const struct answer_thread sample_thread;
extern const struct answer_facts sample_report; /* of that thread; a unit is 2 ms */

extern struct format_look sample_look; /* top is 2; tests may ask for more */

/* All that a writer is told of a report, its calls as often as the format wants them. */
void sample_pass(struct format_writer *writer, const struct answer_facts *about);

/* What the format writes about the report, terminated; until the next call. */
const char *sample_write(const struct format *format, const struct answer_facts *about);

/* The part is in what was written last. */
void sample_expect(const char *part);

/* All that put says of the facts, as sample_look has it. */
typedef void sample_put_fn(const struct answer_facts *facts, const struct format_look *look,
                           struct mb_buf *out);
void sample_expect_put(sample_put_fn *put, const struct answer_facts *facts, const char *expected);

#endif
