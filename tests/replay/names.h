/* The names of a log: each text has one number, whatever number a file gives it. */

#ifndef REPLAY_NAMES_H
#define REPLAY_NAMES_H

#include "base/arena.h"
#include "base/strmap.h"
#include "base/text.h"

#include <stdint.h>

/* A file's numbers are below. */
#define REPLAY_NAME_LIMIT (UINT32_C(1) << 20)

/* Zeroed memory is empty. */
struct replay_names {
    struct mb_arena arena;
    struct mb_strmap map;  /* text to number */
    struct mb_buf texts;   /* struct mb_text [number - 1] */
    struct mb_buf of_file; /* uint32_t [the file's number]: our number, 0: missing in the file */
};

/* The text's number; 0 when out of memory. */
uint32_t replay_names_add(struct replay_names *names, struct mb_text text);

/* Add a name of the file; number is below the limit. False when out of memory. */
bool replay_names_say(struct replay_names *names, uint32_t number, struct mb_text text);

/* Our number for the file's; 0 if the file has no such name. */
uint32_t replay_names_ours(const struct replay_names *names, uint32_t number);

/* For struct mon_names; context is a struct replay_names. */
struct mb_text replay_names_find(const void *context, uint32_t name);

/* Forget the file's numbers before the next file. */
void replay_names_next_file(struct replay_names *names);
void replay_names_finish(struct replay_names *names);

#endif
