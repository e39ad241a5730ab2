#include "instrument/partfile.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define PARTS 500
#define THREADS 4

struct job {
    struct ins_partfile file;
    atomic_size_t next;
    size_t failed_part; /* PARTS: none */
    atomic_size_t put_count;
};

/* Parts of one to some hundred bytes, all of one letter. */
static void make(struct mb_buf *text, size_t part)
{
    mb_buf_reset(text);
    for (size_t i = 0; i < part % 300 + 1; i++) {
        mb_buf_put_u1(text, 'a' + (unsigned)(part % 26));
    }
}

static void *work(void *context)
{
    struct job *job = context;
    struct mb_buf text = {0};

    for (size_t part; (part = atomic_fetch_add(&job->next, 1)) < PARTS;) {
        make(&text, part);
        if (part == job->failed_part) {
            ins_partfile_fail(&job->file);
        } else {
            job->put_count += ins_partfile_put(&job->file, part, &text, NULL) == MB_OK;
        }
    }
    mb_buf_finish(&text);
    return NULL;
}

static void run(struct job *job, int fd)
{
    pthread_t threads[THREADS];

    ins_partfile_init(&job->file, fd);
    for (size_t i = 0; i < THREADS; i++) {
        cr_assert(eq(int, pthread_create(&threads[i], NULL, work, job), 0));
    }
    for (size_t i = 0; i < THREADS; i++) {
        cr_assert(eq(int, pthread_join(threads[i], NULL), 0));
    }
    ins_partfile_finish(&job->file);
}

Test(partfile, parts_stand_in_their_order)
{
    struct job job = {.failed_part = PARTS};
    FILE *file = tmpfile();
    struct mb_buf text = {0};

    run(&job, fileno(file));
    cr_assert(eq(sz, job.put_count, PARTS));
    for (size_t part = 0; part < PARTS; part++) {
        make(&text, part);
        for (size_t i = 0; i < text.size; i++) {
            cr_assert(eq(int, fgetc(file), text.bytes[i]), "part %zu", part);
        }
    }
    cr_assert(eq(int, fgetc(file), EOF));
    mb_buf_finish(&text);
    (void)fclose(file);
}

Test(partfile, nobody_waits_for_a_part_that_failed)
{
    struct job job = {.failed_part = PARTS / 2};
    FILE *file = tmpfile();

    run(&job, fileno(file));
    cr_assert(eq(sz, job.put_count, PARTS - 1));
    (void)fclose(file);
}

Test(partfile, a_full_disk_is_an_error)
{
    struct job job = {.failed_part = PARTS};
    FILE *full = fopen("/dev/full", "w");

    cr_assert(ne(ptr, full, NULL));
    run(&job, fileno(full));
    cr_assert(eq(sz, job.put_count, 0));
    (void)fclose(full);
}
