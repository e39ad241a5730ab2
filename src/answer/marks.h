/* Marks: what makes the times of a method uncertain. */

#ifndef ANSWER_MARKS_H
#define ANSWER_MARKS_H

#include "answer/facts.h"
#include "answer/finding.h"

enum answer_mark {
    ANSWER_MARK_MUTED,    /* its probes were silenced while the program ran */
    ANSWER_MARK_HOLDS,    /* it called such methods, and went on without a record of that */
    ANSWER_MARK_INFERRED, /* a part of its total is of calls whose end is inferred */
    ANSWER_MARK_SAMPLED,  /* a part of its total is an estimate from samples */
    ANSWER_MARK_COUNT,
};

struct answer_mark_info {
    const char *sign;         /* what follows a name */
    const char *word;         /* for formats in which people choose by it */
    enum answer_kind meaning; /* of the method that has it: its words */
};
extern const struct answer_mark_info answer_mark_infos[ANSWER_MARK_COUNT];

#define ANSWER_MARK_SETS (1u << ANSWER_MARK_COUNT)
struct answer_marks {
    unsigned set;                   /* 1 << enum answer_mark, several */
    uint32_t inferred_percent;      /* of its total: so much of that may be too much */
    uint32_t sampled_percent;       /* so far off that may be, in two of three cases it is less */
    const struct answer_held *held; /* of muted methods, most calls first */
    size_t held_count;
};

static inline bool answer_has_mark(const struct answer_marks *marks, enum answer_mark mark)
{
    return (marks->set >> mark & 1) != 0;
}

/* Of a method, and of calls of it with this total, a part of which is inferred. */
struct answer_marks answer_marks_of(const struct answer_methods *methods, uint32_t id,
                                    int64_t inferred, int64_t total);

/* Of all calls of a method. rows: those of the report by id, of answer_sort_methods. */
struct answer_marks answer_find_marks(const struct answer_methods *methods,
                                      const struct trace_method *rows, uint32_t id);

/* In whole percent; 0 if that is less than one. */
uint32_t answer_inferred_percent(int64_t inferred, int64_t total);

/* How far a total may be off of which so much is from samples: which of them fall into it is
 * chance. In two of three cases it is less. At least 1, at most 100, where anything is sampled. */
uint32_t answer_sampled_percent(const struct answer_methods *methods, int64_t sampled,
                                int64_t total);

/* " ~ ^ ?61%", or nothing. */
void answer_put_signs(struct mb_buf *out, const struct answer_marks *marks);

/* "a.Main.run 61%, b.Other.load 4%": all methods with the mark, the greatest own time first. */
void answer_put_marked(const struct answer_methods *methods, struct mb_buf *out,
                       enum answer_mark mark);

/* The same after sign and meaning, for formats without a place at a method; nothing if no method
 * has it. */
void answer_put_mark_note(const struct answer_methods *methods, struct mb_buf *out,
                          enum answer_mark mark);

/* What follows a name: "~" for a method that was muted, "+" for a call that was still running,
 * "(suspend, resumed 22 times)" for a suspend function. */
void answer_put_marks(const struct answer_methods *methods, struct mb_buf *out, uint32_t id,
                      bool is_open);

/* " ?61%" after these: the share of the total that rests on inferred ends; nothing below 1 %. */
void answer_put_inferred(struct mb_buf *out, int64_t inferred, int64_t total);

/* " +-7%", where a part of the total is sampled. */
void answer_put_sampled(const struct answer_methods *methods, struct mb_buf *out, int64_t sampled,
                        int64_t total);

#endif
