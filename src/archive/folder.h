/* Reading folders; private to archive. */

#ifndef ARCHIVE_FOLDER_H
#define ARCHIVE_FOLDER_H

#include "archive/listing.h"

/* List the regular files below input->folder, sorted. Links are followed unless
 * input->passes_links, so a file may have several names, but no path passes the same folder twice.
 * Dangling links are passed over. More than 100,000 folders reached by links are MB_IO. */
MB_MUST_CHECK enum mb_status ar_folder_list(struct ar_input *input, struct mb_error *err);

MB_MUST_CHECK enum mb_status ar_folder_read(const struct ar_input *input,
                                            const struct ar_entry *entry, struct mb_buf *content,
                                            struct mb_error *err);

#endif
