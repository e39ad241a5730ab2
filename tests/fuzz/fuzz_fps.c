/* Whatever a device is said to have printed: it is read or refused with its line, the same each
 * time, and the figures hold together. */

#include "fuzz.h"

#include "monitor/fps/reader.h"

#include <string.h>

struct sums {
    uint64_t seconds;
    uint64_t frames;
    int64_t last_ns;
};

static void take(void *context, const struct fps_second *second)
{
    struct sums *sums = context;

    PROMISE(sums->seconds == 0 || second->begin_ns != sums->last_ns);
    PROMISE(second->frames > 0 && second->fps >= 0 && second->longest_ns > 0);
    PROMISE(second->very_janky <= second->janky && second->janky <= second->frames);
    sums->seconds++;
    sums->frames += second->frames;
    sums->last_ns = second->begin_ns;
}

static enum mb_status feed(struct fps_reader *reader, struct sums *sums, const uint8_t *data,
                           size_t size)
{
    const struct fps_seconds out = {take, sums};
    struct mb_error err = {.status = MB_OK};

    fps_reader_init(reader, &out);
    enum mb_status status = fps_reader_feed(reader, data, size, "input", &err);
    if (status == MB_OK) {
        uint32_t before = reader->film.drawn.frames;
        PROMISE(fps_reader_feed(reader, data, size, "input", &err) == MB_OK);
        PROMISE(reader->latency.reboots > 0 || reader->film.drawn.frames == before);
    } else {
        PROMISE(status == MB_BAD_TEXT && strncmp(err.input, "input:", 6) == 0);
    }
    PROMISE(fps_film_end(&reader->film, &err) == MB_OK);
    return status;
}

static void check_figures(const struct fps_reader *reader, const struct sums *sums)
{
    PROMISE(sums->frames == reader->film.drawn.frames);
    PROMISE(fps_film_percentile(&reader->film, 50) <= fps_film_percentile(&reader->film, 99));
    PROMISE(fps_film_percentile(&reader->film, 100) == reader->film.drawn.longest_ns);
    PROMISE(fps_film_stutter(&reader->film) <= 10001);
    PROMISE(fps_timestats_percentile(&reader->timestats, 50) <= 1000000);
}

/* A name lies in its line, and one word of a shell is one word again. */
static void check_name(struct mb_text line)
{
    struct mb_text name = fps_layer_name(line);
    struct mb_buf quoted = {0};
    size_t quotes = 0;

    PROMISE(name.size <= line.size);
    fps_put_quoted(&quoted, name);
    for (size_t i = 0; i < quoted.size; i++) {
        bool is_escaped = quoted.bytes[i] == '\\' && i + 1 < quoted.size &&
                          quoted.bytes[i + 1] == '\'' && quotes % 2 == 0;
        quotes += !is_escaped && quoted.bytes[i] == '\'';
        i += is_escaped;
    }
    PROMISE(quotes % 2 == 0);
    mb_buf_finish(&quoted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fps_reader reader;
    struct sums sums = {0};
    struct mb_text rest = {size > 0 ? (const char *)data : "", size};

    if (feed(&reader, &sums, data, size) == MB_OK) {
        check_figures(&reader, &sums);
    }
    fps_reader_finish(&reader);
    while (rest.size > 0) {
        check_name(mb_text_split(&rest, '\n'));
    }
    return 0;
}
