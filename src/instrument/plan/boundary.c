#include "instrument/plan/collect.h"

#include "base/error.h"
#include "base/vec.h"
#include "instrument/plan/names.h"
#include "instrument/plan/sort.h"
#include "rules/platform.h"

#include <stdlib.h>

/* ---- Numbers by keys ---- */

struct key_row {
    uint32_t key;
    uint32_t number; /* 0: the row is free */
};

/* Open addressing, a quarter to half full: asked a million times, and most keys are not there. Keys
 * are names of the run or of methods (rule_method_key). */
struct key_table {
    struct key_row *rows; /* owned */
    unsigned shift;       /* from a mixed key to its first row */
};

/* Room for that many keys, with copies. MB_NO_MEMORY; finish also then. */
static enum mb_status init_keys(struct key_table *keys, size_t most, struct mb_error *err)
{
    unsigned bits = 1;

    while (most >> (bits - 1) > 0) {
        bits++;
    }
    keys->shift = 64 - bits;
    keys->rows = calloc((size_t)1 << bits, sizeof(*keys->rows));
    return keys->rows != NULL ? MB_OK : mb_fail_memory(err);
}

static void finish_keys(struct key_table *keys)
{
    free(keys->rows);
    *keys = (struct key_table){0};
}

/* The row of the key, or the free one for it. */
static struct key_row *find_row(const struct key_table *keys, uint32_t key)
{
    size_t last = (size_t)(UINT64_MAX >> keys->shift);
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> keys->shift);

    while (keys->rows[i].number != 0 && keys->rows[i].key != key) {
        i = (i + 1) & last;
    }
    return &keys->rows[i];
}

/* In place of the number that the key had. A number is not 0. */
static void put_key(struct key_table *keys, uint32_t key, uint32_t number)
{
    *find_row(keys, key) = (struct key_row){key, number};
}

/* 0 if absent. */
static uint32_t find_key(const struct key_table *keys, uint32_t key)
{
    return find_row(keys, key)->number;
}

/* The copies of a class. */
struct type {
    uint32_t first;
    uint32_t end;
    bool is_unknown; /* code without probes may call what it declares or inherits */
    bool is_below;   /* so it is for a supertype outside, and for all its subtypes */
};

/* Both are types. */
struct edge {
    uint32_t sub;
    uint32_t super;
};

struct finder {
    const struct plan_boundary_request *request;
    struct type *types; /* in canonical order */
    size_t type_count;
    struct key_table ends; /* by name, the number of the type, plus 1 */
    MB_VEC(struct edge) edges;
    struct key_table called; /* or referred to */
    bool calls_any;          /* PLAN_LINK_ANY is among them */
    struct mb_arena arena;
};

/* --- types --- */

static enum mb_status list_types(struct finder *finder, struct mb_error *err)
{
    const struct plan_boundary_request *request = finder->request;

    finder->types = MB_NEW_ARRAY(&finder->arena, struct type, request->class_count + 1);
    if (finder->types == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(init_keys(&finder->ends, request->class_count, err));
    for (size_t first = 0, end; first < request->class_count; first = end) {
        end = plan_end_of_copies(request->classes, request->class_count, first);
        finder->types[finder->type_count++] =
            (struct type){.first = (uint32_t)first, .end = (uint32_t)end};
        put_key(&finder->ends, request->classes[first]->name, (uint32_t)finder->type_count);
    }
    return MB_OK;
}

/* A supertype outside the inputs and the platform may call any method. */
static void add_super(struct finder *finder, uint32_t sub, uint32_t name)
{
    struct mb_text text = mb_intern_get(finder->request->names, name);
    uint32_t end = find_key(&finder->ends, name);

    if (end != 0) {
        MB_VEC_PUSH(&finder->edges, (struct edge){sub, end - 1});
    } else if (name == PLAN_LINK_ANY || (text.size > 0 && !rule_platform_has(text))) {
        finder->types[sub].is_unknown = finder->types[sub].is_below = true;
    }
}

static void add_supers(struct finder *finder, uint32_t number)
{
    const struct type *type = &finder->types[number];

    for (uint32_t i = type->first; i < type->end; i++) {
        const struct plan_class *cls = finder->request->classes[i];
        struct mb_text interfaces = mb_intern_get(finder->request->names, cls->interfaces);
        uint32_t name;
        if (cls->is_readable) {
            add_super(finder, number, cls->super_name);
        }
        while (plan_links_next(&interfaces, &name)) {
            add_super(finder, number, name);
        }
    }
}

/* A subtype inherits the unknown methods, and hands its inherited ones to who calls them. */
static bool spread_along(struct finder *finder, const struct edge *edge)
{
    struct type *sub = &finder->types[edge->sub];
    struct type *super = &finder->types[edge->super];
    bool is_new = (super->is_below && !sub->is_below) || (sub->is_unknown && !super->is_unknown);

    sub->is_below |= super->is_below;
    sub->is_unknown |= super->is_below;
    super->is_unknown |= sub->is_unknown;
    return is_new;
}

#define MAX_ROUNDS 100 /* in either direction: more than any program's types need */

/* After too many rounds all types count as unknown. */
static void spread_unknown(struct finder *finder)
{
    const struct edge *edges = finder->edges.items;
    size_t count = MB_VEC_COUNT(&finder->edges);
    bool is_changed = true;

    for (int round = 0; round < MAX_ROUNDS && is_changed; round++) {
        is_changed = false;
        for (size_t i = 0; i < count; i++) {
            is_changed |= spread_along(finder, &edges[round % 2 == 0 ? i : count - 1 - i]);
        }
    }
    for (size_t i = 0; is_changed && i < finder->type_count; i++) {
        finder->types[i].is_unknown = true;
    }
}

/* --- calls --- */

static enum mb_status list_keys(struct finder *finder, struct mb_error *err)
{
    size_t size = 0;

