#include "instrument/weave/rewrite.h"

#include "abi/names.h"
#include "classfile/constants.h"
#include "classfile/opcode.h"
#include "classfile/relocate.h"
#include "instrument/weave/cover.h"
#include "instrument/weave/probe.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define POOL_REASON "constant pool over 65535 entries"

struct weave_rewriter {
    struct weave_beat beat;
    struct mb_arena arena; /* reset for each class */
    struct mb_buf methods; /* the new methods table, without its count */
    struct cf_constants constants;
    struct cf_relocator *relocator;
    struct cf_scan *scan;
    struct weave_skip *skips; /* in the arena, one place per method */
    bool *lock_gaps;          /* in the arena, one place per method */
};

/* One class on its way. */
struct job {
    struct weave_rewriter *rewriter;
    const struct weave_request *request;
    const struct cf_class *cls;
    struct weave_references references;
    struct weave_result *result;
    struct mb_error *err;
};

struct weave_rewriter *weave_rewriter_create(const struct weave_beat *beat)
{
    struct weave_rewriter *rewriter = calloc(1, sizeof(*rewriter));

    if (rewriter == NULL) {
        return NULL;
    }
    rewriter->beat = *beat;
    rewriter->relocator = cf_relocator_create();
    rewriter->scan = malloc(sizeof(*rewriter->scan));
    if (rewriter->relocator == NULL || rewriter->scan == NULL) {
        weave_rewriter_destroy(rewriter);
        return NULL;
    }
    return rewriter;
}

void weave_rewriter_destroy(struct weave_rewriter *rewriter)
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
           mb_text_is(ref->name, ABI_BEAT_CATCH) || mb_text_is(ref->name, ABI_BEAT_FOCUS);
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

bool weave_is_instrumented(const struct cf_class *cls, struct mb_text beat_class)
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

/* --- insertions of one method --- */

static bool is_focus_method(const struct cf_class *cls, const struct cf_member *method)
{
    return mb_text_is(cf_member_name(cls, method), ABI_FOCUS_METHOD) &&
           mb_text_is(cf_member_descriptor(cls, method), ABI_FOCUS_DESC);
}

/* at(this, hasFocus) */
static struct weave_probe focus_call(const struct job *job)
{
    struct weave_probe probe = {{CF_OP_ALOAD_0, CF_OP_ILOAD_1, CF_OP_INVOKESTATIC}, 5};

    mb_set_u2(probe.bytes + 3, job->references.focus);
    return probe;
}

/* The insertions of one method; they point into the caller's frame and the arena. */
struct probes {
    struct weave_push push;
    struct weave_probe enter;
    struct weave_probe exit;
    struct weave_probe focus;
    struct weave_probe caught;
    uint8_t caught_exit[2 * WEAVE_MAX_PROBE_SIZE]; /* where a handler is a single return */
    uint8_t entry_bytes[3 * WEAVE_MAX_PROBE_SIZE];
    uint8_t handler[2 * WEAVE_MAX_PROBE_SIZE];
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
    return opcode != CF_OP_ATHROW || job->rewriter->beat.exceptions == WEAVE_EXCEPTIONS_MATRIX;
}

/* At an instruction that is an exit, begins a handler, or both; of no size if it gets no probe. */
static struct cf_insertion plan_place(struct probes *probes, uint16_t pc, bool is_handler,
                                      bool gets_exit)
{
    const struct weave_probe *caught = &probes->caught;
    const struct weave_probe *exit = &probes->exit;

    if (!is_handler) {
        return (struct cf_insertion){exit->bytes, gets_exit ? exit->size : 0, pc};
    }
    if (!gets_exit) {
        return (struct cf_insertion){caught->bytes, caught->size, pc};
    }
    memcpy(probes->caught_exit, caught->bytes, caught->size);
    memcpy(probes->caught_exit + caught->size, exit->bytes, exit->size);
    return (struct cf_insertion){probes->caught_exit, (uint32_t)caught->size + exit->size, pc};
}

