#include "cli/trace_input.h"

#include "abi/hash.h"
#include "abi/record.h"
#include "base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum mb_status cli_trace_load(struct cli_trace *trace, const char *path, struct mb_error *err)
{
    MB_TRY(mb_file_read(&trace->bytes, path, err));
    enum mb_status status =
        abi_tracefile_open(&trace->file, trace->bytes.bytes, trace->bytes.size, err);
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

static enum mb_status check_map(const struct cli_trace *trace, const char *map_path, bool force,
                                struct mb_error *err)
{
    const struct mb_buf *text = &trace->names.map.text;
    uint64_t expected = trace->file.header.mapping_hash;
    uint64_t hash = abi_hash(ABI_HASH_START, text->bytes, text->size);

    if (expected == 0 || expected == hash || force) {
        return MB_OK;
    }
    (void)mb_fail(err, MB_BAD_TRACE, MB_NO_OFFSET,
                  "the trace was recorded with another method map (%016" PRIx64 ", not %016" PRIx64
                  "); --force uses this one",
                  expected, hash);
    mb_error_in_input(err, map_path);
    return MB_BAD_TRACE;
}

enum mb_status cli_trace_load_names(struct cli_trace *trace, const char *map_path,
                                    const char *mapping, bool force, struct mb_error *err)
{
    MB_TRY(cli_method_names_load(&trace->names, map_path, mapping, err));
    return check_map(trace, map_path, force, err);
}

uint64_t cli_trace_time(const struct cli_trace *trace, uint64_t word)
{
    uint64_t now = trace->file.header.now;
    uint64_t time = abi_record_time(word);
    uint64_t before = abi_record_elapsed(time, now);

    if (now <= ABI_TIME_MASK) {
        return time;
    }
    return before <= ABI_TIME_MASK / 2 ? now - before : now + abi_record_elapsed(now, time);
}

bool cli_trace_is_thread(const struct abi_ring_view *view, const char *wanted)
{
    char id[16];

    (void)snprintf(id, sizeof(id), "%" PRIu32, view->entry.thread_id);
    return wanted == NULL || strcmp(wanted, view->entry.thread_name) == 0 ||
           strcmp(wanted, id) == 0;
}

void cli_trace_finish(struct cli_trace *trace)
{
    mb_buf_finish(&trace->bytes);
    cli_method_names_finish(&trace->names);
}
