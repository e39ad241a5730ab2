#include "plan/boundary.h"

#include "plan/types.h"
#include "rules/platform.h"

#include <stdlib.h>

/* The methods of a class that code without probes may call: all that these types declare. */
struct reach {
    const struct plan_types *types;
    const uint32_t *of; /* the set that it was made for; NULL: not yet made */
    uint32_t *found;    /* types of the class path, and calls */
    size_t found_count;
    uint32_t *rows; /* of the platform */
    size_t row_count;
    uint32_t *stamps; /* by row, then by type */
    uint32_t stamp;
    bool has_unknown;
};

struct finder {
    const struct plan_boundary_request *request;
    struct plan_types types;
    struct reach reach;
    uint32_t object_row;
    uint8_t *old;   /* each method's previous boundary */
    uint32_t *keys; /* of the methods of one class */
    const struct plan_class *keys_of;
    struct lambda *lambdas; /* with interfaces of the inputs: who calls those? */
    size_t lambda_count;
    struct mb_arena arena;
};

struct lambda {
    struct plan_link link;
    bool is_called;
};

/* --- declarations of types --- */

static bool is_new(struct reach *reach, size_t place)
{
    bool is_first = reach->stamps[place] != reach->stamp;

    reach->stamps[place] = reach->stamp;
    return is_first;
}

static void add_row(struct reach *reach, uint32_t row)
{
    if (is_new(reach, row)) {
        reach->rows[reach->row_count++] = row;
    }
}

static void add_rows_above(struct reach *reach)
{
    for (size_t i = 0; i < reach->row_count; i++) {
        const struct rule_platform_type *type = &rule_platform_types[reach->rows[i]];
        for (uint32_t k = type[0].supers; k < type[1].supers; k++) {
            add_row(reach, rule_platform_supers[k]);
        }
    }
}

static void add_reached(struct reach *reach, uint32_t number)
{
    const struct plan_type *type = plan_type_at(reach->types, number);

    switch ((enum plan_type_kind)type->kind) {
    case PLAN_TYPE_UNKNOWN:
        reach->has_unknown = true;
        break;
    case PLAN_TYPE_PLATFORM:
        add_row(reach, type->subject);
        break;
    case PLAN_TYPE_INPUT:
    case PLAN_TYPE_LIBRARY:
    case PLAN_TYPE_CALL:
        if (is_new(reach, rule_platform_type_count + number)) {
            reach->found[reach->found_count++] = number;
        }
        break;
    }
}

static void find_reach(struct reach *reach, const struct plan_type_set *set)
{
    if (reach->of != NULL && reach->of == set->items) {
        return;
    }
    reach->of = set->items;
    reach->stamp++;
    reach->found_count = 0;
    reach->row_count = 0;
    reach->has_unknown = set->count == PLAN_MANY_TYPES;
    for (uint32_t i = 0; !reach->has_unknown && i < set->count; i++) {
        add_reached(reach, set->items[i]);
    }
    for (size_t i = 0; i < reach->found_count; i++) {
        uint32_t edge = plan_type_at(reach->types, reach->found[i])->supers;
        for (; edge != 0; edge = plan_type_edge_at(reach->types, edge)->next) {
            add_reached(reach, plan_type_edge_at(reach->types, edge)->to);
        }
    }
    add_rows_above(reach);
}

static bool library_declares(const struct plan_library_class *cls, uint32_t key)
{
    for (uint16_t i = 0; i < cls->key_count; i++) {
        if (cls->keys[i] == key) {
            return true;
        }
    }
    return false;
}

/* How code without probes comes to the method. */
static enum rule_boundary reach_boundary(const struct reach *reach, uint32_t key)
{
    for (size_t i = 0; i < reach->row_count; i++) {
        if (rule_platform_declares(reach->rows[i], key)) {
            return RULE_BOUNDARY_OVERRIDES;
        }
    }
    for (size_t i = 0; i < reach->found_count; i++) {
        const struct plan_type *type = plan_type_at(reach->types, reach->found[i]);
        if (type->kind == PLAN_TYPE_CALL && type->subject == key) {
            return RULE_BOUNDARY_CALLED;
        }
        if (type->kind == PLAN_TYPE_LIBRARY &&
            library_declares(&reach->types->library->classes[type->subject], key)) {
            return RULE_BOUNDARY_OVERRIDES;
        }
    }
    return reach->has_unknown ? RULE_BOUNDARY_UNKNOWN : RULE_BOUNDARY_NONE;
}

