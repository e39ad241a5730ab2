/* Pass 2: rewrite the planned classes and write the outputs. */

#ifndef INSTRUMENT_EMIT_WRITE_H
#define INSTRUMENT_EMIT_WRITE_H

#include "instrument/emit/mapfiles.h"
#include "instrument/emit/transform.h"
#include "instrument/plan/merge.h"
#include "publish/publish.h"

struct emit_request {
    struct emit_transformer transformer; /* without looms */
    struct pub_outputs *publish;
    const char *const *paths; /* by source; NULL for jars inside archives, and if merged */
    const char *merged_path;  /* of the merged jar, if requested */
    const struct plan_member *members;
    size_t member_count;
    bool is_merged_current; /* the merged jar is in place */
    const struct plan_order *order;
    struct plan_numbering *numbering; /* learns which ids are used */
    struct emit_mapfiles *maps;
};

/* Each thread takes the next output and writes it; a thread without an output helps the others with
 * their classes. When all classes are rewritten it formats parts of the open mapping files, while
 * outputs are still being written. */
MB_MUST_CHECK enum mb_status emit_outputs(const struct emit_request *request, struct mb_error *err);

/* On commit, remove from the output of a folder the class files that are no longer in the folder,
 * which would be packaged for ever. Other files may not be ours, and stay. No effect for
 * other sources. */
MB_MUST_CHECK enum mb_status emit_remove_stale(struct pub_outputs *publish,
                                               const struct plan_source *source, const char *path,
                                               struct mb_error *err);

#endif
