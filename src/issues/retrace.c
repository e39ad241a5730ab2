#include "issues/retrace.h"

#include "rules/mapping.h"

#define MOST_TEXT ((size_t)65535) /* of mb_intern */

struct retracing {
    struct mb_intern *texts;
    const struct rule_mapping *names;
    struct mb_buf lines; /* scratch */
};

/* Each line of a text; what is too long for a text loses its end. False without memory. */
static bool retrace(struct retracing *r, uint32_t *text)
{
    struct mb_text rest = mb_intern_get(r->texts, *text);
    bool ends_line = mb_text_ends(rest, MB_TEXT("\n"));

    if (*text == MB_INTERN_NONE) {
        return true;
    }
    mb_buf_reset(&r->lines);
    while (rest.size > 0) {
        rule_mapping_put_frame(&r->lines, r->names, mb_text_split(&rest, '\n'));
        mb_buf_put_string(&r->lines, rest.size > 0 || ends_line ? "\n" : "");
    }
    size_t size = r->lines.size < MOST_TEXT ? r->lines.size : MOST_TEXT;
    *text = r->lines.failed
                ? MB_INTERN_NONE
                : mb_intern_add(r->texts, (struct mb_text){(const char *)r->lines.bytes, size});
    return *text != MB_INTERN_NONE;
}

static enum mb_status retrace_all(struct issues_collection *all, const struct rule_mapping *names,
                                  struct mb_error *err)
{
    struct issues_issue *issues = (void *)all->issues.bytes;
    struct retracing r = {.texts = all->texts, .names = names};
    bool has_memory = true;

    for (size_t i = 0; has_memory && i < all->issues.size / sizeof(*issues); i++) {
        has_memory = retrace(&r, &issues[i].frames) && retrace(&r, &issues[i].app_key);
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
