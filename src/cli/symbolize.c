/* methodbeat symbolize */

#include "answer/map.h"
#include "base/platform.h"
#include "cli/cli.h"
#include "cli/values.h"
#include "issues/output.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define READ_SIZE ((size_t)64 * 1024)
#define MAX_WAITING_SIZE ((size_t)16 << 20) /* of a line; it goes on in parts */

/* Lines as they come; a line waits in `pending` until its end is there. */
struct stream {
    struct answer_names names;
    struct mb_buf pending;
    struct mb_buf out;
};

static int parse_symbolize(struct cli_values *given, int argc, char **argv)
{
    const struct cli_parser parser = {"symbolize", cli_options, given, .operand = NULL};
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    return given->source.map.file != NULL ? CLI_DONE
                                          : cli_fail_usage("symbolize", "--method-map is required");
}

/* Process the lines among the first size waiting bytes, the last one up to its end or that of the
 * input. */
static enum mb_status write_lines(struct stream *stream, size_t size, struct mb_error *err)
{
    struct mb_text rest = {(const char *)stream->pending.bytes, size};

    mb_buf_reset(&stream->out);
    while (rest.size > 0) {
        const char *end = memchr(rest.data, '\n', rest.size);
        struct mb_text line = {rest.data, end != NULL ? (size_t)(end - rest.data) + 1 : rest.size};
        issues_symbolize(&stream->out, line, &stream->names);
        rest.data += line.size;
        rest.size -= line.size;
    }
    MB_TRY(mb_buf_check(&stream->out, err));
    cli_put_output(stream->out.bytes, stream->out.size);
    cli_flush_output(); /* a log that is followed */
    stream->pending.size -= size;
    if (stream->pending.size > 0) {
        memmove(stream->pending.bytes, stream->pending.bytes + size, stream->pending.size);
    }
    return MB_OK;
}

/* Number of bytes up to and including the last line end after `from`; 0 if there is none. */
static size_t end_of_lines(const struct mb_buf *pending, size_t from)
{
    size_t end = pending->size;

    while (end > from && pending->bytes[end - 1] != '\n') {
        end--;
    }
    return end > from ? end : 0;
}

static enum mb_status copy_lines(struct stream *stream, int fd, struct mb_error *err)
{
    for (;;) {
        size_t old = stream->pending.size;
        if (!mb_buf_reserve(&stream->pending, READ_SIZE)) {
            return mb_fail_memory(err);
        }
        ptrdiff_t got = mb_file_get(fd, stream->pending.bytes + old, READ_SIZE);
        if (got < 0) {
            return mb_fail_errno(err, "cannot read");
        }
        stream->pending.size += (size_t)got;
        size_t size = got == 0 ? old : end_of_lines(&stream->pending, old);
        if (size == 0 && stream->pending.size >= MAX_WAITING_SIZE) {
            size = stream->pending.size;
        }
        if (size > 0) {
            MB_TRY(write_lines(stream, size, err));
        }
        if (got == 0 || cli_output_error() != 0) {
            return MB_OK;
        }
    }
}

static enum mb_status copy_file(struct stream *stream, const char *path, struct mb_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : mb_file_open(NULL, path, MB_FILE_READ_WAIT);
    enum mb_status status =
        fd < 0 ? mb_fail_errno(err, "cannot open") : copy_lines(stream, fd, err);

    if (!is_stdin && fd >= 0) {
        (void)close(fd);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, is_stdin ? "standard input" : path);
        mb_buf_reset(&stream->pending);
    }
    return status;
}

/* A file that cannot be read does not keep the others from it. */
static int copy_all(struct stream *stream, int count, char **paths)
{
    char dash[] = "-";
    char *only_stdin[] = {dash};
    struct mb_error err;
    int code = CLI_DONE;

    paths = count > 0 ? paths : only_stdin;
    count = count > 0 ? count : 1;
    for (int i = 0; i < count; i++) {
        if (copy_file(stream, paths[i], &err) != MB_OK) {
            code = cli_fail(&err);
        }
    }
    return code;
}

static int run_symbolize(int argc, char **argv)
{
    struct cli_values given = {0};
    struct answer_map names = {0};
    struct stream stream = {0};
    struct mb_error err;
    int code = parse_symbolize(&given, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (answer_map_load(&names, given.source.map.file, &given.mapping, &err) == MB_OK) {
        stream.names = answer_map_names(&names);
        code = copy_all(&stream, argc - optind, argv + optind);
    } else {
        code = cli_fail(&err);
    }
    cli_end_builds(&given.mapping);
    mb_buf_finish(&stream.pending);
    mb_buf_finish(&stream.out);
    answer_map_finish(&names);
    return code;
}

const struct cli_command cli_symbolize = {
    .name = "symbolize",
    .summary = "put method names into the logs and issues of Matrix",
    .usage = "usage: methodbeat symbolize --method-map FILE [--mapping FILE] [INPUT...]\n"
             "\n"
             "Copy logs and issues of Matrix's TraceCanary, by default from standard input, to\n"
             "standard output, with names in place of the method ids in stacks and keys.\n",
    .notes = "example: adb logcat | methodbeat symbolize --method-map methodMapping.txt\n",
    .run = run_symbolize,
};
