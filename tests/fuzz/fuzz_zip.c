/* Any bytes are an archive or are refused as a damaged one, and entries copied to a new archive are
 * found there again. */

#define _GNU_SOURCE /* memfd_create */

#include "fuzz.h"

#include "archive/archive.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct ar_input *open_bytes(const void *bytes, size_t size)
{
    char path[64];
    struct ar_input *input = NULL;
    int fd = memfd_create("zip", MFD_CLOEXEC);

    PROMISE(fd >= 0 && mb_file_write_all(fd, bytes, size, NULL) == MB_OK);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    enum mb_status status = ar_input_open(&input, path, NULL);
    PROMISE(status == MB_OK || status == MB_BAD_ARCHIVE);
    PROMISE((status == MB_OK) == (input != NULL));
    (void)close(fd);
    return input;
}

/* Reading must end alike in both. */
static void compare(const struct ar_input *input, const struct ar_input *copy)
{
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_STORE);
    struct mb_buf scratch[2] = {0};
    struct mb_text left = {0};
    struct mb_text right = {0};

    PROMISE(codec != NULL);
    for (size_t i = 0; i < ar_input_count(input); i++) {
        enum mb_status status = ar_entry_read(input, i, codec, &scratch[0], &left, NULL);
        PROMISE(status == MB_OK || status == MB_BAD_ARCHIVE);
        if (copy != NULL) {
            PROMISE(mb_text_equal(ar_input_entry(input, i)->name, ar_input_entry(copy, i)->name));
            PROMISE(ar_entry_read(copy, i, codec, &scratch[1], &right, NULL) == status);
            PROMISE(status != MB_OK || mb_text_equal(left, right));
        }
    }
    mb_buf_finish(&scratch[0]);
    mb_buf_finish(&scratch[1]);
    ar_codec_destroy(codec);
}

static enum mb_status copy_all(struct ar_output *output, const struct ar_input *input)
{
    for (size_t i = 0; i < ar_input_count(input); i++) {
        MB_TRY(ar_output_add_copy(output, input, i, NULL));
    }
    return ar_output_finish(output, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct ar_input *input = open_bytes(bytes, size);
    struct ar_input *copy = NULL;
    struct ar_output *output = NULL;

    if (input == NULL) {
        return 0;
    }
    PROMISE(ar_output_create(&output, -1, NULL) == MB_OK);
    if (ar_input_kind(input) == AR_INPUT_JAR && copy_all(output, input) == MB_OK) {
        struct mb_text written = ar_output_bytes(output);
        copy = open_bytes(written.data, written.size);
        PROMISE(copy != NULL && ar_input_count(copy) == ar_input_count(input));
    }
    compare(input, copy);
    ar_input_close(copy);
    ar_output_destroy(output);
    ar_input_close(input);
    return 0;
}
