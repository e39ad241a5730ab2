/* What pass 1 keeps of the inputs: what numbering, pass 2 and the mapping files need, 24 bytes a
 * method and 64 a class beside the texts they share; of a run that is small also what its classes
 * were unpacked to. */

#ifndef INSTRUMENT_MODEL_H
#define INSTRUMENT_MODEL_H

#include "instrument/names.h"
#include "instrument/rewrite.h"
#include "rules/activities.h"
#include "rules/rule.h"

/* Texts are numbers of the run's ins_names but for two: those of a class that has_texts are places of
 * Utf8 constants in its content, behind the tag. ins_class_text reads either. */
struct ins_method {
    uint32_t name; /* as in the class file; INS_NO_NAME if no list will name the method */
    uint32_t descriptor;
    uint32_t id;   /* 0 unless traced */
    uint32_t rule; /* which decided, for --explain; or the limit that pass 2 met */
    uint16_t access_flags;
    uint16_t code_size;
    uint8_t verdict; /* enum rule_verdict; pass 2 turns RULE_TRACE into RULE_IGNORE at a limit */
    bool is_deprecated : 1;
    bool is_skipped : 1; /* by a limit */
};

/* One class file. */
struct ins_class {
    uint32_t name;
    uint32_t original_name; /* as in the mapping files; the same as name without --mapping */
    uint32_t super_name;
    uint32_t source; /* which input */
    uint32_t entry;  /* where in it */
    uint32_t size;   /* with mark, tells copies apart whatever the order of the inputs */
    uint32_t mark;   /* a hash of the content */
    uint16_t access_flags;
    uint16_t method_count;
    uint16_t traced_count;
    uint8_t focus;        /* enum ins_focus */
    uint8_t focus_method; /* enum rule_focus_method */
    bool is_readable;     /* parsed, so that the fields above and the methods mean something */
    bool is_blocked;
    bool is_instrumented; /* it came with probes, and is left alone */
    bool is_dropped;      /* another input's entry of that name is in the merged jar */
    bool is_changed;      /* after pass 2: its new bytes differ */
    bool has_findings;    /* after pass 2: not all that was decided could be done (findings.h) */
    bool has_texts;       /* content stays to the end, with its methods' names */
    struct ins_method *methods;
    const char *content; /* its size bytes, for pass 2: a view of the input, or held; NULL: to be
                          * read again */
};

/* Whether pass 2 has anything to do with it. */
static inline bool ins_needs_rewrite(const struct ins_class *cls)
{
    return cls->traced_count > 0 || cls->focus != INS_FOCUS_NONE;
}

/* Whether it is packed anew: also what pass 2 of an earlier run found to stay as it is, since that run
 * packed it. */
static inline bool ins_is_packed_anew(const struct ins_class *cls)
{
    return ins_needs_rewrite(cls) || cls->has_findings;
}

/* It cannot be read, so it goes out as it came, and no list names it. */
static inline void ins_class_give_up(struct ins_class *cls)
{
    cls->is_readable = false;
    cls->method_count = 0;
    cls->traced_count = 0;
    cls->focus = INS_FOCUS_NONE;
}

/* Of a name or descriptor of its methods; empty for INS_NO_NAME. A file that is written to meanwhile,
 * which the run will find out, may say that the text passes the class: then it is empty too. */
static inline struct mb_text ins_class_text(const struct ins_names *names,
                                            const struct ins_class *cls, uint32_t text)
{
    if (!cls->has_texts || text == INS_NO_NAME) {
        return ins_names_get(names, text);
    }
    const char *constant = cls->content + text;
    size_t size = mb_get_u2((const uint8_t *)constant);
    return (struct mb_text){constant + 2, size <= cls->size - text - 2 ? size : 0};
}

#endif
