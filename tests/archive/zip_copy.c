#include "zip_copy.h"

#include "archive/output.h"
#include "base/file.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <unistd.h>

void zip_copy(const char *path, struct mb_buf *written)
{
    struct ar_input *input;
    struct ar_output *output;

    cr_assert(eq(int, ar_input_open(&input, path, NULL), MB_OK));
    cr_assert(eq(int, ar_output_create(&output, -1, NULL), MB_OK));
    cr_assert(eq(int, ar_output_add_frame(output, input, NULL), MB_OK));
    for (size_t i = 0; i < ar_input_count(input); i++) {
        cr_assert(eq(int, ar_output_add_copy(output, input, i, NULL), MB_OK));
    }
    cr_assert(eq(int, ar_output_finish(output, NULL), MB_OK));
    struct mb_text bytes = ar_output_bytes(output);
    mb_buf_put(written, bytes.data, bytes.size);
    ar_output_destroy(output);
    ar_input_close(input);
    int fd = open(path, O_WRONLY | O_TRUNC);
    cr_assert(eq(int, mb_file_write_all(fd, written->bytes, written->size, NULL), MB_OK));
    close(fd);
}
