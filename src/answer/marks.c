/* Marks: what makes the times of a method uncertain. */

#include "answer/marks.h"

#include "answer/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

const struct answer_mark_info answer_mark_infos[ANSWER_MARK_COUNT] = {
    [ANSWER_MARK_MUTED] = {"~", "muted", ANSWER_KIND_MARK_MUTED},
    [ANSWER_MARK_HOLDS] = {"^", "holds_muted", ANSWER_KIND_MARK_HOLDS},
    [ANSWER_MARK_INFERRED] = {"?", "inferred", ANSWER_KIND_MARK_INFERRED},
    [ANSWER_MARK_SAMPLED] = {"+-", "sampled", ANSWER_KIND_MARK_SAMPLED},
};

static bool is_muted(const struct answer_methods *methods, uint32_t id)
{
    size_t at = 0;

    while (at < methods->mute_count && methods->mutes[at].id != id) {
        at++;
    }
    return at < methods->mute_count;
}

uint32_t answer_inferred_percent(int64_t inferred, int64_t total)
{
    double part = inferred > 0 && total > 0 ? (double)inferred / (double)total : 0;

    return part < 1 ? (uint32_t)(part * 100) : 100;
}

uint32_t answer_sampled_percent(const struct answer_methods *methods, int64_t sampled,
                                int64_t total)
{
    double error = sqrt((double)sampled * (double)methods->sample_interval);
    double part = sampled > 0 && total > 0 ? error / (double)total : 0;

    return sampled <= 0 ? 0 : part < 0.01 ? 1 : part < 1 ? (uint32_t)(part * 100 + 0.5) : 100;
}

static void take_held(struct answer_marks *marks, const struct answer_methods *methods, uint32_t id)
{
    const struct answer_held *first = methods->held;
    const struct answer_held *end = methods->held + methods->held_count;

    while (first < end && first->caller != id) {
        first++;
    }
    marks->held = first;
    while (first + marks->held_count < end && first[marks->held_count].caller == id) {
        marks->held_count++;
    }
}

struct answer_marks answer_marks_of(const struct answer_methods *methods, uint32_t id,
                                    int64_t inferred, int64_t total)
{
    struct answer_marks marks = {.inferred_percent = answer_inferred_percent(inferred, total)};

    take_held(&marks, methods, id);
    marks.set = (is_muted(methods, id) ? 1u << ANSWER_MARK_MUTED : 0) |
                (marks.held_count > 0 ? 1u << ANSWER_MARK_HOLDS : 0) |
                (marks.inferred_percent > 0 ? 1u << ANSWER_MARK_INFERRED : 0);
    return marks;
}

static struct answer_marks marks_of_row(const struct answer_methods *methods,
                                        const struct trace_method *method)
{
    struct answer_marks marks =
        answer_marks_of(methods, method->id, method->inferred, method->total);

    marks.sampled_percent = answer_sampled_percent(methods, method->sampled, method->total);
    marks.set |= marks.sampled_percent > 0 ? 1u << ANSWER_MARK_SAMPLED : 0;
    return marks;
}

static uint32_t percent_of(const struct answer_marks *marks, enum answer_mark mark)
{
    return mark == ANSWER_MARK_INFERRED  ? marks->inferred_percent
           : mark == ANSWER_MARK_SAMPLED ? marks->sampled_percent
                                         : 0;
}

void answer_put_signs(struct mb_buf *out, const struct answer_marks *marks)
{
    for (enum answer_mark i = 0; i < ANSWER_MARK_COUNT; i++) {
        if (answer_has_mark(marks, i)) {
            uint32_t percent = percent_of(marks, i);
            mb_buf_printf(out, " %s", answer_mark_infos[i].sign);
            if (percent > 0) {
                mb_buf_printf(out, "%" PRIu32 "%%", percent);
            }
        }
    }
}

