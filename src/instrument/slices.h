/* The files by which a build does a run in three steps: names, which say of one input what others
 * have to know of it (instrument/plan/names.h), and slices, which say of all what one has to know
 * (instrument/plan/ids.h).
 */

#ifndef INSTRUMENT_SLICES_H
#define INSTRUMENT_SLICES_H

#include "instrument/instrument.h"
#include "instrument/plan/ids.h"
#include "instrument/plan/sort.h"
#include "publish/publish.h"

MB_MUST_CHECK enum mb_status ins_write_names(struct pub_outputs *publish,
                                             const struct ins_options *options,
                                             const struct mb_intern *names,
                                             const struct plan_order *order, struct mb_error *err);

/* Between names and slices. The first five are set, and borrowed. */
struct ins_slices {
    const struct ins_options *options;
    struct pub_outputs *publish;
    struct plan_sources *sources; /* empty */
    struct mb_intern *names;
    struct plan_warnings *warnings;
    const char **paths; /* of the slices, by source */
    uint64_t choice;    /* of the options that all names share */
    union plan_ids all;
    struct mb_arena arena;
};

/* Add a source for each input, whose outputs must not be inputs. */
MB_MUST_CHECK enum mb_status ins_load_names(struct ins_slices *slices, struct mb_error *err);

/* When all is decided: give ids, write all files. */
MB_MUST_CHECK enum mb_status ins_write_slices(struct ins_slices *slices, struct mb_error *err);

/* Also after failure. */
void ins_slices_finish(struct ins_slices *slices);

/* ---- Hashes of options ---- */

/* Hash all options that affect outputs, and the contents of the files and class paths they name.
 * Inputs are compared one by one (instrument/history/resume.h). */
MB_MUST_CHECK enum mb_status ins_fingerprint(const struct ins_options *options,
                                             uint64_t *fingerprint, struct mb_error *err);

/* Hash the options that files of names and slices depend on (slices.h). */
uint64_t ins_hash_choice(const struct ins_options *options);

#endif
