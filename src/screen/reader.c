#include "screen/reader.h"

#include "screen/text.h"

#include <assert.h>
#include <string.h>

const char *screen_source_name(enum screen_source source)
{
    static const char *const names[] = {[SCREEN_LATENCY] = "latency",
                                        [SCREEN_TIMESTATS] = "timestats",
                                        [SCREEN_GFXINFO] = "gfxinfo",
                                        [SCREEN_NONE] = "none"};

    assert((size_t)source < MB_COUNT(names));
    return names[source];
}

enum screen_source screen_source_of(struct mb_text text)
{
    static const struct {
        struct mb_text word;
        enum screen_source source;
    } words[] = {
        {MB_TEXT_ROW("---PROFILEDATA---"), SCREEN_GFXINFO},
        {MB_TEXT_ROW("Total frames rendered:"), SCREEN_GFXINFO},
        {MB_TEXT_ROW("Graphics info for pid"), SCREEN_GFXINFO},
        {MB_TEXT_ROW(SCREEN_NO_PROCESS), SCREEN_GFXINFO},
        {MB_TEXT_ROW("layerName = "), SCREEN_TIMESTATS},
        {MB_TEXT_ROW("SurfaceFlinger TimeStats"), SCREEN_TIMESTATS},
        {MB_TEXT_ROW("statsStart = "), SCREEN_TIMESTATS},
    };

    for (size_t i = 0; i < MB_COUNT(words); i++) {
        if (mb_text_contains(text, words[i].word)) {
            return words[i].source;
        }
    }
    return SCREEN_LATENCY;
}

void screen_reader_init(struct screen_reader *reader, const struct screen_seconds *out)
{
    memset(reader, 0, sizeof(*reader));
    reader->source = SCREEN_NONE;
    screen_film_init(&reader->film, out);
}

void screen_reader_finish(struct screen_reader *reader)
{
    screen_film_finish(&reader->film);
    mb_buf_finish(&reader->timestats_text);
}

static void take_present(void *context, const struct screen_present *present)
{
    screen_film_present(context, present);
}

static void take_frame(void *context, const struct mon_frame *frame)
{
    screen_film_frame(context, frame);
}

static enum mb_status feed_timestats(struct screen_reader *reader, struct mb_text text,
                                     const char *path, struct mb_error *err)
{
    mb_buf_reset(&reader->timestats_text);
    mb_buf_put(&reader->timestats_text, text.data, text.size);
    MB_TRY(mb_buf_check(&reader->timestats_text, err));
    const struct mb_text kept = {(const char *)reader->timestats_text.bytes, text.size};
    return screen_timestats_parse(&reader->timestats, kept, reader->package, path, err);
}

static enum mb_status feed_text(struct screen_reader *reader, struct mb_text text, const char *path,
                                struct mb_error *err)
{
    const struct screen_presents presents = {take_present, &reader->film};
    const struct screen_frames frames = {take_frame, &reader->film};
    enum screen_source source = screen_source_of(text);

    reader->is_mixed = reader->is_mixed || (reader->outputs > 0 && reader->source != source);
    reader->source = source;
    reader->outputs++;
    switch (source) {
    case SCREEN_LATENCY:
        return screen_latency_parse(&reader->latency, text, path, &presents, err);
    case SCREEN_GFXINFO:
        return screen_framestats_parse(&reader->framestats, text, path, &frames, err);
    case SCREEN_TIMESTATS:
        return feed_timestats(reader, text, path, err);
    case SCREEN_NONE:
        break;
    }
    return MB_OK;
}

enum mb_status screen_reader_feed(struct screen_reader *reader, const void *bytes, size_t size,
                                  const char *path, struct mb_error *err)
{
    struct mb_buf text = {0};

    screen_put_text(&text, bytes, size);
    enum mb_status status = mb_buf_check(&text, err);
    if (status == MB_OK) {
        const struct mb_text view = {size > 0 ? (const char *)text.bytes : "", text.size};
        status = feed_text(reader, view, path, err);
    }
    mb_buf_finish(&text);
    return status;
}

bool screen_reader_has_rows(const struct screen_reader *reader)
{
    switch (reader->source) {
    case SCREEN_LATENCY:
        return reader->latency.rows > 0;
    case SCREEN_GFXINFO:
        return reader->framestats.rows > 0;
    case SCREEN_TIMESTATS:
        return reader->timestats.frames > 0;
    case SCREEN_NONE:
        break;
    }
    return false;
}