void answer_put_marks(const struct answer_methods *methods, struct mb_buf *out, uint32_t id,
                      bool is_open)
{
    const struct answer_marks marks = answer_marks_of(methods, id, 0, 0);

    answer_put_signs(out, &marks);
    mb_buf_put_string(out, is_open ? " +" : "");
    const struct answer_suspended *suspended = answer_find_suspended(methods, id);
    if (suspended != NULL && suspended->resumed > 0) {
        mb_buf_put_string(out, " (suspend, resumed ");
        answer_put_count(out, suspended->resumed, 0);
        mb_buf_put_string(out, suspended->resumed == 1 ? " time)" : " times)");
    } else {
        mb_buf_put_string(out, suspended != NULL ? " (suspend)" : "");
    }
}

void answer_put_inferred(struct mb_buf *out, int64_t inferred, int64_t total)
{
    uint32_t percent = answer_inferred_percent(inferred, total);
    const struct answer_marks marks = {.set = percent > 0 ? 1u << ANSWER_MARK_INFERRED : 0,
                                       .inferred_percent = percent};

    answer_put_signs(out, &marks);
}

void answer_put_sampled(const struct answer_methods *methods, struct mb_buf *out, int64_t sampled,
                        int64_t total)
{
    uint32_t percent = answer_sampled_percent(methods, sampled, total);
    const struct answer_marks marks = {.set = percent > 0 ? 1u << ANSWER_MARK_SAMPLED : 0,
                                       .sampled_percent = percent};

    answer_put_signs(out, &marks);
}

/* ---- By method ---- */

static int by_id(const void *key, const void *row)
{
    const uint32_t *id = key;
    const struct trace_method *method = row;

    return (*id > method->id) - (*id < method->id);
}

struct answer_marks answer_find_marks(const struct answer_methods *methods,
                                      const struct trace_method *rows, uint32_t id)
{
    const struct trace_method *row =
        rows != NULL ? bsearch(&id, rows, methods->count, sizeof(*rows), by_id) : NULL;

    return row != NULL ? marks_of_row(methods, row) : answer_marks_of(methods, id, 0, 0);
}

/* ---- By mark ---- */

static void put_marked(const struct answer_methods *methods, struct mb_buf *out, uint32_t id,
                       const struct answer_marks *marks, enum answer_mark mark)
{
    answer_put_name(out, &methods->names, id);
    switch (mark) {
    case ANSWER_MARK_INFERRED:
        mb_buf_printf(out, " %" PRIu32 "%%", marks->inferred_percent);
        break;
    case ANSWER_MARK_SAMPLED:
        mb_buf_printf(out, " +-%" PRIu32 "%%", marks->sampled_percent);
        break;
    case ANSWER_MARK_MUTED:
    case ANSWER_MARK_HOLDS:
    case ANSWER_MARK_COUNT:
        break;
    }
}

void answer_put_marked(const struct answer_methods *methods, struct mb_buf *out,
                       enum answer_mark mark)
{
    struct trace_method *rows = answer_sort_methods(methods->rows, methods->count, ANSWER_BY_SELF);
    const char *between = "";

    out->failed = out->failed || rows == NULL;
    for (size_t i = 0; i < methods->count && !out->failed; i++) {
        const struct answer_marks marks = marks_of_row(methods, &rows[i]);
        if (answer_has_mark(&marks, mark)) {
            mb_buf_put_string(out, between);
            put_marked(methods, out, rows[i].id, &marks, mark);
            between = ", ";
        }
    }
    free(rows);
}

void answer_put_mark_note(const struct answer_methods *methods, struct mb_buf *out,
                          enum answer_mark mark)
{
    size_t start = out->size;

    mb_buf_printf(out, "%s %s: ", answer_mark_infos[mark].sign,
                  answer_words(answer_mark_infos[mark].meaning));
    size_t named = out->size;
    answer_put_marked(methods, out, mark);
    if (out->size == named && !out->failed) {
        out->size = start;
    }
}