/* --- calls by handles, lambdas and classes without probes --- */

static uint32_t key_of(const struct finder *finder, const struct plan_class *cls,
                       const struct plan_method *method)
{
    const struct mb_intern *names = finder->request->names;

    return rule_method_key(plan_class_text(names, cls, method->name),
                           plan_class_text(names, cls, method->descriptor));
}

/* Consecutive links are mostly about methods of one class. */
static struct plan_method *find_method(struct finder *finder, const struct plan_class *cls,
                                       uint32_t key)
{
    for (uint16_t i = 0; finder->keys_of != cls && i < cls->method_count; i++) {
        finder->keys[i] = key_of(finder, cls, &cls->methods[i]);
    }
    finder->keys_of = cls;
    for (uint16_t i = 0; i < cls->method_count; i++) {
        if (finder->keys[i] == key) {
            return &cls->methods[i];
        }
    }
    return NULL;
}

/* Nothing overrides it; a constructor's name begins with <. */
static bool is_direct(const struct finder *finder, const struct plan_class *cls,
                      const struct plan_method *method)
{
    struct mb_text name = plan_class_text(finder->request->names, cls, method->name);

    return (method->access_flags & (CF_ACC_STATIC | CF_ACC_PRIVATE)) != 0 ||
           (name.size > 0 && name.data[0] == '<');
}

static void mark_method(struct plan_method *method, enum rule_boundary boundary)
{
    if (method->verdict == RULE_TRACE && method->boundary == RULE_BOUNDARY_NONE) {
        method->boundary = (uint8_t)boundary;
    }
}

/* The role of a method in the copies of a type. */
struct found {
    bool is_direct;
    bool is_virtual;
};

/* The method of the type's copies, if it is direct: a static method may belong to a superclass. */
static struct found mark_direct(struct finder *finder, const struct plan_type *type, uint32_t key,
                                enum rule_boundary boundary)
{
    struct found found = {false, false};

    for (uint32_t i = 0; i < type->copies; i++) {
        const struct plan_class *cls = finder->request->classes[type->subject + i];
        struct plan_method *method = find_method(finder, cls, key);
        if (method != NULL && is_direct(finder, cls, method)) {
            mark_method(method, boundary);
            found.is_direct = true;
        } else if (method != NULL) {
            found.is_virtual = true;
        }
    }
    return found;
}

#define MAX_SUPERCLASSES 256 /* a static method is looked for in so many */

static enum mb_status add_target(struct finder *finder, const struct plan_link *link,
                                 enum rule_boundary boundary, struct mb_error *err)
{
    uint32_t number = plan_types_find(&finder->types, link->target);
    struct found found = {false, false};
    uint32_t at = number;

    if (number == PLAN_NO_TYPE || plan_type_at(&finder->types, number)->kind != PLAN_TYPE_INPUT) {
        return MB_OK;
    }
    for (int i = 0; i < MAX_SUPERCLASSES && at != PLAN_NO_TYPE; i++) {
        const struct plan_type *type = plan_type_at(&finder->types, at);
        if (type->kind != PLAN_TYPE_INPUT || found.is_direct || found.is_virtual) {
            break;
        }
        found = mark_direct(finder, type, link->target_key, boundary);
        at = plan_types_find(&finder->types, finder->request->classes[type->subject]->super_name);
    }
    return found.is_direct && !found.is_virtual
               ? MB_OK
               : plan_types_add_call(&finder->types, number, link->target_key, err);
}

static bool is_input(const struct finder *finder, uint32_t name)
{
    uint32_t number = plan_types_find(&finder->types, name);

    return number != PLAN_NO_TYPE && plan_type_at(&finder->types, number)->kind == PLAN_TYPE_INPUT;
}