/* Exits and handlers, in the order of the code. */
static void plan_places(struct job *job, struct probes *probes, struct cf_edit *edit,
                        const struct weave_handlers *handlers, struct cf_insertion *insertions)
{
    const struct cf_scan *scan = edit->scan;
    size_t h = 0;

    for (size_t e = 0; e < scan->exit_count || h < handlers->count;) {
        bool has_exit =
            e < scan->exit_count && (h == handlers->count || scan->exits[e] <= handlers->pcs[h]);
        bool has_handler =
            h < handlers->count && (e == scan->exit_count || handlers->pcs[h] <= scan->exits[e]);
        uint16_t pc = has_exit ? scan->exits[e] : handlers->pcs[h];
        bool gets_exit = has_exit && is_exit(job, edit->code->bytes[pc]);
        e += has_exit;
        h += has_handler;
        if (pc == 0) { /* a single return: one insertion holds both */
            memcpy(probes->entry_bytes + insertions[0].size, probes->exit.bytes,
                   gets_exit ? probes->exit.size : 0);
            insertions[0].size += gets_exit ? probes->exit.size : 0;
            continue;
        }
        insertions[edit->insertion_count] = plan_place(probes, pc, has_handler, gets_exit);
        edit->insertion_count += insertions[edit->insertion_count].size > 0;
    }
}

static enum mb_status plan_insertions(struct job *job, struct probes *probes, struct cf_edit *edit)
{
    struct weave_handlers handlers = {0};

    if (probes->caught.size > 0) {
        MB_TRY(weave_handlers_find(&handlers, edit->code, &job->rewriter->arena, job->err));
    }
    struct cf_insertion *insertions = mb_arena_alloc(
        &job->rewriter->arena, (edit->scan->exit_count + handlers.count + 1) * sizeof(*insertions));
    if (insertions == NULL) {
        return mb_fail_memory(job->err);
    }
    edit->insertions = insertions;
    insertions[edit->insertion_count++] = plan_entry(probes);
    if (probes->exit.size > 0) {
        plan_places(job, probes, edit, &handlers, insertions);
    }
    return MB_OK;
}

/* In the catch-any handler, c before o shows that the calls inside ended here too: o alone would
 * look like a return from a method that went on after code without probes had caught. */
static enum mb_status plan_handler(struct job *job, struct probes *probes, struct cf_edit *edit,
                                   bool *has_lock_gaps)
{
    MB_TRY(weave_cover(edit, has_lock_gaps, &job->rewriter->arena, job->err));
    if (edit->covered_count > 0) {
        uint32_t size = weave_may_hold_calls(job->cls, edit->code) ? probes->caught.size : 0;
        memcpy(probes->handler, probes->caught.bytes, size);
        memcpy(probes->handler + size, probes->exit.bytes, probes->exit.size);
        size += probes->exit.size;
        probes->handler[size++] = CF_OP_ATHROW;
        edit->handler = probes->handler;
        edit->handler_size = size;
        edit->handler_stack = probes->push.stack + 1U;
        edit->throwable_class = job->references.throwable;
        edit->stack_map_name = job->references.stack_map_name;
    }
    return MB_OK;
}

/* True if an exception that leaves the method is its exit too. */
static bool wants_handler(const struct job *job, uint16_t method)
{
    switch (job->rewriter->beat.exceptions) {
    case WEAVE_EXCEPTIONS_FINALLY:
        return true;
    case WEAVE_EXCEPTIONS_CATCH:
        return job->request->boundary != NULL && job->request->boundary[method];
    case WEAVE_EXCEPTIONS_RETURNS:
    case WEAVE_EXCEPTIONS_MATRIX:
        break;
    }
    return false;
}

/* Activities, which HotSpot never runs, report their focus whatever it takes. */
static uint16_t max_size(const struct job *job, const struct cf_code *code, bool calls_focus)
{
    bool may_grow = job->rewriter->beat.grows_huge || code->size > WEAVE_HUGE_SIZE || calls_focus;

    return may_grow ? CF_MAX_CODE_SIZE : WEAVE_HUGE_SIZE;
}

