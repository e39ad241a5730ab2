/* What report and records read: a trace, and the names of its methods. */

#ifndef CLI_TRACE_INPUT_H
#define CLI_TRACE_INPUT_H

#include "abi/methodmap.h"
#include "abi/tracefile.h"
#include "export/export.h"

/* Zeroed memory can be finished. */
struct cli_trace {
    struct mb_buf bytes;
    struct abi_tracefile file;
    struct abi_methodmap map;
    struct mb_arena arena;
    struct mb_text *names; /* of map.methods, "class.method" */
};

/* Read a trace. */
MB_MUST_CHECK enum mb_status cli_trace_load(struct cli_trace *trace, const char *path,
                                            struct mb_error *err);

/* Read the names. MB_BAD_TRACE if the trace was recorded with another map, unless forced. mapping
 * is a ProGuard or R8 file, or NULL. */
MB_MUST_CHECK enum mb_status cli_trace_load_names(struct cli_trace *trace, const char *map_path,
                                                  const char *mapping, bool force,
                                                  struct mb_error *err);

/* Views of trace. */
struct export_names cli_trace_names(const struct cli_trace *trace);
void cli_trace_finish(struct cli_trace *trace);

/* A copy in the arena in which control characters are '?'; empty without memory. */
struct mb_text cli_clean_text(struct mb_arena *arena, struct mb_text text);

#endif
