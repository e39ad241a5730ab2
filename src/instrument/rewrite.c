#include "instrument/rewrite.h"

#include "abi/names.h"
#include "classfile/constants.h"
#include "classfile/opcode.h"
#include "classfile/relocate.h"
#include "instrument/cover.h"
#include "instrument/probe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define POOL_REASON "constant pool over 65535 entries"

struct ins_rewriter {
    struct ins_beat beat;
    struct mb_arena arena; /* reset for each class */
    struct mb_buf methods; /* the new methods table, without its count */
    struct cf_constants constants;
    struct cf_relocator *relocator;
    struct cf_scan *scan;
    struct ins_skip *skips; /* in the arena, one place per method */
};

/* One class on its way. */
struct job {
    struct ins_rewriter *rewriter;
    const struct ins_request *request;
    const struct cf_class *cls;
    struct ins_references references;
    struct ins_result *result;
    struct mb_error *err;
};

struct ins_rewriter *ins_rewriter_create(const struct ins_beat *beat)
{
    struct ins_rewriter *rewriter = calloc(1, sizeof(*rewriter));

    if (rewriter == NULL) {
        return NULL;
    }
    rewriter->beat = *beat;
    rewriter->relocator = cf_relocator_create();
    rewriter->scan = malloc(sizeof(*rewriter->scan));
    if (rewriter->relocator == NULL || rewriter->scan == NULL) {
        ins_rewriter_destroy(rewriter);
        return NULL;
    }
    return rewriter;
}

void ins_rewriter_destroy(struct ins_rewriter *rewriter)
{
    if (rewriter != NULL) {
        mb_arena_finish(&rewriter->arena);
        mb_buf_finish(&rewriter->methods);
        cf_constants_finish(&rewriter->constants);
        cf_relocator_destroy(rewriter->relocator);
        free(rewriter->scan);
        free(rewriter);
    }
}

static bool names_probe(const struct cf_ref *ref)
{
    return mb_text_is(ref->name, ABI_BEAT_ENTER) || mb_text_is(ref->name, ABI_BEAT_EXIT) ||
           mb_text_is(ref->name, ABI_BEAT_FOCUS);
}

/* Few classes name it, so that member references need a look in those only. */
static bool names_class(const struct cf_class *cls, struct mb_text name)
{
    const struct cf_pool *pool = &cls->pool;

    for (uint16_t index = 1; index < pool->count; index++) {
        bool is_class = pool->bytes[pool->offsets[index]] == CF_TAG_CLASS; /* at 0 is the magic */
        if (is_class && mb_text_equal(cf_pool_name(pool, index), name)) {
            return true;
        }
    }
    return false;
}

bool ins_is_instrumented(const struct cf_class *cls, struct mb_text beat_class)
{
    if (!names_class(cls, beat_class)) {
        return false;
    }
    for (uint16_t index = 1; index < cls->pool.count; index++) {
        struct cf_ref ref;
        if (cf_pool_tag(&cls->pool, index) == CF_TAG_METHODREF &&
            cf_pool_ref(&cls->pool, index, &ref) && mb_text_equal(ref.class_name, beat_class) &&
            names_probe(&ref)) {
            return true;
        }
    }
    return false;
}

/* --- what goes into one method --- */

static bool is_focus_method(const struct cf_class *cls, const struct cf_member *method)
{
    return mb_text_is(cf_member_name(cls, method), ABI_FOCUS_METHOD) &&
           mb_text_is(cf_member_descriptor(cls, method), ABI_FOCUS_DESC);
}

/* at(this, hasFocus) */
static struct ins_probe focus_call(const struct job *job)
{
    struct ins_probe probe = {{CF_OP_ALOAD_0, CF_OP_ILOAD_1, CF_OP_INVOKESTATIC}, 5};

    mb_set_u2(probe.bytes + 3, job->references.focus);
    return probe;
}

