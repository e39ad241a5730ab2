/* methodMapping.txt, ignoreMethodMapping.txt and --explain. Written after pass 2, which may have
 * found methods that a limit keeps from being traced. */

#include "base/file.h"
#include "base/strmap.h"
#include "instrument/run.h"
#include "instrument/sort.h"

#include <stdlib.h>
#include <unistd.h>

#define FLUSH_SIZE ((size_t)1 << 18)

/* A text file on its way to its place. */
struct text_file {
    struct ins_run *run;
    const char *path;
    int fd;
    struct mb_buf buf;
    struct mb_arena scratch; /* of the class being described */
    struct ins_described_class cls;
};

static enum mb_status flush(struct text_file *file, struct mb_error *err)
{
    MB_TRY(mb_buf_check(&file->buf, err));
    MB_TRY(mb_file_write_all(file->fd, file->buf.bytes, file->buf.size, err));
    mb_buf_reset(&file->buf);
    return MB_OK;
}

static enum mb_status flush_if_full(struct text_file *file, struct mb_error *err)
{
    return file->buf.size >= FLUSH_SIZE || file->buf.failed ? flush(file, err) : MB_OK;
}

typedef enum mb_status fill_fn(struct text_file *file, struct mb_error *err);

/* Open, let fill write it, close. */
static enum mb_status write_text(struct ins_run *run, const char *path, fill_fn *fill,
                                 struct mb_error *err)
{
    struct text_file file = {.run = run, .path = path};

    MB_TRY(mb_publish_open(run->publish, path, &file.fd, err));
    enum mb_status status = fill(&file, err);
    status = status == MB_OK ? flush(&file, err) : status;
    if (close(file.fd) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot close");
    }
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    mb_buf_finish(&file.buf);
    mb_arena_finish(&file.scratch);
    return status;
}

/* Methods come class by class. */
static enum mb_status describe_class(struct text_file *file, const struct ins_class *cls,
                                     struct mb_error *err)
{
    if (file->cls.cls == cls) {
        return MB_OK;
    }
    mb_arena_reset(&file->scratch);
    return ins_describe_class(&file->run->describer, cls, &file->scratch, &file->cls, err);
}

/* --- methodMapping.txt --- */

static enum mb_status put_owner(struct text_file *file, uint32_t id, struct mb_error *err)
{
    const struct ins_owner *owner = &file->run->numbering.owners[id];
    const struct ins_class *cls = file->run->classes[owner->cls - 1];
    struct abi_method method;

    MB_TRY(describe_class(file, cls, err));
    MB_TRY(ins_describe_method(&file->cls, &cls->methods[owner->method], &method, err));
    method.id = id;
    abi_methodmap_put_line(&file->buf, &method);
    return MB_OK;
}

/* Ids come from the code, with today's access flags, or stay from the base map. */
static enum mb_status write_method_map(struct text_file *file, struct mb_error *err)
{
    const struct ins_numbering *numbering = &file->run->numbering;

    for (uint32_t id = ABI_FIRST_ID; id < numbering->end_id; id++) {
        const struct abi_method *base = abi_methodmap_find(&file->run->base, id);
        if (numbering->owners[id].is_used) {
            MB_TRY(put_owner(file, id, err));
        } else if (base != NULL) {
            abi_methodmap_put_line(&file->buf, base);
        }
        MB_TRY(flush_if_full(file, err));
    }
    abi_methodmap_put_message(&file->buf);
    return MB_OK;
}

/* --- ignoreMethodMapping.txt --- */

/* Lines of a class that has copies, so that each is written once. */
struct seen_lines {
    struct mb_strmap lines;
    struct mb_buf line;
    bool is_needed;
};

/* Whether the line is new; it is added. */
static bool is_first(struct seen_lines *seen, const struct abi_method *method)
{
    mb_buf_reset(&seen->line);
    abi_methodmap_put_name(&seen->line, method);
    void **slot = mb_strmap_slot(&seen->lines, (const char *)seen->line.bytes, seen->line.size);
    bool is_new = slot == NULL || *slot == NULL;
    if (slot != NULL) {
        *slot = seen;
    }
    return is_new;
}

static enum mb_status put_methods(struct text_file *file, const struct ins_class *cls,
                                  enum rule_verdict verdict, struct seen_lines *seen,
                                  struct mb_error *err)
{
    MB_TRY(describe_class(file, cls, err));
    for (uint16_t i = 0; i < cls->method_count; i++) {
        struct abi_method method;
        if (cls->methods[i].verdict != verdict) {
            continue;
        }
        MB_TRY(ins_describe_method(&file->cls, &cls->methods[i], &method, err));
        bool is_new = !seen->is_needed || is_first(seen, &method);
        if (verdict == RULE_IGNORE && is_new) {
            abi_methodmap_put_name(&file->buf, &method);
            mb_buf_put_u1(&file->buf, '\n');
        }
    }
    return MB_OK;
}

/* Methods with that verdict of copies [first, end) of one class; equal ones are neighbours. */
static enum mb_status put_verdict(struct text_file *file, size_t first, size_t end,
                                  enum rule_verdict verdict, struct seen_lines *seen,
                                  struct mb_error *err)
{
    struct ins_class *const *classes = file->run->classes;

