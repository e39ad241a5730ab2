#include "cli/report_model.h"

#include "abi/names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_MS 1e6

/* The rings one by one: first their threads, then their calls. */
struct building {
    struct cli_report_model *model;
    const struct cli_trace *trace;
    const struct cli_report_options *options;
    const struct export_format *format;
    struct mb_buf *out;
    uint64_t end; /* the latest time of any ring, in units */
    struct cli_mark mark;
    struct trace_decoder decoder;
    struct trace_methods methods; /* of one thread */
};

static void put_note(struct building *b, const char *format, ...) MB_PRINTF(2, 3);

static void put_note(struct building *b, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    struct mb_text note = cli_clean_text(&b->model->arena, mb_text_of(text));
    mb_buf_put(&b->model->notes, &note, sizeof(note));
}

/* 0 if there is none. */
static uint64_t last_word(const struct abi_ring_view *view)
{
    size_t r = view->run_counts[1] > 0 ? 1 : 0;

    return view->run_counts[r] > 0 ? view->runs[r][view->run_counts[r] - 1] : 0;
}

static bool has_messages_in(const struct trace_stack *stack)
{
    for (size_t i = 0; i < stack->count; i++) {
        if (stack->items[i].id == ABI_MESSAGE_ID) {
            return true;
        }
    }
    return false;
}

static enum mb_status add_slow(struct building *b, const struct export_thread *thread,
                               const struct trace_item *items, size_t count, struct mb_error *err)
{
    struct trace_item *kept = MB_NEW_ARRAY(&b->model->arena, struct trace_item, TRACE_TRIMMED_MAX);
    const struct export_report *report = &b->model->report;

    if (kept == NULL) {
        return mb_fail_memory(err);
    }
    double ns = (double)(report->ns_per_unit >> 32) / (double)(report->ns_per_unit & UINT32_MAX);
    size_t kept_count = trace_trim(items, count, NS_PER_MS / ns, kept);
    for (size_t i = 0; i < kept_count; i++) {
        kept[i].depth -= items[0].depth;
    }
    const struct export_slow slow = {
        .thread = thread,
        .start_ns = (uint64_t)export_ns(report, (int64_t)(items[0].start & INT64_MAX)),
        .duration_ns = export_ns(report, items[0].duration),
        .id = items[0].id,
        .key = trace_key(kept, kept_count, items[0].duration, false),
        .is_open = items[0].is_open != 0,
        .items = kept,
        .item_count = kept_count,
    };
    mb_buf_put(&b->model->slow, &slow, sizeof(slow));
    return MB_OK;
}

/* Messages, or the outermost calls of a thread that has none. */
static enum mb_status add_roots(struct building *b, const struct export_thread *thread,
                                const struct trace_stack *stack, struct mb_error *err)
{
    struct export_report *report = &b->model->report;
    bool by_message = has_messages_in(stack);

    report->has_messages = report->has_messages || by_message;
    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_item *item = &stack->items[i];
        if (by_message ? item->id != ABI_MESSAGE_ID : item->depth != 0) {
            continue;
        }
        int64_t ns = export_ns(report, item->duration);
        report->root_count++;
        report->longest_root_ns = ns > report->longest_root_ns ? ns : report->longest_root_ns;
        if (ns >= report->threshold_ns) {
            size_t size = trace_subtree(stack->items, stack->count, i);
            MB_TRY(add_slow(b, thread, item, size, err));
        }
    }
    return MB_OK;
}

static enum mb_status add_methods(struct building *b, struct export_thread *thread,
                                  const struct trace_stack *stack, struct mb_error *err)
{
    size_t count = 0;

    trace_methods_reset(&b->methods);
    MB_TRY(trace_methods_add(&b->methods, stack->items, stack->count, err));
    MB_TRY(trace_methods_merge(&b->model->methods, &b->methods, err));
    const struct trace_method *rows = trace_methods_rows(&b->methods, &count);
    struct trace_method *copy = MB_NEW_ARRAY(&b->model->arena, struct trace_method, count + 1);
    if (copy == NULL) {
        return mb_fail_memory(err);
    }
    if (count > 0) {
        memcpy(copy, rows, count * sizeof(*rows));
    }
    thread->methods = copy;
    thread->method_count = count;
    return MB_OK;
}

