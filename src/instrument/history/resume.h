/* Resuming from the state of the last run (--state), as far as it is still valid: a run without a
 * state resumes from nothing. If only some inputs changed, only these are read, decided, numbered
 * and written; the model of the others comes from the state, and their outputs stay. If anything
 * else changed (options, the list of inputs, a mapping in use), only the ids of the last method map
 * are kept. */

#ifndef INSTRUMENT_HISTORY_RESUME_H
#define INSTRUMENT_HISTORY_RESUME_H

#include "base/text.h"
#include "instrument/history/stamp.h"
#include "instrument/plan/model.h"
#include "instrument/plan/number.h"
#include "instrument/plan/sort.h"
#include "instrument/plan/warnings.h"

/* The state of a run for the next one (--state): the model of pass 1 and 2 as it is in memory, and
 * the stamps of inputs and outputs. A file fits one machine and one build; any other counts as
 * missing. */

/* One input, or jar inside. */
struct history_source {
    uint64_t path;    /* a hash */
    uint64_t content; /* a hash of the directory of a jar; 0: always to be read again */
    uint32_t first_class;
    uint32_t class_count;
    uint32_t inner_count;
    uint32_t is_rewritten;
    struct history_stamp output;
};

/* Zeroed = no state. Everything views the image. */
struct history_state {
    struct mb_buf image;
    uint64_t fingerprint; /* of all options that outputs depend on */
    uint32_t end_id;
    struct mb_intern *names; /* until a run takes them over */
    const struct history_source *sources;
    size_t source_count;
    struct plan_class *classes; /* by source, then entry; methods are set */
    size_t class_count;
    const uint32_t *order; /* canonical order of the classes that count */
    size_t order_count;
    struct mb_text gone; /* lines of the method map whose methods are not in the code any more */
    const struct plan_warning *warnings;
    size_t warning_count;
    struct mb_text method_map_path;
    struct history_stamp method_map;
    uint64_t method_map_hash; /* (abi/hash.h) */
    struct history_stamp ignore_map;
    struct history_stamp merged; /* the merged jar */
};

/* A missing, foreign or damaged file leaves the state zeroed; an existing unreadable one is a
 * failure, since without it ids would change. */
MB_MUST_CHECK enum mb_status history_state_load(struct history_state *state, const char *path,
                                                struct mb_error *err);
void history_state_finish(struct history_state *state);

/* The facts of a run to save. */
struct history_record {
    struct pub_outputs *publish; /* holds all outputs, and gets the state */
    const char *path;
    uint64_t fingerprint;
    const struct mb_intern *names;
    const struct plan_sources *sources;
    const struct plan_order *order;
    const struct plan_warnings *warnings;
    const struct plan_numbering *numbering;
    const struct abi_methodmap *base; /* its lines without a method in the code stay taken */
    const char *const *output_paths;  /* by source; NULL: no output of its own */
    const char *merged_path;          /* or NULL */
    const char *method_map;
    uint64_t method_map_hash;
    const char *ignore_map;
};

/* Pass 2 met a limit, which the next run would not find again without reading it. */
bool history_is_cut_back(const struct plan_source *source);

/* Add the state to the outputs, which are complete except --json. */
MB_MUST_CHECK enum mb_status history_state_save(const struct history_record *record,
                                                struct mb_error *err);

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
