#include "process/jvm_find.h"

#include "base/text.h"
#include "process/jvm_program.h"

#include <string.h>

typedef bool match_fn(const char *program, const char *name);

/* "app" is app.jar, and com.acme.app. */
static bool is_named(const char *program, const char *name)
{
    const char *shown = mb_last_part(program);
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

static void put_matches(union proc_jvms *matches, const union proc_jvms *all, match_fn *matcher,
                        const char *name)
{
    for (size_t i = 0; i < MB_VEC_COUNT(all); i++) {
        if (matcher(all->items[i].program, name)) {
            MB_VEC_PUSH(matches, all->items[i]);
        }
    }
}

enum mb_status proc_jvm_find(union proc_jvms *matches, const char *name, struct mb_error *err)
{
    union proc_jvms all = {0};
    enum mb_status status = proc_jvm_list(&all, err);

    put_matches(matches, &all, is_named, name);
    if (MB_VEC_COUNT(matches) == 0) {
        put_matches(matches, &all, has_part, name);
    }
    mb_buf_finish(&all.buf);
    return status == MB_OK ? mb_buf_check(&matches->buf, err) : status;
}