static enum mb_status add_calls(struct building *b, struct export_thread *thread,
                                const struct abi_ring_view *view, struct mb_error *err)
{
    const struct export_report *report = &b->model->report;
    const struct trace_run runs[] = {{view->runs[0], view->run_counts[0]},
                                     {view->runs[1], view->run_counts[1]}};
    uint64_t last = cli_trace_time(b->trace, last_word(view));
    const struct trace_options options = {
        .close_open = true,
        .end_time = (int64_t)((thread->is_live ? b->end : last) & INT64_MAX),
        .now = b->trace->file.header.now,
    };
    struct trace_stack stack;

    MB_TRY(trace_decode(&b->decoder, runs, 2, &options, &stack, err));
    MB_TRY(add_methods(b, thread, &stack, err));
    thread->losses = stack.losses;
    thread->end_ns = (uint64_t)export_ns(report, (int64_t)(last & INT64_MAX));
    thread->start_ns = thread->end_ns;
    for (size_t i = 0; i < stack.count; i++) {
        thread->calls += stack.items[i].count;
        if (stack.items[i].depth == 0) {
            thread->busy_ns =
                trace_add(thread->busy_ns, export_ns(report, stack.items[i].duration));
        }
    }
    if (stack.count > 0) {
        thread->start_ns = (uint64_t)export_ns(report, (int64_t)(stack.items[0].start & INT64_MAX));
    }
    if (b->format->thread != NULL) {
        b->format->thread(report, thread, &stack, b->out);
    }
    return add_roots(b, thread, &stack, err);
}

/* False for a ring that nobody asked for. */
static bool cut_to_wanted(struct building *b, uint32_t index, struct abi_ring_view *view)
{
    if (!cli_trace_is_thread(view, b->options->thread)) {
        return false;
    }
    if (b->options->mark == NULL) {
        return true;
    }
    if (b->mark.ring != index) {
        return false;
    }
    put_note(b, "only what thread '%s' recorded since mark '%s', from record %" PRIu64 " on",
             view->entry.thread_name, b->mark.name, b->mark.position);
    abi_ring_view_cut(view, b->mark.position);
    return true;
}

/* Visit each ring in use. The threads are all allocated before the first is filled, so that slow
 * messages can point to theirs. */
static enum mb_status add_threads(struct building *b, struct mb_error *err)
{
    const struct abi_trace_header *header = &b->trace->file.header;
    struct export_thread *threads = (void *)mb_buf_extend(
        &b->model->threads, ((size_t)header->ring_count + 1) * sizeof(*threads));
    struct mb_error ring_error;
    size_t count = 0;

    if (threads == NULL) {
        return mb_fail_memory(err);
    }
    for (uint32_t i = 0; i < header->ring_count; i++) {
        struct abi_ring_view view;
        bool used = false;
        if (abi_tracefile_ring(&b->trace->file, i, &view, &used, &ring_error) != MB_OK) {
            put_note(b, "%s: its thread is left out", ring_error.reason);
        }
        if (!used || !cut_to_wanted(b, i, &view)) {
            continue;
        }
        threads[count] = (struct export_thread){
            .name = cli_clean_text(&b->model->arena, mb_text_of(view.entry.thread_name)),
            .id = view.entry.thread_id,
            .is_main = view.entry.is_main != 0,
            .is_live = view.entry.state == ABI_RING_LIVE,
            .lapped_words = view.lapped_words,
            .missing_words = view.missing_words,
            .dropped_calls = view.entry.dropped_calls,
        };
        MB_TRY(add_calls(b, &threads[count], &view, err));
        count++;
    }
    b->model->report.threads = threads;
    b->model->report.thread_count = count;
    if (count == 0 && b->options->thread != NULL) {
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "no thread is called '%s'",
                       b->options->thread);
    }
    return MB_OK;
}

static uint64_t find_end(struct building *b)
{
    uint64_t end = b->trace->file.header.now;

    for (uint32_t i = 0; i < b->trace->file.header.ring_count; i++) {
        struct abi_ring_view view;
        bool used = false;
        if (abi_tracefile_ring(&b->trace->file, i, &view, &used, NULL) == MB_OK && used) {
            uint64_t last = cli_trace_time(b->trace, last_word(&view));
            end = last > end ? last : end;
        }
    }
    return end;
}