/* Whether code without probes may call the method of the interface, which is of the inputs. */
static bool is_called_from_outside(struct finder *finder, const struct plan_link *link)
{
    uint32_t number = plan_types_find(&finder->types, link->type);
    struct plan_type_set alone = {&number, 1};

    find_reach(&finder->reach, &alone);
    finder->reach.of = NULL;
    return reach_boundary(&finder->reach, link->key) != RULE_BOUNDARY_NONE;
}

static enum mb_status add_link(struct finder *finder, const struct plan_link *link,
                               struct mb_error *err)
{
    switch ((enum plan_link_kind)link->kind) {
    case PLAN_LINK_LAMBDA:
        if (!is_input(finder, link->type)) {
            return add_target(finder, link, RULE_BOUNDARY_LAMBDA, err);
        }
        finder->lambdas[finder->lambda_count++].link = *link;
        break;
    case PLAN_LINK_CALL:
        return add_target(finder, link, RULE_BOUNDARY_CALLED, err);
    case PLAN_LINK_ANNOTATION:
    case PLAN_LINK_INTERFACE:
    case PLAN_LINK_MORE:
        break;
    }
    return MB_OK;
}

static enum mb_status add_links(struct finder *finder, struct mb_error *err)
{
    for (size_t i = 0; i < finder->request->class_count; i++) {
        struct plan_links links =
            plan_links_of(finder->request->names, finder->request->classes[i]);
        struct plan_link link;
        while (plan_links_next(&links, &link)) {
            MB_TRY(add_link(finder, &link, err));
        }
    }
    return MB_OK;
}

static enum mb_status call_lambda(struct finder *finder, struct lambda *lambda,
                                  struct mb_error *err)
{
    lambda->is_called = true;
    return add_target(finder, &lambda->link, RULE_BOUNDARY_LAMBDA, err);
}

/* Add the targets of lambdas that code without probes may call. */
static enum mb_status add_called(struct finder *finder, bool *is_changed, struct mb_error *err)
{
    for (size_t i = 0; i < finder->lambda_count; i++) {
        struct lambda *lambda = &finder->lambdas[i];
        if (!lambda->is_called && is_called_from_outside(finder, &lambda->link)) {
            *is_changed = true;
            MB_TRY(call_lambda(finder, lambda, err));
        }
    }
    return MB_OK;
}

#define MAX_ROUNDS 16 /* a lambda that calls the next one, from interface to interface */

/* A call added by one lambda may go to the interface of the next. After too many rounds all
 * remaining ones count as callable. */
static enum mb_status add_lambdas(struct finder *finder, struct mb_error *err)
{
    bool is_changed = true;

    for (int round = 0; round < MAX_ROUNDS && is_changed; round++) {
        is_changed = false;
        MB_TRY(add_called(finder, &is_changed, err));
    }
    for (size_t i = 0; is_changed && i < finder->lambda_count; i++) {
        if (!finder->lambdas[i].is_called) {
            MB_TRY(call_lambda(finder, &finder->lambdas[i], err));
        }
    }
    return MB_OK;
}

/* --- one class --- */

static void mark_annotated(const struct finder *finder, const struct plan_class *cls)
{
    struct plan_links links = plan_links_of(finder->request->names, cls);
    struct plan_link link;

    while (plan_links_next(&links, &link)) {
        if (link.kind != PLAN_LINK_ANNOTATION || link.number >= cls->method_count) {
            continue;
        }
        if (!is_input(finder, link.type)) {
            mark_method(&cls->methods[link.number], RULE_BOUNDARY_ANNOTATED);
        }
    }
}

static void mark_reached(struct finder *finder, const struct plan_class *cls)
{
    for (uint16_t i = 0; i < cls->method_count; i++) {
        struct plan_method *method = &cls->methods[i];
        if (method->verdict != RULE_TRACE || method->boundary != RULE_BOUNDARY_NONE ||
            is_direct(finder, cls, method)) {
            continue;
        }
        uint32_t key = key_of(finder, cls, method);
        if (rule_platform_declares(finder->object_row, key)) {
            method->boundary = RULE_BOUNDARY_OVERRIDES;
        } else {
            method->boundary = (uint8_t)reach_boundary(&finder->reach, key);
        }
    }
}

