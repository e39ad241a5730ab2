#include "answer/map.h"

#include "base/strmap.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

struct joiner {
    struct answer_map *names;
    const struct rule_mapping *originals;
    struct mb_strmap by_name;       /* "class.method" -> struct abi_method, or several */
    MB_VEC(struct abi_method) rest; /* not joined */
    struct mb_buf text;             /* scratch */
};

static const struct abi_method several; /* have one name */

static void put_plain(struct mb_buf *out, const struct abi_method *method)
{
    mb_buf_put(out, method->class_name.data, method->class_name.size);
    mb_buf_put_u1(out, '.');
    mb_buf_put(out, method->name.data, method->name.size);
}

void answer_join_put_frame(struct mb_buf *out, const struct abi_method *method,
                           const struct rule_mapping *originals)
{
    struct mb_buf plain = {0};
    struct mb_buf lines = {0};

    put_plain(&plain, method);
    struct mb_text text = {(const char *)plain.bytes, plain.size};
    if (originals != NULL && !plain.failed) {
        rule_mapping_put_frame(&lines, originals, text, NULL);
        struct mb_text last = mb_text_trim((struct mb_text){(const char *)lines.bytes, lines.size});
        last = mb_text_from(last, mb_text_after_last(last, '\n'));
        text = last.size > 0 ? last : text; /* R8 made it */
    }
    mb_buf_put(out, text.data, text.size);
    mb_buf_finish_part(out, &lines);
    mb_buf_finish_part(out, &plain);
}

static bool has_types(const struct abi_method *method)
{
    return method->descriptor.size > 0;
}

/* ---- The map's ---- */

static enum mb_status list_method(struct joiner *j, const struct abi_method *method,
                                  struct mb_error *err)
{
    mb_buf_reset(&j->text);
    put_plain(&j->text, method);
    MB_TRY(mb_buf_check(&j->text, err));
    void **slot = mb_strmap_slot(&j->by_name, (const char *)j->text.bytes, j->text.size);
    if (slot == NULL) {
        return mb_fail_memory(err);
    }
    const struct abi_method *first = *slot;
    *slot = (void *)(uintptr_t)(first == NULL || first->id == method->id ? method : &several);
    return MB_OK;
}

static enum mb_status list_all(struct joiner *j, const struct abi_methodmap *map, bool with_plain,
                               struct mb_error *err)
{
    for (size_t i = 0; i < map->count; i++) {
        if (with_plain || has_types(&map->methods[i])) {
            MB_TRY(list_method(j, &map->methods[i], err));
        }
    }
    return MB_OK;
}

/* ---- The trace's ---- */

/* NULL: none has that name, or several. */
static const struct abi_method *find_listed(const struct joiner *j)
{
    const struct abi_method *found =
        mb_strmap_find(&j->by_name, (const char *)j->text.bytes, j->text.size);

    return found != &several ? found : NULL;
}

/* By the name that it has, or had before the program was shrunk. */
static const struct abi_method *find_joined(struct joiner *j, const struct abi_method *method)
{
    mb_buf_reset(&j->text);
    put_plain(&j->text, method);
    const struct abi_method *found = j->text.failed ? NULL : find_listed(j);
    if (found == NULL && j->originals != NULL) {
        mb_buf_reset(&j->text);
        answer_join_put_frame(&j->text, method, j->originals);
        found = j->text.failed ? NULL : find_listed(j);
    }
    return found;
}

static enum mb_status join_all(struct joiner *j, struct mb_error *err)
{
    const struct abi_methodmap *own = &j->names->own;

    for (size_t i = 0; i < own->count; i++) {
        const struct abi_method *method = &own->methods[i];
        const struct abi_method *found = has_types(method) ? NULL : find_joined(j, method);
        if (found != NULL && found->id != method->id) {
            const struct answer_join join = {method->id, found->id};
            mb_buf_put(&j->names->joins, &join, sizeof(join));
        } else {
            MB_VEC_PUSH(&j->rest, *method);
        }
    }
    MB_TRY(mb_buf_check(&j->names->joins, err));
    return mb_buf_check(&j->rest.buf, err);
}

static enum mb_status join_plain(struct joiner *j, struct mb_error *err)
{
    struct answer_map *names = j->names;

    MB_TRY(list_all(j, &names->map, true, err));
    MB_TRY(list_all(j, &names->own, false, err));
    MB_TRY(join_all(j, err));
    return abi_methodmap_add(&names->map, j->rest.items, MB_VEC_COUNT(&j->rest), err);
}

static bool has_plain(const struct abi_methodmap *map)
{
    for (size_t i = 0; i < map->count; i++) {
        if (!has_types(&map->methods[i])) {
            return true;
        }
    }
    return false;
}

enum mb_status answer_join_own(struct answer_map *names, const struct rule_mapping *originals,
                               struct mb_error *err)
{
    struct joiner joiner = {.names = names, .originals = originals};

    if (!has_plain(&names->own)) {
        return abi_methodmap_add(&names->map, names->own.methods, names->own.count, err);
    }
    enum mb_status status = join_plain(&joiner, err);
    mb_strmap_finish(&joiner.by_name);
    mb_buf_finish(&joiner.rest.buf);
    mb_buf_finish(&joiner.text);
    return status;
}

/* ---- What was joined ---- */

static int compare_join(const void *key, const void *row)
{
    uint32_t id = *(const uint32_t *)key;
    uint32_t other = ((const struct answer_join *)row)->from;

    return (id > other) - (id < other);
}

uint32_t answer_map_joined(const struct answer_map *names, uint32_t id)
{
    size_t count = names->joins.size / sizeof(struct answer_join);
    const struct answer_join *join = count > 0 ? bsearch(&id, names->joins.bytes, count,
                                                         sizeof(struct answer_join), compare_join)
                                               : NULL;

    return join != NULL ? join->to : id;
}
