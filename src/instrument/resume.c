/* What the last run left (--state) is taken over as far as it is still true.
 *
 * Nothing relevant but some inputs changed: only these are read, decided, numbered and written; the
 * model of the others comes from the state, and their outputs stay. Anything else changed (options,
 * the list of inputs, a mapping in use): a full run, in which the last method map keeps the ids. No
 * usable state: a full run. */

#include "instrument/describe.h"
#include "instrument/run.h"
#include "instrument/sort.h"

#include <stdlib.h>

static bool is_same_list(const struct ins_run *run)
{
    const struct ins_state *state = &run->state;

    if (state->source_count != run->sources.count) {
        return false;
    }
    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        uint64_t path = mb_text_hash(mb_text_of(ar_input_path(source->archive)));
        if (state->sources[i].path != path ||
            state->sources[i].nested_count != source->nested_count) {
            return false;
        }
    }
    return true;
}

static enum mb_status mark_source(void *context, unsigned worker, size_t task, struct mb_error *err)
{
    struct ins_run *run = context;

    (void)worker;
    (void)err;
    run->sources.items[task].mark = ins_mark_source(&run->sources.items[task]);
    return MB_OK;
}

static bool is_known(const struct ins_source *source, const struct ins_source_mark *mark)
{
    return source->mark != 0 && source->mark == mark->content &&
           source->class_count == mark->class_count;
}

static void adopt_sources(struct ins_run *run)
{
    const struct ins_state *state = &run->state;
    bool is_in_place = false;

    for (uint32_t i = 0; i < run->sources.count; i++) {
        struct ins_source *source = &run->sources.items[i];
        const struct ins_source_mark *mark = &state->sources[i];
        if (source->outer == INS_NO_SOURCE) { /* jars inside an AAR follow it */
            is_in_place = ins_is_marked(&mark->output, run->output_paths[i]);
        }
        source->is_known = is_known(source, mark);
        source->is_done = source->is_known && is_in_place;
        if (source->is_known) {
            source->classes = state->classes + mark->first_class;
        }
    }
}

/* A merged jar is written as a whole or not at all. */
static bool can_resume(const struct ins_run *run)
{
    const struct ins_state *state = &run->state;
    bool is_fit =
        state->fingerprint == run->fingerprint && run->mapping == NULL && is_same_list(run);

    if (!is_fit || run->options->output_jar == NULL) {
        return is_fit;
    }
    for (uint32_t i = 0; i < run->sources.count; i++) {
        if (!is_known(&run->sources.items[i], &state->sources[i])) {
            return false;
        }
    }
    return ins_is_marked(&state->merged, run->options->output_jar);
}

static enum mb_status keep_ids(struct ins_run *run, struct mb_error *err)
{
    struct ins_file_mark mark = run->state.method_map;
    char *path = mb_arena_copy(&run->arena, run->state.method_map_path.data,
                               run->state.method_map_path.size);

    ins_state_finish(&run->state);
    if (path == NULL) {
        return mb_fail_memory(err);
    }
    if (run->options->base_map != NULL || !ins_is_marked(&mark, path)) {
        return MB_OK; /* somebody else says which ids stay */
    }
    MB_TRY(abi_methodmap_load(&run->base, path, err));
    run->has_base = true;
    return MB_OK;
}

enum mb_status ins_resume(struct ins_run *run, struct mb_error *err)
{
    MB_TRY(ins_fingerprint(run, &run->fingerprint, err));
    MB_TRY(ins_workers_run(run->workers, run->sources.count, mark_source, run, err));
    ins_state_load(&run->state, run->options->state);
    if (run->state.image == NULL) {
        return MB_OK;
    }
    if (!can_resume(run)) {
        return keep_ids(run, err);
    }
    run->is_resumed = true;
    ins_names_destroy(run->names);
    run->names = run->state.names;
    run->describer.names = run->names;
    run->state.names = NULL;
    adopt_sources(run);
    return MB_OK;
}

/* --- after pass 1 --- */

static const struct ins_class *old_classes(const struct ins_run *run, uint32_t source)
{
    return run->state.classes + run->state.sources[source].first_class;
}

/* Whether the source's classes say of themselves what they said, for what is decided over all. */
static bool has_same_facts(const struct ins_run *run, uint32_t number)
{
    const struct ins_source *source = &run->sources.items[number];
    const struct ins_class *old = old_classes(run, number);

    if (source->class_count != run->state.sources[number].class_count) {
        return false;
    }
    for (uint32_t i = 0; i < source->class_count; i++) {
        const struct ins_class *cls = &source->classes[i];
        if (cls->name != old[i].name || cls->super_name != old[i].super_name ||
            cls->focus_method != old[i].focus_method || cls->is_blocked != old[i].is_blocked ||
            cls->is_readable != old[i].is_readable ||
            cls->is_instrumented != old[i].is_instrumented) {
            return false;
        }
    }
    return true;
}

enum mb_status ins_find_activities_again(struct ins_run *run, struct mb_error *err)
{
    for (uint32_t i = 0; i < run->sources.count; i++) {
        if (!run->sources.items[i].is_known && !has_same_facts(run, i)) {
            return ins_find_activities(run, err);
        }
    }
    for (uint32_t i = 0; i < run->sources.count; i++) {
        struct ins_source *source = &run->sources.items[i];
        for (uint32_t k = 0; !source->is_known && k < source->class_count; k++) {
            source->classes[k].focus = old_classes(run, i)[k].focus;
        }
    }
    return MB_OK;
}

