/* Command lines longer than the system allows: @FILE stands for the lines of FILE. */

#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "base/arena.h"
#include "base/error.h"

/* A copy of argv in which each argument @FILE is replaced by the lines of FILE, one argument each,
 * without empty lines. Lines are not expanded again. Write ./@ for an argument that begins with @
 * itself. Texts are borrowed from argv or owned by the arena. */
MB_MUST_CHECK enum mb_status cli_expand_arguments(struct mb_arena *arena, int *argc, char ***argv,
                                                  struct mb_error *err);

#endif
