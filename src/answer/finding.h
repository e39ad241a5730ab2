/* Findings: what there is to say of a trace, as kinds with their numbers. The sentences are in
 * findings.def; who shows them chooses how numbers and names look. */

#ifndef ANSWER_FINDING_H
#define ANSWER_FINDING_H

#include "base/text.h"
#include "base/vec.h"

struct answer_names;

enum answer_kind {
#define ANSWER_FINDING(kind, topic, sentence) ANSWER_KIND_##kind,
#include "answer/findings.def"
#undef ANSWER_FINDING
};

/* Those that say what a mark after a name means, in the order of a legend. */
#define ANSWER_MARK_KINDS                                                        \
    ANSWER_KIND_MARK_MUTED, ANSWER_KIND_MARK_HOLDS, ANSWER_KIND_MARK_INFERRED,   \
        ANSWER_KIND_MARK_SAMPLED, ANSWER_KIND_MARK_OPEN, ANSWER_KIND_MARK_WAITS, \
        ANSWER_KIND_MARK_READY, ANSWER_KIND_MARK_NEITHER

enum answer_unit {
    ANSWER_UNIT_NS,
    ANSWER_UNIT_COUNT,         /* "99999", "785 M" */
    ANSWER_UNIT_NUMBER,        /* with all its digits */
    ANSWER_UNIT_PERCENT,       /* "12.5 %" */
    ANSWER_UNIT_WHOLE_PERCENT, /* "62 %" */
    ANSWER_UNIT_CHANGE,        /* "+1.2 %" */
    ANSWER_UNIT_TEXT,          /* a name; number 1: what several begin with */
    ANSWER_UNIT_METHOD,        /* its id */
    ANSWER_UNIT_WORD,          /* a kind whose sentence has no holes */
    ANSWER_UNIT_FLAG,          /* chooses a text */
};

/* What fills a hole of a sentence. */
struct answer_value {
    const char *name; /* of the hole; NULL if unknown */
    enum answer_unit unit;
    int64_t number;
    double percent;
    struct mb_text text; /* borrowed */
};

#define ANSWER_OF(key, kind, n) \
    ((struct answer_value){.name = (key), .unit = (kind), .number = (int64_t)(n)})
#define ANSWER_NS(key, ns) ANSWER_OF(key, ANSWER_UNIT_NS, ns)
#define ANSWER_COUNT(key, n) ANSWER_OF(key, ANSWER_UNIT_COUNT, n)
#define ANSWER_NUMBER(key, n) ANSWER_OF(key, ANSWER_UNIT_NUMBER, n)
#define ANSWER_METHOD(key, id) ANSWER_OF(key, ANSWER_UNIT_METHOD, id)
#define ANSWER_FLAG(key, flag) ANSWER_OF(key, ANSWER_UNIT_FLAG, flag)
#define ANSWER_WORD(key, word) ANSWER_OF(key, ANSWER_UNIT_WORD, word)
#define ANSWER_TEXT(key, view) \
    ((struct answer_value){.name = (key), .unit = ANSWER_UNIT_TEXT, .text = (view)})
#define ANSWER_SHARE(key, kind, n) \
    ((struct answer_value){.name = (key), .unit = (kind), .percent = (n)})
#define ANSWER_PERCENT(key, share) ANSWER_SHARE(key, ANSWER_UNIT_PERCENT, share)
#define ANSWER_WHOLE_PERCENT(key, share) ANSWER_SHARE(key, ANSWER_UNIT_WHOLE_PERCENT, share)
#define ANSWER_CHANGE(key, share) ANSWER_SHARE(key, ANSWER_UNIT_CHANGE, share)

#define ANSWER_MOST_VALUES 12

struct answer_finding {
    enum answer_kind kind;
    size_t part_count; /* the next findings that are parts of its sentence */
    struct answer_value values[ANSWER_MOST_VALUES];
};

/* Zeroed memory can be added to, and finished; without memory rows fails. */
struct answer_findings {
    MB_VEC(struct answer_finding) rows; /* each followed by its parts */
    size_t last;                        /* the row that parts are added to */
};

/* "ANSWER_FIND(&findings, KIND, ANSWER_NS("held", 7), ...)", and a part of what was found last. */
#define ANSWER_FIND(findings, which, ...) \
    answer_add_finding(findings, &ANSWER_MAKE(which, __VA_ARGS__), false)
#define ANSWER_FIND_PART(findings, which, ...) \
    answer_add_finding(findings, &ANSWER_MAKE(which, __VA_ARGS__), true)
#define ANSWER_MAKE(which, ...) \
    ((const struct answer_finding){.kind = ANSWER_KIND_##which, .values = {__VA_ARGS__}})
/* Of a kind without numbers. */
void answer_find_plain(struct answer_findings *findings, enum answer_kind kind);
void answer_add_finding(struct answer_findings *findings, const struct answer_finding *finding,
                        bool is_part);

/* The first finding, or the one after another and its parts; NULL at the end. */
const struct answer_finding *answer_next_finding(const struct answer_findings *findings,
                                                 const struct answer_finding *before);
void answer_findings_finish(struct answer_findings *findings);

/* How a sentence is shown. put NULL: as plain text. */
struct answer_voice {
    const struct answer_names *names;
    size_t room; /* columns for the name of a method; 0: in full */
    /* A piece of the sentence; value: what it says, NULL for words. */
    void (*put)(struct mb_buf *out, struct mb_text piece, const struct answer_value *value);
};
void answer_put_sentence(struct mb_buf *out, const struct answer_finding *finding,
                         const struct answer_voice *voice);

/* All of them, with a space between. */
void answer_put_sentences(struct mb_buf *out, const struct answer_findings *findings,
                          const struct answer_voice *voice);

const char *answer_kind_name(enum answer_kind kind);
const char *answer_topic(enum answer_kind kind);

/* The sentence of a kind, for those that have no holes. */
const char *answer_words(enum answer_kind kind);

#endif
