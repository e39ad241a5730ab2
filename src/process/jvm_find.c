#include "process/jvm_find.h"

#include "base/text.h"
#include "process/jvm_program.h"

#include <string.h>

typedef bool match_fn(const char *program, const char *name);

/* "app" is app.jar, and com.acme.app. */
static bool is_named(const char *program, const char *name)
{
    const char *shown = proc_jvm_short_program(program);
    struct mb_text text = mb_text_of(shown);

    if (strcmp(program, name) == 0 || strcmp(shown, name) == 0) {
        return true;
    }
    if (mb_text_ends(text, MB_TEXT(".jar"))) {
        text.size -= strlen(".jar");
        return mb_text_is(text, name);
    }
    return mb_text_is(mb_text_from(text, mb_text_after_last(text, '.')), name);
}

static bool has_part(const char *program, const char *name)
{
    return strstr(program, name) != NULL;
}

static void put_matches(struct mb_buf *matches, const struct mb_buf *all, match_fn *matcher,
                        const char *name)
{
    const struct proc_jvm_entry *entries = (const void *)all->bytes;

    for (size_t i = 0; i < all->size / sizeof(*entries); i++) {
        if (matcher(entries[i].program, name)) {
            mb_buf_put(matches, &entries[i], sizeof(entries[i]));
        }
    }
}

enum mb_status proc_jvm_find(struct mb_buf *matches, const char *name, struct mb_error *err)
{
    struct mb_buf all = {0};
    enum mb_status status = proc_jvm_list(&all, err);

    put_matches(matches, &all, is_named, name);
    if (matches->size == 0) {
        put_matches(matches, &all, has_part, name);
    }
    mb_buf_finish(&all);
    return status == MB_OK ? mb_buf_check(matches, err) : status;
}
