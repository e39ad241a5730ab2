#include "cli/run_modules.h"

#include "base/text.h"
#include "classfile/class.h"
#include "cli/run_parts.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MODULE_INFO "module-info.class"
#define REQUIRES_STATIC 0x0040u /* JVMS table 4.7.25-A: only for compiling */

/* The lists hold struct mb_text, of the arena. */
struct module {
    struct mb_text name;
    struct mb_buf requires;
    struct mb_buf uses;     /* services: classes in internal form */
    struct mb_buf provides; /* the same */
    bool is_needed;
};

struct modules {
    struct cli_run_launch *launch;
    struct mb_buf list; /* struct module */
};

static struct module *module_at(const struct modules *modules, size_t index)
{
    return index < modules->list.size / sizeof(struct module)
               ? (struct module *)(void *)modules->list.bytes + index
               : NULL;
}

static const struct mb_text *text_at(const struct mb_buf *texts, size_t index)
{
    return index < texts->size / sizeof(struct mb_text)
               ? (const struct mb_text *)(const void *)texts->bytes + index
               : NULL;
}

static bool has_text(const struct mb_buf *texts, struct mb_text wanted)
{
    const struct mb_text *text;

    for (size_t i = 0; (text = text_at(texts, i)) != NULL; i++) {
        if (mb_text_equal(*text, wanted)) {
            return true;
        }
    }
    return false;
}

/* ---- Reading module-info (JVMS §4.7.25) ---- */

/* Outlives the class; empty without memory. */
static struct mb_text copy_name(struct modules *modules, struct mb_text name)
{
    const char *copy = mb_arena_copy(&modules->launch->arena, name.data, name.size);

    return copy != NULL ? (struct mb_text){copy, name.size} : MB_TEXT("");
}

static void put_name(struct modules *modules, struct mb_buf *list, struct mb_text name)
{
    struct mb_text copy = copy_name(modules, name);

    if (copy.size > 0) {
        mb_buf_put(list, &copy, sizeof(copy));
    }
}

/* Each entry of exports and opens, and of provides but for its first index. */
static void skip_targets(struct cf_cursor *in)
{
    (void)cf_read_bytes(in, (size_t)2 * cf_read_u2(in));
}

static void skip_packages(struct cf_cursor *in)
{
    for (uint16_t left = cf_read_u2(in); left > 0 && !in->overrun; left--) {
        (void)cf_read_u4(in);
        skip_targets(in);
    }
}

static void read_module(struct modules *modules, const struct cf_pool *pool, struct cf_cursor *in,
                        struct module *module)
{
    (void)cf_read_u4(in); /* flags, version */
    for (uint16_t left = cf_read_u2(in); left > 0 && !in->overrun; left--) {
        struct mb_text name = cf_pool_name(pool, cf_read_u2(in));
        bool is_static = (cf_read_u2(in) & REQUIRES_STATIC) != 0;
        (void)cf_read_u2(in);
        put_name(modules, &module->requires, is_static ? MB_TEXT("") : name);
    }
    skip_packages(in);
    skip_packages(in);
    for (uint16_t left = cf_read_u2(in); left > 0 && !in->overrun; left--) {
        put_name(modules, &module->uses, cf_pool_name(pool, cf_read_u2(in)));
    }
    for (uint16_t left = cf_read_u2(in); left > 0 && !in->overrun; left--) {
        put_name(modules, &module->provides, cf_pool_name(pool, cf_read_u2(in)));
        skip_targets(in);
    }
}

static void take_class(struct modules *modules, const struct cf_class *cls)
{
    struct cf_attributes it = cf_attributes_at(cls, cls->attributes_offset, CF_IN_CLASS);
    struct cf_attribute attribute;

    while (cf_attributes_next(&it, &attribute)) {
        if (mb_text_is(cf_pool_utf8(&cls->pool, attribute.name_index), "Module")) {
            struct cf_cursor in = cf_cursor_over(attribute.bytes, attribute.size);
            struct mb_text name = cf_pool_name(&cls->pool, cf_read_u2(&in));
            struct module module = {.name = copy_name(modules, name)};
            read_module(modules, &cls->pool, &in, &module);
            mb_buf_put(&modules->list, &module, sizeof(module));
        }
    }
}

/* Add a jar or folder that is a module; one without a description reads every module by itself. */
static bool take_part(struct modules *modules, const char *part)
{
    struct mb_buf content = {0};
    struct mb_arena arena = {0};
    struct cf_class cls;
    bool is_module = cli_run_entry(part, MODULE_INFO, &content);

    if (is_module && cf_class_parse(&cls, &arena, content.bytes, content.size, NULL) == MB_OK) {
        take_class(modules, &cls);
    }
    mb_buf_finish(&content);
    mb_arena_finish(&arena);
    return is_module;
}

