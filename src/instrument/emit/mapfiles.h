/* methodMapping.txt, ignoreMethodMapping.txt and --explain: made when all classes are rewritten,
 * since only then it is known which methods a limit has kept from being traced. */

#ifndef INSTRUMENT_EMIT_MAPFILES_H
#define INSTRUMENT_EMIT_MAPFILES_H

#include "base/workers.h"
#include "instrument/emit/mapformat.h"
#include "publish/publish.h"

/* The path of each; NULL: not written, or the existing file stays. */
struct emit_mapfile_paths {
    const char *method_map;
    const char *ignore_map;
    const char *explain;
};

struct emit_mapfiles;

/* Borrows the names of the model. NULL when out of memory. Free with emit_mapfiles_destroy. */
struct emit_mapfiles *emit_mapfiles_create(const struct emit_map_model *model);
void emit_mapfiles_destroy(struct emit_mapfiles *maps);

/* Open the files. */
MB_MUST_CHECK enum mb_status emit_mapfiles_open(struct emit_mapfiles *maps,
                                                const struct emit_mapfile_paths *paths,
                                                struct pub_outputs *publish, struct mb_error *err);

/* The number of parts of the open files. */
size_t emit_mapfiles_part_count(const struct emit_mapfiles *maps);

/* Make a part, and write it once all parts before it are written: then, or by the thread that
 * brings the last of these. Each part once, any thread; the ids in use are known. */
MB_MUST_CHECK enum mb_status emit_mapfiles_put(struct emit_mapfiles *maps, size_t part,
                                               struct mb_error *err);

/* Make all parts. */
MB_MUST_CHECK enum mb_status
emit_mapfiles_put_all(struct emit_mapfiles *maps, struct mb_workers *workers, struct mb_error *err);

/* When all parts are put: close the files. */
MB_MUST_CHECK enum mb_status emit_mapfiles_close(struct emit_mapfiles *maps, struct mb_error *err);

/* After that: by which traces know the method map (abi/hash.h); 0: it was not written. */
uint64_t emit_mapfiles_hash(const struct emit_mapfiles *maps);

#endif
