/* Pass 2 for one class: put the probes into its bytes. What is traced
 * was decided before; here it is only carried out, or refused method by method with a reason. */

#ifndef INSTRUMENT_REWRITE_H
#define INSTRUMENT_REWRITE_H

#include "base/arena.h"
#include "base/buf.h"
#include "classfile/class.h"

enum ins_exceptions {
    INS_EXCEPTIONS_FINALLY, /* one catch-any handler over the body: exactly one o each way out */
    INS_EXCEPTIONS_RETURNS, /* o before returns only */
    INS_EXCEPTIONS_MATRIX,  /* o before returns and before each athrow, as upstream */
};

/* How a class takes part in onWindowFocusChanged (rules/activities decides). */
enum ins_focus {
    INS_FOCUS_NONE,
    INS_FOCUS_ADD,   /* add a public override that calls super, then at */
    INS_FOCUS_ENTRY, /* the class's own method calls at as it is entered */
};

struct ins_beat {
    struct mb_text class_name; /* internal form: methodbeat/MethodBeat */
    enum ins_exceptions exceptions;
    uint16_t max_distance; /* 0; less than 32767 widens more jumps than need it, for tests */
};

struct ins_request {
    const struct cf_class *cls;
    const uint32_t *ids; /* one per method in class order; 0: not traced */
    enum ins_focus focus;
};

/* Why a traced method kept its old body. Its id stays unused, so the mapping file must be written
 * after pass 2: the method is listed as ignored with the reason. */
struct ins_skip {
    uint16_t method;    /* index in class order */
    const char *reason; /* owned by the rewriter: "code over 65535 bytes" and the like */
};

struct ins_result {
    const struct ins_skip *skips; /* owned by the rewriter, valid until its next class */
    size_t skip_count;
    size_t probed_count; /* methods that got probes */
    bool is_changed;     /* false: nothing was appended, the class goes out as it came */
};

struct ins_rewriter;

/* One per worker thread, about 1 MB of scratch. NULL when out of memory. beat is copied, its text
 * borrowed. Free with ins_rewriter_destroy. */
struct ins_rewriter *ins_rewriter_create(const struct ins_beat *beat);
void ins_rewriter_destroy(struct ins_rewriter *rewriter);

/* Append the new class file to out. MB_BAD_CLASS: the class is damaged in a traced method, nothing
 * may be taken from out and the class goes out unchanged, none of its ids used. Limits are skips,
 * never errors. */
MB_MUST_CHECK enum mb_status ins_rewrite(struct ins_rewriter *rewriter,
                                         const struct ins_request *request, struct mb_buf *out,
                                         struct ins_result *result, struct mb_error *err);

/* Whether the class has a Methodref to i, o or at of the beat class: it was instrumented before
 * and is left alone. */
bool ins_is_instrumented(const struct cf_class *cls, struct mb_text beat_class);

#endif
