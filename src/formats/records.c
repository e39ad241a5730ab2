/* The records of a trace, one a line: as text, or as JSON objects. Marks come first, then each
 * thread with its records; damage is reported among them. */

#include "formats/writer.h"

#include "abi/names.h"
#include "abi/record.h"
#include "base/clock.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct printing {
    const struct answer_trace *trace;
    struct format_writer *writer;
    struct mb_buf *out; /* the writer's */
    const char *thread; /* only this one, by name or id; NULL: all */
    bool has_names;     /* of methods, after their ids */
    bool is_json;
};

static void put_text(struct printing *p, const char *text)
{
    mb_buf_put_printable(p->out, mb_text_of(text));
}

static struct mb_json open_line(struct printing *p)
{
    struct mb_json json = {.out = p->out};

    mb_json_open(&json, NULL, "{");
    return json;
}

static const char *clock_name(const struct abi_trace_header *header)
{
    return header->clock_kind == ABI_CLOCK_COARSE ? "coarse" : "counter";
}

static void put_process_json(struct printing *p, const struct abi_trace_header *header)
{
    struct mb_json json = open_line(p);

    mb_json_string(&json, "process", header->process_name);
    mb_json_count(&json, "pid", header->process_id);
    mb_json_string(&json, "clock", clock_name(header));
    mb_json_count(&json, "resolutionNs", header->resolution_ns);
    mb_json_number(&json, "wallStartNs", header->wall_start_ns);
    mb_json_flag(&json, "closed", header->state == ABI_TRACE_CLOSED);
    mb_json_end(&json);
}

static void put_process(struct printing *p)
{
    const struct abi_trace_header *header = &p->trace->file.header;
    bool is_closed = header->state == ABI_TRACE_CLOSED;

    if (p->is_json) {
        put_process_json(p, header);
        return;
    }
    mb_buf_put_string(p->out, "# process ");
    put_text(p, header->process_name);
    mb_buf_printf(p->out, " (pid %" PRIu32 "), %s clock, %" PRIu64 " ns, %s\n", header->process_id,
                  clock_name(header), header->resolution_ns,
                  is_closed ? "recording stopped in good order"
                            : "still being recorded, or killed");
}

static void put_mark_json(struct printing *p, uint32_t index, const struct abi_trace_mark *mark,
                          const char *state)
{
    struct mb_json json = open_line(p);

    mb_json_count(&json, "mark", index);
    mb_json_string(&json, "name", mark->source);
    mb_json_count(&json, "ring", mark->in_use - 1);
    mb_json_count(&json, "index", mark->position);
    mb_json_string(&json, "state", state);
    mb_json_end(&json);
}

static void put_mark(struct printing *p, uint32_t index)
{
    static const char *const states[] = {
        [ABI_MARK_VALID] = "valid", [ABI_MARK_LAPPED] = "lapped", [ABI_MARK_LOST] = "lost"};
    struct abi_trace_mark mark;
    uint32_t ring = 0;
    enum abi_mark_state state = abi_tracefile_mark(&p->trace->file, index, &ring, &mark);

    if (state == ABI_MARK_FREE) {
        return;
    }
    if (p->is_json) {
        put_mark_json(p, index, &mark, states[state]);
        return;
    }
    mb_buf_printf(p->out, "# mark %" PRIu32 " ", index);
    put_text(p, mark.source);
    mb_buf_printf(p->out, ": ring %" PRIu32 ", from record %" PRIu64 " on, %s\n", mark.in_use - 1,
                  mark.position, states[state]);
}

