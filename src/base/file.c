#include "base/file.h"

#include "base/clock.h"
#include "base/interrupt.h"

#include <errno.h>
#include <unistd.h>

#define READ_SIZE ((size_t)64 * 1024)
#define PIECE_SIZE ((size_t)32 * 1024)
#define HOLE_BYTES ((size_t)4096)
#define NAMED_MS 10000
#define AWAIT_MS 100 /* until a signal is seen that came between two looks */

/* A read from a pipe waits for a writer; a signal that arrives meanwhile, or arrived just before,
 * must interrupt it. */
static enum mb_status await_bytes(int fd, struct mb_error *err)
{
    int ready = 0;

    while (ready == 0) {
        MB_TRY(mb_check_interrupt(err));
        ready = mb_file_await(fd, AWAIT_MS);
    }
    return ready > 0 ? MB_OK : mb_fail_errno(err, "cannot wait for it");
}

/* Some more bytes; *is_end at the end. */
static enum mb_status read_some(struct mb_buf *buf, int fd, size_t room, bool *is_end,
                                struct mb_error *err)
{
    if (!mb_buf_reserve(buf, room)) {
        return mb_fail_memory(err);
    }
    ptrdiff_t got = mb_file_get(fd, buf->bytes + buf->size, room);
    if (got < 0 && errno != EAGAIN) {
        return mb_fail_errno(err, "cannot read");
    }
    buf->size += got > 0 ? (size_t)got : 0;
    *is_end = got == 0;
    return MB_OK;
}

static enum mb_status read_stream(struct mb_buf *buf, int fd, struct mb_error *err)
{
    size_t start = buf->size;

    for (bool is_end = false; !is_end;) {
        if (buf->size - start > MB_STREAM_LIMIT) {
            return mb_fail(err, MB_IO, MB_NO_OFFSET, "not a regular file, and over %zu MiB long",
                           MB_STREAM_LIMIT >> 20);
        }
        MB_TRY(await_bytes(fd, err));
        MB_TRY(read_some(buf, fd, READ_SIZE, &is_end, err));
    }
    return MB_OK;
}

enum mb_status mb_file_read_open(struct mb_buf *buf, int fd, struct mb_error *err)
{
    struct mb_file_info info;

    if (!mb_file_look_open(fd, &info)) {
        return mb_fail_errno(err, "cannot stat");
    }
    if (info.type == MB_FILE_OTHER) {
        return read_stream(buf, fd, err);
    }
    size_t end = buf->size + (info.size > 0 ? (size_t)info.size + 1 : 0);
    for (bool is_end = false; !is_end;) {
        size_t expected = end > buf->size ? end - buf->size : 0;
        size_t room = expected > READ_SIZE ? expected : READ_SIZE;
        MB_TRY(read_some(buf, fd, room, &is_end, err));
    }
    return MB_OK;
}

ptrdiff_t mb_file_read_start(const char *path, char *bytes, size_t size)
{
    struct mb_file_info info;
    size_t done = 0;

    if (!mb_file_look(NULL, path, &info)) {
        return -1;
    }
    if (info.type != MB_FILE_REGULAR) {
        return 0;
    }
    int fd = mb_file_open(NULL, path, MB_FILE_READ);
    ptrdiff_t got = fd >= 0 ? 1 : -1;
    while (got > 0 && done < size) {
        got = mb_file_get(fd, bytes + done, size - done);
        done += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0) {
        int kept = errno;
        (void)close(fd);
        errno = kept;
    }
    return got < 0 ? -1 : (ptrdiff_t)done;
}

bool mb_file_read_text(const char *path, char *text, size_t size)
{
    ptrdiff_t got = mb_file_read_start(path, text, size - 1);

    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* A pipe is waited for where signals can be seen. */
static enum mb_status read_path(struct mb_buf *buf, const char *path,
                                enum mb_status (*reader)(struct mb_buf *, int, struct mb_error *),
                                struct mb_error *err)
{
    int fd = mb_file_open(NULL, path, MB_FILE_READ);
    enum mb_status status = fd < 0 ? mb_fail_errno(err, "cannot open") : reader(buf, fd, err);

    if (fd >= 0) {
        (void)close(fd);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

enum mb_status mb_file_read(struct mb_buf *buf, const char *path, struct mb_error *err)
{
    return read_path(buf, path, mb_file_read_open, err);
}

/* Of the descriptor: the name may mean another file by now. */
static enum mb_status check_named(int fd, size_t most, const char *by, size_t *size,
                                  struct mb_error *err)
{
    struct mb_file_info info;

    if (!mb_file_look_open(fd, &info)) {
        return mb_fail_errno(err, "cannot stat");
    }
    if (info.type != MB_FILE_REGULAR) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "not a regular file");
    }
    if (info.size > most) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "over %zu MiB long", most >> 20);
    }
    *size = (size_t)info.size;
    return by == NULL || mb_file_is_for_owner(fd, by)
               ? MB_OK
               : mb_fail(err, MB_IO, MB_NO_OFFSET, "not a file that the owner of '%.100s' may read",
                         by);
}

/* What it got meanwhile is left out. */
static enum mb_status read_named(struct mb_buf *buf, int fd, size_t size, struct mb_error *err)
{
    int64_t end_ns = mb_clock_now_ns() + NAMED_MS * MB_NS_PER_MS;
    size_t end = buf->size + size;

