#include "instrument/plan/ids.h"

#include "base/file.h"
#include "instrument/plan/ids_order.h"
#include "instrument/plan/names.h"

#include <stdlib.h>

#define KIND "number"

/* --- the file --- */

enum mb_status plan_ids_put(struct mb_buf *out, const union plan_ids *ids, uint64_t options,
                            struct mb_error *err)
{
    (void)mb_buf_zero(out, sizeof(struct plan_seal));
    mb_buf_put(out, ids->buf.bytes, ids->buf.size);
    plan_seal(out, KIND, options);
    return mb_buf_check(out, err);
}

static enum mb_status parse_ids(union plan_ids *ids, struct mb_text file, const char *path,
                                uint64_t options, struct mb_error *err)
{
    MB_TRY(plan_seal_open(&file, KIND, path, &options, err));
    bool is_good = file.size % sizeof(struct plan_id) == 0;
    mb_buf_put(&ids->buf, file.data, file.size);
    MB_TRY(mb_buf_check(&ids->buf, err));
    for (size_t i = 0; is_good && i < MB_VEC_COUNT(ids); i++) {
        const struct plan_id *row = &ids->items[i];
        is_good = row->id >= ABI_FIRST_ID && row->id <= ABI_MESSAGE_ID &&
                  row->boundary <= RULE_BOUNDARY_CALLED;
    }
    return is_good ? plan_ids_sort(ids, err) : plan_fail_damaged(path, err);
}

static struct mb_text internal_form(struct mb_buf *scratch, struct mb_text text)
{
    mb_buf_reset(scratch);
    mb_buf_put(scratch, text.data, text.size);
    mb_make_internal_form((char *)scratch->bytes, scratch->size);
    return (struct mb_text){(const char *)scratch->bytes, scratch->size};
}

static enum mb_status add_lines(union plan_ids *ledger, const struct abi_methodmap *map,
                                struct mb_error *err)
{
    struct mb_buf scratch = {0};

    for (size_t i = 0; i < map->count && map->methods[i].id != ABI_MESSAGE_ID; i++) {
        const struct abi_method *method = &map->methods[i];
        uint64_t name = plan_hash_name(method->name, internal_form(&scratch, method->descriptor));
        struct mb_text cls = internal_form(&scratch, method->class_name);
        MB_VEC_PUSH(ledger, (struct plan_id){plan_hash_method(cls, name), method->id, 0});
    }
    mb_buf_finish_part(&ledger->buf, &scratch);
    return plan_ids_sort(ledger, err);
}

static enum mb_status parse_map(union plan_ids *ledger, struct mb_text file, const char *path,
                                struct mb_error *err)
{
    struct abi_methodmap map = {0};
    enum mb_status status = abi_methodmap_parse(&map, file, path, err);

    status = status == MB_OK ? add_lines(ledger, &map, err) : status;
    abi_methodmap_finish(&map);
    return status;
}

enum mb_status plan_ids_load(union plan_ids *ids, const char *path, uint64_t options,
                             struct mb_error *err)
{
    struct mb_buf bytes = {0};
    enum mb_status status = mb_file_read(&bytes, path, err);
    struct mb_text file = {(const char *)bytes.bytes, bytes.size};

    if (status == MB_OK) {
        bool is_map =
            options == PLAN_ANY_OPTIONS && file.size > 0 && !mb_text_starts(file, MB_TEXT("mb "));
        status =
            is_map ? parse_map(ids, file, path, err) : parse_ids(ids, file, path, options, err);
    }
    mb_buf_finish(&bytes);
    return status;
}

/* --- numbering --- */

/* In place of an id for the moment: the number of its class. */
#define OF_CLASS (UINT32_C(1) << 31)

static void add_class(union plan_ids *ids, const struct mb_intern *names,
                      const struct plan_class *cls)
{
    uint64_t hash = mb_text_hash(mb_intern_get(names, cls->name));

    for (uint16_t i = 0; i < cls->method_count; i++) {
        const struct plan_method *method = &cls->methods[i];
        uint64_t name = (uint64_t)method->name << 16 | method->descriptor;
        bool is_own = rule_boundary_is_own((enum rule_boundary)method->boundary);
        MB_VEC_PUSH(ids, (struct plan_id){plan_hash_method_in(hash, name), OF_CLASS | cls->name,
                                          is_own ? 0 : method->boundary});
    }
    if (cls->focus != WEAVE_FOCUS_NONE) {
        MB_VEC_PUSH(ids, (struct plan_id){plan_hash_method_in(hash, 0), ABI_MESSAGE_ID, 0});
    }
}