    for (size_t i = 0; i < finder->request->class_count; i++) {
        size += mb_intern_get(finder->request->names, finder->request->classes[i]->called).size;
    }
    MB_TRY(init_keys(&finder->called, size / sizeof(uint32_t), err));
    for (size_t i = 0; i < finder->request->class_count; i++) {
        struct mb_text called =
            mb_intern_get(finder->request->names, finder->request->classes[i]->called);
        uint32_t key;
        while (plan_links_next(&called, &key)) {
            finder->calls_any |= key == PLAN_LINK_ANY;
            put_key(&finder->called, key, 1);
        }
    }
    return MB_OK;
}

/* --- methods --- */

static enum rule_boundary find_boundary(const struct finder *finder, const struct type *type,
                                        const struct plan_class *cls,
                                        const struct plan_method *method)
{
    const struct mb_intern *names = finder->request->names;

    if (type->is_unknown && !plan_is_direct(names, cls, method)) {
        return RULE_BOUNDARY_UNKNOWN;
    }
    uint32_t key = cls->has_keys ? method->name
                                 : rule_method_key(plan_class_text(names, cls, method->name),
                                                   plan_class_text(names, cls, method->descriptor));
    bool is_called = finder->calls_any || find_key(&finder->called, key) != 0;
    return is_called ? RULE_BOUNDARY_CALLED : RULE_BOUNDARY_NONE;
}

/* A class whose methods change is rewritten in another way. */
static void mark_class(const struct finder *finder, const struct type *type, struct plan_class *cls)
{
    for (uint16_t i = 0; i < cls->method_count; i++) {
        struct plan_method *method = &cls->methods[i];
        if (method->verdict != RULE_TRACE ||
            (method->boundary != RULE_BOUNDARY_NONE &&
             rule_boundary_is_own((enum rule_boundary)method->boundary))) {
            continue;
        }
        enum rule_boundary boundary = find_boundary(finder, type, cls, method);
        if (method->boundary != boundary) {
            method->boundary = (uint8_t)boundary;
            finder->request->sources->items[cls->source].is_output_current = false;
        }
    }
}

static enum mb_status find_methods(struct finder *finder, struct mb_error *err)
{
    MB_TRY(list_types(finder, err));
    for (uint32_t i = 0; i < finder->type_count; i++) {
        add_supers(finder, i);
    }
    MB_TRY(mb_buf_check(&finder->edges.buf, err));
    spread_unknown(finder);
    MB_TRY(list_keys(finder, err));
    for (size_t i = 0; i < finder->type_count; i++) {
        const struct type *type = &finder->types[i];
        for (uint32_t k = type->first; k < type->end; k++) {
            mark_class(finder, type, finder->request->classes[k]);
        }
    }
    return MB_OK;
}

enum mb_status plan_assign_boundary(const struct plan_boundary_request *request,
                                    struct mb_error *err)
{
    struct finder finder = {.request = request};
    enum mb_status status = find_methods(&finder, err);

    mb_buf_finish(&finder.edges.buf);
    finish_keys(&finder.ends);
    finish_keys(&finder.called);
    mb_arena_finish(&finder.arena);
    return status;
}
