/* Restores the frames of a shrunk program's stacks. */

#include "base/place.h"
#include "rules/mapping_lines.h"

#include <inttypes.h>

#define MOST_METHODS 5u /* that may be meant */

/* "a.b.m(SourceFile:12)", taken apart. */
struct frame {
    struct mb_text class_name;
    struct mb_text method;
    bool has_line;
    uint64_t line; /* of code without lines, Android's number of the instruction: from 0 on */
};

/* The original methods that are found for a frame. */
struct finding {
    const struct rule_mapped_class *cls;
    const struct frame *frame;
    struct rule_line methods[MOST_METHODS]; /* different ones */
    size_t count;
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

/* "12:14", "12:14:", "12", or behind the parenthesis ":12:14". False if absent. */
static bool read_range(struct mb_text text, uint64_t *first, uint64_t *last)
{
    if (mb_text_starts(text, MB_TEXT(":"))) {
        text = mb_text_from(text, 1);
    }
    if (!mb_text_to_number(mb_text_split(&text, ':'), UINT32_MAX, first)) {
        return false;
    }
    *last = *first;
    return text.size == 0 || mb_text_to_number(mb_text_split(&text, ':'), UINT32_MAX, last);
}

/* ---- Putting ---- */

static void put_class(struct mb_buf *out, struct mb_text internal)
{
    for (size_t i = 0; i < internal.size; i++) {
        mb_buf_put_u1(out, internal.data[i] == '/' ? '.' : (unsigned char)internal.data[i]);
    }
}

static void put_method(const struct finding *found, const struct rule_line *method)
{
    if (method->holder.size > 0) {
        mb_buf_put(found->out, method->holder.data, method->holder.size);
    } else {
        put_class(found->out, found->cls->original);
    }
    mb_buf_put_u1(found->out, '.');
    mb_buf_put(found->out, method->name.data, method->name.size);
}

/* The line that it had, as far as lines were kept. */
static void put_line(const struct finding *found, const struct rule_line *method)
{
    uint64_t first;
    uint64_t last;
    uint64_t origin;
    uint64_t origin_end;

    if (read_range(method->range, &first, &last) &&
        read_range(method->origin, &origin, &origin_end)) {
        bool is_moved = origin_end - origin == last - first;
        mb_buf_printf(found->out, ":%" PRIu64,
                      is_moved ? origin + (found->frame->line - first) : origin);
    }
}

/* ---- Finding ---- */

static bool is_known(const struct finding *found, const struct rule_line *method)
{
    for (size_t i = 0; i < found->count; i++) {
        if (mb_text_equal(found->methods[i].name, method->name) &&
            mb_text_equal(found->methods[i].holder, method->holder)) {
            return true;
        }
    }
    return false;
}

static void add_method(struct finding *found, const struct rule_line *method)
{
    if (found->count < MOST_METHODS && !is_known(found, method)) {
        found->methods[found->count++] = *method;
    }
}

/* The next METHOD line of that name. */
static bool next_method(const struct finding *found, struct mb_text *body, struct rule_line *method)
{
    struct mb_text content;
    size_t number = 1; /* not the start of the file */

    while (mb_text_next_line(body, &content, &number)) {
        *method = rule_line_parse(content);
        if (method->kind == RULE_LINE_METHOD &&
            mb_text_equal(method->obfuscated, found->frame->method)) {
            return true;
        }
    }
    return false;
}

/* With a known line: visit each method whose ranges contain it; the first were inlined into the
 * last. False if no method does. */
static bool put_by_line(struct finding *found)
{
    struct mb_text body = found->cls->body;
    struct rule_line method;
    bool is_found = false;

    while (found->frame->has_line && next_method(found, &body, &method)) {
        uint64_t first;
        uint64_t last;
        if (read_range(method.range, &first, &last) && first <= found->frame->line &&
            found->frame->line <= last) {
            mb_buf_put_string(found->out, is_found ? "\n" : "");
            put_method(found, &method);
            put_line(found, &method);
            is_found = true;
        }
    }
    return is_found;
}

/* Else all that the name may mean; not what was inlined, which the frame is not of. */
static void find_by_name(struct finding *found)
{
    struct mb_text body = found->cls->body;
    struct rule_line method;
    struct rule_line next;
    bool is_there = next_method(found, &body, &method);

    while (is_there) {
        is_there = next_method(found, &body, &next);
        if (!is_there || !rule_line_is_inlined(&method, &next)) {
            add_method(found, &method);
        }
        method = next;
    }
}

static void put_by_name(struct finding *found)
{
    find_by_name(found);
    if (found->count == 0) {
        const struct rule_line same = {.name = found->frame->method};
        put_method(found, &same);
    }
    for (size_t i = 0; i < found->count; i++) {
        const struct rule_line *method = &found->methods[i];
        bool is_short = i > 0 && mb_text_equal(method->holder, found->methods[i - 1].holder);
        mb_buf_put_string(found->out, i > 0 ? " or " : "");
        if (is_short) {
            mb_buf_put(found->out, method->name.data, method->name.size);
        } else {
            put_method(found, method);
        }
    }
}

void rule_mapping_put_frame(struct mb_buf *out, const struct rule_mapping *names,
                            struct mb_text text)
{
    const struct frame frame = take_apart(text);
    struct finding found = {.frame = &frame, .out = out};
    size_t size = out->size;

    mb_buf_put(out, frame.class_name.data, frame.class_name.size);
    if (out->failed) {
        return;
    }
    char *class_name = (char *)out->bytes + size;
    mb_make_internal_form(class_name, frame.class_name.size);
    found.cls = rule_mapping_find(names, (struct mb_text){class_name, frame.class_name.size});
    out->size = size;
    if (found.cls == NULL) {
        mb_buf_put(out, text.data, text.size);
    } else if (!put_by_line(&found)) {
        put_by_name(&found);
    }
}
