#include "plan/types.h"

#include "plan/sort.h"
#include "rules/platform.h"

#include <stdlib.h>

#define MAX_SET 4096U /* types in a set; with more, any of its methods may be called */

/* --- the table of names --- */

static size_t slot_of(const struct plan_types *types, uint32_t name)
{
    size_t mask = types->slot_count - 1;
    size_t slot = (size_t)((uint64_t)name * 0x9e3779b97f4a7c15U >> 32) & mask;

    while (types->slots[slot] != 0 && plan_type_at(types, types->slots[slot] - 1)->name != name) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

uint32_t plan_types_find(const struct plan_types *types, uint32_t name)
{
    return types->slot_count > 0 ? types->slots[slot_of(types, name)] - 1 : PLAN_NO_TYPE;
}

static bool grow_slots(struct plan_types *types)
{
    size_t old_count = types->slot_count;
    uint32_t *old = types->slots;

    types->slot_count = old_count > 0 ? 2 * old_count : 1024;
    types->slots = calloc(types->slot_count, sizeof(*types->slots));
    if (types->slots == NULL) {
        types->slots = old;
        types->slot_count = old_count;
        return false;
    }
    for (size_t i = 0; i < old_count; i++) {
        if (old[i] != 0) {
            types->slots[slot_of(types, plan_type_at(types, old[i] - 1)->name)] = old[i];
        }
    }
    free(old);
    return true;
}

static uint32_t add_type(struct plan_types *types, const struct plan_type *type)
{
    mb_buf_put(&types->types, type, sizeof(*type));
    return types->types.failed ? PLAN_NO_TYPE : types->count++;
}

/* The type of a name that is new, unless it is there already; PLAN_NO_TYPE when out of memory. */
static uint32_t take_type(struct plan_types *types, const struct plan_type *type)
{
    if (2 * (size_t)types->count >= types->slot_count && !grow_slots(types)) {
        return PLAN_NO_TYPE;
    }
    size_t slot = slot_of(types, type->name);
    if (types->slots[slot] == 0) {
        uint32_t number = add_type(types, type);
        if (number == PLAN_NO_TYPE) {
            return PLAN_NO_TYPE;
        }
        types->slots[slot] = number + 1;
    }
    return types->slots[slot] - 1;
}

static uint32_t take_named(struct plan_types *types, uint32_t name)
{
    uint32_t number = plan_types_find(types, name);

    if (number != PLAN_NO_TYPE) {
        return number;
    }
    uint32_t row = rule_platform_find(mb_intern_get(types->names, name));
    struct plan_type type = {
        .name = name,
        .kind = row != RULE_NO_PLATFORM_TYPE ? PLAN_TYPE_PLATFORM : PLAN_TYPE_UNKNOWN,
        .subject = row,
    };
    return take_type(types, &type);
}

/* --- edges --- */

static uint32_t add_edge(struct plan_types *types, uint32_t to, uint32_t next)
{
    struct plan_type_edge edge = {to, next};
    uint32_t number = (uint32_t)(types->edges.size / sizeof(edge));

    mb_buf_put(&types->edges, &edge, sizeof(edge));
    return number;
}

/* Classes of the inputs and of the library; supertypes of other types are unknown or irrelevant. */
static bool is_class(const struct plan_type *type)
{
    return type->kind == PLAN_TYPE_INPUT || type->kind == PLAN_TYPE_LIBRARY;
}

static void connect_types(struct plan_types *types, uint32_t from, uint32_t to)
{
    struct plan_type *sub = plan_type_at(types, from);
    struct plan_type *super = plan_type_at(types, to);

    sub->supers = add_edge(types, to, sub->supers);
    if (is_class(super) && is_class(sub)) {
        super->subs = add_edge(types, from, super->subs);
        sub->waits++;
    }
}

static enum mb_status link_super(struct plan_types *types, uint32_t from, uint32_t name,
                                 struct mb_error *err)
{
    if (mb_intern_get(types->names, name).size == 0) {
        return MB_OK;
    }
    uint32_t to = take_named(types, name);
    if (to == PLAN_NO_TYPE) {
        return mb_fail_memory(err);
    }
    /* Every class has Object's methods, and nearly every class extends it. */
    if (name != types->object || plan_type_at(types, to)->kind == PLAN_TYPE_INPUT) {
        connect_types(types, from, to);
    }
    return mb_buf_check(&types->edges, err);
}

static enum mb_status link_class(struct plan_types *types, uint32_t from,
                                 const struct plan_class *cls, struct mb_error *err)
{
    struct plan_links links = plan_links_of(types->names, cls);
    struct plan_link link;

    MB_TRY(link_super(types, from, cls->super_name, err));
    while (plan_links_next(&links, &link)) {
        if (link.kind == PLAN_LINK_INTERFACE) {
            MB_TRY(link_super(types, from, link.type, err));
        }
    }
    return MB_OK;
}

static enum mb_status link_type(struct plan_types *types, uint32_t number, struct mb_error *err)
{
    struct plan_type type = *plan_type_at(types, number);

    for (uint32_t i = 0; type.kind == PLAN_TYPE_INPUT && i < type.copies; i++) {
        MB_TRY(link_class(types, number, types->classes[type.subject + i], err));
    }
    if (type.kind == PLAN_TYPE_LIBRARY) {
        const struct plan_library_class *cls = &types->library->classes[type.subject];
        MB_TRY(link_super(types, number, cls->super_name, err));
        for (uint16_t i = 0; i < cls->interface_count; i++) {
            MB_TRY(link_super(types, number, cls->interfaces[i], err));
        }
    }
    return MB_OK;
}

static enum mb_status take_inputs(struct plan_types *types, size_t count, struct mb_error *err)
{
    for (size_t first = 0, end; first < count; first = end) {
        end = plan_end_of_copies(types->classes, count, first);
        struct plan_type type = {
            .name = types->classes[first]->name,
            .kind = PLAN_TYPE_INPUT,
            .subject = (uint32_t)first,
            .copies = (uint32_t)(end - first),
        };
        if (take_type(types, &type) == PLAN_NO_TYPE) {
            return mb_fail_memory(err);
        }
    }
    for (size_t i = 0; i < types->library->count; i++) {
        struct plan_type type = {
            .name = types->library->classes[i].name,
            .kind = PLAN_TYPE_LIBRARY,
            .subject = (uint32_t)i,
        };
        if (take_type(types, &type) == PLAN_NO_TYPE) {
            return mb_fail_memory(err);
        }
    }
    return MB_OK;
}

enum mb_status plan_types_build(struct plan_types *types, struct mb_intern *names,
                                struct plan_class *const *classes, size_t count,
                                const struct plan_library *library, struct mb_error *err)
{
    *types = (struct plan_types){
        .names = names,
        .classes = classes,
        .library = library,
        .object = mb_intern_add(names, MB_TEXT("java/lang/Object")),
    };
    if (types->object == MB_INTERN_NONE) {
        return mb_fail_memory(err);
    }
    (void)add_edge(types, 0, 0);
    MB_TRY(take_inputs(types, count, err));
    uint32_t known = types->count; /* the others, found here, extend nothing */
    for (uint32_t i = 0; i < known; i++) {
        MB_TRY(link_type(types, i, err));
    }
    return mb_buf_check(&types->edges, err);
}

enum mb_status plan_types_add_call(struct plan_types *types, uint32_t type, uint32_t key,
                                   struct mb_error *err)
{
    struct plan_type call = {.kind = PLAN_TYPE_CALL, .subject = key};
    uint32_t number = add_type(types, &call);

    if (number == PLAN_NO_TYPE) {
        return mb_fail_memory(err);
    }
    connect_types(types, type, number);
    return mb_buf_check(&types->edges, err);
}

void plan_types_finish(struct plan_types *types)
{
    mb_buf_finish(&types->types);
    mb_buf_finish(&types->edges);
    mb_arena_finish(&types->arena);
    free(types->slots);
    *types = (struct plan_types){0};
}

/* --- sets --- */

struct resolver {
    struct plan_types *types;
    uint32_t *order; /* of classes: supertypes first */
    uint32_t order_count;
    uint32_t *stamps; /* by type: the set that it was last put into */
    uint32_t stamp;
    uint32_t set[MAX_SET]; /* that is being made */
    uint32_t set_count;
};

static void start_set(struct resolver *resolver)
{
    resolver->stamp++;
    resolver->set_count = 0;
}

static void put_type(struct resolver *resolver, uint32_t type)
{
    if (resolver->set_count == PLAN_MANY_TYPES || resolver->stamps[type] == resolver->stamp) {
        return;
    }
    resolver->stamps[type] = resolver->stamp;
    if (resolver->set_count == MAX_SET) {
        resolver->set_count = PLAN_MANY_TYPES;
    } else {
        resolver->set[resolver->set_count++] = type;
    }
}

static void put_set(struct resolver *resolver, const struct plan_type_set *set)
{
    if (set->count == PLAN_MANY_TYPES) {
        resolver->set_count = PLAN_MANY_TYPES;
    }
    for (uint32_t i = 0; resolver->set_count != PLAN_MANY_TYPES && i < set->count; i++) {
        put_type(resolver, set->items[i]);
    }
}

/* The set that was made; part, which it holds, if that is all of it. */
static bool end_set(struct resolver *resolver, const struct plan_type_set *part,
                    struct plan_type_set *set)
{
    uint32_t count = resolver->set_count;

    *set = (struct plan_type_set){NULL, count};
    if (count == 0 || count == PLAN_MANY_TYPES) {
        return true;
    }
    if (part != NULL && part->count == count) {
        *set = *part;
        return true;
    }
    uint32_t *items = MB_NEW_ARRAY(&resolver->types->arena, uint32_t, count);
    if (items != NULL) {
        memcpy(items, resolver->set, count * sizeof(*items));
    }
    set->items = items;
    return items != NULL;
}

/* The type is ordered: its subtypes wait for one supertype less. */
static void release_subs(struct resolver *resolver, const struct plan_type *type)
{
    const struct plan_types *types = resolver->types;
    bool is_below_input = type->kind == PLAN_TYPE_INPUT || type->is_below_input;

    for (uint32_t edge = type->subs; edge != 0; edge = plan_type_edge_at(types, edge)->next) {
        uint32_t number = plan_type_edge_at(types, edge)->to;
        struct plan_type *sub = plan_type_at(types, number);
        sub->is_below_input |= is_below_input;
        if (--sub->waits == 0) {
            resolver->order[resolver->order_count++] = number;
        }
    }
}

/* Types whose chain of supertypes comes back to itself, and their subtypes, never get their
 * turn. */
static void sort_types(struct resolver *resolver)
{
    const struct plan_types *types = resolver->types;

    for (uint32_t i = 0; i < types->count; i++) {
        const struct plan_type *type = plan_type_at(types, i);
        if (is_class(type) && type->waits == 0) {
            resolver->order[resolver->order_count++] = i;
        }
    }
    for (uint32_t i = 0; i < resolver->order_count; i++) {
        release_subs(resolver, plan_type_at(types, resolver->order[i]));
    }
}

/* No JVM loads a cycle, but the versions of a class that occurs twice may form one together: then
 * the supertypes of these types are unknown. */
static void give_up_circles(struct plan_types *types)
{
    for (uint32_t i = 0; i < types->count; i++) {
        struct plan_type *type = plan_type_at(types, i);
        if (is_class(type) && type->waits > 0) {
            type->above.count = type->around.count = PLAN_MANY_TYPES;
        }
    }
}

static bool resolve_above(struct resolver *resolver, struct plan_type *type)
{
    const struct plan_type_set *part = NULL;

    start_set(resolver);
    for (uint32_t edge = type->supers; edge != 0;
         edge = plan_type_edge_at(resolver->types, edge)->next) {
        uint32_t to = plan_type_edge_at(resolver->types, edge)->to;
        const struct plan_type *super = plan_type_at(resolver->types, to);
        if (super->kind != PLAN_TYPE_INPUT) {
            put_type(resolver, to);
            continue;
        }
        put_set(resolver, &super->above);
        part = part == NULL || super->above.count > part->count ? &super->above : part;
    }
    return end_set(resolver, part, &type->above);
}

/* A class of the library is in its own set, as its own methods count; types that no input class
 * extends are irrelevant. */
static bool resolve_around(struct resolver *resolver, uint32_t number)
{
    struct plan_type *type = plan_type_at(resolver->types, number);

    if (type->kind == PLAN_TYPE_LIBRARY && !type->is_below_input) {
        return true;
    }
    start_set(resolver);
    put_set(resolver, &type->above);
    if (type->kind == PLAN_TYPE_LIBRARY) {
        put_type(resolver, number);
    }
    for (uint32_t edge = type->subs; edge != 0;
         edge = plan_type_edge_at(resolver->types, edge)->next) {
        put_set(
            resolver,
            &plan_type_at(resolver->types, plan_type_edge_at(resolver->types, edge)->to)->around);
    }
    return end_set(resolver, &type->above, &type->around);
}

static bool resolve_all(struct resolver *resolver)
{
    struct plan_types *types = resolver->types;
    bool is_done = true;

    sort_types(resolver);
    give_up_circles(types);
    for (uint32_t i = 0; is_done && i < resolver->order_count; i++) {
        struct plan_type *type = plan_type_at(types, resolver->order[i]);
        is_done = type->kind == PLAN_TYPE_LIBRARY || resolve_above(resolver, type);
    }
    for (uint32_t i = resolver->order_count; is_done && i-- > 0;) {
        is_done = resolve_around(resolver, resolver->order[i]);
    }
    return is_done;
}

enum mb_status plan_types_resolve(struct plan_types *types, struct mb_error *err)
{
    struct mb_arena arena = {0};
    struct resolver *resolver = MB_NEW(&arena, struct resolver);
    enum mb_status status = MB_NO_MEMORY;

    if (resolver != NULL) {
        resolver->types = types;
        resolver->order = MB_NEW_ARRAY(&arena, uint32_t, types->count);
        resolver->stamps = MB_NEW_ARRAY(&arena, uint32_t, types->count);
        if (resolver->order != NULL && resolver->stamps != NULL && resolve_all(resolver)) {
            status = MB_OK;
        }
    }
    mb_arena_finish(&arena);
    return status == MB_OK ? MB_OK : mb_fail_memory(err);
}
