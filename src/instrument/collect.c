/* Pass 1. Classes are read in batches by all threads. */

#include "instrument/batch.h"
#include "instrument/run.h"

#include <string.h>

/* One class while it is looked at. */
struct view {
    struct ins_run *run;
    struct ins_scratch *scratch;
    struct ins_class *cls; /* what is to be kept */
    char *room;            /* in the hold, where the class was unpacked to; NULL: elsewhere */
    struct cf_class file;
    struct rule_class rules;
    const struct rule_class_names *originals; /* NULL without a mapping */
};

static enum mb_status keep_text(struct ins_run *run, struct mb_text text, uint32_t *name,
                                struct mb_error *err)
{
    *name = ins_names_add(run->names, text);
    return *name != INS_NO_NAME ? MB_OK : mb_fail_memory(err);
}

/* The rule's name, and behind a line feed the blacklist line it stands on. */
static enum mb_status keep_rule(struct ins_run *run, const struct rule_decision *decision,
                                uint32_t *name, struct mb_error *err)
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
    return keep_text(run, (struct mb_text){text, size}, name, err);
}

static enum mb_status decide(struct view *view, const struct cf_member *member,
                             const struct cf_code *code, struct rule_decision *decision,
                             struct mb_error *err)
{
    struct rule_original original = {
        .class_name = view->file.name,
        .name = cf_member_name(&view->file, member),
        .descriptor = cf_member_descriptor(&view->file, member),
    };

    if (view->originals != NULL) {
        struct rule_original obfuscated = original;
        MB_TRY(rule_names_method(view->originals, &obfuscated, &original, err));
    }
    struct rule_method_input input = {member, code, original.name, original.descriptor};
    *decision = rule_decide_method(&view->rules, &input);
    return MB_OK;
}

static enum mb_status collect_method(struct view *view, const struct cf_member *member,
                                     struct ins_method *method, struct mb_error *err)
{
    struct ins_run *run = view->run;
    bool explains = run->options->explain != NULL;
    struct rule_decision decision;
    struct cf_code code = {0};

    if (member->code != 0) {
        MB_TRY(cf_code_parse(&code, &view->file, member, err));
    }
    MB_TRY(decide(view, member, member->code != 0 ? &code : NULL, &decision, err));
    method->verdict = (uint8_t)decision.verdict;
    method->access_flags = member->access_flags;
    method->code_size = (uint16_t)code.size;
    method->is_deprecated = member->is_deprecated;
    if (decision.verdict == RULE_TRACE) {
        view->cls->traced_count++;
    }
    if (explains) {
        MB_TRY(keep_rule(run, &decision, &method->rule, err));
    }
    if (decision.verdict == RULE_SKIP && !explains) {
        return MB_OK;
    }
    method->name = view->file.pool.offsets[member->name_index] + 1;
    method->descriptor = view->file.pool.offsets[member->descriptor_index] + 1;
    return MB_OK;
}

static enum mb_status collect_methods(struct view *view, struct mb_error *err)
{
    struct ins_class *cls = view->cls;

    cls->methods = MB_NEW_ARRAY(&view->scratch->keep, struct ins_method, view->file.method_count);
    if (cls->methods == NULL) {
        return mb_fail_memory(err);
    }
    cls->method_count = view->file.method_count;
    for (uint16_t i = 0; i < cls->method_count; i++) {
        MB_TRY(collect_method(view, &view->file.methods[i], &cls->methods[i], err));
    }
    return MB_OK;
}

/* What stands in the entry's name is what upstream's rules look at: in a folder, the file name. */
static struct mb_text rule_entry_name(const struct ar_input *archive, const struct ar_entry *entry)
{
    struct mb_text name = entry->name;

    if (ar_input_kind(archive) == AR_INPUT_FOLDER) {
        while (memchr(name.data, '/', name.size) != NULL) {
            (void)mb_text_split(&name, '/');
        }
    }
    return name;
}

static enum mb_status collect_names(struct view *view, struct mb_text *original,
                                    struct mb_error *err)
{
    struct ins_run *run = view->run;
    struct ins_class *cls = view->cls;

    *original = rule_names_class(run->describer.mapping, view->file.name);
    MB_TRY(keep_text(run, view->file.name, &cls->name, err));
    cls->original_name = cls->name;
    if (run->describer.mapping != NULL) {
        MB_TRY(keep_text(run, *original, &cls->original_name, err));
    }
    MB_TRY(keep_text(run, view->file.super_name, &cls->super_name, err));
    return rule_names_open(run->describer.mapping, view->file.name, &view->scratch->arena,
                           &view->originals, err);
}

