#include "base/file.h"
#include "base/interrupt.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

Test(file, reads_back_what_was_written)
{
    char path[] = "/tmp/mb-file-XXXXXX";
    int fd = mkstemp(path);
    static uint8_t bytes[200000];
    struct mb_buf buf = {0};

    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * 7);
    }
    cr_assert(eq(int, mb_file_write_all(fd, bytes, sizeof(bytes), NULL), MB_OK));
    mb_buf_put_u1(&buf, 1);
    cr_assert(eq(int, mb_file_read(&buf, path, NULL), MB_OK));
    cr_assert(eq(sz, buf.size, sizeof(bytes) + 1));
    cr_assert_arr_eq(buf.bytes + 1, bytes, sizeof(bytes));
    mb_buf_finish(&buf);
    close(fd);
    unlink(path);
}

Test(file, errors_name_the_path)
{
    struct mb_buf buf = {0};
    struct mb_error err = {0};
    char text[600];

    cr_assert(eq(int, mb_file_read(&buf, "/nonexistent/x", &err), MB_IO));
    cr_assert_str_eq(mb_error_format(&err, text, sizeof(text)),
                     "/nonexistent/x: cannot open: No such file or directory");
    cr_assert(eq(int, mb_file_read(&buf, "/tmp", &err), MB_IO));
    mb_buf_finish(&buf);
}

Test(file, a_full_device_is_an_error)
{
    int fd = open("/dev/full", O_WRONLY);
    struct mb_error err = {0};

    cr_assert(eq(int, mb_file_write_all(fd, "x", 1, &err), MB_IO));
    close(fd);
}

Test(file, a_device_without_end_is_refused_at_the_limit)
{
    struct mb_buf buf = {0};
    struct mb_error err = {0};

    cr_assert(eq(int, mb_file_read(&buf, "/dev/zero", &err), MB_IO));
    cr_expect(strstr(err.reason, "over 1024 MiB") != NULL, "%s", err.reason);
    cr_expect_str_eq(err.input, "/dev/zero");
    mb_buf_finish(&buf);
}

static void make_pipe(char path[64])
{
    (void)snprintf(path, 64, "/tmp/mb-pipe-%d", (int)getpid());
    cr_assert(eq(int, mkfifo(path, 0600), 0));
}

/* Opens for writing only when somebody reads: the reader was there first. */
static void *write_in_parts(void *path)
{
    int fd = open(path, O_WRONLY);

    cr_expect(eq(int, mb_file_write_all(fd, "one ", 4, NULL), MB_OK));
    cr_expect(eq(int, mb_file_write_all(fd, "two", 3, NULL), MB_OK));
    close(fd);
    return NULL;
}

Test(file, a_pipe_is_read_to_its_end, .timeout = 60)
{
    char path[64];
    pthread_t writer;
    struct mb_buf buf = {0};

    make_pipe(path);
    cr_assert(eq(int, pthread_create(&writer, NULL, write_in_parts, path), 0));
    cr_expect(eq(int, mb_file_read(&buf, path, NULL), MB_OK));
    cr_expect(eq(sz, buf.size, 7));
    cr_expect_arr_eq(buf.bytes, "one two", 7);
    pthread_join(writer, NULL);
    mb_buf_finish(&buf);
    unlink(path);
}

static void *send_signal(void *fd)
{
    (void)fd;
    (void)kill(getpid(), SIGTERM);
    return NULL;
}

/* Whether the signal comes before the wait or in it. */
Test(file, a_signal_ends_the_wait_for_a_silent_pipe, .timeout = 60)
{
    char path[64];
    pthread_t sender;
    struct mb_buf buf = {0};
    struct mb_error err = {0};

    mb_interrupt_catch();
    make_pipe(path);
    int writer = open(path, O_RDWR); /* never writes */
    cr_assert(eq(int, pthread_create(&sender, NULL, send_signal, NULL), 0));
    cr_expect(eq(int, mb_file_read(&buf, path, &err), MB_INTERRUPTED));
    cr_expect_str_eq(err.input, path);
    pthread_join(sender, NULL);
    close(writer);
    mb_buf_finish(&buf);
    unlink(path);
}

