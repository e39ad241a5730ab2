#include "agent/weaver.h"

#include "classfile/names.h"
#include "classfile/opcode.h"
#include "instrument/weave/rewrite.h"
#include "recorder/method_names.h"
#include "rules/boundary.h"
#include "rules/rule.h"
#include "sampler/ids.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct {
    _Atomic(struct rule_set *) rules;
    bool is_prepared;
    struct mb_strmap woven; /* names of classes that got probes; under the lock of ids */
    bool lacks_woven;       /* for want of memory: any class may have some */
    pthread_key_t scratch;  /* struct scratch, of each thread that loads classes */
} weaver;

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

    put_focus(&text, mb_text_of(options->focus != NULL ? options->focus : ""));
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
        MB_TRY(samp_ids_load(&samp_ids_all, options->base_method_map, err));
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
    bool has_callers_outside; /* classes left out may call it */
    struct agent_outcome outcome;
};

static enum mb_status decide_methods(struct visit *visit)
{
    const struct rule_class_input input = {
        .cls = &visit->file, .entry_name = visit->file.name, .original_name = visit->file.name};
    const struct rule_set *set = atomic_load(&weaver.rules);
    const struct rule_class rules = rule_decide_class(set, &input);

    visit->has_callers_outside = rule_set_leaves_classes(set);
    for (uint16_t i = 0; i < visit->file.method_count; i++) {
        const struct cf_member *member = &visit->file.methods[i];
        struct cf_code code = {0};
        if (member->code != 0) {
            MB_TRY(cf_code_parse(&code, &visit->file, member, NULL));
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

/* The first of its methods that get probes tells whether a class of this name was here before. */
static bool is_admitted(const struct visit *visit, uint32_t loader)
{
    uint16_t first = 0;

    while (!visit->is_traced[first]) {
        first++;
    }
    const struct abi_method method = describe(visit, first);
    return samp_ids_admit(&samp_ids_all, &method, loader);
}

static void assign_ids(struct visit *visit, uint32_t loader)
{
    (void)pthread_mutex_lock(&samp_ids_all.lock);
    visit->outcome.is_crowded = !is_admitted(visit, loader);
    for (uint16_t i = 0; !visit->outcome.is_crowded && i < visit->file.method_count; i++) {
        const struct abi_method method = describe(visit, i);
        visit->ids[i] = visit->is_traced[i] ? samp_ids_get(&samp_ids_all, &method) : 0;
        visit->outcome.lacks_ids |= visit->is_traced[i] && visit->ids[i] == 0;
    }
    (void)pthread_mutex_unlock(&samp_ids_all.lock);
}

/* Before the first probe of these methods can run. */
static enum mb_status publish_lines(const struct mb_buf *lines)
{
    MB_TRY(mb_buf_check(lines, NULL));
    return lines->size == 0 || beat_names_add((const char *)lines->bytes, lines->size)
               ? MB_OK
               : MB_NO_MEMORY;
}

static enum mb_status publish_names(const struct visit *visit)
{
    struct mb_buf *lines = &visit->scratch->lines;

    (void)pthread_mutex_lock(&samp_ids_all.lock);
    for (uint16_t i = 0; i < visit->file.method_count; i++) {
        if (visit->ids[i] != 0 && samp_ids_tell(&samp_ids_all, visit->ids[i])) {
            const struct abi_method method = describe(visit, i);
            abi_methodmap_put_line(lines, &method);
        }
    }
    (void)pthread_mutex_unlock(&samp_ids_all.lock);
    return publish_lines(lines);
}

/* Flags of the methods that code without probes may call: where classes are left out, those may
 * call all but the private ones. NULL without memory. */
static const bool *find_boundary(const struct visit *visit)
{
    struct mb_arena *arena = &visit->scratch->arena;
    const uint8_t *reasons = rule_boundaries_of(&visit->file, arena);
    bool *flags = MB_NEW_ARRAY(arena, bool, (size_t)visit->file.method_count + 1);

    if (reasons == NULL || flags == NULL) {
        return NULL;
    }
    for (uint16_t i = 0; i < visit->file.method_count; i++) {
        bool is_private = (visit->file.methods[i].access_flags & CF_ACC_PRIVATE) != 0;
        flags[i] = reasons[i] != RULE_BOUNDARY_NONE || (visit->has_callers_outside && !is_private);
    }
    return flags;
}

static enum mb_status rewrite_class(struct visit *visit, uint32_t loader, struct mb_buf *out)
{
    const bool *boundary = find_boundary(visit);
    const struct weave_request request = {&visit->file, visit->ids, WEAVE_FOCUS_NONE, boundary};
    struct weave_result result;

    if (boundary == NULL) {
        return MB_NO_MEMORY;
    }
    assign_ids(visit, loader);
    if (visit->outcome.is_crowded) {
        return MB_OK;
    }
    MB_TRY(weave_rewrite(visit->scratch->rewriter, &request, out, &result, NULL));
    visit->outcome.left_out = result.skip_count;
    for (size_t i = 0; i < result.skip_count; i++) {
        visit->ids[result.skips[i].method] = 0;
    }
    return publish_names(visit);
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

/* Classes that the JDK makes while the program runs: those of java.lang.reflect.Proxy, and, of
 * which 8 shows the hook class files without a name, those of lambdas. */
static bool is_made_by_jdk(const struct cf_class *file, bool is_nameless)
{
    const uint16_t made = CF_ACC_FINAL | CF_ACC_SYNTHETIC;

    return mb_text_is(file->super_name, "java/lang/reflect/Proxy") ||
           (is_nameless && (file->access_flags & made) == made &&
            memmem(file->name.data, file->name.size, "$$Lambda$", 9) != NULL);
}

static enum mb_status weave_plain(struct visit *visit, uint32_t loader, struct mb_buf *out)
{
    struct mb_arena *arena = &visit->scratch->arena;
    size_t count = (size_t)visit->file.method_count + 1;

    visit->is_traced = MB_NEW_ARRAY(arena, bool, count);
    visit->ids = MB_NEW_ARRAY(arena, uint32_t, count);
    if (visit->is_traced == NULL || visit->ids == NULL) {
        return MB_NO_MEMORY;
    }
    MB_TRY(cf_class_check_names(&visit->file, NULL));
    MB_TRY(decide_methods(visit));
    return visit->traced_count > 0 ? rewrite_class(visit, loader, out) : MB_OK;
}

/* One whose pool is full goes in as it is: its probes record where its loader finds MethodBeat. */
static enum mb_status turn_woven(struct visit *visit, struct mb_buf *out)
{
    enum mb_status status = agent_woven_turn(&visit->file, out, NULL);

    visit->outcome.has_own = status == MB_TOO_LARGE;
    return visit->outcome.has_own ? MB_OK : status;
}

/* Without memory, its samples get an id of their own. */
static void keep_id(void *ids, const struct abi_method *method)
{
    (void)samp_ids_keep(ids, method);
}

/* Where its ids are not to be had, its probes give way to ours. */
static enum mb_status weave_woven(struct visit *visit, uint32_t loader, struct mb_buf *out)
{
    struct cf_class *file = &visit->file;
    struct mb_arena *arena = &visit->scratch->arena;
    struct mb_buf *lines = &visit->scratch->lines;

    if (agent_woven_take(file, lines)) {
        MB_TRY(publish_lines(lines));
        (void)pthread_mutex_lock(&samp_ids_all.lock);
        agent_woven_visit(file, keep_id, &samp_ids_all);
        (void)pthread_mutex_unlock(&samp_ids_all.lock);
        return turn_woven(visit, out);
    }
    mb_buf_reset(lines);
    uint8_t *bytes = (uint8_t *)mb_arena_copy(arena, file->bytes, file->size);
    if (bytes == NULL) {
        return MB_NO_MEMORY;
    }
    agent_woven_clear(file, bytes);
    MB_TRY(cf_class_parse(file, arena, bytes, file->size, NULL));
    return weave_plain(visit, loader, out);
}

static enum mb_status weave_parsed(struct visit *visit, const struct agent_arrival *arrival,
                                   struct mb_buf *out)
{
    if (weave_is_instrumented(&visit->file, MB_TEXT(ABI_BEAT_CLASS))) {
        return weave_woven(visit, arrival->loader, out);
    }
    return is_made_by_jdk(&visit->file, arrival->is_nameless) || calls_bridge(&visit->file)
               ? MB_OK
               : weave_plain(visit, arrival->loader, out);
}

static void note_woven(struct mb_text name)
{
    (void)pthread_mutex_lock(&samp_ids_all.lock);
    void **slot = mb_strmap_slot(&weaver.woven, name.data, name.size);
    if (slot != NULL) {
        *slot = &weaver;
    }
    weaver.lacks_woven = weaver.lacks_woven || slot == NULL;
    (void)pthread_mutex_unlock(&samp_ids_all.lock);
}

bool agent_weaver_has_woven(struct mb_text class_name)
{
    (void)pthread_mutex_lock(&samp_ids_all.lock);
    bool has = weaver.lacks_woven ||
               mb_strmap_find(&weaver.woven, class_name.data, class_name.size) != NULL;
    (void)pthread_mutex_unlock(&samp_ids_all.lock);
    return has;
}

void agent_weaver_forget_woven(void)
{
    (void)pthread_mutex_lock(&samp_ids_all.lock);
    mb_strmap_finish(&weaver.woven);
    weaver.woven = (struct mb_strmap){0};
    weaver.lacks_woven = false;
    (void)pthread_mutex_unlock(&samp_ids_all.lock);
}

struct agent_outcome agent_weave(const struct agent_arrival *arrival, struct mb_buf *out)
{
    const uint8_t *bytes = (const uint8_t *)arrival->content.data;
    size_t start = out->size;
    struct visit visit = {.scratch = take_scratch()};
    enum mb_status status =
        visit.scratch != NULL
            ? cf_class_parse(&visit.file, &visit.scratch->arena, bytes, arrival->content.size, NULL)
            : MB_NO_MEMORY;

    if (status == MB_OK) {
        status = weave_parsed(&visit, arrival, out);
    }
    if (status == MB_OK) {
        status = mb_buf_check(out, NULL);
    }
    out->size = status == MB_OK ? out->size : start;
    visit.outcome.status = status;
    visit.outcome.has_probes = out->size > start;
    if (visit.outcome.has_probes) {
        note_woven(visit.file.name);
    }
    return visit.outcome;
}

bool agent_weaver_wants(struct mb_text class_name)
{
    const struct cf_class unread = {.name = class_name};
    const struct rule_class_input input = {
        .cls = &unread, .entry_name = class_name, .original_name = class_name};
    const struct rule_class rules = rule_decide_class(atomic_load(&weaver.rules), &input);

    return !rules.is_blocked || rules.has_method_rules;
}
