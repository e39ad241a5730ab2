/* Restores the frames of a shrunk program's stacks. */

#include "base/text.h"
#include "base/vec.h"
#include "rules/mapping_lines.h"

#include <inttypes.h>

#define MOST_SHOWN 64u  /* possibilities of a frame that are written */
#define MOST_KNOWN 512u /* that are told apart */

/* "a.b.m(SourceFile:12)", taken apart. */
struct frame {
    struct mb_text class_name;
    struct mb_text method;
    bool has_line;
    uint64_t line; /* of code without lines, Android's number of the instruction: from 0 on */
};

struct span {
    bool is_known;
    uint64_t first;
    uint64_t last;
};

/* A METHOD line that the frame's name may mean. */
struct meant {
    struct rule_line line;
    struct span range;
    struct span origin;
    struct mb_text positions; /* that CALLSITE tells */
    unsigned comments;        /* a bit for each kind */
    size_t member;            /* the lines of a method, and what was inlined there, have one */
};

/* Some of them, from the innermost on. */
struct choice {
    size_t first;
    size_t count; /* 0: the first alone, and nothing tells where in that method it is */
};

struct possibility {
    struct mb_text holder; /* empty: the class of the frame */
    struct mb_text name;
    uint64_t line; /* 0 if none */
};

/* A frame at work. */
struct finding {
    const struct rule_mapped_class *cls;
    const struct frame *frame;
    uint64_t line; /* that of the frame, or where the caller of an outline really is; 0 if none */
    MB_VEC(struct meant) lines;
    MB_VEC(struct choice) choices;
    MB_VEC(struct possibility) row; /* of what is written, without doubles */
    struct mb_buf *out;
};

static struct frame take_apart(struct mb_text text)
{
    const struct mb_place place = mb_place_cut(&text);
    struct frame frame = {
        .method = mb_text_split(&text, '('), .has_line = place.file.size > 0, .line = place.line};
    size_t dot = mb_text_after_last(frame.method, '.');

    frame.class_name = (struct mb_text){frame.method.data, dot > 0 ? dot - 1 : 0};
    frame.method = mb_text_from(frame.method, dot);
    return frame;
}

/* "12:14", "12:14:", "12", or after the parenthesis ":12:14". */
static struct span read_span(struct mb_text text)
{
    struct span span = {0};

    text = mb_text_from(text, mb_text_starts(text, MB_TEXT(":")));
    if (mb_text_to_number(mb_text_split(&text, ':'), UINT32_MAX, &span.first)) {
        span.last = span.first;
        span.is_known =
            text.size == 0 || mb_text_to_number(mb_text_split(&text, ':'), UINT32_MAX, &span.last);
    }
    return span;
}

/* ---- What the name may mean ---- */

static void collect_lines(struct finding *found)
{
    struct mb_text body = found->cls->body;
    struct mb_text content;
    size_t number = 1; /* not the start of the file */
    bool is_meant = false;

    while (mb_text_next_line(&body, &content, &number)) {
        const struct rule_line line = rule_line_parse(content);
        bool is_method = line.kind == RULE_LINE_METHOD;
        if (is_method || line.kind == RULE_LINE_FIELD) {
            is_meant = is_method && mb_text_equal(line.obfuscated, found->frame->method);
        }
        if (is_meant && is_method) {
            MB_VEC_PUSH(&found->lines, (struct meant){.line = line,
                                                      .range = read_span(line.range),
                                                      .origin = read_span(line.origin)});
        } else if (is_meant && !found->lines.buf.failed) {
            struct meant *last = &found->lines.items[MB_VEC_COUNT(&found->lines) - 1];
            last->comments |= 1u << line.kind;
            last->positions = line.kind == RULE_LINE_CALLSITE ? line.told : last->positions;
        }
    }
}

static bool is_same_method(const struct rule_line *a, const struct rule_line *b)
{
    return mb_text_equal(a->name, b->name) && mb_text_equal(a->holder, b->holder) &&
           mb_text_equal(a->arguments, b->arguments) && mb_text_equal(a->type, b->type);
}

/* A method's lines end where what is inlined into another begins. */
static void number_members(struct finding *found)
{
    struct meant *lines = found->lines.items;
    size_t count = MB_VEC_COUNT(&found->lines);
    const struct meant *before = NULL;
    size_t member = 0;

    for (size_t at = 0; at < count;) {
        size_t last = at;
        while (last + 1 < count && rule_line_is_inlined(&lines[last].line, &lines[last + 1].line)) {
            last++;
        }
        member += before != NULL && !is_same_method(&before->line, &lines[last].line);
        for (before = &lines[last]; at <= last; at++) {
            lines[at].member = member;
        }
    }
}

