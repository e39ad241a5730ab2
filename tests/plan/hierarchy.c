#include "hierarchy.h"

#include "rules/platform.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define DESCRIPTOR "()V"

static uint32_t add_name(struct hierarchy *h, struct mb_text name)
{
    if (h->names == NULL) {
        h->names = mb_intern_create();
    }
    uint32_t number = mb_intern_add(h->names, name);
    cr_assert(ne(u32, number, MB_INTERN_NONE));
    return number;
}

uint32_t hierarchy_name(struct hierarchy *h, const char *name)
{
    return add_name(h, mb_text_of(name));
}

uint32_t hierarchy_key(const char *name)
{
    return rule_method_key(mb_text_of(name), MB_TEXT(DESCRIPTOR));
}

/* Takes the name and the supertypes off the front; these are left in supers. */
static uint32_t split_head(struct hierarchy *h, struct mb_text *rest, struct mb_text *supers,
                           uint32_t *super_name)
{
    *supers = mb_text_split(rest, ' ');
    uint32_t name = add_name(h, mb_text_split(supers, ':'));
    struct mb_text super = mb_text_split(supers, ',');

    *super_name = add_name(h, super.size > 0 ? super : MB_TEXT("java/lang/Object"));
    return name;
}

static void add_method(struct hierarchy *h, struct plan_class *cls, struct mb_text name)
{
    struct plan_method *method = &cls->methods[cls->method_count++];

    cr_assert(le(u16, cls->method_count, HIERARCHY_METHODS));
    method->access_flags = CF_ACC_PUBLIC;
    if (name.data[0] == '-' || name.data[0] == '.') {
        method->access_flags = name.data[0] == '-' ? CF_ACC_PRIVATE : CF_ACC_STATIC;
        name = mb_text_from(name, 1);
    }
    method->name = add_name(h, name);
    method->descriptor = add_name(h, MB_TEXT(DESCRIPTOR));
    method->verdict = RULE_TRACE;
}

size_t hierarchy_add(struct hierarchy *h, const char *text)
{
    struct mb_text rest = mb_text_of(text);
    struct mb_text supers;
    size_t number = h->count++;

    cr_assert(lt(sz, number, HIERARCHY_CLASSES));
    struct plan_class *cls = h->order[number] = &h->classes[number];
    cls->name = cls->original_name = split_head(h, &rest, &supers, &cls->super_name);
    cls->is_readable = true;
    cls->methods = h->methods[number];
    while (supers.size > 0) {
        struct plan_link link = {.kind = PLAN_LINK_INTERFACE};
        link.type = add_name(h, mb_text_split(&supers, ','));
        hierarchy_link(h, number, &link);
    }
    while (rest.size > 0) {
        add_method(h, cls, mb_text_split(&rest, ' '));
    }
    h->sources.items = &h->source;
    h->sources.count = 1;
    return number;
}

void hierarchy_add_library(struct hierarchy *h, const char *text)
{
    struct mb_text rest = mb_text_of(text);
    struct mb_text supers;

    cr_assert(lt(sz, h->library.count, HIERARCHY_CLASSES));
    h->library.classes = h->library_classes;
    struct plan_library_class *cls = &h->library_classes[h->library.count++];
    cls->name = split_head(h, &rest, &supers, &cls->super_name);
    cls->interfaces = MB_NEW_ARRAY(&h->library.arena, uint32_t, supers.size + 1);
    cls->keys = MB_NEW_ARRAY(&h->library.arena, uint32_t, rest.size + 1);
    while (supers.size > 0) {
        cls->interfaces[cls->interface_count++] = add_name(h, mb_text_split(&supers, ','));
    }
    while (rest.size > 0) {
        cls->keys[cls->key_count++] =
            rule_method_key(mb_text_split(&rest, ' '), MB_TEXT(DESCRIPTOR));
    }
}

void hierarchy_link(struct hierarchy *h, size_t number, const struct plan_link *link)
{
    mb_buf_put(&h->links[number], link, sizeof(*link));
}

void hierarchy_close_links(struct hierarchy *h)
{
    for (size_t i = 0; i < h->count; i++) {
        struct mb_buf *links = &h->links[i];
        cr_assert(not(links->failed));
        h->classes[i].links = add_name(h, (struct mb_text){(char *)links->bytes, links->size});
        mb_buf_finish(links);
    }
}

void hierarchy_finish(struct hierarchy *h)
{
    plan_library_finish(&h->library);
    mb_intern_destroy(h->names);
}
