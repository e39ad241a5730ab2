#include "instrument/plan/collect.h"

#include "abi/names.h"
#include "base/interrupt.h"
#include "classfile/names.h"
#include "instrument/plan/crew.h"

#include <string.h>

/* One class while it is looked at. */
struct class_visit {
    const struct plan_collect_request *request;
    const struct plan_source *source;
    struct plan_scratch *scratch;
    struct plan_class *cls; /* the names to keep */
    struct plan_content content;
    struct cf_class file;
    struct rule_class rules;
    const struct rule_class_names *originals; /* NULL without a mapping */
    const uint8_t *boundaries;                /* NULL where no mode asks */
};

static enum mb_status keep_text(const struct class_visit *visit, struct mb_text text,
                                uint32_t *name, struct mb_error *err)
{
    *name = mb_intern_add(visit->request->names, text);
    return *name != MB_INTERN_NONE ? MB_OK : mb_fail_memory(err);
}

/* The rule's name, then after a line feed the blacklist line that it stands on. */
static enum mb_status keep_rule(const struct class_visit *visit,
                                const struct rule_decision *decision, uint32_t *name,
                                struct mb_error *err)
{
    char text[512];
    size_t size = strlen(decision->rule);

    memcpy(text, decision->rule, size);
    if (decision->source != NULL) {
        size_t source_size = strlen(decision->source);
        size_t room = sizeof(text) - size - 1;
        source_size = source_size < room ? source_size : room;
        text[size++] = '\n';
        memcpy(text + size, decision->source, source_size);
        size += source_size;
    }
    return keep_text(visit, (struct mb_text){text, size}, name, err);
}

static enum mb_status decide_method(struct class_visit *visit, const struct cf_member *member,
                                    const struct cf_code *code, struct rule_decision *decision,
                                    struct mb_error *err)
{
    struct rule_original original = {
        .class_name = visit->file.name,
        .name = cf_member_name(&visit->file, member),
        .descriptor = cf_member_descriptor(&visit->file, member),
    };

    if (visit->originals != NULL) {
        struct rule_original obfuscated = original;
        MB_TRY(rule_mapping_method(visit->originals, &obfuscated, &original, err));
    }
    struct rule_method_input input = {member, code, original.name, original.descriptor};
    *decision = rule_decide_method(&visit->rules, &input);
    return MB_OK;
}

static enum mb_status collect_method(struct class_visit *visit, const struct cf_member *member,
                                     struct plan_method *method, struct mb_error *err)
{
    bool explains = visit->request->keeps_rules;
    struct rule_decision decision;
    struct cf_code code = {0};

    MB_TRY(mb_check_interrupt(err));
    if (member->code != 0) {
        MB_TRY(cf_code_parse(&code, &visit->file, member, err));
    }
    MB_TRY(decide_method(visit, member, member->code != 0 ? &code : NULL, &decision, err));
    method->verdict = (uint8_t)decision.verdict;
    method->access_flags = member->access_flags;
    method->code_size = (uint16_t)code.size;
    method->is_deprecated = member->is_deprecated;
    if (decision.verdict == RULE_TRACE) {
        visit->cls->traced_count++;
        method->boundary =
            visit->boundaries != NULL ? visit->boundaries[member - visit->file.methods] : 0;
    }
    if (explains) {
        MB_TRY(keep_rule(visit, &decision, &method->rule, err));
    }
    if (decision.verdict == RULE_SKIP && !explains) {
        return MB_OK;
    }
    method->name = visit->file.pool.offsets[member->name_index] + 1;
    method->descriptor = visit->file.pool.offsets[member->descriptor_index] + 1;
    return MB_OK;
}

static enum mb_status collect_methods(struct class_visit *visit, struct mb_error *err)
{
    struct plan_class *cls = visit->cls;