static enum mb_status collect_parsed(struct view *view, const struct ar_input *archive,
                                     struct mb_error *err)
{
    struct ins_class *cls = view->cls;
    struct mb_text original;

    cls->access_flags = view->file.access_flags;
    cls->focus_method = (uint8_t)rule_class_fact_of(&view->file).focus_method;
    cls->is_instrumented = ins_is_instrumented(&view->file, view->run->beat.class_name);
    MB_TRY(collect_names(view, &original, err));
    struct rule_class_input input = {
        .cls = &view->file,
        .entry_name = rule_entry_name(archive, ar_input_entry(archive, cls->entry)),
        .original_name = original,
    };
    view->rules = rule_decide_class(view->run->rules, &input);
    cls->is_blocked = view->rules.is_blocked;
    if (!cls->is_instrumented) {
        MB_TRY(collect_methods(view, err));
    }
    cls->is_readable = true;
    return MB_OK;
}

/* Tells copies apart. Folders know no checksum; in a merged jar copies from both meet. */
static uint32_t content_mark(const struct ins_run *run, const struct ar_input *archive,
                             const struct ar_entry *entry, struct mb_text content)
{
    bool is_known = ar_input_kind(archive) == AR_INPUT_JAR && run->options->output_jar == NULL;

    return is_known ? entry->crc32 : (uint32_t)mb_text_hash(content);
}

/* A jar says how large a class is, and ar_entry_read holds it to that; so it can be unpacked to where
 * it stays. */
static enum mb_status read_content(struct view *view, const struct ar_input *archive,
                                   struct mb_text *content, struct mb_error *err)
{
    struct ins_scratch *scratch = view->scratch;
    const struct ar_entry *entry = ar_input_entry(archive, view->cls->entry);
    size_t size = (size_t)entry->size;
    bool is_packed = ar_input_kind(archive) == AR_INPUT_JAR && entry->method == AR_METHOD_DEFLATE;

    view->room = is_packed && size > 0 ? ins_hold_take(&view->run->hold, size) : NULL;
    struct mb_buf held = {.bytes = (uint8_t *)view->room, .capacity = size};
    return ar_entry_read(archive, view->cls->entry, scratch->codec,
                         view->room != NULL ? &held : &scratch->content, content, err);
}

static const char *hold_copy(struct ins_hold *hold, struct mb_text content)
{
    char *room = ins_hold_take(hold, content.size);

    return room != NULL ? memcpy(room, content.data, content.size) : NULL;
}

/* What pass 2 asks for again, so that it is unpacked and checked once: what changes, and of a folder
 * all, to compare. A view of the input stays as it is. */
static const char *keep_content(const struct view *view, const struct ar_input *archive,
                                struct mb_text content)
{
    bool is_wanted = view->cls->traced_count > 0 || ar_input_kind(archive) == AR_INPUT_FOLDER;
    bool is_scratch = content.data == (const char *)view->scratch->content.bytes;

    if (!is_wanted) {
        return NULL;
    }
    return is_scratch ? hold_copy(&view->run->hold, content) : content.data;
}

/* What is said of methods has their names in the class while that stays, and they are not looked up
 * among a million others. The next run finds nothing there. */
static bool has_lasting_texts(const struct view *view)
{
    const struct ins_class *cls = view->cls;
    bool is_view = view->room == NULL && cls->content == (const char *)view->file.bytes;
    bool stays = !is_view || view->run->sources.items[cls->source].keeps_pages;

    return cls->content != NULL && stays && view->run->options->state == NULL;
}

#define METHODS_AT_ONCE (INS_NAMES_AT_ONCE / 2)

/* Methods from first on, as many as go at once; where the next begin. */
static uint16_t intern_some(struct view *view, uint16_t first, bool *is_done)
{
    struct ins_class *cls = view->cls;
    struct ins_method *methods[METHODS_AT_ONCE];
    struct mb_text texts[INS_NAMES_AT_ONCE];
    uint32_t numbers[INS_NAMES_AT_ONCE];
    size_t count = 0;
    uint16_t next = first;

    for (; next < cls->method_count && count < METHODS_AT_ONCE; next++) {
        const struct cf_member *member = &view->file.methods[next];
        if (cls->methods[next].name != INS_NO_NAME) {
            texts[2 * count] = cf_member_name(&view->file, member);
            texts[2 * count + 1] = cf_member_descriptor(&view->file, member);
            methods[count++] = &cls->methods[next];
        }
    }
    *is_done = ins_names_add_all(view->run->names, texts, 2 * count, numbers);
    for (size_t i = 0; *is_done && i < count; i++) {
        methods[i]->name = numbers[2 * i];
        methods[i]->descriptor = numbers[2 * i + 1];
    }
    return next;
}

