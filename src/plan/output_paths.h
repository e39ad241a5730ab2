/* Where each output goes, and that none of them is an input or another output. */

#ifndef PLAN_OUTPUT_PATHS_H
#define PLAN_OUTPUT_PATHS_H

#include "plan/source.h"

/* folder/NAME for each source that was given by itself, NAME being the input's own, and behind it
 * the names of jars below a folder; NULL for jars inside archives. Of inputs with one name the
 * first by path keeps it, the others, which become is_renamed, get NAME-2 and so on (the number
 * before the extension), whatever order they were given in. Owned by the arena. */
MB_MUST_CHECK enum mb_status plan_name_outputs(struct plan_sources *sources, const char *folder,
                                               struct mb_arena *arena, const char ***paths,
                                               struct mb_error *err);

/* MB_BAD_USAGE if one of the paths, which need not exist, is an input or leads into an input
 * folder, or an input folder leads to it, or if two are the same, however spelt. MB_IO if that
 * cannot be told. NULLs are passed over. */
MB_MUST_CHECK enum mb_status plan_check_outputs(const struct plan_sources *sources,
                                                const char *const *paths, size_t count,
                                                struct mb_error *err);

/* MB_BAD_USAGE if what is below an input folder would go into a folder that is read, because a link
 * or a mount below the output leads there. paths: where each source goes; NULLs are passed over. */
MB_MUST_CHECK enum mb_status plan_check_output_folders(const struct plan_sources *sources,
                                                       const char *const *paths,
                                                       struct mb_error *err);

#endif
