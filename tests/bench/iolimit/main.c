/* usage: iolimit [--threads=N] [--compression=store|fast|best] --output=DIR INPUT...
 * prints a JSON object that says how much there was to do. */

#include "iolimit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BATCH_ENTRIES = 32,
    BATCH_SIZE = 64 << 10,
    WINDOW = 64, /* batches that may be under way or waiting to be written */
    MAX_THREADS = 64,
};

struct run {
    struct input *inputs;
    size_t input_count;
    struct batch *batches;
    size_t batch_count;
    size_t batch_capacity;
    const char *output;
    int level;
    unsigned thread_count;
    bool is_second_pass;
    struct worker workers[MAX_THREADS]; /* the first is the main thread */

    pthread_mutex_t lock; /* guards all below, and batches[].packed, inputs[].batches_left */
    pthread_cond_t moved;
    size_t next;    /* first batch that nobody took */
    size_t written; /* first batch that is not in its output */
    struct bytes buffers[WINDOW];
    struct bytes *spare[WINDOW]; /* used as a stack: the memory touched last is taken first */
    size_t spare_count;
};

static void append(struct input *input, const uint8_t *bytes, size_t size)
{
    while (size > 0) {
        ssize_t put = write(input->output, bytes, size);

        if (put < 0) {
            io_stop(input->output_path, strerror(errno));
        }
        input->output_size += (size_t)put;
        bytes += put;
        size -= (size_t)put;
    }
}

static void put_central_header(struct bytes *out, const struct entry *entry)
{
    const size_t size = IO_CENTRAL_SIZE + (size_t)entry->name_size;
    uint8_t *b = io_make_room(out, size);

    memset(b, 0, IO_CENTRAL_SIZE);
    (void)io_put_u4(b, 0x02014b50);
    (void)io_put_u2(b + 4, 20);
    io_put_local_header(b + 16, entry); /* also leaves the name where it belongs */
    memmove(b + 6, b + 20, 24); /* the two headers agree from the version to the extra size */
    memset(b + 30, 0, 12);
    (void)io_put_u4(b + 42, entry->offset);
    out->size += size;
}

static void finish_jar(struct run *run, struct input *input)
{
    struct bytes *directory = &run->workers[0].grown;
    char path[sizeof(input->output_path) + 8];
    uint8_t *end;

    directory->size = 0;
    for (size_t i = 0; i < input->entry_count; i++) {
        put_central_header(directory, &input->entries[i]);
    }
    end = io_make_room(directory, IO_END_SIZE);
    memset(end, 0, IO_END_SIZE);
    (void)io_put_u4(end, 0x06054b50);
    (void)io_put_u2(end + 8, (unsigned)input->entry_count);
    (void)io_put_u2(end + 10, (unsigned)input->entry_count);
    (void)io_put_u4(end + 12, directory->size);
    (void)io_put_u4(end + 16, input->output_size);
    directory->size += IO_END_SIZE;
    append(input, directory->data, directory->size);
    directory->size = 0;
    snprintf(path, sizeof(path), "%s.part", input->output_path);
    if (close(input->output) != 0 || rename(path, input->output_path) != 0) {
        io_stop(path, strerror(errno));
    }
    (void)munmap((void *)(uintptr_t)input->map, input->map_size);
}

static void write_batch(struct run *run, struct batch *batch)
{
    struct input *input = batch->input;
    char path[sizeof(input->output_path) + 8];

    if (input->map == NULL) {
        return;
    }
    if (input->output < 0) {
        snprintf(path, sizeof(path), "%s.part", input->output_path);
        input->output = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    }
    for (size_t i = batch->first; i < batch->first + batch->count; i++) {
        input->entries[i].offset += input->output_size;
    }
    append(input, batch->packed->data, batch->packed->size);
    if (batch->first + batch->count == input->entry_count) {
        finish_jar(run, input);
    }
}

/* Called and left with the lock held. */
static void do_batch(struct worker *worker)
{
    struct run *run = worker->run;
    struct batch *batch = &run->batches[run->next++];
    struct bytes *buffer = run->is_second_pass ? run->spare[--run->spare_count] : NULL;
    bool is_last;

    pthread_mutex_unlock(&run->lock);
    if (run->is_second_pass) {
        io_rewrite(worker, batch, buffer);
    } else {
        io_examine(worker, batch);
    }
    pthread_mutex_lock(&run->lock);
    batch->packed = buffer;
    is_last = --batch->input->batches_left == 0;
    if (is_last && !run->is_second_pass && run->input_count > 1 && batch->input->map != NULL) {
        (void)madvise((void *)(uintptr_t)batch->input->map, batch->input->map_size, MADV_DONTNEED);
    }
    pthread_cond_broadcast(&run->moved);
}

static void write_next(struct run *run)
{
    struct batch *batch = &run->batches[run->written];

    pthread_mutex_unlock(&run->lock);
    write_batch(run, batch);
    pthread_mutex_lock(&run->lock);
    run->spare[run->spare_count++] = batch->packed;
    run->written++;
    pthread_cond_broadcast(&run->moved);
}

static bool can_take(const struct run *run)
{
    return run->next < run->batch_count && (!run->is_second_pass || run->spare_count > 0);
}

