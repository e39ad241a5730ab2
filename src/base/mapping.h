/* Files mapped for reading. If another process cuts one off meanwhile, a touch of what is gone ends
 * in SIGBUS; whoever asked to be told learns which file it was, instead of a death without a
 * word. */

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

/* From now on on_cut is called when a mapped file was cut off: in the handler of a signal, in the
 * thread that read. It must not return: there is nothing that the thread could go on with. */
void mb_mapping_catch(void (*on_cut)(const char *path));

#endif
