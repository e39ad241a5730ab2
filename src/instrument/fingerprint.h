/* What tells that a run was asked for the same as the last one. */

#ifndef INSTRUMENT_FINGERPRINT_H
#define INSTRUMENT_FINGERPRINT_H

#include "instrument/instrument.h"

/* A hash of all options that outputs depend on, and of the texts and class paths they name. Inputs
 * are compared one by one (history/resume.h). */
MB_MUST_CHECK enum mb_status ins_fingerprint(const struct ins_options *options,
                                             uint64_t *fingerprint, struct mb_error *err);

#endif
