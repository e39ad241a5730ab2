#include "instrument/size.h"

#include "archive/tree.h"
#include "base/arena.h"
#include "base/strmap.h"
#include "base/vec.h"

#include <inttypes.h>
#include <string.h>

struct package {
    struct mb_text name; /* with slashes; empty: the unnamed package */
    uint64_t before;     /* bytes */
    uint64_t after;
    uint64_t class_count; /* before */
};

struct sizes {
    struct mb_strmap by_name;          /* struct package * */
    MB_VEC(struct package *) packages; /* the same, in the order of their first class */
    struct mb_buf scratch;
    struct mb_arena arena;
    struct package sum;
};

/* "META-INF/versions/9/a/" is a's. */
static struct mb_text without_version(struct mb_text folder)
{
    const struct mb_text versions = MB_TEXT("META-INF/versions/");
    struct mb_text rest = folder;

    if (mb_text_starts(folder, versions)) {
        rest = (struct mb_text){folder.data + versions.size, folder.size - versions.size};
        (void)mb_text_split(&rest, '/');
    }
    return rest;
}

static struct mb_text package_of(struct mb_text entry)
{
    static const struct mb_text roots[] = {MB_TEXT_ROW("WEB-INF/classes/"),
                                           MB_TEXT_ROW("BOOT-INF/classes/")};
    struct mb_text folder = entry;

    while (folder.size > 0 && folder.data[folder.size - 1] != '/') {
        folder.size--;
    }
    folder = without_version(folder);
    for (size_t i = 0; i < MB_COUNT(roots); i++) {
        if (mb_text_starts(folder, roots[i])) {
            folder = (struct mb_text){folder.data + roots[i].size, folder.size - roots[i].size};
        }
    }
    folder.size -= folder.size > 0; /* the slash */
    return folder;
}

/* NULL without memory. */
static struct package *find_package(struct sizes *sizes, struct mb_text name)
{
    void **slot = mb_strmap_slot(&sizes->by_name, name.data, name.size);

    if (slot == NULL || *slot != NULL) {
        return slot != NULL ? *slot : NULL;
    }
    struct package *package = MB_NEW(&sizes->arena, struct package);
    char *copy = mb_arena_copy(&sizes->arena, name.data, name.size);
    if (package == NULL || copy == NULL) {
        return NULL;
    }
    *package = (struct package){.name = {copy, name.size}};
    *slot = package;
    MB_VEC_PUSH(&sizes->packages, package);
    return package;
}

/* The size of a class; archives give it without reading the class. */
static enum mb_status find_size(struct sizes *sizes, const struct ar_input *input, size_t index,
                                uint64_t *size, struct mb_error *err)
{
    struct mb_text content;

    if (ar_input_kind(input) == AR_INPUT_JAR) {
        *size = ar_input_entry(input, index)->size;
        return MB_OK;
    }
    MB_TRY(ar_entry_read(input, index, NULL, &sizes->scratch, &content, err));
    *size = content.size;
    return MB_OK;
}

static void count_size(struct package *package, uint64_t size, bool is_original)
{
    package->before += is_original ? size : 0;
    package->after += is_original ? 0 : size;
    package->class_count += is_original;
}

static enum mb_status count_class(struct sizes *sizes, const struct ar_input *input, size_t index,
                                  bool is_original, struct mb_error *err)
{
    struct package *package = find_package(sizes, package_of(ar_input_entry(input, index)->name));
    uint64_t size = 0;

    if (package == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(find_size(sizes, input, index, &size, err));
    count_size(package, size, is_original);
    count_size(&sizes->sum, size, is_original);
    return MB_OK;
}

static enum mb_status count_classes(struct sizes *sizes, const struct ar_input *input,
                                    bool is_original, struct mb_error *err)
{
    for (size_t i = 0; i < ar_input_count(input); i++) {
        if (ar_input_entry(input, i)->kind == AR_ENTRY_CLASS) {
            MB_TRY(count_class(sizes, input, i, is_original, err));
        }
    }
    return MB_OK;
}

static enum mb_status count_input(struct sizes *sizes, const char *path, bool is_original,
                                  struct mb_error *err)
{
    struct ar_tree tree = {0};
    enum mb_status status = ar_tree_open(&tree, path, err);

    for (uint32_t i = 0; status == MB_OK && i < tree.node_count; i++) {
        status = count_classes(sizes, tree.nodes[i].input, is_original, err);
    }
    ar_tree_finish(&tree);
    return status;
}

/* ---- The table ---- */

static int64_t get_growth(const struct package *package)
{
    return (int64_t)(package->after - package->before);
}

static int by_growth(const void *a, const void *b)
{
    const struct package *x = *(const struct package *const *)a;
    const struct package *y = *(const struct package *const *)b;
    int order = (get_growth(x) < get_growth(y)) - (get_growth(x) > get_growth(y));

    return order != 0 ? order : mb_text_compare(x->name, y->name);
}

static void put_row(struct mb_buf *out, const struct package *package, struct mb_text name)
{
    double before = (double)package->before;

    mb_buf_printf(out, "%12" PRId64 " %9.1f %12" PRIu64 " %8" PRIu64 "  ", get_growth(package),
                  package->before > 0 ? 100.0 * (double)get_growth(package) / before : 0.0,
                  package->before, package->class_count);
    mb_buf_put_printable(out, name);
    mb_buf_put_u1(out, '\n');
}

static void put_table(const struct sizes *sizes, size_t top, struct mb_buf *out)
{
    struct package *const *packages = sizes->packages.items;
    size_t count = MB_VEC_COUNT(&sizes->packages);

    MB_VEC_SORT(&sizes->packages, by_growth);
    mb_buf_put_string(out, "      probes    growth       before  classes  package\n"
                           "       bytes         %        bytes\n");
    put_row(out, &sizes->sum, MB_TEXT("all"));
    for (size_t i = 0; i < count && i < top; i++) {
        struct mb_text name = packages[i]->name;
        put_row(out, packages[i], name.size > 0 ? name : MB_TEXT("(none)"));
    }
    if (count > top) {
        mb_buf_printf(out, "and %zu more packages (--top)\n", count - top);
    }
}

static enum mb_status count_both(struct sizes *sizes, const struct ins_size_paths *paths,
                                 struct mb_error *err)
{
    MB_TRY(count_input(sizes, paths->original, true, err));
    MB_TRY(count_input(sizes, paths->instrumented, false, err));
    return mb_buf_check(&sizes->packages.buf, err);
}

enum mb_status ins_size(const struct ins_size_paths *paths, size_t top, struct mb_buf *out,
                        struct mb_error *err)
{
    struct sizes sizes = {0};
    enum mb_status status = count_both(&sizes, paths, err);

    if (status == MB_OK) {
        put_table(&sizes, top, out);
        status = mb_buf_check(out, err);
    }
    mb_strmap_finish(&sizes.by_name);
    mb_buf_finish(&sizes.packages.buf);
    mb_buf_finish(&sizes.scratch);
    mb_arena_finish(&sizes.arena);
    return status;
}
