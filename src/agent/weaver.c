#include "agent/weaver.h"

#include "agent/boundary.h"
#include "agent/ids.h"
#include "agent/woven.h"
#include "classfile/names.h"
#include "classfile/opcode.h"
#include "recorder/method_names.h"
#include "rules/rule.h"
#include "weave/rewrite.h"

#include <stdatomic.h>
#include <stdlib.h>

static struct {
    _Atomic(struct rule_set *) rules;
    bool is_prepared;
    struct agent_ids ids;
    pthread_key_t scratch; /* struct scratch, of each thread that loads classes */
} weaver = {.ids = {.lock = PTHREAD_MUTEX_INITIALIZER}};

/* What a thread needs. */
struct scratch {
    struct mb_arena arena;
    struct weave_rewriter *rewriter;
    struct mb_buf lines;
};

static void free_scratch(void *place)
{
    struct scratch *scratch = place;

    weave_rewriter_destroy(scratch->rewriter);
    mb_arena_finish(&scratch->arena);
    mb_buf_finish(&scratch->lines);
    free(scratch);
}

static struct scratch *take_scratch(void)
{
    static const struct weave_beat beat = {.class_name = MB_TEXT_ROW(AGENT_BRIDGE),
                                           .exceptions = WEAVE_EXCEPTIONS_CATCH};
    struct scratch *scratch = pthread_getspecific(weaver.scratch);

    if (scratch == NULL) {
        scratch = calloc(1, sizeof(*scratch));
        if (scratch == NULL || pthread_setspecific(weaver.scratch, scratch) != 0) {
            free(scratch);
            return NULL;
        }
    }
    if (scratch->rewriter == NULL) {
        scratch->rewriter = weave_rewriter_create(&beat);
    }
    mb_arena_reset(&scratch->arena);
    mb_buf_reset(&scratch->lines);
    return scratch->rewriter != NULL ? scratch : NULL;
}

/* ---- Options ---- */

/* As a blacklist: all classes are left, but those that a name covers. */
static void put_focus(struct mb_buf *rules, struct mb_text focus)
{
    if (focus.size > 0) {
        mb_buf_put_string(rules, "-keepclass **\n");
    }
    while (focus.size > 0) {
        struct mb_text name = mb_text_split(&focus, ':');
        mb_buf_put_string(rules, "-traceclass ");
        mb_buf_put(rules, name.data, name.size);
        mb_buf_put_u1(rules, '\n');
    }
}

static enum mb_status open_rules(const struct agent_weaver_options *options, struct mb_error *err)
{
    struct mb_buf text = {0};
    const struct mb_text beat_class = MB_TEXT(ABI_BEAT_CLASS);

    put_focus(&text, options->focus);
    const struct rule_options rules = {
        .beat_class = beat_class,
        .blacklists = &options->blacklist,
        .blacklist_count = options->blacklist != NULL ? 1 : 0,
        .text = {(const char *)text.bytes, text.size},
        .text_name = "focus",
    };
    struct rule_set *set = NULL;
    enum mb_status status = text.failed ? mb_fail_memory(err) : rule_set_create(&set, &rules, err);
    mb_buf_finish(&text);
    if (status == MB_OK) {
        atomic_store(&weaver.rules, set); /* the one before stays: a thread may be reading it */
    }
    return status;
}

enum mb_status agent_weaver_open(const struct agent_weaver_options *options, struct mb_error *err)
{
    MB_TRY(open_rules(options, err));
    if (options->base_method_map != NULL) {
        MB_TRY(agent_ids_load(&weaver.ids, options->base_method_map, err));
    }
    if (weaver.is_prepared) {
        return MB_OK;
    }
    weaver.is_prepared = pthread_key_create(&weaver.scratch, free_scratch) == 0;
    return weaver.is_prepared ? MB_OK : mb_fail_memory(err);
}

/* ---- A class ---- */

struct visit {
    struct scratch *scratch;
    struct cf_class file;
    bool *is_traced; /* [method] */
    uint32_t *ids;   /* [method]; 0: not traced */
    size_t traced_count;
    size_t left_out; /* of these, whose code does not take probes */
};

static enum mb_status decide_methods(struct visit *visit, struct mb_error *err)
{
    const struct rule_class_input input = {
        .cls = &visit->file, .entry_name = visit->file.name, .original_name = visit->file.name};
    const struct rule_class rules = rule_decide_class(atomic_load(&weaver.rules), &input);

    for (uint16_t i = 0; i < visit->file.method_count; i++) {
        const struct cf_member *member = &visit->file.methods[i];
        struct cf_code code = {0};
        if (member->code != 0) {
            MB_TRY(cf_code_parse(&code, &visit->file, member, err));
        }
        const struct rule_method_input method = {member, member->code != 0 ? &code : NULL,
                                                 cf_member_name(&visit->file, member),
                                                 cf_member_descriptor(&visit->file, member)};
        visit->is_traced[i] = rule_decide_method(&rules, &method).verdict == RULE_TRACE;
        visit->traced_count += visit->is_traced[i];
    }
    return MB_OK;
}

static struct abi_method describe(const struct visit *visit, uint16_t number)
{
    const struct cf_member *member = &visit->file.methods[number];

    return (struct abi_method){.id = visit->ids[number],
                               .access = member->access_flags,
                               .class_name = visit->file.name,
                               .name = cf_member_name(&visit->file, member),
                               .descriptor = cf_member_descriptor(&visit->file, member)};
}

static void assign_ids(struct visit *visit)
{
    (void)pthread_mutex_lock(&weaver.ids.lock);
    for (uint16_t i = 0; i < visit->file.method_count; i++) {
        const struct abi_method method = describe(visit, i);
        visit->ids[i] = visit->is_traced[i] ? agent_ids_get(&weaver.ids, &method) : 0;
    }
    (void)pthread_mutex_unlock(&weaver.ids.lock);
}

