#include "issues/retrace.h"

#include "base/place.h"
#include "rules/mapping.h"

#define MOST_TEXT ((size_t)65535) /* of mb_intern */

struct retracing {
    struct mb_intern *texts;
    const struct rule_mapping *names;
    struct mb_buf lines; /* scratch */
};

/* What the lines are, without the end that is too long for a text. False without memory. */
static bool take_lines(struct retracing *r, struct mb_text *text, struct mb_text lines)
{
    lines.size = lines.size < MOST_TEXT ? lines.size : MOST_TEXT;
    uint32_t name = r->lines.failed ? MB_INTERN_NONE : mb_intern_add(r->texts, lines);

    *text = mb_intern_get(r->texts, name);
    return name != MB_INTERN_NONE;
}

static struct mb_text lines_of(const struct retracing *r)
{
    return (struct mb_text){(const char *)r->lines.bytes, r->lines.size};
}

struct mb_text issues_function_of(struct mb_text frame)
{
    (void)mb_place_cut(&frame);
    size_t colon = mb_text_after_last(frame, ':');
    uint64_t line;
    bool is_named = colon > 1 && mb_text_to_number(mb_text_from(frame, colon), UINT32_MAX, &line);

    return is_named ? (struct mb_text){frame.data, colon - 1} : frame;
}

/* Each line of a text. */
static bool retrace_lines(struct retracing *r, struct mb_text *text)
{
    struct mb_text rest = *text;
    bool ends_line = mb_text_ends(rest, MB_TEXT("\n"));
    struct rule_outline outline = {0};

    if (text->size == 0) {
        return true;
    }
    mb_buf_reset(&r->lines);
    while (rest.size > 0) {
        rule_mapping_put_frame(&r->lines, r->names, mb_text_split(&rest, '\n'), &outline);
    }
    rest = ends_line ? lines_of(r) : mb_text_trim(lines_of(r));
    return rest.size > 0 ? take_lines(r, text, rest) : !r->lines.failed; /* else R8 made all */
}

static bool retrace_outermost(struct retracing *r, struct mb_text *text, struct mb_text frame)
{
    mb_buf_reset(&r->lines);
    rule_mapping_put_frame(&r->lines, r->names, frame, NULL);
    struct mb_text lines = mb_text_trim(lines_of(r));
    lines = mb_text_from(lines, mb_text_after_last(lines, '\n'));
    return take_lines(r, text, issues_function_of(lines));
}

/* The key to group by is a function. Where it is among the frames its line tells which method that
 * was, of what was inlined there the one that the rest is in: a method of the program. */
static bool retrace_key(struct retracing *r, struct answer_issue *issue)
{
    const struct mb_text key = issue->app_key;
    struct mb_text frames = issue->frames;

    while (frames.size > 0) {
        struct mb_text frame = mb_text_split(&frames, '\n');
        struct mb_text function = frame;
        if (mb_place_cut(&function).file.size > 0 && mb_text_equal(function, key)) {
            return retrace_outermost(r, &issue->app_key, frame);
        }
    }
    return retrace_lines(r, &issue->app_key);
}

static enum mb_status retrace_all(struct issues_collection *all, const struct rule_mapping *names,
                                  struct mb_error *err)
{
    struct answer_issue *issues = all->issues.items;
    struct retracing r = {.texts = all->texts, .names = names};
    bool has_memory = true;

    for (size_t i = 0; has_memory && i < MB_VEC_COUNT(&all->issues); i++) {
        has_memory = retrace_key(&r, &issues[i]) && retrace_lines(&r, &issues[i].frames);
    }
    mb_buf_finish(&r.lines);
    return has_memory ? MB_OK : mb_fail_memory(err);
}

enum mb_status issues_retrace(struct issues_collection *all, const char *mapping,
                              struct mb_error *err)
{
    struct rule_mapping *names;

    if (mapping == NULL) {
        return MB_OK;
    }
    MB_TRY(rule_mapping_load(&names, mapping, err));
    enum mb_status status = retrace_all(all, names, err);
    rule_mapping_destroy(names);
    return status;
}