static void put_ring_text(struct printing *p, uint32_t index, const struct abi_ring_view *view)
{
    mb_buf_printf(p->out, "# ring %" PRIu32 ": thread %" PRIu32 " ", index, view->entry.thread_id);
    put_text(p, view->entry.thread_name);
    mb_buf_printf(p->out, "%s%s, %zu records", view->entry.is_main != 0 ? " (main)" : "",
                  view->entry.state == ABI_RING_LIVE ? "" : " (ended)",
                  view->run_counts[0] + view->run_counts[1]);
    if (view->lapped_words > 0) {
        mb_buf_printf(p->out, ", %" PRIu64 " older ones overwritten", view->lapped_words);
    }
    if (view->missing_words > 0) {
        mb_buf_printf(p->out, ", %" PRIu64 " that the file is too short for", view->missing_words);
    }
    mb_buf_printf(p->out, "\n#%11s %16s  %8s\n", "record", "time ms", "id");
}

static void put_ring_json(struct printing *p, uint32_t index, const struct abi_ring_view *view)
{
    struct mb_json json = open_line(p);

    mb_json_count(&json, "ring", index);
    mb_json_count(&json, "thread", view->entry.thread_id);
    mb_json_string(&json, "name", view->entry.thread_name);
    mb_json_flag(&json, "main", view->entry.is_main != 0);
    mb_json_flag(&json, "live", view->entry.state == ABI_RING_LIVE);
    mb_json_count(&json, "records", view->run_counts[0] + view->run_counts[1]);
    mb_json_count(&json, "overwrittenRecords", view->lapped_words);
    mb_json_count(&json, "missingRecords", view->missing_words);
    mb_json_end(&json);
}

static uint64_t time_of(const struct printing *p, uint64_t word)
{
    return abi_trace_ns(p->trace->file.header.ns_per_unit, answer_trace_time(p->trace, word));
}

static bool is_catch_mark(uint64_t word)
{
    return !abi_record_is_enter(word) && abi_record_id(word) == ABI_CATCH_ID;
}

/* A record of a ring; a catch is two words there. */
struct record {
    uint32_t ring;
    uint64_t position; /* of the last word */
    uint64_t word;     /* the last one */
    char kind;         /* i, o, c */
    bool has_method;   /* false for a catch that was cut off, and where nothing was written */
};

static void put_record_text(struct printing *p, const struct record *record)
{
    uint64_t ns = time_of(p, record->word);

    if (record->word == ABI_EMPTY_WORD) {
        mb_buf_printf(p->out, "%12" PRIu64 " %16s -\n", record->position, "");
        return;
    }
    mb_buf_printf(p->out, "%12" PRIu64 " %9" PRIu64 ".%06" PRIu64 " %c", record->position,
                  ns / MB_NS_PER_MS, ns % MB_NS_PER_MS, record->kind);
    if (record->has_method) {
        mb_buf_printf(p->out, " %8" PRIu32, abi_record_id(record->word));
    }
    if (record->has_method && p->has_names) {
        const struct answer_names names = answer_map_names(&p->trace->names);
        mb_buf_put_u1(p->out, ' ');
        answer_put_name(p->out, &names, abi_record_id(record->word));
    }
    mb_buf_put_u1(p->out, '\n');
}

static void put_record_json(struct printing *p, const struct record *record)
{
    struct mb_json json = open_line(p);

    mb_json_count(&json, "ring", record->ring);
    mb_json_count(&json, "index", record->position);
    if (record->word != ABI_EMPTY_WORD) {
        mb_json_count(&json, "ns", time_of(p, record->word));
        mb_json_flag(&json, "enter", record->kind == 'i');
    }
    if (record->kind == 'c') {
        mb_json_flag(&json, "catch", true);
    }
    if (record->has_method) {
        mb_json_count(&json, "id", abi_record_id(record->word));
    }
    if (record->has_method && p->has_names) {
        const struct answer_names names = answer_map_names(&p->trace->names);
        mb_json_key(&json, "name");
        answer_put_json_name(p->out, &names, abi_record_id(record->word));
    }
    mb_json_end(&json);
}

static void put_record(struct printing *p, const struct record *record)
{
    if (p->is_json) {
        put_record_json(p, record);
    } else {
        put_record_text(p, record);
    }
    format_drain(p->writer);
}