static void mark_type(struct finder *finder, const struct plan_type *type)
{
    find_reach(&finder->reach, &type->around);
    for (uint32_t i = 0; i < type->copies; i++) {
        struct plan_class *cls = finder->request->classes[type->subject + i];
        mark_annotated(finder, cls);
        mark_reached(finder, cls);
    }
}

/* --- the run --- */

/* Reasons from the class alone stay as pass 1 or the last run found them. */
static void start_methods(struct finder *finder)
{
    uint8_t *old = finder->old;

    for (size_t i = 0; i < finder->request->class_count; i++) {
        const struct plan_class *cls = finder->request->classes[i];
        for (uint16_t k = 0; k < cls->method_count; k++) {
            struct plan_method *method = &cls->methods[k];
            *old++ = method->boundary;
            if (!rule_boundary_is_own((enum rule_boundary)method->boundary)) {
                method->boundary = RULE_BOUNDARY_NONE;
            }
        }
    }
}

/* A class that is to be rewritten in another way. */
static void mark_changed_outputs(const struct finder *finder)
{
    const uint8_t *old = finder->old;

    for (size_t i = 0; i < finder->request->class_count; i++) {
        const struct plan_class *cls = finder->request->classes[i];
        for (uint16_t k = 0; k < cls->method_count; k++) {
            if (*old++ != cls->methods[k].boundary) {
                finder->request->sources->items[cls->source].is_output_current = false;
            }
        }
    }
}

static enum mb_status make_room(struct finder *finder, struct mb_error *err)
{
    struct mb_arena *arena = &finder->arena;
    struct reach *reach = &finder->reach;
    size_t method_count = 0;
    size_t link_count = 0;

    for (size_t i = 0; i < finder->request->class_count; i++) {
        method_count += finder->request->classes[i]->method_count;
        struct plan_links links =
            plan_links_of(finder->request->names, finder->request->classes[i]);
        struct plan_link link;
        while (plan_links_next(&links, &link)) {
            link_count++;
        }
    }
    size_t type_count = finder->types.count + link_count;
    finder->old = MB_NEW_ARRAY(arena, uint8_t, method_count);
    finder->keys = MB_NEW_ARRAY(arena, uint32_t, UINT16_MAX);
    finder->lambdas = MB_NEW_ARRAY(arena, struct lambda, link_count);
    reach->found = MB_NEW_ARRAY(arena, uint32_t, type_count);
    reach->rows = MB_NEW_ARRAY(arena, uint32_t, rule_platform_type_count);
    reach->stamps = MB_NEW_ARRAY(arena, uint32_t, rule_platform_type_count + type_count);
    bool has_room = finder->old != NULL && finder->keys != NULL && finder->lambdas != NULL &&
                    reach->found != NULL && reach->rows != NULL && reach->stamps != NULL;
    return has_room ? MB_OK : mb_fail_memory(err);
}

static enum mb_status find_methods(struct finder *finder, struct mb_error *err)
{
    const struct plan_boundary_request *request = finder->request;

    MB_TRY(plan_types_build(&finder->types, request->names, request->classes, request->class_count,
                            request->library, err));
    MB_TRY(make_room(finder, err));
    finder->reach.types = &finder->types;
    start_methods(finder);
    MB_TRY(add_links(finder, err));
    MB_TRY(add_lambdas(finder, err));
    MB_TRY(plan_types_resolve(&finder->types, err));
    for (uint32_t i = 0; i < finder->types.count; i++) {
        const struct plan_type *type = plan_type_at(&finder->types, i);
        if (type->kind == PLAN_TYPE_INPUT) {
            mark_type(finder, type);
        }
    }
    mark_changed_outputs(finder);
    return MB_OK;
}

enum mb_status plan_assign_boundary(const struct plan_boundary_request *request,
                                    struct mb_error *err)
{
    struct finder finder = {
        .request = request,
        .object_row = rule_platform_find(MB_TEXT("java/lang/Object")),
    };
    enum mb_status status = find_methods(&finder, err);

    plan_types_finish(&finder.types);
    mb_arena_finish(&finder.arena);
    return status;
}
