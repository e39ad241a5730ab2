/* What the JVMs below a run tell of themselves (abi/run.h). */

#ifndef CLI_RUN_NOTES_H
#define CLI_RUN_NOTES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Texts are of the notes. */
struct cli_run_jvm {
    uint32_t id;
    const char *program; /* "": it started none */
    const char *trace;   /* NULL: it has none */
    const char *failure; /* the last one, or NULL */
    const char *ended;   /* the counts that it told at its end, or NULL */
    bool is_skipped;
};

struct cli_run_notes {
    char folder[PATH_MAX];
    struct mb_arena arena;
    struct mb_buf jvms; /* struct cli_run_jvm, in the order of their numbers */
};

/* Make the folder, readable by us only, and name it in the environment. Release also after failure.
 */
MB_MUST_CHECK enum mb_status cli_run_notes_open(struct cli_run_notes *notes, struct mb_error *err);
void cli_run_notes_finish(struct cli_run_notes *notes);

/* Remove the folder with all that is in it, if it is still there; what was read stays. */
void cli_run_notes_close(struct cli_run_notes *notes);

/* All so far. */
MB_MUST_CHECK enum mb_status cli_run_notes_read(struct cli_run_notes *notes, struct mb_error *err);

size_t cli_run_notes_count(const struct cli_run_notes *notes);
const struct cli_run_jvm *cli_run_notes_at(const struct cli_run_notes *notes, size_t index);

/* Append a line for each JVM that started a program and has no trace: why. With none recorded also
 * of those that were left out or started nothing, or why a JVM is missing. */
void cli_run_notes_explain(struct mb_buf *out, const struct cli_run_notes *notes, bool is_java);

#endif
