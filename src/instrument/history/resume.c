#include "instrument/history/resume.h"

#include "base/file.h"
#include "base/vec.h"
#include "instrument/plan/sort.h"

#include <stdlib.h>

/* --- before pass 1 --- */

static bool is_same_list(const struct history_state *last, const struct plan_sources *sources)
{
    if (last->source_count != sources->count) {
        return false;
    }
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct plan_source *source = &sources->items[i];
        uint64_t path = mb_text_hash(mb_text_of(ar_input_path(source->archive)));
        if (last->sources[i].path != path || last->sources[i].inner_count != source->inner_count) {
            return false;
        }
    }
    return true;
}

static enum mb_status hash_source(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    struct plan_sources *sources = context;

    (void)worker;
    (void)err;
    sources->items[task].content_hash = history_hash_source(&sources->items[task]);
    return MB_OK;
}

static bool is_unchanged(const struct plan_source *source, const struct history_source *old)
{
    return source->content_hash != 0 && source->content_hash == old->content &&
           source->class_count == old->class_count;
}

static void adopt_sources(const struct history *history, const struct history_request *request)
{
    bool is_in_place = false;

    for (uint32_t i = 0; i < request->sources->count; i++) {
        struct plan_source *source = &request->sources->items[i];
        const struct history_source *old = &history->last.sources[i];
        if (request->output_paths[i] != NULL) { /* jars inside an archive go with it */
            is_in_place = history_is_stamped(&old->output, request->output_paths[i]);
        }
        source->is_unchanged = is_unchanged(source, old);
        source->was_rewritten = old->is_rewritten != 0;
        source->is_output_current = source->is_unchanged && is_in_place;
        if (source->is_unchanged) {
            source->classes = history->last.classes + old->first_class;
        }
    }
}

static enum mb_status list_known(struct history *history, const struct plan_sources *sources,
                                 struct mb_error *err)
{
    struct plan_order *known = &history->known;

    known->classes = MB_NEW_ARRAY(&known->arena, struct plan_class *, history->last.order_count);
    if (known->classes == NULL) {
        return mb_fail_memory(err);
    }
    for (size_t i = 0; i < history->last.order_count; i++) {
        struct plan_class *cls = &history->last.classes[history->last.order[i]];
        if (sources->items[cls->source].is_unchanged) {
            known->classes[known->count++] = cls;
        }
    }
    return MB_OK;
}

/* A merged jar is written as a whole or not at all. */
static bool can_resume(const struct history_state *last, const struct history_request *request)
{
    const struct plan_sources *sources = request->sources;
    bool is_fit = request->can_resume && last->fingerprint == request->fingerprint &&
                  is_same_list(last, sources);

    if (!is_fit || request->merged_path == NULL) {
        return is_fit;
    }
    for (uint32_t i = 0; i < sources->count; i++) {
        if (!is_unchanged(&sources->items[i], &last->sources[i])) {
            return false;
        }
    }
    return history_is_stamped(&last->merged, request->merged_path);
}

/* Only the last method map is of use. */
static enum mb_status keep_only_map(struct history *history, struct mb_error *err)
{
    const struct history_state *last = &history->last;
    bool is_there;
    const char *path =
        mb_arena_copy(&history->arena, last->method_map_path.data, last->method_map_path.size);

    if (path == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(history_check_stamp(&last->method_map, path, &is_there, err));
    history->last_map = is_there ? path : NULL;
    history_state_finish(&history->last);
    return MB_OK;
}

enum mb_status history_recall(struct history *history, const struct history_request *request,
                              struct mb_error *err)
{
    struct plan_sources *sources = request->sources;

    if (mb_file_check_output(request->path, err) != MB_OK) {
        mb_error_in_input(err, request->path);
        return MB_IO;
    }
    MB_TRY(mb_workers_run(request->workers, sources->count, hash_source, sources, err));
    MB_TRY(history_state_load(&history->last, request->path, err));
    if (history->last.image.size == 0) {
        return MB_OK;
    }
    if (!can_resume(&history->last, request)) {
        return keep_only_map(history, err);
    }
    history->is_resumed = true;
    adopt_sources(history, request);
    return list_known(history, sources, err);
}

void history_finish(struct history *history)
{
    history_state_finish(&history->last);
    plan_order_finish(&history->known);
    mb_arena_finish(&history->arena);
    *history = (struct history){0};
}

struct mb_intern *history_take_names(struct history *history)
{
    struct mb_intern *names = history->last.names;