    cls->methods =
        MB_NEW_ARRAY(&visit->scratch->run_arena, struct plan_method, visit->file.method_count);
    if (cls->methods == NULL) {
        return mb_fail_memory(err);
    }
    cls->method_count = visit->file.method_count;
    if (visit->request->calls_catch) {
        visit->boundaries = rule_boundaries_of(&visit->file, &visit->scratch->arena);
        MB_TRY(visit->boundaries != NULL ? MB_OK : mb_fail_memory(err));
    }
    for (uint16_t i = 0; i < cls->method_count; i++) {
        MB_TRY(collect_method(visit, &visit->file.methods[i], &cls->methods[i], err));
    }
    return MB_OK;
}

/* Upstream's rules look at the entry's name: in a folder, the file name. */
static struct mb_text name_for_rules(const struct ar_input *archive, const struct ar_entry *entry)
{
    struct mb_text name = entry->name;

    if (ar_input_kind(archive) == AR_INPUT_FOLDER) {
        while (memchr(name.data, '/', name.size) != NULL) {
            (void)mb_text_split(&name, '/');
        }
    }
    return name;
}

static enum mb_status collect_names(struct class_visit *visit, struct mb_text *original,
                                    struct mb_error *err)
{
    const struct rule_mapping *mapping = visit->request->mapping;
    struct plan_class *cls = visit->cls;

    *original = rule_mapping_class(mapping, visit->file.name);
    MB_TRY(keep_text(visit, visit->file.name, &cls->name, err));
    cls->original_name = cls->name;
    if (mapping != NULL) {
        MB_TRY(keep_text(visit, *original, &cls->original_name, err));
    }
    MB_TRY(keep_text(visit, visit->file.super_name, &cls->super_name, err));
    return rule_mapping_open(mapping, visit->file.name, &visit->scratch->arena, &visit->originals,
                             err);
}

static bool has_probe(const struct cf_class *file, const char *name)
{
    for (uint16_t i = 0; i < file->method_count; i++) {
        const struct cf_member *method = &file->methods[i];
        if ((method->access_flags & CF_ACC_STATIC) != 0 &&
            mb_text_is(cf_member_name(file, method), name) &&
            mb_text_is(cf_member_descriptor(file, method), ABI_BEAT_PROBE_DESC)) {
            return true;
        }
    }
    return false;
}

/* The recorder may be among the inputs. A class that is not a recorder would end the program at its
 * first probe. */
static enum mb_status check_beat(const struct class_visit *visit, struct mb_error *err)
{
    const struct cf_class *file = &visit->file;

    if (!mb_text_equal(file->name, visit->request->beat_class)) {
        return MB_OK;
    }
    if (!has_probe(file, ABI_BEAT_ENTER) || !has_probe(file, ABI_BEAT_EXIT)) {
        (void)mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET,
                      "the beat class has no static methods i(int) and o(int)");
    } else if (visit->request->calls_catch && !has_probe(file, ABI_BEAT_CATCH)) {
        (void)mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET,
                      "the beat class has no static method c(int): give --exceptions=finally");
    } else {
        return MB_OK;
    }
    mb_error_in_class(err, file->name.data, file->name.size);
    mb_error_in_input(err, ar_input_path(visit->source->archive));
    return MB_BAD_USAGE;
}

static enum mb_status collect_parsed(struct class_visit *visit, struct mb_error *err)
{
    const struct ar_input *archive = visit->source->archive;
    struct plan_class *cls = visit->cls;
    struct mb_text original;

    MB_TRY(check_beat(visit, err));

