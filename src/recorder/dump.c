#include "recorder/marks.h"

#include "base/file.h"
#include "recorder/clock.h"
#include "recorder/session.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A dump has the rings' words packed one after the other: capacity and base of each entry say
 * which positions they are. */
struct dump {
    const struct beat_recorder *recorder;
    struct mb_buf out;
};

static void pad_to_page(struct mb_buf *out)
{
    size_t rest = out->size % ABI_TRACE_PAGE;
    uint8_t *padding = rest != 0 ? mb_buf_extend(out, ABI_TRACE_PAGE - rest) : NULL;

    if (padding != NULL) {
        memset(padding, 0, ABI_TRACE_PAGE - rest);
    }
}

/* Header and tables, word by word: probes may be storing to some of them. Relaxed: what has to fit
 * together is written anew by put_words. */
static void put_tables(struct dump *dump)
{
    const struct abi_trace_header *live = dump->recorder->header;
    size_t size = (size_t)abi_trace_words_offset(live->ring_count, live->mark_count);
    const _Atomic(uint64_t) *from = (const void *)dump->recorder->memory.bytes;
    uint64_t *to = (void *)mb_buf_extend(&dump->out, size);

    if (to == NULL) {
        return;
    }
    for (size_t i = 0; i < size / sizeof(*to); i++) {
        to[i] = atomic_load_explicit(&from[i], memory_order_relaxed);
    }
    struct abi_trace_header *header = (void *)dump->out.bytes;
    header->state = ABI_TRACE_CLOSED;
}

static void put_words(struct dump *dump, uint32_t index)
{
    const struct abi_trace_ring *live = &dump->recorder->rings[index];
    size_t offset = dump->out.size;
    uint64_t *words = (void *)mb_buf_extend(&dump->out, (size_t)live->capacity * sizeof(*words));

    if (words == NULL) {
        return;
    }
    struct beat_range range = beat_ring_copy(dump->recorder, index, 0, words, live->capacity);
    uint64_t count = range.end - range.first;
    size_t entry_offset =
        (size_t)dump->recorder->header->ring_table_offset + index * sizeof(struct abi_trace_ring);
    struct abi_trace_ring *entry = (void *)(dump->out.bytes + entry_offset);
    entry->words_offset = offset;
    entry->capacity = count > 0 ? count : 1;
    entry->base = range.first;
    entry->written = range.end;
    entry->highest = range.end;
    dump->out.size = offset + (size_t)count * sizeof(*words);
    pad_to_page(&dump->out);
}

static enum mb_status put_all(struct dump *dump, struct mb_error *err)
{
    put_tables(dump);
    for (uint32_t i = 0; i < dump->recorder->header->ring_count; i++) {
        if (dump->recorder->rings[i].state != ABI_RING_UNUSED) {
            put_words(dump, i);
        }
    }
    return mb_buf_check(&dump->out, err);
}

static enum mb_status write_file(const struct mb_buf *content, const char *path,
                                 struct mb_error *err)
{
    char temporary[BEAT_PATH_SIZE];

    MB_TRY(mb_file_check_output(path, err));
    if (snprintf(temporary, sizeof(temporary), "%s.tmp%ld", path, (long)getpid()) >=
        (int)sizeof(temporary)) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "the name is too long");
    }
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) {
        return mb_fail_errno(err, "cannot create");
    }
    enum mb_status status = mb_file_write_all(fd, content->bytes, content->size, err);
    (void)close(fd);
    if (status == MB_OK && rename(temporary, path) != 0) {
        status = mb_fail_errno(err, "cannot rename");
    }
    if (status != MB_OK) {
        (void)unlink(temporary);
    }
    return status;
}

bool beat_dump(const char *path)
{
    struct mb_error err;
    char line[600];
    enum mb_status status = MB_OK;
    struct beat_recorder *recorder = beat_session_lock();
    struct dump dump = {.recorder = recorder};

    if (recorder->recorded_session == BEAT_NO_SESSION) {
        status = mb_fail(&err, MB_IO, MB_NO_OFFSET, "nothing was recorded");
    } else {
        if (beat_is_recording()) {
            beat_clock_refine(recorder->header);
        }
        status = put_all(&dump, &err);
    }
    struct beat_options options = recorder->options;
    beat_session_unlock(recorder);
    if (status == MB_OK) {
        status = write_file(&dump.out, path, &err);
    }
    mb_buf_finish(&dump.out);
    if (status != MB_OK) {
        mb_error_in_input(&err, path);
        beat_log(&options, "no dump: %s", mb_error_format(&err, line, sizeof(line)));
    }
    return status == MB_OK;
}
