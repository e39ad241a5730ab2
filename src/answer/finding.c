#include "answer/finding.h"

#include "answer/words.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *name;
    const char *topic;
    const char *sentence;
} rows[] = {
#define ANSWER_FINDING(kind, topic, sentence) {#kind, topic, sentence},
#include "answer/findings.def"
#undef ANSWER_FINDING
};

const char *answer_kind_name(enum answer_kind kind)
{
    return rows[kind].name;
}

const char *answer_topic(enum answer_kind kind)
{
    return rows[kind].topic;
}

const char *answer_words(enum answer_kind kind)
{
    return rows[kind].sentence;
}

/* ---- Collecting ---- */

void answer_add_finding(struct answer_findings *findings, const struct answer_finding *finding,
                        bool is_part)
{
    size_t row = MB_VEC_COUNT(&findings->rows);

    MB_VEC_PUSH(&findings->rows, *finding);
    if (!is_part) {
        findings->last = row;
    } else if (!findings->rows.buf.failed) {
        findings->rows.items[findings->last].part_count++;
    }
}

void answer_find_plain(struct answer_findings *findings, enum answer_kind kind)
{
    const struct answer_finding finding = {.kind = kind};

    answer_add_finding(findings, &finding, false);
}

const struct answer_finding *answer_next_finding(const struct answer_findings *findings,
                                                 const struct answer_finding *before)
{
    const struct answer_finding *first = findings->rows.items;
    size_t count = MB_VEC_COUNT(&findings->rows);
    size_t next = before != NULL ? (size_t)(before - first) + 1 + before->part_count : 0;

    return next < count ? &first[next] : NULL;
}

void answer_findings_finish(struct answer_findings *findings)
{
    mb_buf_finish(&findings->rows.buf);
}

/* ---- Sentences ---- */

struct saying {
    const struct answer_finding *finding;
    const struct answer_voice *voice;
    struct mb_buf *out;
};

static void put_piece(const struct saying *s, struct mb_text piece,
                      const struct answer_value *value)
{
    if (s->voice->put != NULL) {
        s->voice->put(s->out, piece, value);
    } else {
        mb_buf_put(s->out, piece.data, piece.size);
    }
}

static void put_figure(struct mb_buf *out, const struct answer_value *value,
                       const struct answer_voice *voice)
{
    switch (value->unit) {
    case ANSWER_UNIT_NS:
        answer_put_time(out, value->number, 0);
        break;
    case ANSWER_UNIT_COUNT:
        answer_put_count(out, (uint64_t)value->number, 0);
        break;
    case ANSWER_UNIT_NUMBER:
        mb_buf_printf(out, "%" PRId64, value->number);
        break;
    case ANSWER_UNIT_PERCENT:
    case ANSWER_UNIT_WHOLE_PERCENT:
        mb_buf_printf(out, "%.*f %%", value->unit == ANSWER_UNIT_PERCENT, value->percent);
        break;
    case ANSWER_UNIT_CHANGE:
        mb_buf_printf(out, "%+.1f %%", value->percent);
        break;
    case ANSWER_UNIT_TEXT:
        mb_buf_put_printable(out, value->text);
        mb_buf_put_string(out, value->number == 1 ? "*" : "");
        break;
    case ANSWER_UNIT_METHOD:
        answer_put_method(out, voice->names, (uint32_t)value->number, voice->room);
        break;
    case ANSWER_UNIT_WORD:
        mb_buf_put_string(out, answer_words((enum answer_kind)value->number));
        break;
    case ANSWER_UNIT_FLAG:
        break;
    }
}

static void put_value(const struct saying *s, const struct answer_value *value)
{
    struct mb_buf text = {0};

    put_figure(&text, value, s->voice);
    put_piece(s, (struct mb_text){(const char *)text.bytes, text.failed ? 0 : text.size}, value);
    mb_buf_finish_part(s->out, &text);
}

