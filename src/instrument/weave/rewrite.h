/* Pass 2 for one class: put the probes into its bytes. Earlier passes decided which methods are
 * traced; this one carries it out, or refuses a method with a reason. */

#ifndef INSTRUMENT_WEAVE_REWRITE_H
#define INSTRUMENT_WEAVE_REWRITE_H

#include "base/arena.h"
#include "base/buf.h"
#include "classfile/class.h"

enum weave_exceptions {
    WEAVE_EXCEPTIONS_FINALLY, /* one catch-any handler over the body: exactly one o for each way
                               * out, but where a lock is held (instrument/weave/cover.h) */
    WEAVE_EXCEPTIONS_RETURNS, /* o before returns only */
    WEAVE_EXCEPTIONS_MATRIX,  /* o before returns and before each athrow, as upstream */
    WEAVE_EXCEPTIONS_CATCH,   /* o before returns, c where a handler of the method's own begins; at
                               * the boundary a catch-any handler besides */
};

/* How a class takes part in onWindowFocusChanged (rules/activities decides). */
enum weave_focus {
    WEAVE_FOCUS_NONE,
    WEAVE_FOCUS_ADD,   /* add a public override that calls super, then at */
    WEAVE_FOCUS_ENTRY, /* the class's own method calls at as it is entered */
};

/* HotSpot interprets a method of more bytes for ever (-XX:HugeMethodLimit), so a method that had no
 * more keeps its old body rather than grow past it. */
#define WEAVE_HUGE_SIZE 8000U
#define WEAVE_HUGE_REASON "code over 8000 bytes"

struct weave_beat {
    struct mb_text class_name; /* internal form: methodbeat/MethodBeat */
    enum weave_exceptions exceptions;
    bool grows_huge;       /* also past what HotSpot compiles (WEAVE_HUGE_SIZE) */
    uint16_t max_distance; /* 0; less than 32767 widens more jumps than need it, for tests */
};

struct weave_request {
    const struct cf_class *cls;
    const uint32_t *ids; /* one per method in class order; 0: not traced */
    enum weave_focus focus;
    const bool *boundary; /* one per method too: code without probes may call it; may be NULL */
};

/* Why a traced method kept its old body. Its id stays unused, so the mapping file must be written
 * after pass 2: the method is listed as ignored with the reason. */
struct weave_skip {
    uint16_t method;    /* index in class order */
    const char *reason; /* owned by the rewriter: "code over 65535 bytes" and the like */
};

struct weave_result {
    const struct weave_skip *skips; /* owned by the rewriter, valid until its next class */
    size_t skip_count;
    const bool *lock_gaps;  /* [method]: handlers skip a part (instrument/weave/cover.h); owned as
                               skips is */
    const char *focus_skip; /* why at is not called although it was asked for; owned as skips is */
    size_t probed_count;    /* methods that got probes */
    bool is_changed;        /* false: out is unchanged, copy the class */
};

struct weave_rewriter;

/* One per worker thread, about 1 MB of scratch. NULL when out of memory. beat is copied, its text
 * borrowed. Free with weave_rewriter_destroy. */
struct weave_rewriter *weave_rewriter_create(const struct weave_beat *beat);
void weave_rewriter_destroy(struct weave_rewriter *rewriter);

/* Append the new class file to out. MB_BAD_CLASS: the class is damaged in a traced method; discard
 * out and copy the class, with none of its ids used. Limits are skips, never errors. */
MB_MUST_CHECK enum mb_status weave_rewrite(struct weave_rewriter *rewriter,
                                           const struct weave_request *request, struct mb_buf *out,
                                           struct weave_result *result, struct mb_error *err);

/* True if the class has a Methodref to i, o, c or at of the beat class: it was instrumented before
 * and is left alone. */
bool weave_is_instrumented(const struct cf_class *cls, struct mb_text beat_class);

#endif
