/* Resuming from the state of the last run (--state), as far as it is still valid: a run without a
 * state resumes from nothing. If only some inputs changed, only these are read, decided, numbered
 * and written; the model of the others comes from the state, and their outputs stay. If anything
 * else changed (options, the list of inputs, a mapping in use), only the ids of the last method map
 * are kept. */

#ifndef HISTORY_RESUME_H
#define HISTORY_RESUME_H

#include "history/state.h"
#include "plan/describe.h"

/* Zeroed: an empty history. */
struct history {
    struct history_state last;
    bool is_resumed;
    const char *last_map;    /* not resumed, but the ids of this method map are to stay; or NULL */
    struct plan_order known; /* classes of unchanged sources, as they were ordered */
    struct mb_arena arena;
};

struct history_request {
    const char *path; /* of the state */
    uint64_t fingerprint;
    bool can_resume; /* false: options rule it out */
    struct plan_sources *sources;
    const char *const *output_paths; /* by source */
    const char *merged_path;         /* or NULL */
    struct mb_workers *workers;
};

/* Load the state and mark each source as unchanged or not; an unchanged one gets its classes. A
 * missing, foreign or damaged state is not a failure. Finish also after failure. */
MB_MUST_CHECK enum mb_status history_recall(struct history *history,
                                            const struct history_request *request,
                                            struct mb_error *err);
void history_finish(struct history *history);

/* The names of the last run, which the caller takes over; NULL if it is not resumed. They must be
 * destroyed before the history is finished. */
struct mb_intern *history_take_names(struct history *history);

/* If all facts that Activities depend on are unchanged, copy the focus of the old classes to the
 * new. */
bool history_keep_focus(const struct history *history, const struct plan_sources *sources);

/* If all facts about methods and other types are unchanged, copy the boundary of the old methods to
 * the new. */
bool history_keep_boundary(const struct history *history, const struct plan_sources *sources);

/* Add to base the ids that new classes may ask for: of methods that are gone, of the same sources
 * before, and of copies of the new classes in other sources; and those of classes that are
 * rewritten anew, which may meet limits. */
MB_MUST_CHECK enum mb_status
history_add_taken_ids(const struct history *history, const struct plan_sources *sources,
                      const struct plan_order *order, const struct plan_describer *describer,
                      struct abi_methodmap *base, struct mb_error *err);

/* After pass 2: true if all lines of the mapping files equal those of the existing files. */
bool history_are_maps_current(const struct history *history, const struct plan_sources *sources,
                              const struct mb_intern *names, const char *method_map,
                              const char *ignore_map);

/* True if all is as the last run left it, so that its state is this run's too. */
bool history_is_unchanged(const struct history *history, const struct plan_sources *sources,
                          bool are_maps_current);

/* The last run's warnings about sources that are unchanged. */
MB_MUST_CHECK enum mb_status history_warn_again(const struct history *history,
                                                const struct plan_sources *sources,
                                                struct plan_warnings *warnings,
                                                struct mb_error *err);

#endif
