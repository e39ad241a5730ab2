/* By what inputs, outputs and options of the last run are known again. */

#ifndef INSTRUMENT_MARKS_H
#define INSTRUMENT_MARKS_H

#include "instrument/source.h"

struct ins_run;

/* A file as it was left. */
struct ins_file_mark {
    uint64_t size;
    uint64_t inode; /* 0: there was none */
    int64_t seconds;
    int64_t nanoseconds;
};

struct ins_file_mark ins_mark_file(const char *path);
bool ins_is_marked(const struct ins_file_mark *mark, const char *path);

/* Of the directory of a jar, so that equal marks mean equal contents; 0 for folders and classes,
 * which have none. */
uint64_t ins_mark_source(const struct ins_source *source);

/* Of the options that outputs depend on, and the texts they name. */
MB_MUST_CHECK enum mb_status ins_fingerprint(const struct ins_run *run, uint64_t *fingerprint,
                                             struct mb_error *err);

/* Of both, in this order. */
uint64_t ins_hash_join(uint64_t hash, uint64_t word);

#endif
