#include "issues/retrace.h"

#include "abi/blame.h"
#include "abi/issue.h"
#include "issues/stacks.h"

struct retracing {
    struct mb_intern *texts;
    struct rule_builds *builds; /* NULL: names stay */
    struct mb_text r8;          /* the issue's build */
    struct mb_buf lines;        /* scratch */
};

/* What the lines are, without the end that is too long for a text. False without memory. */
static bool take_lines(struct retracing *r, struct mb_text *text, struct mb_text lines)
{
    lines.size = lines.size < ISSUES_MOST_TEXT ? lines.size : ISSUES_MOST_TEXT;
    uint32_t name = r->lines.failed ? MB_INTERN_NONE : mb_intern_add(r->texts, lines);

    *text = mb_intern_get(r->texts, name);
    return name != MB_INTERN_NONE;
}

/* Each line of a text; lead is what frames begin with, and other lines stay. */
static bool retrace_lines(struct retracing *r, struct mb_text *text, struct mb_text lead)
{
    struct mb_text rest = *text;
    bool ends_line = mb_text_ends(rest, MB_TEXT("\n"));
    struct rule_outline outline = {0};

    mb_buf_reset(&r->lines);
    while (rest.size > 0) {
        struct mb_text line = mb_text_split(&rest, '\n');
        struct mb_text frame = mb_text_trim(line);
        if (mb_text_starts(frame, lead)) {
            rule_builds_put_frame(&r->lines, r->builds, r->r8, mb_text_from(frame, lead.size),
                                  &outline);
        } else {
            outline = (struct rule_outline){0};
            mb_buf_put(&r->lines, line.data, line.size);
            mb_buf_put_u1(&r->lines, '\n');
        }
    }
    issues_cut_stack(&r->lines);
    rest = (struct mb_text){(const char *)r->lines.bytes, r->lines.size};
    rest.size -= rest.size > 0 && !ends_line;
    return rest.size > 0 ? take_lines(r, text, rest) : !r->lines.failed; /* else R8 made all */
}

/* True unless the key to blame is another than a function of the stack. */
static bool is_key_of_stack(const struct answer_issue *issue)
{
    struct mb_text frames = issue->frames;
    bool is_there = issue->app_key.size == 0;

    while (frames.size > 0 && !is_there) {
        is_there = mb_text_equal(abi_function_of(mb_text_split(&frames, '\n')), issue->app_key);
    }
    return is_there;
}

/* The writer chose by the names that the program has; here they are those of the source. */
static bool name_issue(struct retracing *r, struct answer_issue *issue)
{
    bool is_of_stack = is_key_of_stack(issue);

    r->r8 = issue->when.r8;
    const struct mb_text none = MB_TEXT("");
    bool has_memory =
        r->builds == NULL || ((is_of_stack || retrace_lines(r, &issue->app_key, none)) &&
                              retrace_lines(r, &issue->frames, none) &&
                              retrace_lines(r, &issue->threads, MB_TEXT(ABI_STACK_LEAD)));
    const struct abi_blame blame = abi_find_blame(issue->frames, issue->platform);

    if (is_of_stack && blame.name.size > 0) {
        issue->app_key = blame.name;
        issue->waits_in = blame.waits_in;
    }
    return has_memory;
}

enum mb_status issues_retrace(struct issues_collection *all, struct rule_builds *builds,
                              struct mb_error *err)
{
    struct answer_issue *issues = all->issues.items;
    struct retracing r = {.texts = all->texts, .builds = builds};
    bool has_memory = true;

    MB_TRY(rule_builds_open(builds, err));
    for (size_t i = 0; has_memory && i < MB_VEC_COUNT(&all->issues); i++) {
        has_memory = name_issue(&r, &issues[i]);
    }
    mb_buf_finish(&r.lines);
    return has_memory ? MB_OK : mb_fail_memory(err);
}
