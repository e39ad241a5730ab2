/* Stamps by which the next run recognises inputs and outputs of this one. */

#ifndef INSTRUMENT_HISTORY_STAMP_H
#define INSTRUMENT_HISTORY_STAMP_H

#include "instrument/plan/source.h"
#include "publish/publish.h"

/* A file as it was left. */
struct history_stamp {
    uint64_t size;
    uint64_t number; /* 0 if absent */
    int64_t changed_ns;
};

/* path may be NULL: no file. */
struct history_stamp history_stamp_of(const char *path);

/* The same of an output as it will be when all is committed. */
struct history_stamp history_stamp_output(struct pub_outputs *publish, const char *path);

/* Check whether the file at path is the stamped one. */
bool history_is_stamped(const struct history_stamp *stamp, const char *path);

/* The same where not to know is a failure; a file that is not there is another. */
MB_MUST_CHECK enum mb_status history_check_stamp(const struct history_stamp *stamp,
                                                 const char *path, bool *is_stamped,
                                                 struct mb_error *err);

/* Hash of a jar's directory: equal hashes mean equal contents; 0 for folders and classes, which
 * have no directory. */
uint64_t history_hash_source(const struct plan_source *source);

/* Combines hash and word, or text (which may be NULL); order matters. */
uint64_t history_hash_join(uint64_t hash, uint64_t word);
uint64_t history_hash_text(uint64_t hash, const char *text);

/* Combines hash and the contents of a file or, of a folder, of all files in it. */
MB_MUST_CHECK enum mb_status history_hash_content(uint64_t *hash, const char *path,
                                                  struct mb_error *err);

#endif
