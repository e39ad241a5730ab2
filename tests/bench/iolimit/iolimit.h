/* The yardstick of the benchmark: what any instrumenter of jars and folders has to do, and nothing
 * else. Two passes, as ours: the first inflates every class, checks it and looks at each byte; the
 * second does so again, copies the class with six more bytes for every sixty, compresses and writes
 * it. Shares no code with the product, trusts its input (it is no tool), stops at any surprise. */

#ifndef BENCH_IOLIMIT_H
#define BENCH_IOLIMIT_H

#include <libdeflate.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    IO_LOCAL_SIZE = 30, /* the fixed part of the headers of a zip file */
    IO_CENTRAL_SIZE = 46,
    IO_END_SIZE = 22,
};

struct bytes {
    uint8_t *data;
    size_t size;
    size_t capacity;
};

/* A zip entry or a file below a folder. Pass 2 replaces what the input said by what was written. */
struct entry {
    const char *name; /* in the jar's map, or on the heap */
    size_t offset;    /* of the local header in the jar; in pass 2 in the batch, then the output */
    uint32_t crc;
    uint32_t packed_size;
    uint32_t size;
    uint16_t name_size;
    uint16_t flags;
    uint16_t method;
    bool is_class;
};

struct input {
    const char *path;
    struct entry *entries;
    size_t entry_count;
    size_t entry_capacity;
    const uint8_t *map; /* NULL: a folder */
    size_t map_size;
    size_t batches_left; /* in this pass */
    int folder;
    int output; /* folder or file, -1: not open yet */
    size_t output_size;
    char output_path[4096];
};

struct batch {
    struct input *input;
    size_t first;
    size_t count;
    struct bytes *packed; /* pass 2: what to append to the output; NULL: not done yet */
};

struct worker {
    struct run *run;
    struct libdeflate_decompressor *inflate;
    struct libdeflate_compressor *deflate; /* NULL: store */
    struct bytes plain;
    struct bytes grown;
    struct bytes old; /* what the output file held */
    size_t class_count;
    uint64_t class_bytes;
    uint64_t seen; /* a use for each byte, so that looking at it is not optimised away */
    pthread_t thread;
};

_Noreturn void io_stop(const char *where, const char *why);

/* realloc that stops the program when there is no memory. */
void *io_resize(void *memory, size_t size);

/* The place behind bytes->size, with room for size more. */
uint8_t *io_make_room(struct bytes *bytes, size_t size);

/* Integers of zip files. */
uint16_t io_get_u2(const uint8_t *b);
uint32_t io_get_u4(const uint8_t *b);
uint8_t *io_put_u2(uint8_t *b, unsigned value);
uint8_t *io_put_u4(uint8_t *b, size_t value);

/* Open the jar or folder at input->path and list its entries; a folder also gets its twin at
 * input->output_path. */
void io_list(struct input *input);

/* The first pass over one batch. */
void io_examine(struct worker *worker, const struct batch *batch);

/* The second: entries of jars go to out, those of folders straight to their files. */
void io_rewrite(struct worker *worker, const struct batch *batch, struct bytes *out);

void io_put_local_header(uint8_t *b, const struct entry *entry);

#endif
