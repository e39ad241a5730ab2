#include "issues/fleet/unpacker.h"

#include "issues/fleet/packer.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#define INPUT ((size_t)64 * 1024)
#define ANY_WINDOW (15 + 16) /* of zlib: the largest, in a gzip file */

struct codec {
    const char *extension;
    bool (*exists)(void);
    void *(*open)(void);
    void (*close)(void *state);
    bool (*step)(void *state, struct fleet_step *step);
};

struct packed {
    int fd;
    const struct codec *codec;
    void *state;
    bool is_between; /* frames: the file may end here */
    struct mb_text rest;
    char input[INPUT];
};

/* ---- gzip ---- */

static bool gzip_exists(void)
{
    return true;
}

static void *gzip_open(void)
{
    z_stream *zlib = calloc(1, sizeof(*zlib));

    if (zlib != NULL && inflateInit2(zlib, ANY_WINDOW) != Z_OK) {
        free(zlib);
        return NULL;
    }
    return zlib;
}

static void gzip_close(void *state)
{
    if (state != NULL) {
        (void)inflateEnd(state);
        free(state);
    }
}

/* zlib does not write to its input. */
static bool gzip_step(void *state, struct fleet_step *step)
{
    z_stream *zlib = state;

    zlib->next_in = (uint8_t *)(uintptr_t)step->in.data;
    zlib->avail_in = (unsigned)step->in.size;
    zlib->next_out = step->out;
    zlib->avail_out = (unsigned)step->out_size;
    int code = inflate(zlib, Z_NO_FLUSH);
    step->in = mb_text_from(step->in, step->in.size - zlib->avail_in);
    step->out_used = step->out_size - zlib->avail_out;
    step->is_end = code == Z_STREAM_END;
    return code == Z_OK || code == Z_BUF_ERROR || (step->is_end && inflateReset(zlib) == Z_OK);
}

static const struct codec codecs[] = {
    {".gz", gzip_exists, gzip_open, gzip_close, gzip_step},
    {".zst", fleet_packer_exists, fleet_zstd_open, fleet_zstd_close, fleet_zstd_step},
};

/* ---- Files ---- */

static const struct codec *find_codec(const char *path)
{
    for (size_t i = 0; i < MB_COUNT(codecs); i++) {
        if (mb_text_ends(mb_text_of(path), mb_text_of(codecs[i].extension)) && codecs[i].exists()) {
            return &codecs[i];
        }
    }
    return NULL;
}

static bool takes_path(const char *path)
{
    return find_codec(path) != NULL;
}

static void close_packed(void *file)
{
    struct packed *packed = file;

    if (packed != NULL) {
        packed->codec->close(packed->state);
        free(packed);
    }
}

static void *open_packed(const char *path, int fd)
{
    const struct codec *codec = find_codec(path);
    struct packed *packed = codec != NULL ? malloc(sizeof(*packed)) : NULL;

    if (packed == NULL) {
        return NULL;
    }
    packed->fd = fd;
    packed->codec = codec;
    packed->is_between = true;
    packed->rest = MB_TEXT("");
    packed->state = codec->open();
    if (packed->state == NULL) {
        close_packed(packed);
        return NULL;
    }
    return packed;
}

/* False if the file cannot be read; nothing comes at its end. */
static bool fill_input(struct packed *packed, const char **reason)
{
    ssize_t got;

    do {
        got = read(packed->fd, packed->input, INPUT);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN));
    *reason = got < 0 ? strerror(errno) : NULL;
    packed->rest = (struct mb_text){packed->input, got > 0 ? (size_t)got : 0};
    return got >= 0;
}

static ssize_t read_packed(void *file, void *bytes, size_t size, const char **reason)
{
    struct packed *packed = file;
    struct fleet_step step = {.out = bytes, .out_size = size};

    while (step.out_used == 0) {
        if (packed->rest.size == 0 && !fill_input(packed, reason)) {
            return -1;
        }
        bool is_last = packed->rest.size == 0; /* what the codec still holds comes out */
        if (is_last && packed->is_between) {
            return 0;
        }
        step.in = packed->rest;
        bool is_valid = packed->codec->step(packed->state, &step);
        packed->rest = step.in;
        packed->is_between = step.is_end;
        if (!is_valid || (is_last && step.out_used == 0 && !step.is_end)) {
            *reason = is_valid ? "packed data that are cut off" : "packed data that are damaged";
            return -1;
        }
    }
    return (ssize_t)step.out_used;
}

const struct issues_unpacker fleet_unpacker = {
    .takes = takes_path,
    .open = open_packed,
    .read = read_packed,
    .close = close_packed,
};