/* A part of the module path is a module or a folder of modules. */
static void take_parts(struct modules *modules, const char *part)
{
    const struct dirent *entry;
    char path[PATH_MAX];
    DIR *folder = take_part(modules, part) ? NULL : opendir(part);

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] != '.' &&
            snprintf(path, sizeof(path), "%s/%s", part, entry->d_name) < PATH_MAX) {
            (void)take_part(modules, path);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
}

/* ---- Which are resolved ---- */

static bool is_of_the_jdk(struct mb_text service)
{
    static const struct mb_text roots[] = {MB_TEXT_ROW("java/"), MB_TEXT_ROW("javax/"),
                                           MB_TEXT_ROW("jdk/"), MB_TEXT_ROW("com/sun/"),
                                           MB_TEXT_ROW("sun/")};

    for (size_t i = 0; i < MB_COUNT(roots); i++) {
        if (mb_text_starts(service, roots[i])) {
            return true;
        }
    }
    return false;
}

static bool offers_to(const struct module *module, const struct module *user)
{
    const struct mb_text *service;

    for (size_t i = 0; (service = text_at(&module->provides, i)) != NULL; i++) {
        if (is_of_the_jdk(*service) || has_text(&user->uses, *service)) {
            return true;
        }
    }
    return false;
}

static bool is_needed_by_others(const struct modules *modules, const struct module *module)
{
    const struct module *other;

    for (size_t i = 0; (other = module_at(modules, i)) != NULL; i++) {
        if (other->is_needed &&
            (has_text(&other->requires, module->name) || offers_to(module, other))) {
            return true;
        }
    }
    return false;
}

static bool is_root(const struct cli_run_launch *launch, struct mb_text name)
{
    const char *root;

    for (size_t i = 0; (root = cli_run_item(&launch->roots, i)) != NULL; i++) {
        if (mb_text_is(name, root) || strcmp(root, "ALL-MODULE-PATH") == 0) {
            return true;
        }
    }
    return false;
}

/* Repeat until a round adds no module. */
static void resolve_modules(const struct modules *modules)
{
    struct module *module;
    bool is_changed = true;

    while (is_changed) {
        is_changed = false;
        for (size_t i = 0; (module = module_at(modules, i)) != NULL; i++) {
            if (!module->is_needed &&
                (is_root(modules->launch, module->name) || is_needed_by_others(modules, module))) {
                module->is_needed = true;
                is_changed = true;
            }
        }
    }
}

static void put_modules(const struct modules *modules, struct mb_buf *names)
{
    const struct module *module;

    for (size_t i = 0; (module = module_at(modules, i)) != NULL; i++) {
        if (module->is_needed && module->name.size > 0) {
            mb_buf_put(names, &module->name.data, sizeof(module->name.data));
        }
    }
}

static void finish_modules(struct modules *modules)
{
    struct module *module;

    for (size_t i = 0; (module = module_at(modules, i)) != NULL; i++) {
        mb_buf_finish(&module->requires);
        mb_buf_finish(&module->uses);
        mb_buf_finish(&module->provides);
    }
    mb_buf_finish(&modules->list);
}

static bool is_listed(const struct modules *modules, const char *name)
{
    const struct module *module;

    for (size_t i = 0; (module = module_at(modules, i)) != NULL; i++) {
        if (mb_text_is(module->name, name)) {
            return true;
        }
    }
    return false;
}

/* A module that was not found on the module path may be there all the same; ALL-MODULE-PATH is not
 * a name. */
static void put_roots(const struct modules *modules, struct mb_buf *names)
{
    const char *root;

    for (size_t i = 0; (root = cli_run_item(&modules->launch->roots, i)) != NULL; i++) {
        if (strncmp(root, "ALL-", 4) != 0 && !is_listed(modules, root)) {
            mb_buf_put(names, &root, sizeof(root));
        }
    }
}

void cli_run_modules(struct cli_run_launch *launch, struct mb_buf *names)
{
    struct modules modules = {.launch = launch};
    const char *part;

    for (size_t i = 0; (part = cli_run_item(&launch->modules, i)) != NULL; i++) {
        take_parts(&modules, part);
    }
    resolve_modules(&modules);
    put_roots(&modules, names);
    put_modules(&modules, names);
    finish_modules(&modules);
}
