/* Archives through reader and writer. */

#ifndef TESTS_ARCHIVE_ZIP_COPY_H
#define TESTS_ARCHIVE_ZIP_COPY_H

#include "base/buf.h"

/* Replace the archive at path by a copy of its entries and what stands around them, which is also
 * appended to written. Fails the test if that cannot be done. */
void zip_copy(const char *path, struct mb_buf *written);

#endif