static enum mb_status rewrite_code(struct job *job, uint16_t index, bool calls_focus,
                                   bool adds_handler)
{
    const struct cf_member *method = &job->cls->methods[index];
    uint32_t id = job->request->ids[index];
    struct weave_rewriter *rewriter = job->rewriter;
    struct cf_code code;
    struct probes probes; /* only the bytes of its sizes are read */
    struct cf_edit edit = {.cls = job->cls,
                           .method = method,
                           .code = &code,
                           .scan = rewriter->scan,
                           .max_distance = rewriter->beat.max_distance};

    probes.enter.size = probes.exit.size = probes.focus.size = probes.caught.size = 0;
    MB_TRY(cf_code_parse(&code, job->cls, method, job->err));
    MB_TRY(cf_scan_code(rewriter->scan, &code, job->err));
    edit.max_size = max_size(job, &code, calls_focus);
    if (id != 0) {
        weave_push_id(&probes.push, &rewriter->constants, id);
        weave_probe_call(&probes.enter, &probes.push, job->references.enter);
        weave_probe_call(&probes.exit, &probes.push, job->references.exit);
        if (rewriter->beat.exceptions == WEAVE_EXCEPTIONS_CATCH) {
            weave_probe_call(&probes.caught, &probes.push, job->references.caught);
        }
        edit.extra_stack = probes.push.stack;
    }
    if (calls_focus) {
        probes.focus = focus_call(job);
        edit.extra_stack = 2;
    }
    MB_TRY(plan_insertions(job, &probes, &edit));
    if (id != 0 && adds_handler) {
        MB_TRY(plan_handler(job, &probes, &edit, &rewriter->lock_gaps[index]));
    }
    return cf_relocate(rewriter->relocator, &edit, &rewriter->methods, job->err);
}

/* --- the methods table --- */