/* The insertions of one method; what they point to lives in its caller's frame and the arena. */
struct probes {
    struct ins_push push;
    struct ins_probe enter;
    struct ins_probe exit;
    struct ins_probe focus;
    uint8_t entry_bytes[3 * INS_MAX_PROBE_SIZE];
    uint8_t handler[INS_MAX_PROBE_SIZE + 1];
};

/* At entry: i, then at. */
static struct cf_insertion plan_entry(struct probes *probes)
{
    memcpy(probes->entry_bytes, probes->enter.bytes, probes->enter.size);
    memcpy(probes->entry_bytes + probes->enter.size, probes->focus.bytes, probes->focus.size);
    return (struct cf_insertion){
        .bytes = probes->entry_bytes,
        .size = (uint32_t)probes->enter.size + probes->focus.size,
    };
}

static bool is_exit(const struct job *job, uint8_t opcode)
{
    return opcode != CF_OP_ATHROW || job->rewriter->beat.exceptions == INS_EXCEPTIONS_MATRIX;
}

static enum mb_status plan_insertions(struct job *job, struct probes *probes, struct cf_edit *edit)
{
    const struct cf_scan *scan = edit->scan;
    struct cf_insertion *insertions =
        mb_arena_alloc(&job->rewriter->arena, (scan->exit_count + 1) * sizeof(*insertions));

    if (insertions == NULL) {
        return mb_fail_memory(job->err);
    }
    edit->insertions = insertions;
    insertions[edit->insertion_count++] = plan_entry(probes);
    for (size_t i = 0; probes->exit.size > 0 && i < scan->exit_count; i++) {
        uint32_t pc = scan->exits[i];
        if (pc == 0) { /* nothing but a return: one insertion holds both */
            memcpy(probes->entry_bytes + insertions[0].size, probes->exit.bytes, probes->exit.size);
            insertions[0].size += probes->exit.size;
        } else if (is_exit(job, edit->code->bytes[pc])) {
            insertions[edit->insertion_count++] = (struct cf_insertion){
                .bytes = probes->exit.bytes, .size = probes->exit.size, .pc = pc};
        }
    }
    return MB_OK;
}

static enum mb_status plan_handler(struct job *job, struct probes *probes, struct cf_edit *edit)
{
    MB_TRY(ins_cover(edit, &job->rewriter->arena, job->err));
    if (edit->covered_count > 0) {
        memcpy(probes->handler, probes->exit.bytes, probes->exit.size);
        probes->handler[probes->exit.size] = CF_OP_ATHROW;
        edit->handler = probes->handler;
        edit->handler_size = probes->exit.size + 1U;
        edit->handler_stack = probes->push.stack + 1U;
        edit->throwable_class = job->references.throwable;
        edit->stack_map_name = job->references.stack_map_name;
    }
    return MB_OK;
}

static enum mb_status rewrite_code(struct job *job, const struct cf_member *method, uint32_t id,
                                   bool calls_focus)
{
    struct ins_rewriter *rewriter = job->rewriter;
    struct cf_code code;
    struct probes probes; /* no bytes but those of its sizes are read */
    struct cf_edit edit = {.cls = job->cls,
                           .method = method,
                           .code = &code,
                           .scan = rewriter->scan,
                           .constants = &rewriter->constants,
                           .max_distance = rewriter->beat.max_distance};

    probes.enter.size = probes.exit.size = probes.focus.size = 0;
    MB_TRY(cf_code_parse(&code, job->cls, method, job->err));
    MB_TRY(cf_scan_code(rewriter->scan, &code, job->err));
    if (id != 0) {
        ins_push_id(&probes.push, &rewriter->constants, id);
        ins_probe_call(&probes.enter, &probes.push, job->references.enter);
        ins_probe_call(&probes.exit, &probes.push, job->references.exit);
        edit.extra_stack = probes.push.stack;
    }
    if (calls_focus) {
        probes.focus = focus_call(job);
        edit.extra_stack = 2;
    }
    MB_TRY(plan_insertions(job, &probes, &edit));
    if (id != 0 && rewriter->beat.exceptions == INS_EXCEPTIONS_FINALLY) {
        MB_TRY(plan_handler(job, &probes, &edit));
    }
    return cf_relocate(rewriter->relocator, &edit, &rewriter->methods, job->err);
}