static bool can_write(const struct run *run)
{
    return run->is_second_pass && run->written < run->next &&
           run->batches[run->written].packed != NULL;
}

static void *take_part(void *context)
{
    struct worker *worker = context;
    struct run *run = worker->run;
    const bool is_main = worker == run->workers;
    const size_t *done = is_main && run->is_second_pass ? &run->written : &run->next;

    pthread_mutex_lock(&run->lock);
    while (*done < run->batch_count) {
        if (is_main && can_write(run)) {
            write_next(run);
        } else if (can_take(run)) {
            do_batch(worker);
        } else {
            pthread_cond_wait(&run->moved, &run->lock);
        }
    }
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

static void do_pass(struct run *run, bool is_second_pass)
{
    run->is_second_pass = is_second_pass;
    run->next = 0;
    for (size_t i = 0; i < run->batch_count; i++) {
        run->batches[i].packed = NULL;
        run->batches[i].input->batches_left++;
    }
    for (unsigned i = 1; i < run->thread_count; i++) {
        if (pthread_create(&run->workers[i].thread, NULL, take_part, &run->workers[i]) != 0) {
            io_stop("threads", "cannot be started");
        }
    }
    (void)take_part(&run->workers[0]);
    for (unsigned i = 1; i < run->thread_count; i++) {
        (void)pthread_join(run->workers[i].thread, NULL);
    }
}

static void cut_into_batches(struct run *run, struct input *input)
{
    for (size_t i = 0; i < input->entry_count;) {
        struct batch *batch;
        size_t size = 0;

        if (run->batch_count == run->batch_capacity) {
            run->batch_capacity = 2 * run->batch_capacity + 64;
            run->batches = io_resize(run->batches, run->batch_capacity * sizeof(*batch));
        }
        batch = &run->batches[run->batch_count++];
        *batch = (struct batch){.input = input, .first = i};
        while (i < input->entry_count && batch->count < BATCH_ENTRIES && size < BATCH_SIZE) {
            size += input->entries[i++].size;
            batch->count++;
        }
    }
}

static void add_input(struct run *run, const char *path)
{
    struct input *input = &run->inputs[run->input_count];
    const char *slash = strrchr(path, '/');

    input->path = path;
    snprintf(input->output_path, sizeof(input->output_path), "%s/%zu-%s", run->output,
             run->input_count++, slash != NULL ? slash + 1 : path);
    io_list(input);
    cut_into_batches(run, input);
}

static void start(struct run *run)
{
    (void)mkdir(run->output, 0777);
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->moved, NULL);
    for (size_t i = 0; i < WINDOW; i++) {
        run->spare[run->spare_count++] = &run->buffers[i];
    }
    for (unsigned i = 0; i < run->thread_count; i++) {
        run->workers[i].run = run;
        run->workers[i].inflate = libdeflate_alloc_decompressor();
        run->workers[i].deflate = run->level > 0 ? libdeflate_alloc_compressor(run->level) : NULL;
    }
}

static void report(const struct run *run)
{
    uint64_t class_bytes = 0;
    uint64_t seen = 0;
    size_t class_count = 0;

    for (unsigned i = 0; i < run->thread_count; i++) {
        class_count += run->workers[i].class_count;
        class_bytes += run->workers[i].class_bytes;
        seen += run->workers[i].seen;
    }
    printf("{\"classes\": %zu, \"class_bytes\": %llu, \"seen\": %llu}\n", class_count,
           (unsigned long long)class_bytes, (unsigned long long)seen);
}

static int level_of(const char *name)
{
    static const struct {
        const char *name;
        int level;
    } levels[] = {{"store", 0}, {"fast", 1}, {"best", 6}};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (strcmp(levels[i].name, name) == 0) {
            return levels[i].level;
        }
    }
    io_stop("--compression", "store, fast or best");
}

static const char *value_of(const char *argument, const char *option)
{
    size_t size = strlen(option);

    return strncmp(argument, option, size) == 0 ? argument + size : NULL;
}

static void set_option(struct run *run, const char *argument)
{
    const char *value;

    if ((value = value_of(argument, "--threads=")) != NULL) {
        run->thread_count = (unsigned)strtoul(value, NULL, 10);
    } else if ((value = value_of(argument, "--compression=")) != NULL) {
        run->level = level_of(value);
    } else if ((value = value_of(argument, "--output=")) != NULL) {
        run->output = value;
    } else {
        io_stop(argument, "unknown option");
    }
}

int main(int argc, char **argv)
{
    static struct run run = {.level = 1, .thread_count = 2};
    int argument = 1;

    for (; argument < argc && strncmp(argv[argument], "--", 2) == 0; argument++) {
        set_option(&run, argv[argument]);
    }
    if (argument == argc || run.output == NULL || run.thread_count - 1u >= MAX_THREADS) {
        io_stop("usage", "[--threads=N] [--compression=store|fast|best] --output=DIR INPUT...");
    }
    start(&run);
    run.inputs = io_resize(NULL, (size_t)(argc - argument) * sizeof(*run.inputs));
    memset(run.inputs, 0, (size_t)(argc - argument) * sizeof(*run.inputs));
    for (; argument < argc; argument++) {
        add_input(&run, argv[argument]);
    }
    do_pass(&run, false);
    do_pass(&run, true);
    report(&run);
    return 0;
}
