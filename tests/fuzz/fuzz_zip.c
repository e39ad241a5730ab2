/* Any bytes are an archive or are refused as a damaged one, entries copied to a new archive are
 * found there again, and jars inside are opened or say why not. */

#define _GNU_SOURCE /* memfd_create */

#include "fuzz.h"

#include "archive/output.h"
#include "archive/tree.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Caller closes the descriptor. */
static int put_file(const void *bytes, size_t size, char path[64])
{
    int fd = memfd_create("zip", MFD_CLOEXEC);

    PROMISE(fd >= 0 && mb_file_write_all(fd, bytes, size, NULL) == MB_OK);
    (void)snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static struct ar_input *open_bytes(const void *bytes, size_t size)
{
    char path[64];
    struct ar_input *input = NULL;
    int fd = put_file(bytes, size, path);
    enum mb_status status = ar_input_open(&input, path, NULL);
    PROMISE(status == MB_OK || status == MB_BAD_ARCHIVE);
    PROMISE((status == MB_OK) == (input != NULL));
    (void)close(fd);
    return input;
}

/* Each jar inside stands at an entry of one before it, and is a node or says why it is closed. */
static void check_tree(const uint8_t *bytes, size_t size)
{
    char path[64];
    struct ar_tree tree = {0};
    int fd = put_file(bytes, size, path);
    enum mb_status status = ar_tree_open(&tree, path, NULL);

    PROMISE(status == MB_OK || status == MB_BAD_ARCHIVE);
    for (uint32_t i = 1; status == MB_OK && i < tree.node_count; i++) {
        const struct ar_node *node = &tree.nodes[i];
        PROMISE(node->outer < i);
        const struct ar_node *outer = &tree.nodes[node->outer];
        PROMISE(node->outer_entry < ar_input_count(outer->input));
        PROMISE(i + node->inner_count <= node->outer + outer->inner_count);
        PROMISE(ar_input_entry(outer->input, node->outer_entry)->kind == AR_ENTRY_JAR);
    }
    for (uint32_t i = 0; status == MB_OK && i < tree.closed_count; i++) {
        PROMISE(tree.closed[i].outer < tree.node_count && tree.closed[i].reason.reason[0] != '\0');
    }
    ar_tree_finish(&tree);
    (void)close(fd);
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
    check_tree(bytes, size);
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