    cls->access_flags = visit->file.access_flags;
    cls->focus_method = (uint8_t)rule_class_fact_of(&visit->file).focus_method;
    cls->has_hashes = (cls->access_flags & CF_ACC_MODULE) != 0 &&
                      cf_class_has(&visit->file, CF_ATTRIBUTE_ModuleHashes);
    cls->is_instrumented = weave_is_instrumented(&visit->file, visit->request->beat_class);
    MB_TRY(collect_names(visit, &original, err));
    struct rule_class_input input = {
        .cls = &visit->file,
        .entry_name = name_for_rules(archive, ar_input_entry(archive, cls->entry)),
        .original_name = original,
    };
    visit->rules = rule_decide_class(visit->request->rules, &input);
    cls->is_blocked = visit->rules.is_blocked;
    if (!cls->is_instrumented) {
        MB_TRY(collect_methods(visit, err));
    }
    if (visit->request->calls_catch) {
        MB_TRY(plan_links_collect(cls, &visit->file, visit->request->names, err));
    }
    cls->is_readable = true;
    return MB_OK;
}

/* Tells copies apart. Folders know no checksum. */
static uint32_t content_hash(const struct class_visit *visit)
{
    const struct ar_input *archive = visit->source->archive;
    bool is_known = ar_input_kind(archive) == AR_INPUT_JAR && !visit->request->hashes_content;

    return is_known ? ar_input_entry(archive, visit->cls->entry)->crc32
                    : (uint32_t)mb_text_hash(visit->content.bytes);
}

#define METHODS_AT_ONCE (MB_INTERN_AT_ONCE / 2)

/* Methods from first on, as many as go at once; where the next begin. */
static uint16_t intern_some(struct class_visit *visit, uint16_t first, bool *is_done)
{
    struct plan_class *cls = visit->cls;
    struct plan_method *methods[METHODS_AT_ONCE];
    struct mb_text texts[MB_INTERN_AT_ONCE];
    uint32_t numbers[MB_INTERN_AT_ONCE];
    size_t count = 0;
    uint16_t next = first;

    for (; next < cls->method_count && count < METHODS_AT_ONCE; next++) {
        const struct cf_member *member = &visit->file.methods[next];
        if (cls->methods[next].name != MB_INTERN_NONE) {
            texts[2 * count] = cf_member_name(&visit->file, member);
            texts[2 * count + 1] = cf_member_descriptor(&visit->file, member);
            methods[count++] = &cls->methods[next];
        }
    }
    *is_done = mb_intern_add_all(visit->request->names, texts, 2 * count, numbers);
    for (size_t i = 0; *is_done && i < count; i++) {
        methods[i]->name = numbers[2 * i];
        methods[i]->descriptor = numbers[2 * i + 1];
    }
    return next;
}

static enum mb_status intern_texts(struct class_visit *visit, struct mb_error *err)
{
    bool is_done = true;

    for (uint16_t next = 0; next < visit->cls->method_count && is_done;) {
        next = intern_some(visit, next, &is_done);
    }
    return is_done ? MB_OK : mb_fail_memory(err);
}

/* Pass 2 reads changed classes again, and for a folder all, to compare. While the bytes stay, names
 * are read from them instead of being looked up among a million others. */
static enum mb_status keep_class(struct class_visit *visit, struct mb_error *err)
{
    const struct plan_collect_request *request = visit->request;
    struct plan_class *cls = visit->cls;
    bool is_folder = ar_input_kind(visit->source->archive) == AR_INPUT_FOLDER;

    if (cls->traced_count > 0 || is_folder) {
        bool stays = plan_content_keep(request->contents, cls, visit->scratch, &visit->content);
        cls->names_in_content = stays && !request->interns_all_names;
    }
    return cls->names_in_content ? MB_OK : intern_texts(visit, err);
}

static enum mb_status collect_content(struct class_visit *visit, struct mb_error *err)
{
    struct mb_text bytes = visit->content.bytes;

    mb_arena_reset(&visit->scratch->arena);
    MB_TRY(cf_class_parse(&visit->file, &visit->scratch->arena, (const uint8_t *)bytes.data,
                          bytes.size, err));
    MB_TRY(cf_class_check_names(&visit->file, err));
    MB_TRY(collect_parsed(visit, err));
    return keep_class(visit, err);
}

