/* Pass 1: read every class, decide on its methods, fill the model (model.h). */

#ifndef INSTRUMENT_PLAN_COLLECT_H
#define INSTRUMENT_PLAN_COLLECT_H

#include "instrument/plan/content.h"
#include "instrument/plan/model.h"
#include "instrument/plan/source.h"
#include "instrument/plan/warnings.h"
#include "rules/mapping.h"

struct plan_collect_request {
    struct plan_crew *crew;
    struct plan_sources *sources;   /* unchanged sources are skipped */
    struct plan_contents *contents; /* open */
    struct mb_intern *names;
    const struct rule_set *rules;
    const struct rule_mapping *mapping; /* may be NULL */
    struct plan_warnings *warnings;
    struct mb_text beat_class;
    bool calls_catch;       /* probes call its c too */
    bool hashes_content;    /* copies from jars and folders meet, so that no checksum will do */
    bool keeps_rules;       /* for --explain */
    bool interns_all_names; /* the next run will not read the class's content */
};

/* Classes are read in batches by all threads. An unreadable class becomes a warning. MB_BAD_USAGE:
 * the beat class is among the inputs, and lacks methods that probes call. */
MB_MUST_CHECK enum mb_status plan_collect(const struct plan_collect_request *request,
                                          struct mb_error *err);

/* ---- What a class says of others ---- */

/* As far as that decides what code without probes may call: numbers in texts of the run, so that
 * they live as long as the names, and in the state for the next run. */

/* In place of a class's numbers: more than a text holds. */
#define PLAN_LINK_ANY 0u
#define PLAN_MAX_LINKS (UINT16_MAX / sizeof(uint32_t))

/* Set cls->interfaces, without those of the platform, and cls->called: the keys (rule_method_key)
 * of methods that it refers to by handles or, if it is left without probes, calls. */
MB_MUST_CHECK enum mb_status plan_links_collect(struct plan_class *cls, const struct cf_class *file,
                                                struct mb_intern *names, struct mb_error *err);

/* The next number of such a text, which is taken off its front; false at the end. */
bool plan_links_next(struct mb_text *links, uint32_t *number);

/* ---- The boundary ---- */

/* Which methods are at the boundary: code without probes may call them, and an exception that
 * leaves them may leave for that code. One question, by names: a class answers for itself
 * (rules/boundary.h); others add what they call, and that a supertype is unknown. */

struct plan_boundary_request {
    struct plan_sources *sources; /* of which a class changes, the output is not current */
    const struct mb_intern *names;
    struct plan_class *const *classes; /* all that go to outputs, in canonical order */
    size_t class_count;
};

/* Complete the boundary of every method that is traced: pass 1 or the last run has set it. */
MB_MUST_CHECK enum mb_status plan_assign_boundary(const struct plan_boundary_request *request,
                                                  struct mb_error *err);

/* ---- Ties between inputs ---- */

/* What an input records of others' bytes: the JVM wants one signer for all classes of a package,
 * and a module-info may hold hashes of modules (jar --hash-modules). So an input may have to change
 * although none of its methods gets a probe. */

/* Sets is_signed and is_rewritten of all sources, and drops_hashes of all classes. A source whose
 * fate is another than in the run before has no current output. */
MB_MUST_CHECK enum mb_status plan_find_rewritten(struct plan_sources *sources,
                                                 const struct mb_intern *names,
                                                 struct mb_error *err);

#endif