static enum mb_status add_skip(struct job *job, uint16_t method, const char *reason,
                               bool calls_focus)
{
    struct weave_rewriter *rewriter = job->rewriter;
    char *copy = mb_arena_copy(&rewriter->arena, reason, strlen(reason));

    if (copy == NULL) {
        return mb_fail_memory(job->err);
    }
    if (job->request->ids[method] != 0) {
        rewriter->skips[job->result->skip_count++] =
            (struct weave_skip){.method = method, .reason = copy};
    }
    if (calls_focus) {
        job->result->focus_skip = copy;
    }
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

/* The boundary's handler is given up before the probes are. */
static enum mb_status probe_method(struct job *job, uint16_t index, bool calls_focus)
{
    struct mb_buf *out = &job->rewriter->methods;
    size_t start = out->size;
    bool adds_handler = wants_handler(job, index);
    enum mb_status status = rewrite_code(job, index, calls_focus, adds_handler);

    if (is_limit(status) && adds_handler &&
        job->rewriter->beat.exceptions == WEAVE_EXCEPTIONS_CATCH) {
        job->rewriter->lock_gaps[index] = false;
        out->size = start;
        status = rewrite_code(job, index, calls_focus, false);
    }
    return status;
}

/* The method with new code between its old other attributes; or as it was, with the reason. */
static enum mb_status write_method(struct job *job, uint16_t index, bool calls_focus)
{
    const struct cf_member *method = &job->cls->methods[index];
    struct mb_buf *out = &job->rewriter->methods;
    size_t start = out->size;
    struct mb_error limit; /* filled by the failing function */

    mb_buf_put(out, job->cls->bytes + method->offset, method->code - method->offset);
    struct mb_error *caller_err = job->err;
    job->err = &limit;
    enum mb_status status = probe_method(job, index, calls_focus);
    job->err = caller_err;
    if (status == MB_OK) {
        uint32_t code_end = method->code + 6 + mb_get_u4(job->cls->bytes + method->code + 2);
        mb_buf_put(out, job->cls->bytes + code_end, method->end - code_end);
        job->result->probed_count += job->request->ids[index] != 0;
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
    return add_skip(job, index, limit.reason, calls_focus);
}

/* public void onWindowFocusChanged(boolean): super's, then at. */
static void add_focus_method(struct job *job)
{
    const struct weave_references *references = &job->references;
    struct mb_buf *out = &job->rewriter->methods;
    struct weave_probe at = focus_call(job);
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
        bool calls_focus = job->request->focus == WEAVE_FOCUS_ENTRY && is_focus_method(cls, method);
        if (method->code != 0 && (job->request->ids[i] != 0 || calls_focus)) {
            MB_TRY(write_method(job, i, calls_focus));
        } else {
            copy_method(job, method);
        }
    }
    return mb_buf_check(&job->rewriter->methods, job->err);
}

/* --- the class --- */

static void assemble_class(const struct job *job, uint32_t method_count, struct mb_buf *out)
{
    const struct cf_class *cls = job->cls;
    const struct cf_constants *constants = &job->rewriter->constants;
    size_t pool_offset = 10; /* after magic, versions and constant_pool_count */

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

/* If the pool has no room for the entries of probes, no method can have one. */
static enum mb_status skip_all(struct job *job, const char *reason)
{
    for (uint16_t i = 0; i < job->cls->method_count; i++) {
        if (job->request->ids[i] != 0) {
            MB_TRY(add_skip(job, i, reason, false));
        }
    }
    if (job->request->focus != WEAVE_FOCUS_NONE) {
        job->result->focus_skip = reason;
    }
    return MB_OK;
}

static bool add_references(struct job *job)
{
    struct cf_constants *constants = &job->rewriter->constants;
    struct weave_references *references = &job->references;
    enum weave_focus focus = job->request->focus;

    bool catches = job->rewriter->beat.exceptions == WEAVE_EXCEPTIONS_CATCH;

    return weave_references_add(references, constants, job->rewriter->beat.class_name) &&
           (!catches || weave_references_add_catch(references, constants)) &&
           (focus == WEAVE_FOCUS_NONE || weave_references_add_focus(references, constants)) &&
           (focus != WEAVE_FOCUS_ADD ||
            weave_references_add_override(references, constants, job->cls->super_class));
}

static enum mb_status begin_class(struct job *job)
{
    struct weave_rewriter *rewriter = job->rewriter;

    *job->result = (struct weave_result){0};
    mb_arena_reset(&rewriter->arena);
    mb_buf_reset(&rewriter->methods);
    cf_constants_start(&rewriter->constants, &job->cls->pool);
    rewriter->skips = MB_NEW_ARRAY(&rewriter->arena, struct weave_skip, job->cls->method_count);
    rewriter->lock_gaps = MB_NEW_ARRAY(&rewriter->arena, bool, job->cls->method_count);
    job->result->skips = rewriter->skips;
    job->result->lock_gaps = rewriter->lock_gaps;
    return rewriter->skips != NULL && rewriter->lock_gaps != NULL ? MB_OK
                                                                  : mb_fail_memory(job->err);
}

enum mb_status weave_rewrite(struct weave_rewriter *rewriter, const struct weave_request *request,
                             struct mb_buf *out, struct weave_result *result, struct mb_error *err)
{
    struct job job = {.rewriter = rewriter,
                      .request = request,
                      .cls = request->cls,
                      .result = result,
                      .err = err};
    uint32_t method_count = request->cls->method_count;

    MB_TRY(begin_class(&job));
    if (!add_references(&job)) {
        return skip_all(&job, POOL_REASON);
    }
    MB_TRY(write_methods(&job));
    if (request->focus == WEAVE_FOCUS_ADD && method_count == UINT16_MAX) {
        result->focus_skip = "over 65535 methods";
    } else if (request->focus == WEAVE_FOCUS_ADD) {
        add_focus_method(&job);
        method_count++;
        result->is_changed = true;
    }
    if (!result->is_changed) {
        return MB_OK;
    }
    assemble_class(&job, method_count, out);
    MB_TRY(mb_buf_check(&rewriter->constants.bytes, err));
    return mb_buf_check(out, err);
}
