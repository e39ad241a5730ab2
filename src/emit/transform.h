/* Pass 2 for one class: from its entry to the bytes that go out. */

#ifndef EMIT_TRANSFORM_H
#define EMIT_TRANSFORM_H

#include "plan/content.h"
#include "plan/warnings.h"

/* What a thread needs besides plan_scratch. */
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

/* New bytes are appended to out. content views those, or the input, or the worker's scratch until
 * that is used again. A class that proves to be damaged goes out as it came, with a warning and
 * without its ids; so does one that needs nothing. Sets is_changed; a method that meets a limit
 * joins the ignored ones. One thread a class. */
MB_MUST_CHECK enum mb_status emit_transform(struct emit_transformer *transformer, unsigned worker,
                                            struct plan_class *cls, struct mb_buf *out,
                                            struct mb_text *content, struct mb_error *err);

#endif
