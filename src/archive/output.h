/* Jars to be written, through libzip, which is given data that is packed already. */

#ifndef ARCHIVE_OUTPUT_H
#define ARCHIVE_OUTPUT_H

#include "archive/codec.h"
#include "archive/entry.h"
#include "archive/input.h"

/* The source of an entry's data. produce is called once, in the order of the entries, while
 * ar_output_finish writes; it may wait for another thread. Its result must stay valid until the
 * next call. */
struct ar_source {
    enum mb_status (*produce)(void *context, struct ar_packed *packed, struct mb_error *err);
    void *context;
    bool is_stored; /* the result of produce: method STORE, else another */
};

struct ar_output;

/* fd: an empty file, borrowed until ar_output_finish; -1 to collect the archive in memory. */
MB_MUST_CHECK enum mb_status ar_output_create(struct ar_output **output, int fd,
                                              struct mb_error *err);

/* Add an entry with the name and metadata of entry, which is only read; names must be distinct. The
 * source is copied. */
MB_MUST_CHECK enum mb_status ar_output_add(struct ar_output *output, const struct ar_entry *entry,
                                           const struct ar_source *source, struct mb_error *err);

/* Copy the entry as it is in the input, which must stay open: packed bytes and CRC unchanged and
 * unchecked, damage included. */
MB_MUST_CHECK enum mb_status ar_output_add_copy(struct ar_output *output,
                                                const struct ar_input *input, size_t index,
                                                struct mb_error *err);

/* Copy the bytes before the first entry of the input, which must stay open, and its comment; call
 * it before adding entries. */
MB_MUST_CHECK enum mb_status
ar_output_add_frame(struct ar_output *output, const struct ar_input *input, struct mb_error *err);

/* Write all. After a failure the file's content is worthless. */
MB_MUST_CHECK enum mb_status ar_output_finish(struct ar_output *output, struct mb_error *err);

/* The archive that ar_output_finish wrote to memory; borrowed until destroy. */
struct mb_text ar_output_bytes(const struct ar_output *output);
void ar_output_destroy(struct ar_output *output);

#endif
