/* The model of the inputs from pass 1, for numbering, pass 2 and the mapping files: 24 bytes a
 * method and 64 a class besides the texts they share; in a small run also the unpacked bytes
 * (content.h). */

#ifndef INSTRUMENT_PLAN_MODEL_H
#define INSTRUMENT_PLAN_MODEL_H

#include "base/intern.h"
#include "instrument/weave/rewrite.h"
#include "rules/activities.h"
#include "rules/boundary.h"
#include "rules/rule.h"

/* Texts are numbers of the run's mb_intern with two exceptions: with names_in_content those of a
 * class are offsets of Utf8 constants in its content, after the tag. plan_class_text reads both. */
struct plan_method {
    uint32_t name; /* as in the class file; MB_INTERN_NONE if no list will name the method */
    uint32_t descriptor;
    uint32_t id;   /* 0 unless traced */
    uint32_t rule; /* which decided, for --explain; or the limit that pass 2 met */
    uint16_t access_flags;
    uint16_t code_size;
    uint8_t verdict;  /* enum rule_verdict; pass 2 turns RULE_TRACE into RULE_IGNORE at a limit */
    uint8_t boundary; /* enum rule_boundary: an exception may leave it for code without probes */
    bool is_deprecated : 1;
    bool is_skipped : 1;   /* by a limit */
    bool is_huge : 1;      /* by that of HotSpot (WEAVE_HUGE_SIZE) */
    bool has_lock_gap : 1; /* after pass 2: where an exception is no exit (instrument/weave/cover.h)
                            */
};

/* One class file. */
struct plan_class {
    uint32_t name;
    uint32_t original_name; /* as in the mapping files; the same as name without --mapping */
    uint32_t super_name;
    uint32_t interfaces;   /* plan_links_next */
    uint32_t called;       /* plan_links_next */
    uint32_t source;       /* which input */
    uint32_t entry;        /* where in it */
    uint32_t size;         /* until it is read, the size that its input gives */
    uint32_t content_hash; /* with size, distinguishes copies whatever the order of the inputs */
    uint16_t access_flags;
    uint16_t method_count;
    uint16_t traced_count;
    uint8_t focus;        /* enum weave_focus */
    uint8_t focus_method; /* enum rule_focus_method */
    bool is_readable;     /* parsed, so that the fields above and the methods mean something */
    bool is_blocked;
    bool is_instrumented;  /* it came with probes, and is left alone */
    bool has_hashes;       /* of modules; a module-info */
    bool drops_hashes;     /* (ties.c) */
    bool is_dropped;       /* another input's entry of that name is in the merged jar */
    bool is_changed;       /* after pass 2: its new bytes differ */
    bool is_cut_back;      /* after pass 2: not all that was decided could be done */
    bool names_in_content; /* content stays to the end, with its methods' names */
    bool has_keys;         /* its methods have hashes in place of names (names.h) */
    struct plan_method *methods;
    const char *content; /* its size bytes, for pass 2: a view of the input, or held; NULL: to be
                          * read again */
};

static inline bool plan_gets_probes(const struct plan_class *cls)
{
    return cls->traced_count > 0 || cls->focus != WEAVE_FOCUS_NONE;
}

/* True if pass 2 has anything to do with it. */
static inline bool plan_needs_rewrite(const struct plan_class *cls)
{
    return plan_gets_probes(cls) || cls->drops_hashes;
}

/* It cannot be read, so it goes out as it came, and no list names it. */
static inline void plan_class_give_up(struct plan_class *cls)
{
    cls->is_readable = false;
    cls->method_count = 0;
    cls->traced_count = 0;
    cls->focus = WEAVE_FOCUS_NONE;
}

/* The text of a name or descriptor of its methods; empty for MB_INTERN_NONE. If a file is written
 * to meanwhile, which the run will detect, the text may lie outside the class: then it is empty
 * too. */
static inline struct mb_text plan_class_text(const struct mb_intern *names,
                                             const struct plan_class *cls, uint32_t text)
{
    if (!cls->names_in_content || text == MB_INTERN_NONE) {
        return mb_intern_get(names, text);
    }
    const char *constant = cls->content + text;
    size_t size = mb_get_u2((const uint8_t *)constant);
    return (struct mb_text){constant + 2, size <= cls->size - text - 2 ? size : 0};
}

#endif