/* --- the methods table --- */

static enum mb_status add_skip(struct job *job, uint16_t method, const char *reason)
{
    struct ins_rewriter *rewriter = job->rewriter;
    char *copy = mb_arena_copy(&rewriter->arena, reason, strlen(reason));

    if (copy == NULL) {
        return mb_fail_memory(job->err);
    }
    rewriter->skips[job->result->skip_count++] =
        (struct ins_skip){.method = method, .reason = copy};
    return MB_OK;
}

static bool is_limit(enum mb_status status)
{
    return status == MB_TOO_LARGE || status == MB_UNSUPPORTED;
}

static void copy_method(struct job *job, const struct cf_member *method)
{
    mb_buf_put(&job->rewriter->methods, job->cls->bytes + method->offset,
               method->end - method->offset);
}

/* The method with new code between its old other attributes; or as it was, with the reason. */
static enum mb_status write_method(struct job *job, uint16_t index, bool calls_focus)
{
    const struct cf_member *method = &job->cls->methods[index];
    struct mb_buf *out = &job->rewriter->methods;
    size_t start = out->size;
    uint32_t id = job->request->ids[index];
    struct mb_error limit; /* filled by who fails */

    mb_buf_put(out, job->cls->bytes + method->offset, method->code - method->offset);
    struct mb_error *caller_err = job->err;
    job->err = &limit;
    enum mb_status status = rewrite_code(job, method, id, calls_focus);
    job->err = caller_err;
    if (status == MB_OK) {
        uint32_t code_end = method->code + 6 + mb_get_u4(job->cls->bytes + method->code + 2);
        mb_buf_put(out, job->cls->bytes + code_end, method->end - code_end);
        job->result->probed_count += id != 0;
        job->result->is_changed = true;
        return MB_OK;
    }
    if (!is_limit(status)) {
        if (caller_err != NULL) {
            *caller_err = limit;
            cf_error_in_method(caller_err, job->cls, method);
        }
        return status;
    }
    out->size = start;
    copy_method(job, method);
    return add_skip(job, index, limit.reason);
}

/* public void onWindowFocusChanged(boolean): super's, then at. */
static void add_focus_method(struct job *job)
{
    const struct ins_references *references = &job->references;
    struct mb_buf *out = &job->rewriter->methods;
    struct ins_probe at = focus_call(job);
    uint8_t body[] = {CF_OP_ALOAD_0, CF_OP_ILOAD_1, CF_OP_INVOKESPECIAL, 0, 0};

    mb_set_u2(body + 3, references->override_super);
    mb_buf_put_u2(out, CF_ACC_PUBLIC);
    mb_buf_put_u2(out, references->override_name);
    mb_buf_put_u2(out, references->override_desc);
    mb_buf_put_u2(out, 1); /* attributes_count */
    mb_buf_put_u2(out, references->override_code);
    mb_buf_put_u4(out, (uint32_t)(8 + sizeof(body) + at.size + 1 + 4));
    mb_buf_put_u2(out, 2); /* max_stack */
    mb_buf_put_u2(out, 2); /* max_locals */
    mb_buf_put_u4(out, (uint32_t)(sizeof(body) + at.size + 1));
    mb_buf_put(out, body, sizeof(body));
    mb_buf_put(out, at.bytes, at.size);
    mb_buf_put_u1(out, CF_OP_RETURN);
    mb_buf_put_u4(out, 0); /* no handlers, no attributes */
}

static enum mb_status write_methods(struct job *job)
{
    const struct cf_class *cls = job->cls;

