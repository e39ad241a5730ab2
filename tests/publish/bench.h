/* A folder to publish into, a set of outputs in two places of it, and system calls that go
 * wrong. */

#ifndef TESTS_PUBLISH_BENCH_H
#define TESTS_PUBLISH_BENCH_H

#include "publish/publish.h"

#include <stdbool.h>

extern char bench_root[];

/* For .init and .fini of a suite. */
void bench_begin(void);
void bench_end(void);

/* The path of a file in the folder; lasts until the next call. */
const char *bench_at(const char *name);

/* The calls that change folders are counted from now on; when so many are done, the next one fails
 * with bench_error, or is the last thing that the process does if that is 0. Below 0: all is
 * well. */
extern int bench_calls_left;
extern int bench_error;
extern bool bench_has_mounts;   /* links and renames between two folders fail */
extern int bench_flock_error;   /* of every flock; 0: none */
extern bool bench_ignores_case; /* staging folders have a second name, as on macOS */
extern bool bench_keeps_old;    /* replaced files cannot be deleted, as on Windows */

#define BENCH_MOST_CALLS 1000 /* more than any of the tests makes */

/* Names in a folder, the root if "". */
int bench_count(const char *name);
void bench_write(const char *name, const char *text);
bool bench_holds(const char *name, const char *text);

enum mb_status bench_put(struct pub_outputs *publish, const char *name, const char *text);

/* The set: a, y/b and y/new/d are put, y/c is removed. */
void bench_make_old_set(void);
enum mb_status bench_put_set(struct pub_outputs *publish, const char *text);
bool bench_is_old_set(void);
bool bench_is_new_set(void);

/* What the next run does first. Below a folder of the root; 0 if that went well. */
int bench_recover_in(const char *name);

#endif