/* The first word of a catch waits for its second. */
static void put_word(struct printing *p, struct record *waiting, const struct record *next)
{
    struct record record = *next;
    bool is_second = waiting->kind == 'c' && record.kind == 'o';

    if (waiting->kind == 'c' && !is_second) {
        put_record(p, waiting);
    }
    *waiting = (struct record){0};
    record.kind = is_second ? 'c' : record.kind;
    if (!is_second && record.kind == 'o' && is_catch_mark(record.word)) {
        record.kind = 'c';
        record.has_method = false;
        *waiting = record;
        return;
    }
    put_record(p, &record);
}

static char kind_of(uint64_t word)
{
    if (word == ABI_EMPTY_WORD) {
        return '-';
    }
    return abi_record_is_enter(word) ? 'i' : 'o';
}

static void put_records(struct printing *p, uint32_t index, const struct abi_ring_view *view)
{
    struct record waiting = {0};

    for (size_t r = 0; r < MB_COUNT(view->runs); r++) {
        for (size_t i = 0; i < view->run_counts[r]; i++) {
            uint64_t word = view->runs[r][i];
            const struct record record = {
                .ring = index,
                .position = view->run_positions[r] + i,
                .word = word,
                .kind = kind_of(word),
                .has_method = word != ABI_EMPTY_WORD,
            };
            put_word(p, &waiting, &record);
        }
    }
    if (waiting.kind == 'c') {
        put_record(p, &waiting);
    }
}

static void put_damage(struct printing *p, const struct mb_error *err)
{
    if (p->is_json) {
        struct mb_json json = open_line(p);
        mb_json_string(&json, "damage", err->reason);
        mb_json_end(&json);
        return;
    }
    mb_buf_put_string(p->out, "# damaged: ");
    put_text(p, err->reason);
    mb_buf_put_u1(p->out, '\n');
}

static enum mb_status print_trace(struct printing *p, struct mb_error *err)
{
    const struct abi_tracefile *file = &p->trace->file;
    struct mb_error ring_error;
    bool is_found = false;

    put_process(p);
    for (uint32_t i = 0; i < file->header.mark_count; i++) {
        put_mark(p, i);
    }
    for (uint32_t i = 0; i < file->header.ring_count; i++) {
        struct abi_ring_view view;
        bool used = false;
        if (abi_tracefile_ring(file, i, &view, &used, &ring_error) != MB_OK) {
            put_damage(p, &ring_error);
        }
        if (!used || !answer_is_thread(view.entry.thread_name, view.entry.thread_id, p->thread)) {
            continue;
        }
        is_found = true;
        if (p->is_json) {
            put_ring_json(p, i, &view);
        } else {
            put_ring_text(p, i, &view);
        }
        put_records(p, i, &view);
    }
    MB_TRY(mb_buf_check(p->out, err));
    if (!is_found && p->thread != NULL) {
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "no thread is called '%s'", p->thread);
    }
    return MB_OK;
}

static enum mb_status put_lines(struct format_writer *writer, const struct answer_trace *trace,
                                const char *thread, bool is_json, struct mb_error *err)
{
    struct printing printing = {.trace = trace,
                                .writer = writer,
                                .out = &writer->out,
                                .thread = thread,
                                .has_names = trace->names.map.count > 0,
                                .is_json = is_json};

    return print_trace(&printing, err);
}

static enum mb_status put_text_lines(struct format_writer *writer, const struct answer_trace *trace,
                                     const char *thread, struct mb_error *err)
{
    return put_lines(writer, trace, thread, false, err);
}

static enum mb_status put_json_lines(struct format_writer *writer, const struct answer_trace *trace,
                                     const char *thread, struct mb_error *err)
{
    return put_lines(writer, trace, thread, true, err);
}

const struct format format_records = {
    .name = "records",
    .extension = ".records.txt",
    .put_trace = put_text_lines,
};

const struct format format_records_json = {
    .name = "records-json",
    .extension = ".records.ndjson",
    .put_trace = put_json_lines,
};
