/* Pass 2 for one class: from its entry to the bytes that go out. */

#ifndef INSTRUMENT_TRANSFORM_H
#define INSTRUMENT_TRANSFORM_H

#include "instrument/run.h"

/* New bytes are appended to out. content views those, or the input, or scratch until scratch is used
 * again. A class that proves to be damaged goes out as it came, with a warning and without its ids;
 * so does one that needs nothing. Sets is_changed, and what became of methods at a limit. One thread
 * a class. */
MB_MUST_CHECK enum mb_status ins_transform(struct ins_run *run, struct ins_scratch *scratch,
                                           struct ins_class *cls, struct mb_buf *out,
                                           struct mb_text *content, struct mb_error *err);

#endif
