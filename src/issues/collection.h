/* All issues that were read, each incident once, and what could not be read. */

#ifndef ISSUES_COLLECTION_H
#define ISSUES_COLLECTION_H

#include "base/error.h"
#include "base/vec.h"
#include "issues/issue.h"

#include <sys/types.h>

#define ISSUES_MOST_DAMAGE 1000u /* places that are kept */

/* Reads files that are packed. */
struct issues_unpacker {
    /* True by name; others are read as they are. */
    bool (*takes)(const char *path);
    /* NULL without memory. fd is borrowed. Close with close, which accepts NULL. */
    void *(*open)(const char *path, int fd);
    /* Bytes, 0 at the end; below 0 where the rest cannot be read, with the reason. */
    ssize_t (*read)(void *file, void *bytes, size_t size, const char **reason);
    void (*close)(void *file);
};

struct issues_collection {
    const struct issues_unpacker *unpacker; /* NULL: no packed files are read */
    /* NULL, or takes each JSON object in place of issues; false without memory. */
    enum issues_verdict (*take)(void *context, const struct mb_value *object);
    void *context;
    struct mb_intern *texts;
    MB_VEC(struct answer_issue) issues;
    MB_VEC(struct mb_error) damage; /* file, line, reason */
    size_t damage_count;
    size_t missing_count; /* inputs that were named and cannot be opened: damage too */
    size_t file_count;
    size_t other_count;  /* of kinds that are not shown */
    size_t double_count; /* told again: copies for Matrix, files given twice */
};

/* False without memory. */
bool issues_collection_init(struct issues_collection *all);
void issues_collection_finish(struct issues_collection *all);

/* A place that cannot be read. line 0: the file as a whole. */
void issues_add_damage(struct issues_collection *all, const char *path, size_t line,
                       const char *reason);

/* Read one input: a file, a pipe, "-" for standard input, or a folder with all files *.json below
 * it that the monitors leave in a spool, and packed ones. Only a lack of memory is an error; the
 * rest is damage. */
MB_MUST_CHECK enum mb_status issues_read(struct issues_collection *all, const char *path,
                                         struct mb_error *err);

/* Of several that tell of one incident the worst stays. Once, after all was read. */
MB_MUST_CHECK enum mb_status issues_unite(struct issues_collection *all, struct mb_error *err);

/* The places that could not be read, the first of them. */
static inline const struct mb_error *issues_damage(const struct issues_collection *all,
                                                   size_t *count)
{
    *count = MB_VEC_COUNT(&all->damage);
    return all->damage.items;
}

static inline const struct answer_issue *issues_all(const struct issues_collection *all,
                                                    size_t *count)
{
    *count = MB_VEC_COUNT(&all->issues);
    return all->issues.items;
}

#endif
