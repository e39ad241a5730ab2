/* methodMapping.txt, ignoreMethodMapping.txt and --explain: written when all classes are, since only
 * then it is known which methods a limit has kept from being traced. */

#ifndef EMIT_MAPFILES_H
#define EMIT_MAPFILES_H

#include "base/publish.h"
#include "emit/mapformat.h"

/* Where each goes; NULL: it is not written, or what is there stays. */
struct emit_mapfile_paths {
    const char *method_map;
    const char *ignore_map;
    const char *explain;
};

/* Their parts are formatted by all threads and written in order. */
MB_MUST_CHECK enum mb_status emit_mapfiles(const struct emit_map_model *model,
                                           const struct emit_mapfile_paths *paths,
                                           struct mb_publish *publish, struct mb_workers *workers,
                                           struct mb_error *err);

#endif
