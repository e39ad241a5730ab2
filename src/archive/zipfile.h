/* Reading zip archives; private to archive. */

#ifndef ARCHIVE_ZIPFILE_H
#define ARCHIVE_ZIPFILE_H

#include "archive/listing.h"

/* List the central directory of input->file. */
MB_MUST_CHECK enum mb_status ar_zip_list(struct ar_input *input, struct mb_error *err);

/* The packed data of an entry, its local header checked. */
MB_MUST_CHECK enum mb_status ar_zip_locate(const struct ar_input *input,
                                           const struct ar_entry *entry, struct mb_text *packed,
                                           struct mb_error *err);

#endif