    history->last.names = NULL;
    return names;
}

/* --- between the passes --- */

/* The sources of the last run, as many as it had. */
static const struct plan_class *old_classes(const struct history *history, uint32_t source)
{
    return history->last.classes + history->last.sources[source].first_class;
}

static bool has_old_count(const struct history *history, const struct plan_sources *sources,
                          uint32_t source)
{
    return history->is_resumed &&
           sources->items[source].class_count == history->last.sources[source].class_count;
}

static bool has_same_facts(const struct plan_class *cls, const struct plan_class *old)
{
    return cls->name == old->name && cls->super_name == old->super_name &&
           cls->focus_method == old->focus_method && cls->is_blocked == old->is_blocked &&
           cls->is_readable == old->is_readable && cls->is_instrumented == old->is_instrumented &&
           !old->is_cut_back;
}

/* Also equal in all facts that boundaries depend on. */
static bool has_same_methods(const struct plan_class *cls, const struct plan_class *old)
{
    bool is_same = has_same_facts(cls, old) && cls->interfaces == old->interfaces &&
                   cls->called == old->called && cls->method_count == old->method_count;

    for (uint16_t i = 0; is_same && i < cls->method_count; i++) {
        const struct plan_method *method = &cls->methods[i];
        const struct plan_method *before = &old->methods[i];
        enum rule_boundary own = (enum rule_boundary)before->boundary;
        own = rule_boundary_is_own(own) ? own : RULE_BOUNDARY_NONE;
        is_same = method->name == before->name && method->descriptor == before->descriptor &&
                  method->access_flags == before->access_flags &&
                  method->verdict == before->verdict && method->boundary == own;
    }
    return is_same;
}

typedef bool is_same_fn(const struct plan_class *cls, const struct plan_class *old);

/* True if all classes that were read again are the same. */
static bool has_same_classes(const struct history *history, const struct plan_sources *sources,
                             is_same_fn *is_same)
{
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct plan_source *source = &sources->items[i];
        if (!source->is_unchanged && !has_old_count(history, sources, i)) {
            return false;
        }
        for (uint32_t k = 0; !source->is_unchanged && k < source->class_count; k++) {
            if (!is_same(&source->classes[k], &old_classes(history, i)[k])) {
                return false;
            }
        }
    }
    return true;
}

static void keep_focus(struct plan_class *cls, const struct plan_class *old)
{
    cls->focus = old->focus;
}

static void keep_boundary(struct plan_class *cls, const struct plan_class *old)
{
    for (uint16_t i = 0; i < cls->method_count; i++) {
        cls->methods[i].boundary = old->methods[i].boundary;
    }
}

static bool copy_decisions(const struct history *history, const struct plan_sources *sources,
                           is_same_fn *is_same,
                           void (*take)(struct plan_class *, const struct plan_class *))
{
    if (!has_same_classes(history, sources, is_same)) {
        return false;
    }
    for (uint32_t i = 0; i < sources->count; i++) {
        const struct plan_source *source = &sources->items[i];
        for (uint32_t k = 0; !source->is_unchanged && k < source->class_count; k++) {
            take(&source->classes[k], &old_classes(history, i)[k]);
        }
    }
    return true;
}

bool history_keep_focus(const struct history *history, const struct plan_sources *sources)
{
    return copy_decisions(history, sources, has_same_facts, keep_focus);
}

bool history_keep_boundary(const struct history *history, const struct plan_sources *sources)
{
    return copy_decisions(history, sources, has_same_methods, keep_boundary);
}

/* --- ids --- */

struct taken {
    MB_VEC(struct abi_method) methods;
    const struct plan_describer *describer;
    struct mb_arena scratch;
};

static enum mb_status take_ids(struct taken *taken, const struct plan_class *cls,
                               struct mb_error *err)
{
    struct plan_described_class described;

    MB_TRY(plan_describe_class(taken->describer, cls, &taken->scratch, &described, err));
    for (uint16_t i = 0; i < cls->method_count; i++) {
        struct abi_method method;
        if (cls->methods[i].verdict == RULE_TRACE) {
            MB_TRY(plan_describe_method(&described, &cls->methods[i], &method, err));
            MB_VEC_PUSH(&taken->methods, method);
        }
    }
    return mb_buf_check(&taken->methods.buf, err);
}

/* The known ones among the copies from first to end, if others are among them. */
static enum mb_status take_copies(struct taken *taken, const struct plan_sources *sources,
                                  struct plan_class *const *copies, size_t count,
                                  struct mb_error *err)
{
    bool has_new = false;

