#include "recorder/memory.h"
#include "recorder/output.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE ((size_t)1 << 20)

static const struct beat_extent used = {0, 4096, 4096};

static const struct beat_plan one_ring = {1, 1024, 1024, 0, 0, false};
static const struct beat_plan other_ring = {1, 2048, 1024, 0, 0, false};

/* Instead of libc's. */
static int empty_reservations;
static int reservations;

int posix_fallocate(int fd, off_t offset, off_t size)
{
    empty_reservations += size == 0;
    reservations++;
    return fallocate(fd, 0, offset, size) == 0 ? 0 : errno;
}

static void begin(void)
{
    traces_make_folder();
    (void)beat_lock();
}

static void end(void)
{
    beat_unlock(&beat_recorder);
    traces_remove_folder();
}

TestSuite(memory, .init = begin, .fini = end);

static struct beat_memory *take(const struct beat_plan *plan)
{
    struct beat_memory *memory = beat_memory_take(plan, SIZE, NULL);

    cr_assert(memory != NULL);
    return memory;
}

Test(memory, serves_a_later_session_of_the_same_plan)
{
    struct beat_memory *first = take(&one_ring);

    cr_assert(take(&one_ring) != first);
    first->bytes[SIZE - 1] = 7;
    beat_memory_release(first);
    cr_assert(eq(u8, first->bytes[SIZE - 1], 0));
    first->bytes[0] = 8; /* a late store */
    cr_assert(take(&other_ring) != first);
    cr_assert(take(&one_ring) == first);
    cr_assert(eq(u8, first->bytes[0], 0));
}

Test(memory, serves_nobody_else_while_it_is_pinned)
{
    struct beat_memory *first = take(&one_ring);
    struct beat_memory *thread = NULL;
    struct beat_memory *other = NULL;

    beat_memory_pin(&thread, first);
    beat_memory_pin(&other, first);
    beat_memory_release(first);
    struct beat_memory *second = take(&one_ring);
    cr_assert(second != first);
    beat_memory_pin(&thread, second); /* attached anew */
    beat_memory_release(second);
    cr_assert(take(&one_ring) != first); /* the other thread may still be late */
    beat_memory_pin(&other, NULL);
    cr_assert(take(&one_ring) == first);
}

Test(memory, keeps_what_it_holds_while_somebody_reads)
{
    struct beat_memory *memory = take(&one_ring);

    memory->bytes[5] = 7;
    beat_memory_begin_reading(memory);
    beat_memory_begin_reading(memory);
    beat_memory_release(memory);
    cr_assert(take(&one_ring) != memory);
    beat_memory_end_reading(memory);
    cr_assert(eq(u8, memory->bytes[5], 7));
    beat_memory_end_reading(memory);
    cr_assert(eq(u8, memory->bytes[5], 0));
    cr_assert(take(&one_ring) == memory);
}

Test(memory, of_a_forked_child_is_its_own)
{
    struct beat_memory *memory = take(&one_ring);
    struct beat_memory *thread = NULL;

    beat_memory_pin(&thread, memory);
    beat_memory_begin_reading(memory);
    memory->bytes[5] = 7;
    beat_memory_release_all();
    cr_assert(eq(u8, memory->bytes[5], 0));
    cr_assert(take(&one_ring) == memory);
}

Test(memory, moves_to_a_file_with_all_it_holds)
{
    struct beat_memory *memory = take(&one_ring);
    struct stat info;
    char byte = 0;

    memory->bytes[5] = 7;
    cr_assert(eq(int, beat_memory_move_to_file(memory, traces_path, &used, 1, NULL), MB_OK));
    memory->bytes[6] = 8;
    cr_assert(eq(int, (int)pread(memory->fd, &byte, 1, 5), 1));
    cr_assert(eq(chr, byte, 7));
    cr_assert(eq(int, (int)pread(memory->fd, &byte, 1, 6), 1));
    cr_assert(eq(chr, byte, 8));
    cr_assert(eq(int, stat(traces_path, &info), 0));
    cr_assert(eq(sz, (size_t)info.st_size, SIZE));
    beat_memory_release(memory);
    memory->bytes[6] = 9; /* a late store: not into the file */
    cr_assert(eq(sz, traces_count_files(), 1));
    FILE *file = fopen(traces_path, "r");
    cr_assert(eq(int, fseek(file, 6, SEEK_SET), 0));
    cr_assert(eq(int, fgetc(file), 8));
    (void)fclose(file);
}

Test(memory, reserves_nothing_where_there_is_nothing)
{
    static const struct beat_extent extents[] = {{0, 4096, 4096}, {4096, 0, 0}};
    struct beat_memory *memory = take(&one_ring);

    cr_assert(eq(int, beat_memory_move_to_file(memory, traces_path, extents, 2, NULL), MB_OK));
    cr_assert(beat_memory_reserve(memory, 8192, 0));
    cr_assert(beat_memory_reserve(memory, 8192, 4096));
    cr_expect(eq(int, reservations, 2));
    cr_expect(eq(int, empty_reservations, 0));
}

Test(memory, that_cannot_move_stays_as_it_is)
{
    struct beat_memory *memory = take(&one_ring);

    memory->bytes[5] = 7;
    traces_write(traces_path, "my diary");
    cr_assert(eq(int, beat_memory_move_to_file(memory, traces_path, &used, 1, NULL), MB_IO));
    cr_assert(eq(u8, memory->bytes[5], 7));
    cr_assert(eq(int, memory->fd, -1));
    cr_assert(eq(sz, traces_count_files(), 1));
}