/* Of other classes no two methods have one hash but on purpose; copies of a class do. */
static enum mb_status check_classes(const union plan_ids *ids, const struct mb_intern *names,
                                    struct mb_error *err)
{
    for (size_t i = 1; i < MB_VEC_COUNT(ids); i++) {
        const struct plan_id *row = &ids->items[i];
        if (row->hash >> 1 == row[-1].hash >> 1 && row->id != row[-1].id &&
            (row->id & row[-1].id & OF_CLASS) != 0) {
            struct mb_text one = mb_intern_get(names, row[-1].id & ~OF_CLASS);
            struct mb_text other = mb_intern_get(names, row->id & ~OF_CLASS);
            return mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET,
                           "methods of '%.*s' and '%.*s' have one hash: rename one of these "
                           "classes, or leave one out by --blacklist",
                           one.size < 60 ? (int)one.size : 60, one.data,
                           other.size < 60 ? (int)other.size : 60, other.data);
        }
    }
    return MB_OK;
}

static void forget_classes(union plan_ids *ids)
{
    for (size_t i = 0; i < MB_VEC_COUNT(ids); i++) {
        ids->items[i].id = (ids->items[i].id & OF_CLASS) != 0 ? 0 : ids->items[i].id;
    }
}

enum mb_status plan_ids_collect(union plan_ids *ids, const struct mb_intern *names,
                                const struct plan_source *sources, size_t count,
                                struct mb_error *err)
{
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < sources[i].class_count; k++) {
            add_class(ids, names, &sources[i].classes[k]);
        }
    }
    MB_TRY(plan_ids_sort_all(ids, err));
    MB_TRY(check_classes(ids, names, err));
    forget_classes(ids);
    plan_ids_drop_copies(ids);
    return MB_OK;
}

#define ROWS_AHEAD 16

void plan_ids_take(union plan_ids *slice, const struct plan_ids_index *all)
{
    size_t count = MB_VEC_COUNT(all->ids) > 0 ? MB_VEC_COUNT(slice) : 0;

    for (size_t i = 0; i < count; i++) {
        if (i + ROWS_AHEAD < count) {
            plan_ids_index_fetch(all, slice->items[i + ROWS_AHEAD].hash);
        }
        const struct plan_id *known = plan_ids_index_find(all, slice->items[i].hash);
        if (slice->items[i].id == 0 && known != NULL) {
            slice->items[i].id = known->id;
        }
    }
}

/* How many ids are taken, by the ledger or soon by new methods. */
static size_t count_taken(const union plan_ids *ids, const union plan_ids *ledger, bool *taken)
{
    size_t count = 0;

    for (size_t i = 0; i < MB_VEC_COUNT(ledger); i++) {
        uint32_t id = ledger->items[i].id;
        count += !taken[id] && id != ABI_MESSAGE_ID;
        taken[id] = true;
    }
    for (size_t i = 0; i < MB_VEC_COUNT(ids); i++) {
        const struct plan_id *row = &ids->items[i];
        count += row->id == 0 && (i == 0 || plan_ids_compare_methods(row, row - 1) != 0);
    }
    return count;
}

/* Hashes ascend, and so do the places that they ask for: each gets the next that is free, and the
 * last may start again from the first. */
static enum mb_status place_new(union plan_ids *ids, bool *taken, size_t taken_count,
                                struct mb_error *err)
{
    uint64_t next = ABI_FIRST_ID;
    bool is_over = false;

    if (taken_count > ABI_MAX_ID) {
        return mb_fail(err, MB_TOO_LARGE, MB_NO_OFFSET,
                       "%zu method ids are needed, but there are only %u: trace fewer methods, or "
                       "begin a new ledger",
                       taken_count, ABI_MAX_ID);
    }
    for (uint32_t id = ABI_FIRST_KIND_ID;
         id <= ABI_MAX_ID && taken_count <= ABI_MAX_ID - ABI_MAX_KINDS; id++) {
        taken[id] = true;
    }
    for (size_t i = 0; i < MB_VEC_COUNT(ids); i++) {
        struct plan_id *row = &ids->items[i];
        uint64_t home = ABI_FIRST_ID + ((row->hash >> 32) * ABI_MAX_ID >> 32);
        if (row->id != 0) {
            continue;
        }
        if (i > 0 && plan_ids_compare_methods(row, row - 1) == 0) {
            row->id = row[-1].id;
            continue;
        }
        next = home > next && !is_over ? home : next;
        while (taken[next]) {
            is_over |= next == ABI_MAX_ID;
            next = next < ABI_MAX_ID ? next + 1 : ABI_FIRST_ID;
        }
        taken[next] = true;
        row->id = (uint32_t)next;
    }
    return MB_OK;
}

