/* Figures and names in words, for people. */

#ifndef ANSWER_WORDS_H
#define ANSWER_WORDS_H

#include "answer/facts.h"

/* "5.83 s", "700 ms", "12.3 us", "0 ns": three digits, cut; right-aligned in width. */
void answer_put_time(struct mb_buf *out, int64_t ns, int width);

/* "99999", "785 M": three digits from 100,000 on, cut; right-aligned in width. */
void answer_put_count(struct mb_buf *out, uint64_t count, int width);

/* "12.5", "100.0"; 0 of nothing. Right-aligned in width. */
void answer_put_percent(struct mb_buf *out, int64_t part, int64_t whole, int width);

/* Characters; every one is taken for one column. */
size_t answer_columns(struct mb_text text);

/* Where class and method begin: after the last dot but one in front of any parameters. */
size_t answer_package_size(struct mb_text name);

/* A name as a method's is, in room columns; 0: in full. */
void answer_put_fitting(struct mb_buf *out, struct mb_text name, size_t room);

/* "waited in ", before the method of that id; "no single cause" and the like without one, 0. */
const char *answer_state_words(enum answer_state state, uint32_t id);

/* The name of a method, or "#id", in room columns; 0: in full. */
void answer_put_method(struct mb_buf *out, const struct answer_names *names, uint32_t id,
                       size_t room);

#endif