    for (size_t i = first; i < end; i++) {
        if (i == first || !ins_has_same_methods(classes[i - 1], classes[i])) {
            MB_TRY(put_methods(file, classes[i], verdict, seen, err));
        }
    }
    return MB_OK;
}

/* What one of the copies traces is not ignored. */
static enum mb_status put_copies(struct text_file *file, size_t first, size_t end,
                                 struct seen_lines *seen, struct mb_error *err)
{
    struct ins_class *const *classes = file->run->classes;

    /* Overloads of native methods share a line in the matrix profile. */
    seen->is_needed = file->run->options->profile == RULE_PROFILE_MATRIX;
    for (size_t i = first + 1; i < end; i++) {
        seen->is_needed = seen->is_needed || !ins_has_same_methods(classes[i - 1], classes[i]);
    }
    if (seen->is_needed) {
        MB_TRY(put_verdict(file, first, end, RULE_TRACE, seen, err));
    }
    MB_TRY(put_verdict(file, first, end, RULE_IGNORE, seen, err));
    mb_strmap_finish(&seen->lines);
    return flush_if_full(file, err);
}

static enum mb_status put_ignored(struct text_file *file, struct seen_lines *seen,
                                  struct mb_error *err)
{
    const struct ins_run *run = file->run;

    for (size_t first = 0; first < run->class_count;) {
        size_t end = first + 1;
        while (end < run->class_count && ins_is_copy(run->classes[first], run->classes[end])) {
            end++;
        }
        MB_TRY(put_copies(file, first, end, seen, err));
        first = end;
    }
    return MB_OK;
}

static enum mb_status write_ignore_map(struct text_file *file, struct mb_error *err)
{
    struct seen_lines seen = {0};

    mb_buf_put_string(&file->buf, "ignore methods:\n");
    enum mb_status status = put_ignored(file, &seen, err);
    mb_buf_finish(&seen.line);
    return status;
}

/* --- --explain --- */

static void put_field(struct mb_buf *out, const char *name, struct mb_text text)
{
    mb_buf_printf(out, "\"%s\":", name);
    mb_buf_put_json_string(out, text);
    mb_buf_put_u1(out, ',');
}

static const char *verdict_name(const struct ins_method *method)
{
    switch ((enum rule_verdict)method->verdict) {
    case RULE_TRACE:
        return "trace";
    case RULE_IGNORE:
        return "ignore";
    case RULE_SKIP:
        return "skip";
    }
    return "";
}

static void explain_method(struct text_file *file, const struct ins_class *cls,
                           const struct ins_method *method, const struct abi_method *original)
{
    const struct ins_names *names = file->run->names;
    struct mb_buf *out = &file->buf;
    struct mb_text source = ins_names_get(names, method->rule);
    struct mb_text rule = mb_text_split(&source, '\n');

    mb_buf_put_u1(out, '{');
    put_field(out, "input",
              mb_text_of(ar_input_path(file->run->sources.items[cls->source].archive)));
    put_field(out, "class", ins_names_get(names, cls->name));
    put_field(out, "method", ins_names_get(names, method->name));
    put_field(out, "descriptor", ins_names_get(names, method->descriptor));
    if (file->run->mapping != NULL) {
        put_field(out, "original_class", original->class_name);
        put_field(out, "original_method", original->name);
        put_field(out, "original_descriptor", original->descriptor);
    }
    put_field(out, "verdict", mb_text_of(verdict_name(method)));
    put_field(out, "rule", rule);
    if (source.size > 0) {
        put_field(out, "source", source);
    }
    mb_buf_printf(out, "\"code_size\":%u,\"id\":%u}\n", method->code_size,
                  method->verdict == RULE_TRACE ? method->id : 0);
}

static enum mb_status write_explain(struct text_file *file, struct mb_error *err)
{
    const struct ins_run *run = file->run;

    for (size_t i = 0; i < run->class_count; i++) {
        const struct ins_class *cls = run->classes[i];
        MB_TRY(describe_class(file, cls, err));
        for (uint16_t k = 0; k < cls->method_count; k++) {
            struct abi_method original;
            MB_TRY(ins_describe_method(&file->cls, &cls->methods[k], &original, err));
            explain_method(file, cls, &cls->methods[k], &original);
        }
        MB_TRY(flush_if_full(file, err));
    }
    return MB_OK;
}

/* The files that are asked for and not there yet. */
struct texts {
    struct ins_run *run;
    struct {
        const char *path;
        fill_fn *fill;
    } items[3];
    size_t count;
};

static void add_text(struct texts *texts, const char *path, fill_fn *fill)
{
    if (path != NULL) {
        texts->items[texts->count].path = path;
        texts->items[texts->count++].fill = fill;
    }
}

static enum mb_status write_task(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    const struct texts *texts = context;

    (void)worker;
    return write_text(texts->run, texts->items[task].path, texts->items[task].fill, err);
}

enum mb_status ins_write_maps(struct ins_run *run, struct mb_error *err)
{
    const struct ins_options *options = run->options;
    struct texts texts = {.run = run};

    if (!run->are_maps_in_place) {
        add_text(&texts, options->method_map, write_method_map);
        add_text(&texts, options->ignore_map, write_ignore_map);
    }
    add_text(&texts, options->explain, write_explain);
    return ins_workers_run(run->workers, texts.count, write_task, &texts, err);
}
