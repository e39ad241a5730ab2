#include "instrument/emit/transform.h"

#include <stdlib.h>
#include <string.h>

enum mb_status emit_transformer_init(struct emit_transformer *transformer, struct mb_error *err)
{
    unsigned count = mb_workers_count(transformer->crew->workers);

    transformer->looms = calloc(count, sizeof(*transformer->looms));
    return transformer->looms != NULL ? MB_OK : mb_fail_memory(err);
}

void emit_transformer_finish(struct emit_transformer *transformer)
{
    unsigned count = mb_workers_count(transformer->crew->workers);

    for (unsigned i = 0; transformer->looms != NULL && i < count; i++) {
        weave_rewriter_destroy(transformer->looms[i].rewriter);
        mb_buf_finish(&transformer->looms[i].rewritten);
    }
    free(transformer->looms);
    transformer->looms = NULL;
}

/* One class on its way. */
struct job {
    const struct emit_transformer *transformer;
    struct plan_source *source;
    struct plan_scratch *scratch;
    struct weave_rewriter *rewriter;
    struct plan_class *cls;
};

static enum mb_status take_job(struct job *job, const struct emit_transformer *transformer,
                               unsigned worker, struct plan_class *cls, struct mb_error *err)
{
    struct emit_loom *loom = &transformer->looms[worker];

    if (loom->rewriter == NULL) {
        loom->rewriter = weave_rewriter_create(&transformer->beat);
    }
    *job = (struct job){
        .transformer = transformer,
        .source = &transformer->sources->items[cls->source],
        .rewriter = loom->rewriter,
        .cls = cls,
    };
    return loom->rewriter != NULL ? plan_crew_scratch(transformer->crew, worker, &job->scratch, err)
                                  : mb_fail_memory(err);
}

/* Limits that only showed while probes were put in. */
static enum mb_status skip_methods(const struct job *job, const struct weave_result *result,
                                   struct mb_error *err)
{
    struct plan_class *cls = job->cls;

    for (size_t i = 0; i < result->skip_count; i++) {
        const struct weave_skip *skip = &result->skips[i];
        struct plan_method *method = &cls->methods[skip->method];
        method->rule = mb_intern_add(job->transformer->names, mb_text_of(skip->reason));
        if (method->rule == MB_INTERN_NONE) {
            return mb_fail_memory(err);
        }
        method->verdict = RULE_IGNORE;
        method->is_skipped = true;
        method->is_huge = strcmp(skip->reason, WEAVE_HUGE_REASON) == 0;
        cls->traced_count--;
        cls->is_cut_back = true;
    }
    return MB_OK;
}

/* The Activity will not report its window focus. */
static enum mb_status skip_focus(const struct job *job, const char *reason, struct mb_error *err)
{
    struct mb_error warning;

    job->cls->focus = WEAVE_FOCUS_NONE;
    job->cls->is_cut_back = true;
    (void)mb_fail(&warning, MB_TOO_LARGE, MB_NO_OFFSET, "onWindowFocusChanged is not reported: %s",
                  reason);
    return plan_warn_class(job->transformer->warnings, job->source, job->cls, &warning, err);
}

static enum mb_status give_up(const struct job *job, struct mb_error *err)
{
    job->cls->is_cut_back = true;
    plan_class_give_up(job->cls);
    return plan_warn_class(job->transformer->warnings, job->source, job->cls, err, err);
}

static enum mb_status rewrite_class(const struct job *job, struct mb_text content,
                                    struct mb_buf *out, struct mb_error *err)
{
    struct plan_class *cls = job->cls;
    struct mb_arena *arena = &job->scratch->arena;
    struct cf_class file;
    struct weave_result result;

    mb_arena_reset(arena);
    MB_TRY(cf_class_parse(&file, arena, (const uint8_t *)content.data, content.size, err));
    if (file.method_count != cls->method_count) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "the input changed while it was read");
    }
    if (cls->drops_hashes) {
        cf_class_put_without(&file, CF_ATTRIBUTE_ModuleHashes, out);
        cls->is_changed = true;
        return mb_buf_check(out, err);
    }
    uint32_t *ids = MB_NEW_ARRAY(arena, uint32_t, file.method_count);
    bool *boundary = MB_NEW_ARRAY(arena, bool, file.method_count);
    if (ids == NULL || boundary == NULL) {
        return mb_fail_memory(err);
    }
    for (uint16_t i = 0; i < file.method_count; i++) {
        ids[i] = cls->methods[i].verdict == RULE_TRACE ? cls->methods[i].id : 0;
        boundary[i] = cls->methods[i].boundary != RULE_BOUNDARY_NONE;
    }
    struct weave_request request = {&file, ids, (enum weave_focus)cls->focus, boundary};
    MB_TRY(weave_rewrite(job->rewriter, &request, out, &result, err));
    cls->is_changed = result.is_changed;
    for (uint16_t i = 0; i < file.method_count; i++) {
        cls->methods[i].has_lock_gap = result.lock_gaps[i];
    }
    MB_TRY(skip_methods(job, &result, err));
    return result.focus_skip != NULL ? skip_focus(job, result.focus_skip, err) : MB_OK;
}

enum mb_status emit_transform(struct emit_transformer *transformer, unsigned worker,
                              struct plan_class *cls, struct mb_buf *out, struct mb_text *content,
                              struct mb_error *err)
{
    struct mb_error reason; /* a damaged class becomes a warning, whether or not the caller wants
                             * the error */
    struct job job;
    size_t start = out->size;

    err = err != NULL ? err : &reason;
    MB_TRY(take_job(&job, transformer, worker, cls, err));
    MB_TRY(plan_content_get(job.source, cls, job.scratch, content, err));
    if (!plan_needs_rewrite(cls)) {
        return MB_OK;
    }
    enum mb_status status = rewrite_class(&job, *content, out, err);
    plan_contents_touch(transformer->contents, job.source, cls);
    if (status == MB_BAD_CLASS) {
        out->size = start;
        return give_up(&job, err);
    }
    if (status == MB_OK && cls->is_changed) {
        *content = (struct mb_text){(const char *)out->bytes + start, out->size - start};
    }
    return status;
}
