/* Where each output goes, and that none of them is an input or another output. */

#ifndef INSTRUMENT_PLACES_H
#define INSTRUMENT_PLACES_H

#include "instrument/source.h"

/* folder/NAME for each source that was given by itself (NULL for jars inside AARs), NAME being the
 * input's own. Of inputs with one name the first by path keeps it, the others become NAME-2 and so
 * on (the number before the extension), whatever order they were given in. Owned by the arena. */
MB_MUST_CHECK enum mb_status ins_name_outputs(const struct ins_sources *sources, const char *folder,
                                              struct mb_arena *arena, const char ***paths,
                                              struct mb_error *err);

/* MB_BAD_USAGE if one of the paths, which need not exist, is an input or leads into an input
 * folder, or an input folder leads to it, or if two are the same, however spelt (links to folders
 * apart). NULLs are passed over. */
MB_MUST_CHECK enum mb_status ins_check_places(const struct ins_sources *sources,
                                              const char *const *paths, size_t count,
                                              struct mb_error *err);

#endif
