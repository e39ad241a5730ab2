#include "base/file.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
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
