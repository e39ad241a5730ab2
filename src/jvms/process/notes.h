/* What the JVMs below a run tell of themselves (abi/run.h). */

#ifndef PROC_NOTES_H
#define PROC_NOTES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Texts are of the notes. */
struct proc_noted_jvm {
    uint32_t id;
    const char *program; /* "": it started none */
    const char *trace;   /* NULL: it has none */
    const char *failure; /* the last one, or NULL */
    const char *ended;   /* the counts that it told at its end, or NULL */
    bool is_skipped;
    bool is_foreign; /* of another user */
};

MB_VEC_TYPE(proc_noted_jvms, struct proc_noted_jvm);

struct proc_notes {
    char folder[PATH_MAX];
    struct mb_arena arena;
    union proc_noted_jvms jvms; /* in the order of their numbers */
};

/* Make the folder, readable by us only, and name it in the environment. Under root JVMs of other
 * users may write to it, too. Release also after failure. */
MB_MUST_CHECK enum mb_status proc_notes_open(struct proc_notes *notes, struct mb_error *err);
void proc_notes_finish(struct proc_notes *notes);

/* Remove the folder with all that is in it, if it is still there; what was read stays. */
void proc_notes_close(struct proc_notes *notes);

/* All so far. */
MB_MUST_CHECK enum mb_status proc_notes_read(struct proc_notes *notes, struct mb_error *err);

#endif
