#include "monitor/fps/fps.h"

#include "base/interrupt.h"
#include "base/platform_process.h"

#include <errno.h>
#include <string.h>

#define LONGEST_MS 30000
#define ADB "adb"                /* of PATH */
#define LONGEST_COMMAND_MS 10000 /* a second interrupt of a terminal ends adb itself */
#define MOST_BYTES ((size_t)64 << 20)

/* A program whose outputs are read. */
struct child {
    struct mb_process process;
    int64_t until_ms;      /* then it is given up */
    bool is_interruptible; /* give up on an interrupt, too */
};

/* Both to their ends. False if it was given up before. */
static bool read_both(struct child *child, struct mb_buf *out, struct mb_buf *complaint)
{
    bool is_open = true;

    while (is_open) {
        int64_t left = child->until_ms - fps_now_ms();
        if (left <= 0 || (child->is_interruptible && mb_is_interrupted()) ||
            out->size > MOST_BYTES || complaint->size > MOST_BYTES) {
            return false;
        }
        is_open = mb_process_read(&child->process, (int)left, out, complaint);
    }
    return true;
}

static int wait_for(struct child *child, bool is_over)
{
    int code = 0;

    if (!is_over) {
        mb_process_end(&child->process, MB_END_NOW);
    }
    while (!mb_process_wait(&child->process, &code) && errno == EINTR) {
    }
    return code;
}

/* Its own first line, the most specific one, without the messages about starting its server. */
static struct mb_text first_complaint(const struct mb_buf *complaint)
{
    struct mb_text rest = {(const char *)complaint->bytes, complaint->size};
    struct mb_text line = {"", 0};

    while (rest.size > 0) {
        line = mb_text_trim(mb_text_split(&rest, '\n'));
        if (line.size > 0 && line.data[0] != '*') {
            break;
        }
    }
    return line;
}

static enum mb_status fail_with_words(const struct mb_buf *words, int code, struct mb_error *err)
{
    struct mb_buf line = {0};

    mb_buf_put_printable(&line, first_complaint(words));
    mb_buf_put_u1(&line, '\0');
    const char *text = line.failed ? "" : (const char *)line.bytes;
    if (*text != '\0') {
        (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "%s", text);
    } else {
        (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "ended with status %d without a message", code);
    }
    mb_error_in_input(err, ADB);
    mb_buf_finish(&line);
    return MB_IO;
}

/* adb shell COMMAND */
static enum mb_status start_adb(struct child *child, const char *command, struct mb_error *err)
{
    const char *const words[] = {ADB, "shell", command, NULL};
    const struct mb_program program = {
        .words = words,
        .input = MB_STREAM_NULL,
        .output = MB_STREAM_PIPE,
        .complaints = MB_STREAM_PIPE,
    };
    if (!mb_process_start(&child->process, &program)) {
        (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "cannot be started: %s", strerror(errno));
        mb_error_in_input(err, ADB);
        return MB_IO;
    }
    return MB_OK;
}

enum mb_status fps_ask_device(const char *command, struct mb_buf *out, struct mb_error *err)
{
    struct mb_buf complaint = {0};
    struct child child = {.until_ms = fps_now_ms() + LONGEST_MS, .is_interruptible = true};

    MB_TRY(start_adb(&child, command, err));
    bool is_over = read_both(&child, out, &complaint);
    int code = wait_for(&child, is_over);
    enum mb_status result = mb_buf_check(out, err);
    if (result == MB_OK && mb_is_interrupted()) {
        result = mb_check_interrupt(err);
    } else if (result == MB_OK && !is_over) {
        result = out->size > MOST_BYTES
                     ? mb_fail(err, MB_IO, MB_NO_OFFSET, "an answer without end")
                     : mb_fail(err, MB_IO, MB_NO_OFFSET, "no answer for %d s", LONGEST_MS / 1000);
        mb_error_in_input(err, ADB);
    } else if (result == MB_OK && code != 0) {
        result = fail_with_words(&complaint, code, err);
    }
    mb_buf_finish(&complaint);
    return result;
}

void fps_command_device(const char *command)
{
    struct mb_buf ignored = {0};
    struct child child = {.until_ms = fps_now_ms() + LONGEST_COMMAND_MS};

    if (start_adb(&child, command, NULL) == MB_OK) {
        bool is_over = read_both(&child, &ignored, &ignored);
        (void)wait_for(&child, is_over);
    }
    mb_buf_finish(&ignored);
}