/* Classes known from the last run in their old order, new ones behind; how many are known. */
static size_t list_classes(const struct ins_run *run, struct ins_class **classes, size_t *count)
{
    size_t known_count = 0;

    for (size_t i = 0; i < run->state.order_count; i++) {
        struct ins_class *cls = &run->state.classes[run->state.order[i]];
        if (run->sources.items[cls->source].is_known) {
            classes[known_count++] = cls;
        }
    }
    *count = known_count;
    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        for (uint32_t k = 0; !source->is_known && k < source->class_count; k++) {
            if (source->classes[k].is_readable && !source->classes[k].is_dropped) {
                classes[(*count)++] = &source->classes[k];
            }
        }
    }
    return known_count;
}

enum mb_status ins_gather_again(struct ins_run *run, struct mb_error *err)
{
    size_t room = run->state.order_count;

    for (uint32_t i = 0; i < run->sources.count; i++) {
        room += run->sources.items[i].class_count;
    }
    run->classes = calloc(room + 1, sizeof(*run->classes));
    if (run->classes == NULL) {
        return mb_fail_memory(err);
    }
    size_t known_count = list_classes(run, run->classes, &run->class_count);
    run->new_class_count = run->class_count - known_count;
    run->new_classes =
        MB_NEW_ARRAY(&run->arena, struct ins_class *, run->class_count - known_count);
    if (run->new_classes == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(ins_sort_classes(run->classes + known_count, run->new_class_count, run->names,
                            run->workers, err));
    for (size_t i = 0; i < run->new_class_count; i++) {
        run->new_classes[i] = run->classes[known_count + i];
    }
    return ins_merge_classes(run->classes, known_count, run->class_count, run->names, err);
}

/* --- ids --- */

static enum mb_status put_lines(struct ins_run *run, const struct ins_class *cls,
                                struct mb_error *err)
{
    struct mb_arena *arena = &run->scratch[0].arena;
    struct ins_described_class described;

    mb_arena_reset(arena);
    MB_TRY(ins_describe_class(&run->describer, cls, arena, &described, err));
    for (uint16_t i = 0; i < cls->method_count; i++) {
        struct abi_method method;
        if (cls->methods[i].verdict == RULE_TRACE) {
            MB_TRY(ins_describe_method(&described, &cls->methods[i], &method, err));
            abi_methodmap_put_line(&run->known_lines, &method);
        }
    }
    return MB_OK;
}

/* Of copies from first to end the known ones, if there are others among them. */
static enum mb_status list_known_copies(struct ins_run *run, size_t first, size_t end,
                                        struct mb_error *err)
{
    bool has_new = false;

    for (size_t i = first; i < end; i++) {
        has_new |= !run->sources.items[run->classes[i]->source].is_known;
    }
    for (size_t i = first; has_new && i < end; i++) {
        if (run->sources.items[run->classes[i]->source].is_known) {
            MB_TRY(put_lines(run, run->classes[i], err));
        }
    }
    return MB_OK;
}

/* The ids that new classes may ask for: of methods that are gone, of the same sources before, and
 * of copies of the new classes in other sources. */
static enum mb_status list_known_lines(struct ins_run *run, struct mb_error *err)
{
    mb_buf_put(&run->known_lines, run->state.gone.data, run->state.gone.size);
    for (size_t i = 0; i < run->state.order_count; i++) {
        const struct ins_class *cls = &run->state.classes[run->state.order[i]];
        if (!run->sources.items[cls->source].is_known) {
            MB_TRY(put_lines(run, cls, err));
        }
    }
    for (size_t first = 0, end; first < run->class_count; first = end) {
        end = ins_end_of_copies(run->classes, run->class_count, first);
        MB_TRY(list_known_copies(run, first, end, err));
    }
    return mb_buf_check(&run->known_lines, err);
}

enum mb_status ins_number_again(struct ins_run *run, struct mb_error *err)
{
    MB_TRY(list_known_lines(run, err));
    struct mb_text lines = {(const char *)run->known_lines.bytes, run->known_lines.size};
    abi_methodmap_finish(&run->base);
    MB_TRY(abi_methodmap_parse(&run->base, lines, run->options->state, err));
    struct ins_number_options options = {&run->describer, &run->base, run->state.end_id};
    return ins_number(&run->numbering, run->new_classes, run->new_class_count, &options, err);
}

/* --- after pass 2 --- */

static bool has_same_lines(const struct ins_names *names, const struct ins_class *a,
                           const struct ins_class *b)
{
    bool is_same =
        a->name == b->name && a->is_readable == b->is_readable && ins_has_same_methods(names, a, b);

    for (uint16_t i = 0; is_same && i < a->method_count; i++) {
        is_same = a->methods[i].id == b->methods[i].id;
    }
    return is_same;
}

bool ins_are_maps_in_place(const struct ins_run *run)
{
    if (!run->is_resumed || !ins_is_marked(&run->state.method_map, run->options->method_map) ||
        !ins_is_marked(&run->state.ignore_map, run->options->ignore_map)) {
        return false;
    }
    for (uint32_t i = 0; i < run->sources.count; i++) {
        const struct ins_source *source = &run->sources.items[i];
        if (source->is_known) {
            continue;
        }
        if (source->class_count != run->state.sources[i].class_count) {
            return false;
        }
        for (uint32_t k = 0; k < source->class_count; k++) {
            if (!has_same_lines(run->names, &source->classes[k], &old_classes(run, i)[k])) {
                return false;
            }
        }
    }
    return true;
}