static int by_key(const void *a, const void *b)
{
    const struct export_slow *x = a;
    const struct export_slow *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static int by_duration(const void *a, const void *b)
{
    const struct export_slow *x = a;
    const struct export_slow *y = b;
    int order = (x->duration_ns < y->duration_ns) - (x->duration_ns > y->duration_ns);
    return order != 0 ? order : (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int by_total(const void *a, const void *b)
{
    const struct export_group *x = a;
    const struct export_group *y = b;
    int order = (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
    return order != 0 ? order : (x->key > y->key) - (x->key < y->key);
}

static void make_groups(struct cli_report_model *model)
{
    struct export_slow *slow = (void *)model->slow.bytes;
    size_t count = model->slow.size / sizeof(*slow);
    struct export_group group = {0};

    if (count == 0) {
        return;
    }
    qsort(slow, count, sizeof(*slow), by_key);
    for (size_t i = 0; i < count; i++) {
        group.key = slow[i].key;
        group.count++;
        group.total_ns = trace_add(group.total_ns, slow[i].duration_ns);
        group.longest_ns =
            slow[i].duration_ns > group.longest_ns ? slow[i].duration_ns : group.longest_ns;
        if (i + 1 == count || slow[i + 1].key != group.key) {
            mb_buf_put(&model->groups, &group, sizeof(group));
            group = (struct export_group){0};
        }
    }
    qsort(slow, count, sizeof(*slow), by_duration);
    struct export_group *groups = (void *)model->groups.bytes;
    size_t group_count = model->groups.size / sizeof(*groups);
    if (group_count > 0) {
        qsort(groups, group_count, sizeof(*groups), by_total);
    }
    model->report.slow = slow;
    model->report.slow_count = count;
    model->report.groups = groups;
    model->report.group_count = group_count;
}

static void start_report(struct building *b)
{
    const struct abi_trace_header *header = &b->trace->file.header;

    b->model->report = (struct export_report){
        .process_name = cli_clean_text(&b->model->arena, mb_text_of(header->process_name)),
        .process_id = header->process_id,
        .is_closed = header->state == ABI_TRACE_CLOSED,
        .is_coarse_clock = header->clock_kind == ABI_CLOCK_COARSE,
        .ns_per_unit = header->ns_per_unit,
        .resolution_ns = header->resolution_ns,
        .min_ns = header->min_ns,
        .wall_start_ns = header->wall_start_ns,
        .refused_words = header->refused_words,
        .recycled_words = header->recycled_words,
        .threshold_ns = b->options->threshold_ns,
        .top = b->options->top,
        .colour = b->options->colour,
        .names = cli_method_names_view(&b->trace->names),
    };
    if (header->mapping_hash == 0) {
        put_note(b, "the trace does not say which method map it belongs to");
    }
}

static enum mb_status check_memory(const struct cli_report_model *model, struct mb_error *err)
{
    bool failed = model->slow.failed || model->groups.failed || model->notes.failed;

    return failed ? mb_fail_memory(err) : MB_OK;
}

static enum mb_status build(struct building *b, struct mb_error *err)
{
    struct export_report *report = &b->model->report;

    if (b->options->mark != NULL) {
        MB_TRY(cli_trace_find_mark(b->trace, b->options->mark, &b->mark, err));
    }
    start_report(b);
    b->end = find_end(b);
    if (b->format->begin != NULL) {
        b->format->begin(report, b->out);
    }
    MB_TRY(add_threads(b, err));
    make_groups(b->model);
    MB_TRY(check_memory(b->model, err));
    report->methods = trace_methods_rows(&b->model->methods, &report->method_count);
    report->notes = (const void *)b->model->notes.bytes;
    report->note_count = b->model->notes.size / sizeof(struct mb_text);
    if (b->format->end != NULL) {
        b->format->end(report, b->out);
    }
    return mb_buf_check(b->out, err);
}

enum mb_status cli_report_build(struct cli_report_model *model, const struct cli_trace *trace,
                                const struct cli_report_options *options,
                                const struct export_format *format, struct mb_buf *out,
                                struct mb_error *err)
{
    struct building b = {
        .model = model, .trace = trace, .options = options, .format = format, .out = out};
    enum mb_status status = build(&b, err);

    trace_methods_finish(&b.methods);
    trace_decoder_finish(&b.decoder);
    return status;
}

void cli_report_model_finish(struct cli_report_model *model)
{
    trace_methods_finish(&model->methods);
    mb_buf_finish(&model->threads);
    mb_buf_finish(&model->slow);
    mb_buf_finish(&model->groups);
    mb_buf_finish(&model->notes);
    mb_arena_finish(&model->arena);
}
