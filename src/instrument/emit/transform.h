/* Pass 2 for one class: from its entry to the output bytes. */

#ifndef INSTRUMENT_EMIT_TRANSFORM_H
#define INSTRUMENT_EMIT_TRANSFORM_H

#include "instrument/plan/content.h"
#include "instrument/plan/warnings.h"

/* A thread's scratch besides plan_scratch. */
struct emit_loom {
    struct weave_rewriter *rewriter;
    struct mb_buf rewritten; /* classes that are packed, or written, from here */
};

struct emit_transformer {
    struct plan_crew *crew;
    const struct plan_contents *contents;
    struct plan_sources *sources;
    struct mb_intern *names; /* gets the names of limits */
    struct plan_warnings *warnings;
    struct weave_beat beat;
    struct emit_loom *looms; /* one per worker; the transformer's own */
};

/* All but looms is set. Finish also after failure. */
MB_MUST_CHECK enum mb_status emit_transformer_init(struct emit_transformer *transformer,
                                                   struct mb_error *err);
void emit_transformer_finish(struct emit_transformer *transformer);

/* New bytes are appended to out. content views them, the input, or the worker's scratch until its
 * next use. A damaged class is copied, with a warning and without its ids; an unaffected one is
 * copied too. Sets is_changed; a method that meets a limit joins the ignored ones. One thread per
 * class. */
MB_MUST_CHECK enum mb_status emit_transform(struct emit_transformer *transformer, unsigned worker,
                                            struct plan_class *cls, struct mb_buf *out,
                                            struct mb_text *content, struct mb_error *err);

#endif
