/* Inside the page: its parts, in the order in which they are read, and how a trace's texts get into
 * it. What is written here is whole without JavaScript; page/ holds the style and the program. */

#ifndef FORMATS_HTML_H
#define FORMATS_HTML_H

#include "answer/finding.h"
#include "answer/path.h"
#include "answer/words.h"
#include "formats/format.h"

/* ---- Texts and numbers (html_text.c) ---- */

/* Text, never markup: as mb_buf_put_printable shows it, and escaped. There is no other way for
 * names into the page, attributes included. */
void format_html_text(struct mb_buf *out, struct mb_text text);

/* Of a sentence (answer_voice): names escaped, a number and its unit never on two lines. */
void format_html_piece(struct mb_buf *out, struct mb_text piece, const struct answer_value *value);

/* The class of a lock. */
void format_html_lock(struct mb_buf *out, struct mb_text lock);

/* A method, its package apart, with the marks of answer_put_marks. */
void format_html_method(const struct answer_methods *methods, struct mb_buf *out, uint32_t id,
                        bool is_open);

/* As attributes: where in the chart a call of that thread is. */
void format_html_span(struct mb_buf *out, uint32_t thread_id, uint64_t start_ns, int64_t length_ns);

/* Three digits for the eye, all of them as the element's value. */
void format_html_time(struct mb_buf *out, int64_t ns);
void format_html_count(struct mb_buf *out, uint64_t count);

/* A cell of a table with either. */
void format_html_time_cell(struct mb_buf *out, int64_t ns);
void format_html_count_cell(struct mb_buf *out, uint64_t count);

/* A cell with a bar that is part / whole long, and the percentage beside it. */
void format_html_share_cell(struct mb_buf *out, int64_t part, int64_t whole);

/* Of what is not known. */
#define FORMAT_HTML_UNKNOWN "<td>\xe2\x80\x93</td>"

#define FORMAT_HTML_DEEPEST 24u /* classes of indentation in page/style.css */

/* A call of a stack: as far right as it is deep. */
struct format_html_call {
    uint32_t id;
    uint64_t depth;
    uint64_t calls;
    int64_t ns;
    int64_t whole_ns;
    bool is_open;
    int64_t inferred_ns; /* of ns: rests on inferred ends */
    int64_t sampled;     /* of ns, in units: an estimate */
};
void format_html_stack_head(struct mb_buf *out);
void format_html_stack_row(const struct answer_methods *methods, struct mb_buf *out,
                           const struct format_html_call *call);

/* ---- Parts ---- */

/* What changed (html_tables.c): the verdict, and the methods. */
void format_html_diff(const struct answer_facts *old, const struct answer_facts *new,
                      struct mb_buf *out);

/* Slow messages with their stacks (html_slow.c). */
void format_html_slow(const struct answer_recording *recording,
                      const struct answer_messages *messages, const struct answer_clock *clock,
                      const struct answer_methods *methods, struct mb_buf *out);

/* What monitors found (html_issues.c). */
void format_html_issues(const struct answer_monitors *monitors,
                        const struct answer_process *process, uint64_t end_ns, struct mb_buf *out);

/* How scenes were drawn (html_frames.c). */
void format_html_frames(const struct answer_monitors *monitors,
                        const struct answer_process *process, uint64_t end_ns, struct mb_buf *out);

/* As attributes: where in the chart it is, which ends at end_ns. Nothing if it is not of the
 * program that was recorded. */
void format_html_when(const struct answer_process *process, uint64_t end_ns,
                      const struct answer_when *when, struct mb_buf *out);

/* "2026-09-21 14:13:35 UTC", since the page does not say where it was made; nothing if ms is not
 * known. */
void format_html_date(int64_t ms, struct mb_buf *out);

/* Kinds of requests (html_requests.c). */
void format_html_requests(const struct answer_requests *requests, const struct answer_clock *clock,
                          const struct answer_methods *methods, struct mb_buf *out);

/* Slow ones over the time of the recording, with the pauses (html_points.c). */
void format_html_points(const struct answer_requests *requests, uint64_t end_ns,
                        struct mb_buf *out);

/* ", held by THREAD in METHOD", as far as it is known (html_waits.c). */
void format_html_owner(const struct answer_methods *methods, struct mb_buf *out,
                       const struct answer_block *block);

/* Waits for locks (html_waits.c). */
void format_html_waits(const struct answer_blocks *blocks, const struct answer_methods *methods,
                       struct mb_buf *out);

/* Tables (html_tables.c). */
void format_html_path(const struct answer_methods *methods, const struct answer_path *path,
                      struct mb_buf *out);
void format_html_methods(const struct answer_clock *clock, const struct answer_methods *methods,
                         struct mb_buf *out);
void format_html_threads(const struct answer_threads *threads, const union answer_pools *pools,
                         struct mb_buf *out);

/* The style, the chart and the program, and the hashes by which the page's policy allows them
 * (page/, put together by Meson). */
extern const char format_page_style[];
extern const size_t format_page_style_size;
extern const char format_page_style_hash[];
extern const char format_page_chart[];
extern const size_t format_page_chart_size;
extern const char format_page_program[];
extern const size_t format_page_program_size;
extern const char format_page_program_hash[];

#endif
