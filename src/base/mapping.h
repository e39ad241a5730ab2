/* Files mapped for reading. If another process truncates one meanwhile, touching the lost part
 * raises SIGBUS; a callback then gets the name of the file, so that the process does not end
 * without a message. */

#ifndef BASE_MAPPING_H
#define BASE_MAPPING_H

#include "base/error.h"
#include "base/text.h"

/* Map size bytes, more than 0, of fd. path is for mb_mapping_catch: borrowed until mb_unmap. Fails
 * without naming the path. Any thread. */
MB_MUST_CHECK enum mb_status mb_map(struct mb_text *bytes, int fd, size_t size, const char *path,
                                    struct mb_error *err);

/* bytes as mb_map gave them. No other thread may be reading them. */
void mb_unmap(struct mb_text bytes);

/* These mapped bytes, or a part of a mapping, are not needed for now; reading them again brings
 * them back. A wish. */
void mb_map_drop(struct mb_text bytes);

/* From now on on_cut is called when a mapped file was truncated: in a signal handler, on the
 * reading thread. It must not return, since the thread cannot continue. */
void mb_mapping_catch(void (*on_cut)(const char *path));

#endif