    for (size_t i = 0; i < count; i++) {
        has_new |= !sources->items[copies[i]->source].is_unchanged;
    }
    for (size_t i = 0; has_new && i < count; i++) {
        if (sources->items[copies[i]->source].is_unchanged) {
            MB_TRY(take_ids(taken, copies[i], err));
        }
    }
    return MB_OK;
}

/* Pass 2 has nothing to do with it. A merged jar is current as a whole. */
static bool is_current(const struct history *history, const struct plan_source *source)
{
    return source->is_unchanged && (source->is_output_current || history->last.merged.number != 0);
}

static enum mb_status take_all(struct taken *taken, const struct history *history,
                               const struct plan_sources *sources, const struct plan_order *order,
                               struct mb_error *err)
{
    for (size_t i = 0; i < history->last.order_count; i++) {
        const struct plan_class *cls = &history->last.classes[history->last.order[i]];
        if (!is_current(history, &sources->items[cls->source])) {
            MB_TRY(take_ids(taken, cls, err));
        }
    }
    for (size_t first = 0, end; history->is_resumed && first < order->count; first = end) {
        end = plan_end_of_copies(order->classes, order->count, first);
        MB_TRY(take_copies(taken, sources, order->classes + first, end - first, err));
    }
    return MB_OK;
}

enum mb_status history_add_taken_ids(const struct history *history,
                                     const struct plan_sources *sources,
                                     const struct plan_order *order,
                                     const struct plan_describer *describer,
                                     struct abi_methodmap *base, struct mb_error *err)
{
    struct taken taken = {.describer = describer};

    if (history->is_resumed) { /* which lists the rest of a base map, too */
        abi_methodmap_finish(base);
        MB_TRY(abi_methodmap_parse(base, history->last.gone, "", err));
    }
    enum mb_status status = take_all(&taken, history, sources, order, err);
    if (status == MB_OK) {
        status = abi_methodmap_add(base, taken.methods.items, MB_VEC_COUNT(&taken.methods), err);
    }
    mb_buf_finish(&taken.methods.buf);
    mb_arena_finish(&taken.scratch);
    return status;
}

/* --- after pass 2 --- */

static bool has_same_lines(const struct mb_intern *names, const struct plan_class *a,
                           const struct plan_class *b)
{
    bool is_same = a->name == b->name && a->is_readable == b->is_readable &&
                   plan_has_same_methods(names, a, b);

    for (uint16_t i = 0; is_same && i < a->method_count; i++) {
        is_same = a->methods[i].id == b->methods[i].id;
    }
    return is_same;
}

static bool has_same_source_lines(const struct history *history, const struct plan_sources *sources,
                                  const struct mb_intern *names, uint32_t number)
{
    const struct plan_source *source = &sources->items[number];
    bool is_same = has_old_count(history, sources, number);

    for (uint32_t i = 0; is_same && i < source->class_count; i++) {
        is_same = has_same_lines(names, &source->classes[i], &old_classes(history, number)[i]);
    }
    return is_same;
}

bool history_are_maps_current(const struct history *history, const struct plan_sources *sources,
                              const struct mb_intern *names, const char *method_map,
                              const char *ignore_map)
{
    bool are_current = history->is_resumed &&
                       history_is_stamped(&history->last.method_map, method_map) &&
                       history_is_stamped(&history->last.ignore_map, ignore_map);

    for (uint32_t i = 0; are_current && i < sources->count; i++) {
        const struct plan_source *source = &sources->items[i];
        are_current = source->is_unchanged ? !history_is_cut_back(source) /* it was not before */
                                           : has_same_source_lines(history, sources, names, i);
    }
    return are_current;
}

bool history_is_unchanged(const struct history *history, const struct plan_sources *sources,
                          bool are_maps_current)
{
    bool is_same = history->is_resumed && are_maps_current;

    for (uint32_t i = 0; is_same && i < sources->count; i++) {
        is_same = is_current(history, &sources->items[i]);
    }
    return is_same;
}

enum mb_status history_warn_again(const struct history *history, const struct plan_sources *sources,
                                  struct plan_warnings *warnings, struct mb_error *err)
{
    for (size_t i = 0; i < history->last.warning_count; i++) {
        const struct plan_warning *warning = &history->last.warnings[i];
        uint64_t source = warning->place >> 32; /* 0: about the run, not an input */
        if (source > 0 && source <= sources->count && sources->items[source - 1].is_unchanged) {
            MB_TRY(plan_warnings_add(warnings, warning->place, &warning->error, err));
        }
    }
    return MB_OK;
}
