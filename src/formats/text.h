/* Inside the text format: its parts, in the order of the report, and how they lay out a line. */

#ifndef FORMATS_TEXT_H
#define FORMATS_TEXT_H

#include "answer/path.h"
#include "answer/pools.h"
#include "answer/words.h"
#include "formats/format.h"

/* ---- Layout (text_layout.c) ---- */

/* A heading of its own paragraph, in bold if there are colours. */
void format_put_heading(const struct format_look *look, struct mb_buf *out, const char *format, ...)
    MB_PRINTF(3, 4);

/* The name of a method in what is left of a line after used columns: packages lose all but their
 * first letters, then parameters are left out, then the name loses its beginning. At least 20
 * columns are taken for left. */
void format_put_method(const struct format_look *look, const struct answer_names *names,
                       struct mb_buf *out, uint32_t id, size_t used);

/* What is left of a line after used columns, at least 20; 0: lines may have any length. */
size_t format_room(const struct format_look *look, size_t used);

/* A paragraph: label in a column of its own, then the text, wrapped to the look's columns.
 * Line ends in text are kept out by the caller. */
void format_put_item(const struct format_look *look, struct mb_buf *out, const char *label,
                     const struct mb_buf *text);

/* The same without a label. */
void format_put_paragraph(const struct format_look *look, struct mb_buf *out,
                          const struct mb_buf *text);

/* An item each, by its topic. */
void format_put_findings(const struct format_look *look, struct mb_buf *out,
                         const struct answer_findings *findings, const struct answer_voice *voice);

/* A column of times, and the space after it. */
void format_put_time(struct mb_buf *out, int64_t ns);

/* ---- Parts ---- */

/* Of the marks that rows of these tables have (text_layout.c). */
void format_put_legend(const struct format_look *look, const char *tables, struct mb_buf *out);

/* Kinds of requests (text_requests.c). */
void format_put_requests(const struct answer_requests *requests, const struct answer_names *names,
                         const struct format_look *look, struct mb_buf *out);

/* "worked in a.B.c below d.E.f" */
void format_put_cause(const struct answer_excess *excess, const struct answer_names *names,
                      const struct format_look *look, struct mb_buf *out);

/* ", ready without a processor for 12.3 ms of it", if that is much of what it took more. */
void format_put_ready(const struct answer_excess *excess, struct mb_buf *out);

/* " (9 of 12) (known of 12 of 18)": of 18 requests, 12 waited for a holder that is known, which 9
 * times was the one that is told. Nothing where all did for that one. */
void format_put_owners(const struct answer_excess *excess, struct mb_buf *out);

/* The way down (text_path.c). */
void format_put_path(const struct answer_methods *methods, const struct format_look *look,
                     const struct answer_path *path, struct mb_buf *out);

/* Tables (text_tables.c). */
void format_put_costs(const struct answer_facts *facts, const struct format_look *look,
                      struct mb_buf *out);
void format_put_waiting(const struct answer_facts *facts, const struct format_look *look,
                        struct mb_buf *out);
void format_put_calls(const struct answer_facts *facts, const struct format_look *look,
                      struct mb_buf *out);
/* Alone: without an empty line before it. */
void format_put_muted(const struct answer_facts *facts, const struct format_look *look,
                      struct mb_buf *out);
void format_put_pools(const struct answer_threads *threads, const struct format_look *look,
                      const union answer_pools *pools, struct mb_buf *out);
void format_put_threads(const struct answer_facts *facts, const struct format_look *look,
                        struct mb_buf *out);

/* A number of calls; a dash if they were only sampled, since samples do not count (sampled.c). */
void format_put_count(struct mb_buf *out, uint64_t count, bool is_sampled, int width);

/* Locks that threads waited for, and who had them (sampled.c). */
void format_put_blocks(const struct answer_blocks *blocks, const struct answer_names *names,
                       const struct format_look *look, struct mb_buf *out);

/* Slow messages, or outermost calls; with all stacks on request (text_slow.c). */
void format_put_slow(const struct answer_recording *recording,
                     const struct answer_messages *messages, const struct answer_clock *clock,
                     const struct answer_methods *methods, const struct format_look *look,
                     struct mb_buf *out);

/* Against look->old: by name (text_diff.c). */
void format_put_diff(const struct answer_facts *facts, const struct format_look *look,
                     struct mb_buf *out);

#endif