/* What comments say of any line, they say of its method. */
static bool has_comment(const struct finding *found, size_t member, enum rule_line_kind kind)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&found->lines); i++) {
        const struct meant *meant = &found->lines.items[i];
        if (meant->member == member && (meant->comments & 1u << kind) != 0) {
            return true;
        }
    }
    return false;
}

/* ---- What the frame's line chooses of it ---- */

static bool is_in(const struct span *span, uint64_t line)
{
    return span->is_known && span->first <= line && line <= span->last;
}

/* Of each method the first range that the line is in, with all lines that have it. */
static void choose_by_line(struct finding *found)
{
    const struct meant *lines = found->lines.items;

    mb_buf_reset(&found->choices.buf);
    for (size_t i = 0; i < MB_VEC_COUNT(&found->lines); i++) {
        size_t count = MB_VEC_COUNT(&found->choices);
        struct choice *last = count > 0 ? &found->choices.items[count - 1] : NULL;
        if (!is_in(&lines[i].range, found->line)) {
            continue;
        }
        if (last == NULL || lines[last->first].member != lines[i].member) {
            MB_VEC_PUSH(&found->choices, (struct choice){i, 1});
        } else if (last->first + last->count == i &&
                   mb_text_equal(lines[last->first].line.range, lines[i].line.range)) {
            last->count++;
        }
    }
}

/* Of "3":16,"6":19; the line itself if it is not there. */
static uint64_t position_of(struct mb_text positions, uint64_t line)
{
    while (positions.size > 0) {
        struct mb_text to = mb_text_split(&positions, ',');
        (void)mb_text_split(&to, '"');
        uint64_t from;
        uint64_t position;
        if (mb_text_to_number(mb_text_split(&to, '"'), UINT32_MAX, &from) && from == line &&
            mb_text_to_number(mb_text_from(to, to.size > 0), UINT32_MAX, &position)) {
            return position;
        }
    }
    return line;
}

/* A caller of an outline has the lines of all that the outline took: that of the frame inside tells
 * which. */
static void choose_by_outline(struct finding *found, uint64_t inside)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&found->choices); i++) {
        const struct choice *choice = &found->choices.items[i];
        const struct meant *last = &found->lines.items[choice->first + choice->count - 1];
        if (last->positions.size > 0) {
            found->line = position_of(last->positions, inside);
            choose_by_line(found);
            return;
        }
    }
}

/* What no line chooses: methods that kept their lines or, of a frame without one, all; else the
 * name is as it was. */
static void choose_by_name(struct finding *found)
{
    size_t count = MB_VEC_COUNT(&found->lines);

    for (size_t i = 0; i < count; i++) {
        const struct meant *meant = &found->lines.items[i];
        bool ends = i + 1 == count || meant[1].member != meant->member;
        if (found->line > 0 ? !meant->range.is_known : ends) {
            MB_VEC_PUSH(&found->choices, (struct choice){i, found->line > 0});
        }
    }
    if (MB_VEC_COUNT(&found->choices) == 0) {
        MB_VEC_PUSH(&found->lines, (struct meant){.line.name = found->frame->method});
        MB_VEC_PUSH(&found->choices, (struct choice){count, 1});
    }
}

/* ---- Putting ---- */

static void add_possibility(struct finding *found, const struct meant *meant, uint64_t line)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&found->row); i++) {
        const struct possibility *row = &found->row.items[i];
        if (row->line == line && mb_text_equal(row->name, meant->line.name) &&
            mb_text_equal(row->holder, meant->line.holder)) {
            return;
        }
    }
    MB_VEC_PUSH(&found->row, (struct possibility){meant->line.holder, meant->line.name, line});
}

/* A line that was moved is so far from the start of its range as it was. Where several became one,
 * any may be meant. */
static void add_lines(struct finding *found, const struct meant *meant)
{
    const struct span *range = &meant->range;
    struct span origin = meant->origin;

    if (!origin.is_known) {
        origin.first = is_in(range, found->line) ? found->line : found->frame->line;
        origin.last = origin.first;
    } else if (is_in(range, found->line) &&
               range->last - range->first == origin.last - origin.first) {
        origin.first += found->line - range->first;
        origin.last = origin.first;
    }
    for (uint64_t line = origin.first;
         line <= origin.last && MB_VEC_COUNT(&found->row) < MOST_KNOWN; line++) {
        add_possibility(found, meant, line);
    }
}

