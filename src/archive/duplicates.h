/* Entries with equal names; private to archive. */

#ifndef ARCHIVE_DUPLICATES_H
#define ARCHIVE_DUPLICATES_H

#include "archive/listing.h"

/* Of entries with equal names keep the first place and the last content. */
MB_MUST_CHECK enum mb_status ar_drop_duplicates(struct ar_input *input, struct mb_error *err);

#endif
