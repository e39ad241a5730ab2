/* Other programs that are started and waited for. Not part of the recorder: what starts them came
 * to Android with level 28. */

#ifndef BASE_PLATFORM_PROCESS_H
#define BASE_PLATFORM_PROCESS_H

#include "base/buf.h"
#include "base/error.h"

/* What a program gets as a standard stream, or an open file: a descriptor, borrowed. */
enum {
    MB_STREAM_NULL = -1, /* nothing to read; what is written is lost */
    MB_STREAM_OURS = -2, /* that of this process */
    MB_STREAM_PIPE = -3, /* outputs: for mb_process_read */
};

struct mb_program {
    const char *const *words; /* found along PATH, and its arguments; NULL ends them */
    const char *folder;       /* where it works; NULL: here */
    int input;
    int output;
    int complaints; /* standard error */
};

/* Transparent, so that it can be part of others; fields are for base/posix and base/windows. */
struct mb_process {
    intptr_t id;
    intptr_t pipes[2]; /* output and complaints; -1: no pipe, or read to its end */
};

/* False with errno, ENOENT where PATH has none of that name. After success call mb_process_wait. */
bool mb_process_start(struct mb_process *process, const struct mb_program *program);

/* Append what its pipes hold, waiting for it for at most ms, or until a signal comes. False when
 * both have come to their ends. */
bool mb_process_read(struct mb_process *process, int ms, struct mb_buf *output,
                     struct mb_buf *complaints);

enum mb_end {
    MB_END_ASK, /* as an interrupt of the user would, if the system can */
    MB_END_NOW,
};
void mb_process_end(const struct mb_process *process, enum mb_end end);

/* Wait for its end: *code is its exit code, or 128 and the number of the signal that ended it.
 * False with errno: EINTR if a signal came meanwhile, after which it may be called again. Once the
 * end was seen the pipes are closed. */
bool mb_process_wait(struct mb_process *process, int *code);

/* Show a file to the user, in what the desktop opens it with, if there is one. MB_IO if there is
 * nothing of the kind; *code is that of the program that was asked to. */
MB_MUST_CHECK enum mb_status mb_show_page(const char *path, int *code, struct mb_error *err);

#endif
