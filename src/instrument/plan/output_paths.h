/* The path of each output, which must be neither an input nor another output. */

#ifndef INSTRUMENT_PLAN_OUTPUT_PATHS_H
#define INSTRUMENT_PLAN_OUTPUT_PATHS_H

#include "instrument/plan/source.h"

/* folder/NAME for each source given by itself, NAME being the input's own, followed by the names of
 * jars below a folder; NULL for jars inside archives. Of inputs with equal names, case apart, the
 * first by path keeps the name; the others, marked is_renamed, get NAME-2 and so on (the number
 * before the extension), whatever their order on the command line. Owned by the arena. */
MB_MUST_CHECK enum mb_status plan_name_outputs(struct plan_sources *sources, const char *folder,
                                               struct mb_arena *arena, const char ***paths,
                                               struct mb_error *err);

/* MB_BAD_USAGE if one of the paths, which need not exist, is an input or leads into an input
 * folder, or an input folder leads to it, or if two are the same file. MB_IO if the check fails.
 * NULLs are ignored. */
MB_MUST_CHECK enum mb_status plan_check_outputs(const struct plan_sources *sources,
                                                const char *const *paths, size_t count,
                                                struct mb_error *err);

/* MB_BAD_USAGE if a file below an input folder would be written into a folder that is read, because
 * a link or a mount below the output leads there. paths: of each source's output; NULLs are
 * ignored. */
MB_MUST_CHECK enum mb_status plan_check_output_folders(const struct plan_sources *sources,
                                                       const char *const *paths,
                                                       struct mb_error *err);

#endif
