/* A hash that shows that a run has the same options as the last one. */

#ifndef INSTRUMENT_FINGERPRINT_H
#define INSTRUMENT_FINGERPRINT_H

#include "instrument/instrument.h"

/* Hash all options that affect outputs, and the contents of the files and class paths they name.
 * Inputs are compared one by one (history/resume.h). */
MB_MUST_CHECK enum mb_status ins_fingerprint(const struct ins_options *options,
                                             uint64_t *fingerprint, struct mb_error *err);

/* Hash the options that files of names and slices depend on (slices.h). */
uint64_t ins_hash_choice(const struct ins_options *options);

#endif