/* NULL if unknown. */
static const struct answer_value *find_value(const struct saying *s, struct mb_text name)
{
    for (size_t i = 0; i < ANSWER_MOST_VALUES; i++) {
        const struct answer_value *value = &s->finding->values[i];
        if (value->name != NULL && mb_text_is(name, value->name)) {
            return value;
        }
    }
    return NULL;
}

/* Split off what is in front of the first of ends that is outside of brackets, and *end, which is 0
 * after the last. */
static struct mb_text take_until(struct mb_text *text, const char *ends, char *end)
{
    struct mb_text part = {text->data, 0};
    size_t depth = 0;

    while (part.size < text->size && (depth > 0 || strchr(ends, text->data[part.size]) == NULL)) {
        char c = text->data[part.size++];
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
    }
    bool is_found = part.size < text->size;
    *end = is_found ? text->data[part.size] : '\0';
    *text = mb_text_from(*text, part.size + is_found);
    return part;
}

static void put_text(const struct saying *s, struct mb_text text);

/* "*, ": the parts, with the text after the star in between. */
static void put_parts(const struct saying *s, struct mb_text between)
{
    for (size_t i = 0; i < s->finding->part_count; i++) {
        const struct saying part = {s->finding + 1 + i, s->voice, s->out};
        put_piece(s, i > 0 ? between : (struct mb_text){between.data, 0}, NULL);
        put_text(&part, mb_text_of(answer_words(part.finding->kind)));
    }
}

/* "name", "name|if it is 1|else", "*between". */
static void put_hole(const struct saying *s, struct mb_text hole)
{
    char end;
    struct mb_text name = take_until(&hole, "|", &end);
    const struct answer_value *value = find_value(s, name);

    if (end == '|') {
        struct mb_text one = take_until(&hole, "|", &end);
        put_text(s, value != NULL && value->number == 1 ? one : hole);
    } else if (name.size > 0 && name.data[0] == '*') {
        put_parts(s, mb_text_from(name, 1));
    } else if (value != NULL) {
        put_value(s, value);
    }
}

/* All that is named in the text, but for choices and inner brackets, is known. */
static bool is_known(const struct saying *s, struct mb_text text)
{
    bool is = true;
    char end;

    while (text.size > 0) {
        (void)take_until(&text, "{[", &end);
        struct mb_text inner = take_until(&text, end == '{' ? "}" : "]", &end);
        if (end == '}') {
            struct mb_text name = take_until(&inner, "|", &end);
            bool is_list = name.size > 0 && name.data[0] == '*';
            bool has = is_list ? s->finding->part_count > 0 : find_value(s, name) != NULL;
            is = is && (end == '|' || has);
        }
    }
    return is;
}

/* "text" if it is known, "text|else". */
static void put_option(const struct saying *s, struct mb_text option)
{
    char end;
    struct mb_text text = take_until(&option, "|", &end);

    put_text(s, is_known(s, text) ? text : option);
}

/* Texts lie within each other a few times, as they are written in findings.def. */
static void put_text(const struct saying *s, struct mb_text text)
{
    while (text.size > 0) {
        char end;
        put_piece(s, take_until(&text, "{[", &end), NULL);
        if (end == '{') {
            put_hole(s, take_until(&text, "}", &end));
        } else if (end == '[') {
            put_option(s, take_until(&text, "]", &end));
        }
    }
}

void answer_put_sentence(struct mb_buf *out, const struct answer_finding *finding,
                         const struct answer_voice *voice)
{
    const struct saying s = {finding, voice, out};

    put_text(&s, mb_text_of(answer_words(finding->kind)));
}

void answer_put_sentences(struct mb_buf *out, const struct answer_findings *findings,
                          const struct answer_voice *voice)
{
    const struct answer_finding *finding = answer_next_finding(findings, NULL);

    mb_buf_fail_with(out, &findings->rows.buf);
    while (finding != NULL) {
        answer_put_sentence(out, finding, voice);
        finding = answer_next_finding(findings, finding);
        mb_buf_put_string(out, finding != NULL ? " " : "");
    }
}
