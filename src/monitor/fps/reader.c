#include "monitor/fps/reader.h"

#include "monitor/fps/text.h"

#include <assert.h>
#include <string.h>

const char *fps_source_name(enum fps_source source)
{
    static const char *const names[] = {[FPS_LATENCY] = "latency",
                                        [FPS_TIMESTATS] = "timestats",
                                        [FPS_GFXINFO] = "gfxinfo",
                                        [FPS_NONE] = "none"};

    assert((size_t)source < MB_COUNT(names));
    return names[source];
}

enum fps_source fps_source_of(struct mb_text text)
{
    static const struct {
        struct mb_text word;
        enum fps_source source;
    } words[] = {
        {MB_TEXT_ROW("---PROFILEDATA---"), FPS_GFXINFO},
        {MB_TEXT_ROW("Total frames rendered:"), FPS_GFXINFO},
        {MB_TEXT_ROW("Graphics info for pid"), FPS_GFXINFO},
        {MB_TEXT_ROW(FPS_NO_PROCESS), FPS_GFXINFO},
        {MB_TEXT_ROW("layerName = "), FPS_TIMESTATS},
        {MB_TEXT_ROW("SurfaceFlinger TimeStats"), FPS_TIMESTATS},
        {MB_TEXT_ROW("statsStart = "), FPS_TIMESTATS},
    };

    for (size_t i = 0; i < MB_COUNT(words); i++) {
        if (mb_text_contains(text, words[i].word)) {
            return words[i].source;
        }
    }
    return FPS_LATENCY;
}

void fps_reader_init(struct fps_reader *reader, const struct fps_seconds *out)
{
    memset(reader, 0, sizeof(*reader));
    reader->source = FPS_NONE;
    fps_film_init(&reader->film, out);
}

void fps_reader_finish(struct fps_reader *reader)
{
    fps_film_finish(&reader->film);
    mb_buf_finish(&reader->timestats_text);
}

static void take_present(void *context, const struct fps_present *present)
{
    fps_film_present(context, present);
}

static void take_frame(void *context, const struct mon_frame *frame)
{
    fps_film_frame(context, frame);
}

static enum mb_status feed_timestats(struct fps_reader *reader, struct mb_text text,
                                     const char *path, struct mb_error *err)
{
    mb_buf_reset(&reader->timestats_text);
    mb_buf_put(&reader->timestats_text, text.data, text.size);
    MB_TRY(mb_buf_check(&reader->timestats_text, err));
    const struct mb_text kept = {(const char *)reader->timestats_text.bytes, text.size};
    return fps_timestats_parse(&reader->timestats, kept, reader->package, path, err);
}

static enum mb_status feed_text(struct fps_reader *reader, struct mb_text text, const char *path,
                                struct mb_error *err)
{
    const struct fps_presents presents = {take_present, &reader->film};
    const struct fps_frames frames = {take_frame, &reader->film};
    enum fps_source source = fps_source_of(text);

    reader->is_mixed = reader->is_mixed || (reader->outputs > 0 && reader->source != source);
    reader->source = source;
    reader->outputs++;
    switch (source) {
    case FPS_LATENCY:
        return fps_latency_parse(&reader->latency, text, path, &presents, err);
    case FPS_GFXINFO:
        return fps_framestats_parse(&reader->framestats, text, path, &frames, err);
    case FPS_TIMESTATS:
        return feed_timestats(reader, text, path, err);
    case FPS_NONE:
        break;
    }
    return MB_OK;
}

enum mb_status fps_reader_feed(struct fps_reader *reader, const void *bytes, size_t size,
                               const char *path, struct mb_error *err)
{
    struct mb_buf text = {0};

    fps_put_text(&text, bytes, size);
    enum mb_status status = mb_buf_check(&text, err);
    if (status == MB_OK) {
        const struct mb_text view = {size > 0 ? (const char *)text.bytes : "", text.size};
        status = feed_text(reader, view, path, err);
    }
    mb_buf_finish(&text);
    return status;
}

bool fps_reader_has_rows(const struct fps_reader *reader)
{
    switch (reader->source) {
    case FPS_LATENCY:
        return reader->latency.rows > 0;
    case FPS_GFXINFO:
        return reader->framestats.rows > 0;
    case FPS_TIMESTATS:
        return reader->timestats.frames > 0;
    case FPS_NONE:
        break;
    }
    return false;
}
