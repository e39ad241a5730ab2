#include "answer/input.h"

#include "abi/hash.h"
#include "abi/identity.h"
#include "abi/record.h"
#include "abi/section.h"
#include "answer/map_finder.h"
#include "base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_NAMES 200
#define LEAST_ROOM 65536 /* words, where names of methods are */

static enum mb_status check_map(const struct answer_trace *trace,
                                const struct answer_source *source, struct mb_error *err)
{
    const struct mb_buf *text = &trace->names.map.text;
    uint64_t expected = trace->file.header.mapping_hash;

    if (expected == 0 || source->force || answer_map_has_hash(text, expected)) {
        return MB_OK;
    }
    return mb_fail_in(err, MB_BAD_TRACE, source->map.file,
                      "the trace was recorded with another method map (%016" PRIx64
                      ", not %016" PRIx64 "); report --force uses this one",
                      expected, abi_hash_map(text->bytes, text->size));
}

/* Where the trace has names of its own, a map that has none of the first of them is another
 * program's, or another build's. */
static enum mb_status check_names(const struct answer_trace *trace, struct mb_text own,
                                  const struct answer_source *source, struct mb_error *err)
{
    const struct mb_buf *text = &trace->names.map.text;
    const struct mb_text map = {(const char *)text->bytes, text->size};
    bool is_known = source->force || own.size == 0;

    for (int i = 0; !is_known && own.size > 0 && i < MOST_NAMES; i++) {
        struct mb_text line = mb_text_split(&own, '\n');
        is_known = line.size > 0 && mb_text_contains(map, line);
    }
    return is_known ? MB_OK
                    : mb_fail_in(err, MB_BAD_TRACE, source->map.file,
                                 "names none of the methods of the trace, which has names of its "
                                 "own: leave --method-map out; report --force uses it");
}

static bool has_section(const struct abi_tracefile *trace, uint32_t kind)
{
    struct abi_section_view view;

    return abi_tracefile_section(trace, kind, 0, sizeof(uint64_t), &view);
}

/* Where there is less room, kinds of messages are named, but no methods. */
bool answer_trace_has_all_names(const struct abi_tracefile *trace)
{
    struct abi_section_view names;

    return abi_tracefile_section(trace, ABI_SECTION_NAMES, 0, sizeof(uint64_t), &names) &&
           (has_section(trace, ABI_SECTION_WEAVING) ||
            (!has_section(trace, ABI_SECTION_SAMPLING) && names.entry.capacity > LEAST_ROOM));
}

/* The lines that the trace holds itself, if any. Of a process that was killed in the middle of a
 * line, whole lines. */
static struct mb_text find_names(const struct answer_trace *trace)
{
    struct abi_section_view view;
    struct mb_text lines = {0};

    if (abi_tracefile_section(&trace->file, ABI_SECTION_NAMES, 0, sizeof(uint64_t), &view)) {
        lines = (struct mb_text){view.records, view.count * view.entry.record_size};
    }
    while (lines.size > 0 && lines.data[lines.size - 1] != '\n') {
        lines.size--;
    }
    return lines;
}

/* As its table of sections says, which come last where a program recorded into the file. */
static uint64_t find_size(const struct abi_tracefile *file)
{
    const uint8_t *table = file->bytes + file->header.section_table_offset;
    uint64_t end = 0;

    for (uint32_t i = 0; i < file->header.section_count; i++) {
        struct abi_trace_section entry;
        memcpy(&entry, table + i * sizeof(entry), sizeof(entry));
        uint64_t size = abi_trace_whole_pages(entry.capacity * entry.record_size);
        end = entry.offset + size > end ? entry.offset + size : end;
    }
    return end;
}

/* Of a transfer that broke off: without names of its own, the trace seems to want a map. */
static enum mb_status check_end(const struct answer_trace *trace,
                                const struct answer_source *source, struct mb_error *err)
{
    struct abi_section_view view;
    bool has = abi_tracefile_section(&trace->file, ABI_SECTION_NAMES, 0, 0, &view);
    uint64_t written = view.entry.written;
    uint64_t count = written < view.entry.capacity ? written : view.entry.capacity;

    if (source->map.file != NULL || view.entry.kind != ABI_SECTION_NAMES ||
        (has && view.count >= count)) {
        return MB_OK;
    }
    return mb_fail(err, MB_BAD_TRACE, MB_NO_OFFSET,
                   "cut off: it says %" PRIu64 " bytes, has %zu: copy it again",
                   find_size(&trace->file), trace->bytes.size);
}

enum mb_status answer_trace_load(struct answer_trace *trace, const struct answer_source *source,
                                 struct mb_error *err)
{
    trace->path = mb_text_of(source->path);
    MB_TRY(mb_file_read_sparse(&trace->bytes, source->path, err));
    MB_TRY(abi_tracefile_open(&trace->file, trace->bytes.bytes, trace->bytes.size, err));
    MB_TRY(check_end(trace, source, err));
    return answer_trace_load_names(trace, source, err);
}

/* The map that is given; one that is found, if the trace needs some. */
static enum mb_status choose_map(struct answer_trace *trace, const struct answer_source *source,
                                 const char **map_path, struct mb_error *err)
{
    *map_path = source->map.file;
    if (*map_path == NULL && !trace->has_own_names && source->finds_map) {
        MB_TRY(answer_find_map(&trace->found_map, &trace->names.map.text, &trace->file,
                               source->path, source->map.folders, err));
        *map_path = (const char *)trace->found_map.bytes;
    }
    trace->map_path = mb_text_of(*map_path != NULL ? *map_path : "");
    return MB_OK;
}

