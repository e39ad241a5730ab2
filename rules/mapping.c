#include "rules/mapping.h"

#include "base/file.h"
#include "base/strmap.h"
#include "rules/mapping_lines.h"

#include <stdlib.h>

struct rule_mapping {
    struct mb_strmap classes; /* obfuscated internal name -> struct rule_mapped_class */
    struct mb_arena arena;
    struct mb_buf file;
    struct mb_text id;    /* views the text */
    struct mb_text twice; /* the first class that is there again, obfuscated */
    size_t twice_count;
};

struct mb_text rule_internal_form(struct mb_arena *arena, struct mb_text name)
{
    char *copy = mb_arena_copy(arena, name.data, name.size);

    if (copy != NULL) {
        mb_make_internal_form(copy, name.size);
    }
    return (struct mb_text){copy, name.size};
}

static enum mb_status add_class(struct rule_mapping *names, const struct rule_line *line,
                                struct rule_mapped_class **added, struct mb_error *err)
{
    struct rule_mapped_class *cls = MB_NEW(&names->arena, struct rule_mapped_class);
    struct mb_text key = rule_internal_form(&names->arena, line->obfuscated);

    if (cls == NULL || key.data == NULL) {
        return mb_fail_memory(err);
    }
    void **slot = mb_strmap_slot(&names->classes, key.data, key.size);
    cls->original = rule_internal_form(&names->arena, line->name);
    if (slot == NULL || cls->original.data == NULL) {
        return mb_fail_memory(err);
    }
    if (*slot != NULL && names->twice_count++ == 0) {
        names->twice = key;
    }
    *slot = cls; /* of files that were appended the last counts, as for retrace */
    *added = cls;
    return MB_OK;
}

/* cls is the class above the line, NULL before the first. */
static enum mb_status add_line(struct rule_mapping *names, const struct rule_line *line,
                               struct rule_mapped_class **cls, struct mb_error *err)
{
    switch (line->kind) {
    case RULE_LINE_BAD:
        return mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET, "%s", line->reason);
    case RULE_LINE_CLASS:
        return add_class(names, line, cls, err);
    case RULE_LINE_FIELD:
    case RULE_LINE_METHOD:
        if (*cls == NULL) {
            return mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET, "a member before the first class");
        }
        (*cls)->method_count += line->kind == RULE_LINE_METHOD;
        return MB_OK;
    case RULE_LINE_NOTHING:
    case RULE_LINE_RESIDUAL:
    case RULE_LINE_SYNTHESIZED:
    case RULE_LINE_OUTLINE:
    case RULE_LINE_CALLSITE:
        break;
    }
    return MB_OK;
}

static enum mb_status parse_mapping(struct rule_mapping *names, struct mb_text text,
                                    const char *path, struct mb_error *err)
{
    struct rule_mapped_class *cls = NULL;
    static const struct mb_text id = MB_TEXT_ROW("# pg_map_id:");
    struct mb_text content;
    size_t number = 0;

    while (mb_text_next_line(&text, &content, &number)) {
        struct rule_line line = rule_line_parse(content);
        if (cls == NULL && mb_text_starts(content, id)) {
            names->id = mb_text_trim(mb_text_from(content, id.size));
        }
        enum mb_status status = add_line(names, &line, &cls, err);
        if (status != MB_OK) {
            mb_error_at_line(err, path, number);
            return status;
        }
        if (cls == NULL) {
            continue;
        }
        if (line.kind == RULE_LINE_CLASS) {
            cls->body = (struct mb_text){text.data, 0};
        } else {
            cls->body.size = (size_t)(text.data - cls->body.data);
        }
    }
    return MB_OK;
}

enum mb_status rule_mapping_parse(struct rule_mapping **names, struct mb_text text,
                                  const char *path, struct mb_error *err)
{
    struct rule_mapping *made = calloc(1, sizeof(*made));
    enum mb_status status =
        made != NULL ? parse_mapping(made, text, path, err) : mb_fail_memory(err);

    if (status != MB_OK) {
        rule_mapping_destroy(made);
        made = NULL;
    }
    *names = made;
    return status;
}

enum mb_status rule_mapping_load(struct rule_mapping **names, const char *path,
                                 struct mb_error *err)
{
    struct mb_buf file = {0};
    enum mb_status status = mb_file_read(&file, path, err);

    *names = NULL;
    if (status == MB_OK) {
        const struct mb_text text = {(const char *)file.bytes, file.size};
        status = rule_mapping_parse(names, text, path, err);
    }
    if (status != MB_OK) {
        mb_buf_finish(&file);
        return status;
    }
    (*names)->file = file;
    return MB_OK;
}

struct mb_text rule_mapping_id(const struct rule_mapping *names)
{
    return names->id;
}

bool rule_mapping_has_fault(const struct rule_mapping *names, const char *path,
                            struct mb_error *fault)
{
    if (names->classes.count == 0) {
        (void)mb_fail_in(fault, MB_BAD_TEXT, path, "names no class");
    } else if (names->twice_count > 0) {
        (void)mb_fail_in(fault, MB_BAD_TEXT, path,
                         "has %.*s twice, and so %zu in all: the last of each counts",
                         names->twice.size < 64 ? (int)names->twice.size : 64, names->twice.data,
                         names->twice_count);
    }
    return names->classes.count == 0 || names->twice_count > 0;
}

void rule_mapping_destroy(struct rule_mapping *names)
{
    if (names != NULL) {
        mb_strmap_finish(&names->classes);
        mb_arena_finish(&names->arena);
        mb_buf_finish(&names->file);
        free(names);
    }
}

const struct rule_mapped_class *rule_mapping_find(const struct rule_mapping *names,
                                                  struct mb_text obfuscated)
{
    return mb_strmap_find(&names->classes, obfuscated.data, obfuscated.size);
}

struct mb_text rule_mapping_class(const struct rule_mapping *names, struct mb_text obfuscated)
{
    const struct rule_mapped_class *cls =
        names != NULL ? rule_mapping_find(names, obfuscated) : NULL;

    return cls != NULL ? cls->original : obfuscated;
}