/* What stands so deep in a choice. The outermost may be of R8's making. */
static void add_choice(struct finding *found, const struct choice *choice, size_t depth)
{
    const struct meant *meant = &found->lines.items[choice->first + depth];

    if (depth + 1 >= choice->count && (has_comment(found, meant->member, RULE_LINE_SYNTHESIZED) ||
                                       has_comment(found, meant->member, RULE_LINE_OUTLINE))) {
        return;
    }
    if (choice->count == 0 || !found->frame->has_line) {
        add_possibility(found, meant, 0);
    } else {
        add_lines(found, meant);
    }
}

static void put_class(struct mb_buf *out, struct mb_text internal)
{
    for (size_t i = 0; i < internal.size; i++) {
        mb_buf_put_u1(out, internal.data[i] == '/' ? '.' : (unsigned char)internal.data[i]);
    }
}

/* The class only where it is another than that of the one before. */
static void put_row(struct finding *found)
{
    size_t count = MB_VEC_COUNT(&found->row);

    for (size_t i = 0; i < count && i < MOST_SHOWN; i++) {
        const struct possibility *row = &found->row.items[i];
        mb_buf_put_string(found->out, i > 0 ? " or " : "");
        if (i == 0 || !mb_text_equal(row->holder, row[-1].holder)) {
            put_class(found->out, row->holder.size > 0 ? row->holder : found->cls->original);
            mb_buf_put_u1(found->out, '.');
        }
        mb_buf_put(found->out, row->name.data, row->name.size);
        if (row->line > 0) {
            mb_buf_printf(found->out, ":%" PRIu64, row->line);
        }
    }
    if (count > MOST_SHOWN) {
        mb_buf_printf(found->out, " or %s%zu more", count < MOST_KNOWN ? "" : "at least ",
                      count - MOST_SHOWN);
    }
    mb_buf_put_string(found->out, count > 0 ? "\n" : "");
}

static void put_choices(struct finding *found)
{
    size_t deepest = 1;

    for (size_t depth = 0; depth < deepest; depth++) {
        mb_buf_reset(&found->row.buf);
        for (size_t i = 0; i < MB_VEC_COUNT(&found->choices); i++) {
            const struct choice *choice = &found->choices.items[i];
            deepest = choice->count > deepest ? choice->count : deepest;
            if (depth == 0 || depth < choice->count) {
                add_choice(found, choice, depth);
            }
        }
        put_row(found);
    }
}

static void put_frame(struct finding *found, struct rule_outline *outline)
{
    collect_lines(found);
    number_members(found);
    choose_by_line(found);
    if (outline->is_inside) {
        choose_by_outline(found, outline->line);
    }
    if (MB_VEC_COUNT(&found->choices) == 0) {
        choose_by_name(found);
    }
    found->out->failed |= found->lines.buf.failed || found->choices.buf.failed;
    if (!found->out->failed) {
        size_t last = found->choices.items[MB_VEC_COUNT(&found->choices) - 1].first;
        *outline = (struct rule_outline){
            found->line > 0 &&
                has_comment(found, found->lines.items[last].member, RULE_LINE_OUTLINE),
            found->line};
        put_choices(found);
    }
    mb_buf_finish(&found->lines.buf);
    mb_buf_finish(&found->choices.buf);
    mb_buf_finish_part(found->out, &found->row.buf);
}

void rule_mapping_put_frame(struct mb_buf *out, const struct rule_mapping *names,
                            struct mb_text text, struct rule_outline *outline)
{
    const struct frame frame = take_apart(text);
    struct finding found = {.frame = &frame, .line = frame.line, .out = out};
    struct rule_outline none = {0};
    size_t size = out->size;

    outline = outline != NULL ? outline : &none;
    mb_buf_put(out, frame.class_name.data, frame.class_name.size);
    if (out->failed) {
        return;
    }
    char *class_name = (char *)out->bytes + size;
    mb_make_internal_form(class_name, frame.class_name.size);
    found.cls = names != NULL
                    ? rule_mapping_find(names, (struct mb_text){class_name, frame.class_name.size})
                    : NULL;
    out->size = size;
    if (found.cls != NULL) {
        put_frame(&found, outline);
    } else {
        *outline = none;
        mb_buf_put(out, text.data, text.size);
        mb_buf_put_u1(out, '\n');
    }
}
