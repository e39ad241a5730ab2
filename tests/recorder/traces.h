/* A folder of the test's own, and traces read back from it. */

#ifndef TESTS_RECORDER_TRACES_H
#define TESTS_RECORDER_TRACES_H

#include "abi/tracefile.h"
#include "base/buf.h"
#include "recorder/methodbeat.h"

#include <stdbool.h>
#include <stdint.h>

extern char traces_folder[64];
extern char traces_path[128]; /* of a trace in it */
extern char traces_log[256];  /* the last message to options that traces_options made */

/* For .init and .fini of a suite. */
void traces_make_folder(void);
void traces_remove_folder(void);

/* Defaults, main being the calling thread. */
struct beat_options traces_options(const char *file);

/* Write text to a file. */
void traces_write(const char *path, const char *text);

/* How many files the folder holds. */
size_t traces_count_files(void);

struct traces_loaded {
    struct mb_buf bytes; /* mb_buf_finish when done */
    struct abi_tracefile trace;
    struct abi_ring_view main;
};

/* The test fails if that is no trace. */
struct traces_loaded traces_load(const char *path);

/* The view of the ring whose thread has that name; false if there is none. */
bool traces_find_ring(const struct traces_loaded *loaded, const char *thread_name,
                      struct abi_ring_view *view);

#endif