static enum mb_status intern_texts(struct view *view, struct mb_error *err)
{
    bool is_done = true;

    for (uint16_t next = 0; next < view->cls->method_count && is_done;) {
        next = intern_some(view, next, &is_done);
    }
    return is_done ? MB_OK : mb_fail_memory(err);
}

static enum mb_status collect_class(struct ins_run *run, struct ins_scratch *scratch,
                                    struct ins_class *cls, struct mb_error *err)
{
    struct ins_source *source = &run->sources.items[cls->source];
    const struct ar_entry *entry = ar_input_entry(source->archive, cls->entry);
    struct view view = {.run = run, .scratch = scratch, .cls = cls};
    struct mb_text content;

    MB_TRY(read_content(&view, source->archive, &content, err));
    cls->size = (uint32_t)content.size;
    cls->mark = content_mark(run, source->archive, entry, content);
    mb_arena_reset(&scratch->arena);
    enum mb_status status = cf_class_parse(&view.file, &scratch->arena,
                                           (const uint8_t *)content.data, content.size, err);
    if (status == MB_OK) {
        status = collect_parsed(&view, source->archive, err);
    }
    if (status == MB_OK) {
        cls->content = keep_content(&view, source->archive, content);
        cls->has_texts = has_lasting_texts(&view);
        status = cls->has_texts ? MB_OK : intern_texts(&view, err);
    }
    if (view.room != NULL && cls->content == NULL) { /* nothing looks at it any more */
        ins_hold_give_back(&run->hold, view.room, content.size);
    }
    ins_source_touch(source, (size_t)entry->packed_size);
    if (status == MB_BAD_CLASS) {
        ins_class_give_up(cls);
        status = ins_warn_class(run, cls, err, err);
    }
    return status;
}

struct collector {
    struct ins_run *run;
    struct ins_batch *batches;
    size_t batch_count;
};

static enum mb_status collect_batch(void *context, unsigned worker, size_t task,
                                    struct mb_error *err)
{
    struct collector *collector = context;
    struct ins_run *run = collector->run;
    const struct ins_batch *batch = &collector->batches[task];
    struct ins_source *source = &run->sources.items[batch->source];

    MB_TRY(ins_check_interrupt(err));
    MB_TRY(ins_scratch_prepare(run, worker, err));
    for (uint32_t i = batch->first; i < batch->end; i++) {
        MB_TRY(collect_class(run, &run->scratch[worker], &source->classes[i], err));
    }
    if (batch->end == source->class_count) {
        ins_source_drop(source);
    }
    if (worker == 0) {
        ins_tell_progress(run, task, 2 * collector->batch_count);
    }
    return MB_OK;
}

/* What is left of each small input adds up. */
static void drop_pages(const struct ins_sources *sources)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        ins_source_drop(&sources->items[i]);
    }
}

/* Of what the hold may be asked for. */
static uint64_t size_to_hold(const struct ins_source *source)
{
    bool is_jar = ar_input_kind(source->archive) == AR_INPUT_JAR;
    uint64_t size = 0;

    for (uint32_t i = 0; !source->is_known && i < source->class_count; i++) {
        const struct ar_entry *entry = ar_input_entry(source->archive, source->classes[i].entry);
        size += is_jar && entry->method == AR_METHOD_STORE ? 0 : entry->size;
    }
    return size;
}

/* A small run may take the memory that spares it to unpack, and to page in, everything twice. */
static void plan_memory(struct ins_run *run)
{
    uint64_t hold_size = 0;
    uint64_t input_size = 0;

    for (uint32_t i = 0; i < run->sources.count; i++) {
        hold_size += size_to_hold(&run->sources.items[i]);
        input_size += ar_input_bytes(run->sources.items[i].archive).size;
    }
    ins_hold_open(&run->hold, hold_size);
    for (uint32_t i = 0; i < run->sources.count; i++) {
        run->sources.items[i].keeps_pages = hold_size + input_size <= INS_HOLD_LIMIT;
    }
}

enum mb_status ins_collect(struct ins_run *run, struct mb_error *err)
{
    struct collector collector = {.run = run};

    plan_memory(run);
    MB_TRY(ins_cut_batches(&run->sources, &run->arena, &collector.batches, &collector.batch_count,
                           err));
    MB_TRY(ins_workers_run(run->workers, collector.batch_count, collect_batch, &collector, err));
    drop_pages(&run->sources);
    ins_names_settle(run->names);
    return MB_OK;
}