    for (bool is_end = false; !is_end && buf->size < end;) {
        size_t left = end - buf->size;
        MB_TRY(mb_check_interrupt(err));
        MB_TRY(read_some(buf, fd, left < READ_SIZE ? left : READ_SIZE, &is_end, err));
        if (mb_clock_now_ns() > end_ns) {
            return mb_fail(err, MB_IO, MB_NO_OFFSET, "not read within %d s", NAMED_MS / 1000);
        }
    }
    return MB_OK;
}

enum mb_status mb_file_read_named(struct mb_buf *buf, const char *path, size_t most, const char *by,
                                  struct mb_error *err)
{
    size_t size = 0;
    int fd = mb_file_open(NULL, path, MB_FILE_READ);
    enum mb_status status =
        fd < 0 ? mb_fail_errno(err, "cannot open") : check_named(fd, most, by, &size, err);

    status = status == MB_OK ? read_named(buf, fd, size, err) : status;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (status != MB_OK) {
        mb_error_in_input(err, path);
    }
    return status;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

/* Over zeroes: pages that would stay as they are take no memory. */
static void put_pages(uint8_t *to, const uint8_t *bytes, size_t size)
{
    for (size_t done = 0; done < size; done += HOLE_BYTES) {
        size_t part = size - done < HOLE_BYTES ? size - done : HOLE_BYTES;
        if (!is_zero(bytes + done, part)) {
            memcpy(to + done, bytes + done, part);
        }
    }
}

/* From at up to end, or to where the file ends by now. */
static enum mb_status read_data(struct mb_buf *buf, int fd, size_t at, size_t end,
                                struct mb_error *err)
{
    uint8_t piece[PIECE_SIZE]; /* stays in the cache */

    while (at < end) {
        size_t wanted = end - at < sizeof(piece) ? end - at : sizeof(piece);
        ptrdiff_t got = mb_file_get_at(fd, piece, wanted, at);
        if (got == 0) {
            buf->size = at;
            return MB_OK;
        }
        if (got < 0) {
            return mb_fail_errno(err, "cannot read");
        }
        put_pages(buf->bytes + at, piece, (size_t)got);
        at += (size_t)got;
    }
    return MB_OK;
}

static enum mb_status read_between_holes(struct mb_buf *buf, int fd, struct mb_error *err)
{
    uint64_t start = 0;
    uint64_t end;

    while (start < buf->size && mb_file_find_data(fd, &start, &end)) {
        size_t data_end = end < buf->size ? (size_t)end : buf->size;
        MB_TRY(read_data(buf, fd, (size_t)start, data_end, err));
        start = end;
    }
    return start >= buf->size || errno == ENXIO ? MB_OK : mb_fail_errno(err, "cannot seek");
}

/* What the file got meanwhile, at its end. */
static enum mb_status read_growth(struct mb_buf *buf, int fd, struct mb_error *err)
{
    struct mb_file_info info;

    if (!mb_file_look_open(fd, &info) || info.size <= buf->size) {
        return MB_OK;
    }
    return mb_file_seek(fd, buf->size) ? mb_file_read_open(buf, fd, err)
                                       : mb_fail_errno(err, "cannot read");
}

static enum mb_status read_sparse(struct mb_buf *buf, int fd, struct mb_error *err)
{
    struct mb_file_info info;

    if (!mb_file_look_open(fd, &info) || info.type != MB_FILE_REGULAR || info.size == 0 ||
        !mb_file_tells_holes(fd)) {
        return mb_file_read_open(buf, fd, err);
    }
    if (!mb_buf_zero(buf, (size_t)info.size)) {
        return mb_fail_memory(err);
    }
    MB_TRY(read_between_holes(buf, fd, err));
    return read_growth(buf, fd, err);
}

enum mb_status mb_file_read_sparse(struct mb_buf *buf, const char *path, struct mb_error *err)
{
    return read_path(buf, path, read_sparse, err);
}

enum mb_status mb_file_check_output(const char *path, struct mb_error *err)
{
    struct mb_file_info info;

    if (mb_file_look(NULL, path, &info) && info.type != MB_FILE_REGULAR) {
        return mb_fail(err, MB_IO, MB_NO_OFFSET, "%s is in the way",
                       info.type == MB_FILE_FOLDER ? "a folder" : "a device, pipe or socket");
    }
    return MB_OK;
}

enum mb_status mb_file_write_all(int fd, const void *bytes, size_t size, struct mb_error *err)
{
    return mb_file_put(fd, bytes, size) ? MB_OK : mb_fail_errno(err, "cannot write");
}

struct mb_file_id mb_file_identify(int fd)
{
    struct mb_file_info info;

    return fd >= 0 && mb_file_look_open(fd, &info) ? info.id : (struct mb_file_id){0};
}

bool mb_file_is(int fd, const struct mb_file_id *id)
{
    const struct mb_file_id found = mb_file_identify(fd);

    return found.number != 0 && mb_file_id_is(found, *id);
}

void mb_file_close(int fd, const struct mb_file_id *id)
{
    if (mb_file_is(fd, id)) {
        (void)close(fd);
    }
}