/* Before the first probe of these methods can run. */
static enum mb_status publish_lines(const struct mb_buf *lines, struct mb_error *err)
{
    MB_TRY(mb_buf_check(lines, err));
    return lines->size == 0 || beat_names_add((const char *)lines->bytes, lines->size)
               ? MB_OK
               : mb_fail_memory(err);
}

static enum mb_status publish_names(const struct visit *visit, struct mb_error *err)
{
    struct mb_buf *lines = &visit->scratch->lines;

    (void)pthread_mutex_lock(&weaver.ids.lock);
    for (uint16_t i = 0; i < visit->file.method_count; i++) {
        if (visit->ids[i] != 0 && agent_ids_tell(&weaver.ids, visit->ids[i])) {
            const struct abi_method method = describe(visit, i);
            abi_methodmap_put_line(lines, &method);
        }
    }
    (void)pthread_mutex_unlock(&weaver.ids.lock);
    return publish_lines(lines, err);
}

static enum mb_status rewrite_class(struct visit *visit, struct mb_buf *out, struct mb_error *err)
{
    const bool *boundary = agent_boundary_of(&visit->file, &visit->scratch->arena);
    const struct weave_request request = {&visit->file, visit->ids, WEAVE_FOCUS_NONE, boundary};
    struct weave_result result;

    if (boundary == NULL) {
        return mb_fail_memory(err);
    }
    assign_ids(visit);
    MB_TRY(weave_rewrite(visit->scratch->rewriter, &request, out, &result, err));
    visit->left_out = result.skip_count;
    for (size_t i = 0; i < result.skip_count; i++) {
        visit->ids[result.skips[i].method] = 0;
    }
    return publish_names(visit, err);
}

static bool method_calls_bridge(const struct cf_class *file, const struct cf_code *code)
{
    uint32_t size;

    for (uint32_t pc = 0; pc < code->size; pc += size) {
        struct cf_ref ref;
        size = cf_insn_size(code->bytes, code->size, pc);
        if (size == 0) {
            return false;
        }
        if (cf_insn_opcode(code->bytes, pc) == CF_OP_INVOKESTATIC &&
            cf_pool_ref(&file->pool, cf_insn_pool_index(code->bytes, pc), &ref) &&
            mb_text_is(ref.class_name, AGENT_BRIDGE)) {
            return true;
        }
    }
    return false;
}

/* The pool alone does not tell: HotSpot keeps what it named before probes were taken out. */
static bool calls_bridge(const struct cf_class *file)
{
    bool is_named = weave_is_instrumented(file, MB_TEXT(AGENT_BRIDGE));

    for (uint16_t i = 0; is_named && i < file->method_count; i++) {
        struct cf_code code;
        if (file->methods[i].code != 0 &&
            cf_code_parse(&code, file, &file->methods[i], NULL) == MB_OK &&
            method_calls_bridge(file, &code)) {
            return true;
        }
    }
    return false;
}

static enum mb_status weave_plain(struct visit *visit, struct mb_buf *out, struct mb_error *err)
{
    struct mb_arena *arena = &visit->scratch->arena;
    size_t count = (size_t)visit->file.method_count + 1;

    visit->is_traced = MB_NEW_ARRAY(arena, bool, count);
    visit->ids = MB_NEW_ARRAY(arena, uint32_t, count);
    if (visit->is_traced == NULL || visit->ids == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(cf_class_check_names(&visit->file, err));
    MB_TRY(decide_methods(visit, err));
    return visit->traced_count > 0 ? rewrite_class(visit, out, err) : MB_OK;
}

/* Where its ids are not to be had, its probes give way to ours. */
static enum mb_status weave_woven(struct visit *visit, struct mb_buf *out, struct mb_error *err)
{
    struct cf_class *file = &visit->file;
    struct mb_arena *arena = &visit->scratch->arena;
    struct mb_buf *lines = &visit->scratch->lines;

    if (agent_woven_take(file, lines)) {
        MB_TRY(publish_lines(lines, err));
        return agent_woven_turn(file, out, err);
    }
    mb_buf_reset(lines);
    uint8_t *bytes = (uint8_t *)mb_arena_copy(arena, file->bytes, file->size);
    if (bytes == NULL) {
        return mb_fail_memory(err);
    }
    agent_woven_clear(file, bytes);
    MB_TRY(cf_class_parse(file, arena, bytes, file->size, err));
    return weave_plain(visit, out, err);
}

static enum mb_status weave_parsed(struct visit *visit, struct mb_buf *out, struct mb_error *err)
{
    if (weave_is_instrumented(&visit->file, MB_TEXT(ABI_BEAT_CLASS))) {
        return weave_woven(visit, out, err);
    }
    return calls_bridge(&visit->file) ? MB_OK : weave_plain(visit, out, err);
}

enum mb_status agent_weave(struct mb_text content, struct mb_buf *out, size_t *left_out,
                           struct mb_error *err)
{
    size_t start = out->size;

    *left_out = 0;
    struct visit visit = {.scratch = take_scratch()};

    if (visit.scratch == NULL) {
        return mb_fail_memory(err);
    }
    enum mb_status status = cf_class_parse(&visit.file, &visit.scratch->arena,
                                           (const uint8_t *)content.data, content.size, err);
    if (status == MB_OK) {
        status = weave_parsed(&visit, out, err);
    }
    if (status == MB_OK) {
        status = mb_buf_check(out, err);
    }
    out->size = status == MB_OK ? out->size : start;
    *left_out = visit.left_out;
    return status;
}