enum mb_status answer_trace_load_names(struct answer_trace *trace,
                                       const struct answer_source *source, struct mb_error *err)
{
    struct answer_map_source from = {
        .own_path = source->path,
        .mapping = source->mapping,
        .r8 = abi_identity_find(abi_identity_of_trace(&trace->file), "r8"),
    };

    trace->names.has_plain_messages = trace->file.header.platform == ABI_PLATFORM_OTHER;
    trace->has_own_names = answer_trace_has_all_names(&trace->file);
    MB_TRY(choose_map(trace, source, &from.map_path, err));
    from.is_found = from.map_path != NULL && source->map.file == NULL;
    if (from.map_path == NULL || !trace->has_own_names) {
        from.own = find_names(trace);
    }
    if (from.map_path == NULL && !trace->has_own_names && from.own.size == 0) {
        return MB_OK;
    }
    MB_TRY(answer_map_open(&trace->names, &from, err));
    if (source->map.file != NULL && trace->has_own_names) {
        MB_TRY(check_names(trace, find_names(trace), source, err));
    }
    return source->map.file != NULL ? check_map(trace, source, err) : MB_OK;
}

uint64_t answer_trace_time(const struct answer_trace *trace, uint64_t word)
{
    uint64_t now = trace->file.header.now;
    uint64_t time = abi_record_time(word);
    uint64_t before = abi_record_elapsed(time, now);

    if (now <= ABI_TIME_MASK) {
        return time;
    }
    return before <= ABI_TIME_MASK / 2 ? now - before : now + abi_record_elapsed(now, time);
}

/* The state of a mark, and in *found what it says. */
static enum abi_mark_state read_mark(const struct answer_trace *trace, uint32_t index,
                                     struct answer_range *found)
{
    struct abi_trace_mark mark;
    enum abi_mark_state state = abi_tracefile_mark(&trace->file, index, &found->ring, &mark);

    found->position = mark.position;
    found->end = UINT64_MAX;
    (void)snprintf(found->name, sizeof(found->name), "%s", mark.source);
    return state;
}

static enum mb_status check_mark(enum abi_mark_state state, const char *wanted,
                                 struct mb_error *err)
{
    static const char *const reasons[] = {
        [ABI_MARK_LAPPED] = "newer records have overwritten where its range starts",
        [ABI_MARK_LOST] = "its ring has been given to another thread",
    };

    switch (state) {
    case ABI_MARK_VALID:
        return MB_OK;
    case ABI_MARK_FREE:
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "no mark is called '%s'", wanted);
    case ABI_MARK_LAPPED:
    case ABI_MARK_LOST:
        break;
    }
    return mb_fail(err, MB_BAD_TRACE, MB_NO_OFFSET, "mark '%s' is invalid: %s", wanted,
                   reasons[state]);
}

/* Where a second mark says that the range ends. */
static void find_end(const struct answer_trace *trace, struct answer_range *mark)
{
    struct mb_text name = mb_text_of(mark->name);

    for (uint32_t i = 0; i < trace->file.header.mark_count; i++) {
        struct answer_range next;
        enum abi_mark_state state = read_mark(trace, i, &next);
        struct mb_text ending = mb_text_of(next.name);
        if (state == ABI_MARK_VALID && next.ring == mark->ring && next.position >= mark->position &&
            mb_text_starts(ending, name) && strcmp(next.name + name.size, ABI_MARK_END) == 0) {
            mark->end = next.position < mark->end ? next.position : mark->end;
        }
    }
}

enum mb_status answer_trace_find_mark(const struct answer_trace *trace, const char *wanted,
                                      struct answer_range *mark, struct mb_error *err)
{
    uint32_t count = trace->file.header.mark_count;
    enum abi_mark_state found = ABI_MARK_FREE;
    uint32_t valid_count = 0;
    uint64_t number = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct answer_range next;
        enum abi_mark_state state = read_mark(trace, i, &next);
        if (state == ABI_MARK_FREE || strcmp(next.name, wanted) != 0) {
            continue;
        }
        valid_count += state == ABI_MARK_VALID;
        if (found != ABI_MARK_VALID) {
            found = state;
            *mark = next;
        }
    }
    if (valid_count > 1) {
        return mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET,
                       "%" PRIu32 " marks are called '%s': give the number of one, as records "
                       "lists them",
                       valid_count, wanted);
    }
    if (found == ABI_MARK_FREE && count > 0 &&
        mb_text_to_number(mb_text_of(wanted), count - 1, &number)) {
        found = read_mark(trace, (uint32_t)number, mark);
    }
    if (found == ABI_MARK_VALID) {
        find_end(trace, mark);
    }
    return check_mark(found, wanted, err);
}

bool answer_is_thread(const char *name, uint32_t id, const char *wanted)
{
    char number[16];

    (void)snprintf(number, sizeof(number), "%" PRIu32, id);
    return wanted == NULL || strcmp(wanted, name) == 0 || strcmp(wanted, number) == 0;
}

void answer_trace_finish(struct answer_trace *trace)
{
    mb_buf_finish(&trace->bytes);
    mb_buf_finish(&trace->found_map);
    answer_map_finish(&trace->names);
}
