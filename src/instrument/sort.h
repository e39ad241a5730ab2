/* The canonical order of classes, in which ids are given and mapping files are written. */

#ifndef INSTRUMENT_SORT_H
#define INSTRUMENT_SORT_H

#include "instrument/model.h"
#include "instrument/workers.h"

/* By name as printed, then as in the class file, bytewise; copies by size, checksum and place.
 * MB_NO_MEMORY leaves the order as it was. */
MB_MUST_CHECK enum mb_status ins_sort_classes(struct ins_class **classes, size_t count,
                                              const struct ins_names *names,
                                              struct ins_workers *workers, struct mb_error *err);

/* Merge [0, middle) and [middle, count), each in order already. */
MB_MUST_CHECK enum mb_status ins_merge_classes(struct ins_class **classes, size_t middle,
                                               size_t count, const struct ins_names *names,
                                               struct mb_error *err);

/* The end of the copies that begin at start, or of which start is one: classes of the same name, whose
 * methods share ids, are neighbours in canonical order. */
size_t ins_end_of_copies(struct ins_class *const *classes, size_t count, size_t start);

/* Whether lists say the same of both classes but for names of the classes and ids: the same methods
 * in the same order with the same verdicts. Most copies are like this. */
bool ins_has_same_methods(const struct ins_names *names, const struct ins_class *a,
                          const struct ins_class *b);

#endif