static enum mb_status add_gone(union plan_ids *ids, const union plan_ids *ledger,
                               const struct plan_ids_index *index, struct mb_error *err)
{
    union plan_ids gone = {0};

    for (size_t i = 0; i < MB_VEC_COUNT(ledger); i++) {
        if (ledger->items[i].id != ABI_MESSAGE_ID &&
            plan_ids_index_find(index, ledger->items[i].hash) == NULL) {
            MB_VEC_PUSH(&gone, ledger->items[i]);
        }
    }
    mb_buf_put(&ids->buf, gone.buf.bytes, gone.buf.size);
    mb_buf_finish_part(&ids->buf, &gone.buf);
    return plan_ids_sort(ids, err);
}

/* What the ledger has of the ids, and the reverse. */
static enum mb_status keep_ids(union plan_ids *ids, const union plan_ids *ledger,
                               struct mb_error *err)
{
    struct plan_ids_index index = {0};
    enum mb_status status = plan_ids_index_init(&index, ledger, err);

    if (status == MB_OK) {
        plan_ids_take(ids, &index);
    }
    plan_ids_index_finish(&index);
    return status;
}

static enum mb_status keep_gone(union plan_ids *ids, const union plan_ids *ledger,
                                struct mb_error *err)
{
    struct plan_ids_index index = {0};
    enum mb_status status = plan_ids_index_init(&index, ids, err);

    status = status == MB_OK ? add_gone(ids, ledger, &index, err) : status;
    plan_ids_index_finish(&index);
    return status;
}

enum mb_status plan_ids_assign(union plan_ids *ids, const union plan_ids *ledger,
                               size_t *taken_count, struct mb_error *err)
{
    bool *taken = calloc(ABI_MESSAGE_ID + 1, sizeof(*taken));

    if (taken == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = keep_ids(ids, ledger, err);
    if (status == MB_OK) {
        *taken_count = count_taken(ids, ledger, taken);
        status = place_new(ids, taken, *taken_count, err);
    }
    free(taken);
    return status == MB_OK ? keep_gone(ids, ledger, err) : status;
}

/* --- rewriting --- */

static const struct plan_id *find_id(const union plan_ids *ids, uint64_t hash)
{
    const struct plan_id wanted = {.hash = hash};
    size_t count = MB_VEC_COUNT(ids);

    return count > 0 ? bsearch(&wanted, ids->items, count, sizeof(wanted), plan_ids_compare) : NULL;
}

static enum mb_status fail_method(const char *path, const struct plan_focus_request *request,
                                  const struct plan_class *cls, const struct plan_method *method,
                                  struct mb_error *err)
{
    const struct ar_input *archive = request->sources->items[cls->source].archive;
    struct mb_text entry = ar_input_entry(archive, cls->entry)->name;
    struct mb_text class_name = mb_intern_get(request->names, cls->name);
    struct mb_text name = plan_class_text(request->names, cls, method->name);
    struct mb_text descriptor = plan_class_text(request->names, cls, method->descriptor);

    (void)mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET, "collect and number again: it has no id in %s",
                  path);
    mb_error_in_method(err, name.data, name.size, descriptor.data, descriptor.size);
    mb_error_in_class(err, class_name.data, class_name.size);
    mb_error_in_entry(err, ar_input_path(archive), entry.data, entry.size);
    return MB_BAD_TEXT;
}

/* False if absent. */
static bool give_id(const union plan_ids *ids, const struct mb_intern *names,
                    const struct plan_class *cls, struct plan_method *method, bool calls_catch)
{
    uint64_t name = plan_hash_name_of(names, cls, method);
    const struct plan_id *row =
        find_id(ids, plan_hash_method(mb_intern_get(names, cls->name), name));

    if (row == NULL || row->id == ABI_MESSAGE_ID) {
        return false;
    }
    method->id = row->id;
    if (calls_catch && method->boundary == RULE_BOUNDARY_NONE) {
        method->boundary = (uint8_t)row->boundary;
    }
    return true;
}

enum mb_status plan_ids_apply(const union plan_ids *ids, const char *path,
                              const struct plan_focus_request *request, bool calls_catch,
                              struct plan_numbering *numbering, struct mb_error *err)
{
    numbering->end_id = ABI_FIRST_ID;
    for (size_t i = 0; i < request->class_count; i++) {
        struct plan_class *cls = request->classes[i];
        uint64_t hash = plan_hash_method(mb_intern_get(request->names, cls->name), 0);
        for (uint16_t k = 0; k < cls->method_count; k++) {
            struct plan_method *method = &cls->methods[k];
            if (method->verdict == RULE_TRACE &&
                !give_id(ids, request->names, cls, method, calls_catch)) {
                return fail_method(path, request, cls, method, err);
            }
            uint32_t end = method->id + 1;
            numbering->end_id = end > numbering->end_id ? end : numbering->end_id;
        }
        MB_TRY(plan_set_focus(request, cls, find_id(ids, hash) != NULL, err));
    }
    return MB_OK;
}