    for (uint16_t i = 0; i < cls->method_count; i++) {
        const struct cf_member *method = &cls->methods[i];
        bool calls_focus = job->request->focus == INS_FOCUS_ENTRY && is_focus_method(cls, method);
        if (method->code != 0 && (job->request->ids[i] != 0 || calls_focus)) {
            MB_TRY(write_method(job, i, calls_focus));
        } else {
            copy_method(job, method);
        }
    }
    return mb_buf_check(&job->rewriter->methods, job->err);
}

/* --- the class --- */

static void assemble(const struct job *job, uint32_t method_count, struct mb_buf *out)
{
    const struct cf_class *cls = job->cls;
    const struct cf_constants *constants = &job->rewriter->constants;
    size_t pool_offset = 10; /* behind magic, versions and constant_pool_count */

    (void)mb_buf_reserve(out, cls->size + constants->bytes.size + job->rewriter->methods.size);
    mb_buf_put(out, cls->bytes, pool_offset - 2);
    mb_buf_put_u2(out, constants->count);
    mb_buf_put(out, cls->bytes + pool_offset, cls->pool.end - pool_offset);
    mb_buf_put(out, constants->bytes.bytes, constants->bytes.size);
    mb_buf_put(out, cls->bytes + cls->pool.end, cls->methods_offset - cls->pool.end);
    mb_buf_put_u2(out, method_count);
    mb_buf_put(out, job->rewriter->methods.bytes, job->rewriter->methods.size);
    mb_buf_put(out, cls->bytes + cls->attributes_offset, cls->size - cls->attributes_offset);
}

/* Without a place for what all probes name no method can have one. */
static enum mb_status skip_all(struct job *job, const char *reason)
{
    for (uint16_t i = 0; i < job->cls->method_count; i++) {
        if (job->request->ids[i] != 0) {
            MB_TRY(add_skip(job, i, reason));
        }
    }
    return MB_OK;
}

static bool add_references(struct job *job)
{
    struct cf_constants *constants = &job->rewriter->constants;
    struct ins_references *references = &job->references;
    enum ins_focus focus = job->request->focus;

    return ins_references_add(references, constants, job->rewriter->beat.class_name) &&
           (focus == INS_FOCUS_NONE || ins_references_add_focus(references, constants)) &&
           (focus != INS_FOCUS_ADD ||
            ins_references_add_override(references, constants, job->cls->super_class));
}

static enum mb_status start(struct job *job)
{
    struct ins_rewriter *rewriter = job->rewriter;

    *job->result = (struct ins_result){0};
    mb_arena_reset(&rewriter->arena);
    mb_buf_reset(&rewriter->methods);
    cf_constants_start(&rewriter->constants, &job->cls->pool);
    rewriter->skips = MB_NEW_ARRAY(&rewriter->arena, struct ins_skip, job->cls->method_count);
    job->result->skips = rewriter->skips;
    return rewriter->skips != NULL ? MB_OK : mb_fail_memory(job->err);
}

enum mb_status ins_rewrite(struct ins_rewriter *rewriter, const struct ins_request *request,
                           struct mb_buf *out, struct ins_result *result, struct mb_error *err)
{
    struct job job = {.rewriter = rewriter,
                      .request = request,
                      .cls = request->cls,
                      .result = result,
                      .err = err};
    uint32_t method_count = request->cls->method_count;

    MB_TRY(start(&job));
    if (!add_references(&job)) {
        return skip_all(&job, POOL_REASON);
    }
    MB_TRY(write_methods(&job));
    if (request->focus == INS_FOCUS_ADD) {
        if (method_count++ == UINT16_MAX) {
            return mb_fail(err, MB_TOO_LARGE, MB_NO_OFFSET, "over 65535 methods");
        }
        add_focus_method(&job);
        result->is_changed = true;
    }
    if (!result->is_changed) {
        return MB_OK;
    }
    assemble(&job, method_count, out);
    MB_TRY(mb_buf_check(&rewriter->constants.bytes, err));
    return mb_buf_check(out, err);
}