/* The program closed it, and has the number for something else. */
Test(file, of_ours_is_told_from_another_by_its_number)
{
    char paths[2][32] = {"/tmp/mb-file-XXXXXX", "/tmp/mb-file-XXXXXX"};
    int fd = mkstemp(paths[0]);
    int other = mkstemp(paths[1]);
    const struct mb_file_id id = mb_file_identify(fd);
    const struct mb_file_id none = mb_file_identify(-1);

    cr_assert(mb_file_is(fd, &id));
    cr_assert(not(mb_file_is(fd, &none)));
    cr_assert(not(mb_file_is(-1, &none)));
    cr_assert(eq(int, dup2(other, fd), fd));
    cr_assert(not(mb_file_is(fd, &id)));
    mb_file_close(fd, &id);
    cr_assert(ge(int, fcntl(fd, F_GETFD), 0), "not ours to close");
    const struct mb_file_id theirs = mb_file_identify(other);
    mb_file_close(fd, &theirs);
    cr_assert(lt(int, fcntl(fd, F_GETFD), 0));
    (void)close(other);
    (void)unlink(paths[0]);
    (void)unlink(paths[1]);
}

#define MIB ((size_t)1 << 20)

static char sparse_path[] = "/tmp/mb-sparse-XXXXXX";

static int make_sparse(size_t size)
{
    int fd = mkstemp(sparse_path);

    cr_assert(ge(int, fd, 0));
    cr_assert(eq(int, ftruncate(fd, (off_t)size), 0));
    return fd;
}

static void expect_same_as_file_read(void)
{
    struct mb_buf sparse = {0};
    struct mb_buf whole = {0};

    cr_assert(eq(int, mb_file_read_sparse(&sparse, sparse_path, NULL), MB_OK));
    cr_assert(eq(int, mb_file_read(&whole, sparse_path, NULL), MB_OK));
    cr_assert(eq(sz, sparse.size, whole.size));
    cr_expect(whole.size == 0 || memcmp(sparse.bytes, whole.bytes, whole.size) == 0);
    mb_buf_finish(&sparse);
    mb_buf_finish(&whole);
}

Test(file, data_lies_where_the_file_has_it)
{
    static const size_t sizes[] = {0, 1, 4096, 5 * MIB, 5 * MIB + 7};
    static const size_t places[] = {0, 4095, MIB, MIB + 8191, 5 * MIB - 3};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        int fd = make_sparse(sizes[i]);
        expect_same_as_file_read();
        for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
            if (places[k] + 3 <= sizes[i]) {
                cr_assert(mb_file_put_at(fd, "abc", 3, places[k]));
            }
            expect_same_as_file_read();
        }
        close(fd);
        unlink(sparse_path);
        memcpy(sparse_path + sizeof(sparse_path) - 7, "XXXXXX", 6);
    }
}

Test(file, holes_take_no_memory)
{
    int fd = make_sparse(256 * MIB);
    struct mb_buf buf = {0};
    struct rusage before;
    struct rusage after;

    cr_assert(mb_file_put_at(fd, "abc", 3, 200 * MIB));
    cr_assert(eq(int, getrusage(RUSAGE_SELF, &before), 0));
    cr_assert(eq(int, mb_file_read_sparse(&buf, sparse_path, NULL), MB_OK));
    cr_assert(eq(int, getrusage(RUSAGE_SELF, &after), 0));
    cr_expect(eq(sz, buf.size, 256 * MIB));
    cr_expect_arr_eq(buf.bytes + 200 * MIB, "abc", 3);
    cr_expect(lt(long, after.ru_maxrss - before.ru_maxrss, 64 * 1024));
    mb_buf_finish(&buf);
    close(fd);
    unlink(sparse_path);
}

Test(file, errors_and_devices_are_those_of_file_read)
{
    struct mb_buf buf = {0};
    struct mb_error err = {0};
    char text[600];

    cr_assert(eq(int, mb_file_read_sparse(&buf, "/nonexistent/x", &err), MB_IO));
    cr_assert_str_eq(mb_error_format(&err, text, sizeof(text)),
                     "/nonexistent/x: cannot open: No such file or directory");
    cr_assert(eq(int, mb_file_read_sparse(&buf, "/tmp", &err), MB_IO));
    cr_assert(eq(int, mb_file_read_sparse(&buf, "/dev/null", &err), MB_OK));
    cr_expect(eq(sz, buf.size, 0));
    mb_buf_finish(&buf);
}

Test(file, texts_of_the_system_are_cut_and_terminated)
{
    char text[4] = "old";

    cr_expect(mb_file_read_text("/proc/version", text, sizeof(text)));
    cr_expect_str_eq(text, "Lin");
    cr_expect(not(mb_file_read_text("/nonexistent/x", text, sizeof(text))));
    cr_expect_str_eq(text, "");
    cr_expect(not(mb_file_read_text("/dev/zero", text, sizeof(text))));
}
