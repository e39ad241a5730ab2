/* mapping.txt as ProGuard and R8 write it: what mapping.c reads at once, mapping_method.c and
 * mapping_frame.c class by class. Only for the three.
 *
 *   class    = original " -> " obfuscated ":"
 *   field    = type " " name " -> " obfuscated
 *   method   = [ range ":" ] type " " [ class "." ] name "(" [ type { "," type } ] ")"
 *              [ ":" range ] " -> " obfuscated
 *   range    = number [ ":" number ]     obfuscated lines first, original ones after
 *   comment  = "#" anything              R8: a JSON object that speaks of the line before
 *
 * Types and classes are written as in Java: int, a.b.C[]. Members are indented. */

#ifndef RULES_MAPPING_LINES_H
#define RULES_MAPPING_LINES_H

#include "rules/mapping.h"

enum rule_line_kind {
    RULE_LINE_BAD,
    RULE_LINE_NOTHING, /* blank, or a comment without a meaning for us */
    RULE_LINE_CLASS,
    RULE_LINE_FIELD,
    RULE_LINE_METHOD,
    /* Comments that speak of the member before: */
    RULE_LINE_RESIDUAL,    /* its obfuscated descriptor */
    RULE_LINE_SYNTHESIZED, /* the source does not have it */
    RULE_LINE_OUTLINE,     /* not in the source: code that several methods had */
    RULE_LINE_CALLSITE,    /* it calls an outline: its lines for those of the outline */
};

/* Texts view the line. */
struct rule_line {
    enum rule_line_kind kind;
    const char *reason;        /* BAD: the error, static */
    struct mb_text range;      /* METHOD: of obfuscated lines; may be empty */
    struct mb_text origin;     /* METHOD: ":" and the original lines; empty without them */
    struct mb_text type;       /* METHOD, FIELD: of the value */
    struct mb_text holder;     /* METHOD: its class if it differs from the one above, else empty */
    struct mb_text name;       /* CLASS, METHOD, FIELD: original */
    struct mb_text arguments;  /* METHOD: between the parentheses */
    struct mb_text obfuscated; /* CLASS, METHOD, FIELD */
    struct mb_text told;       /* RESIDUAL: the descriptor; CALLSITE: "\"3\":16,\"6\":19" */
};

struct rule_line rule_line_parse(struct mb_text text);

/* True if a METHOD line names a method inlined into that of the next: lines with one range are the
 * frames of an inlining, innermost first. What was inlined into has one line, of the call; without
 * it the range means that two overloads share a source line. */
bool rule_line_is_inlined(const struct rule_line *inner, const struct rule_line *outer);

/* A class of the mapping. */
struct rule_mapped_class {
    struct mb_text original; /* internal form, owned by names */
    struct mb_text body;     /* the lines of its members, checked before */
    size_t method_count;     /* METHOD lines among them */
};

/* NULL if the mapping does not know the class. */
const struct rule_mapped_class *rule_mapping_find(const struct rule_mapping *names,
                                                  struct mb_text obfuscated);

/* a.b.C -> a/b/C, owned by the arena; data is NULL without memory. */
struct mb_text rule_internal_form(struct mb_arena *arena, struct mb_text name);

#endif