static enum mb_status collect_class(const struct plan_collect_request *request,
                                    struct plan_scratch *scratch, struct plan_class *cls,
                                    struct mb_error *err)
{
    struct plan_source *source = &request->sources->items[cls->source];
    struct class_visit visit = {
        .request = request, .source = source, .scratch = scratch, .cls = cls};

    MB_TRY(plan_content_read(request->contents, source, cls, scratch, &visit.content, err));
    cls->size = (uint32_t)visit.content.bytes.size;
    cls->content_hash = content_hash(&visit);
    enum mb_status status = collect_content(&visit, err);
    if (cls->content == NULL) {
        plan_content_forget(request->contents, &visit.content);
    }
    plan_contents_touch(request->contents, source, cls);
    if (status == MB_BAD_CLASS) {
        plan_class_give_up(cls);
        status = plan_warn_class(request->warnings, source, cls, err, err);
    }
    return status;
}

/* --- batches --- */

struct collector {
    const struct plan_collect_request *request;
    struct plan_class **work;
    struct plan_span *batches; /* no batch spans two sources */
    size_t batch_count;
};

static enum mb_status collect_batch(void *context, unsigned worker, size_t task,
                                    struct mb_error *err)
{
    const struct collector *collector = context;
    const struct plan_collect_request *request = collector->request;
    struct plan_span batch = collector->batches[task];
    const struct plan_class *last = collector->work[batch.end - 1];
    const struct plan_source *source = &request->sources->items[last->source];
    struct plan_scratch *scratch;

    MB_TRY(plan_crew_scratch(request->crew, worker, &scratch, err));
    for (uint32_t i = batch.first; i < batch.end; i++) {
        MB_TRY(mb_check_interrupt(err));
        MB_TRY(collect_class(request, scratch, collector->work[i], err));
    }
    if (last == &source->classes[source->class_count - 1]) {
        plan_contents_drop(request->contents, source);
    }
    plan_crew_report(request->crew, worker, task, 2 * collector->batch_count);
    return MB_OK;
}

/* The remains of small inputs add up. */
static void drop_pages(const struct plan_collect_request *request)
{
    for (uint32_t i = 0; i < request->sources->count; i++) {
        plan_contents_drop(request->contents, &request->sources->items[i]);
    }
}

/* The classes of sources that are not unchanged, in batches; no more batches than classes. */
static void list_work(struct collector *collector)
{
    const struct plan_sources *sources = collector->request->sources;
    struct plan_span part = {0, 0};

    for (uint32_t i = 0; i < sources->count; i++) {
        const struct plan_source *source = &sources->items[i];
        for (uint32_t k = 0; !source->is_unchanged && k < source->class_count; k++) {
            collector->work[part.end++] = &source->classes[k];
        }
        collector->batch_count +=
            plan_cut_batches(collector->work, part, collector->batches + collector->batch_count);
        part.first = part.end;
    }
}

static enum mb_status make_room(struct collector *collector, struct mb_arena *arena,
                                struct mb_error *err)
{
    size_t count = 0;

    for (uint32_t i = 0; i < collector->request->sources->count; i++) {
        count += collector->request->sources->items[i].class_count;
    }
    collector->work = MB_NEW_ARRAY(arena, struct plan_class *, count);
    collector->batches = MB_NEW_ARRAY(arena, struct plan_span, count);
    return collector->work != NULL && collector->batches != NULL ? MB_OK : mb_fail_memory(err);
}

enum mb_status plan_collect(const struct plan_collect_request *request, struct mb_error *err)
{
    struct collector collector = {.request = request};
    struct mb_arena arena = {0};
    enum mb_status status = make_room(&collector, &arena, err);

    if (status == MB_OK) {
        list_work(&collector);
        status = mb_workers_run(request->crew->workers, collector.batch_count, collect_batch,
                                &collector, err);
    }
    drop_pages(request);
    mb_intern_free_outgrown(request->names);
    mb_arena_finish(&arena);
    return status;
}
