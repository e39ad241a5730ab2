#include "screen/timestats.h"

#include "screen/text.h"

struct reading {
    struct screen_lines lines;
    struct mb_text wanted;
    bool is_wanted;                /* the layer that is read */
    struct screen_timestats layer; /* that is read */
    struct screen_timestats *best;
};

/* "key = value"; false for another line. */
static bool take(const struct reading *r, const char *key, struct mb_text *value)
{
    struct mb_text rest = r->lines.line;
    struct mb_text name = mb_text_trim(mb_text_split(&rest, '='));

    *value = mb_text_trim(rest);
    return rest.data > r->lines.line.data && mb_text_is(name, key);
}

/* "58.123", in thousandths. */
static bool take_milli(struct mb_text text, int64_t *milli)
{
    struct mb_text whole = mb_text_split(&text, '.');
    uint64_t number;
    int64_t scale = 100;

    if (!mb_text_to_number(whole, 1000000, &number)) {
        return false;
    }
    *milli = (int64_t)number * 1000;
    for (size_t i = 0; i < text.size; i++, scale /= 10) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        *milli += (text.data[i] - '0') * scale;
    }
    return true;
}

static enum mb_status read_bucket(struct reading *r, struct mb_text word)
{
    struct screen_timestats *layer = &r->layer;
    struct mb_text ms = mb_text_split(&word, '=');
    uint64_t length;
    uint64_t count;

    if (!mb_text_ends(ms, MB_TEXT("ms")) ||
        !mb_text_to_number((struct mb_text){ms.data, ms.size - 2}, 1000000, &length) ||
        !mb_text_to_number(word, UINT32_MAX, &count)) {
        return screen_refuse(&r->lines, "not a histogram: 16ms=480 17ms=5 ...", "");
    }
    if (layer->bucket_count == SCREEN_BUCKET_COUNT) {
        return screen_refuse(&r->lines, "a histogram with too many lengths", "");
    }
    layer->buckets[layer->bucket_count++] = (struct screen_bucket){(int64_t)length, (int64_t)count};
    return MB_OK;
}

static enum mb_status read_histogram(struct reading *r)
{
    struct mb_text word;

    r->layer.bucket_count = 0;
    if (!screen_next_line(&r->lines)) {
        return screen_refuse(&r->lines, "the histogram is missing", "");
    }
    while (screen_next_word(&r->lines.line, &word)) {
        MB_TRY(read_bucket(r, word));
    }
    return MB_OK;
}

static void end_layer(struct reading *r)
{
    bool is_better = r->best->layer.size == 0 || r->layer.frames > r->best->frames;

    if (r->is_wanted && r->layer.layer.size > 0 && is_better) {
        *r->best = r->layer;
    }
    r->is_wanted = false;
}

static bool holds(const struct reading *r, struct mb_text text)
{
    return r->wanted.size == 0 || mb_text_contains(text, r->wanted);
}

static void begin_layer(struct reading *r, struct mb_text name)
{
    end_layer(r);
    r->layer = (struct screen_timestats){.layer = name, .janky = -1, .fps_milli = -1};
    r->is_wanted = holds(r, name);
}

static enum mb_status read_number(const struct reading *r, struct mb_text text, int64_t *number)
{
    uint64_t value;

    if (!mb_text_to_number(text, UINT32_MAX, &value)) {
        return screen_refuse(&r->lines, "not a number of frames", "");
    }
    *number = (int64_t)value;
    return MB_OK;
}

/* A line of a layer; others tell nothing. */
static enum mb_status read_line(struct reading *r)
{
    struct screen_timestats *layer = &r->layer;
    struct mb_text value;

    if (take(r, "packageName", &value)) {
        r->is_wanted = r->is_wanted || holds(r, value);
    } else if (take(r, "totalFrames", &value)) {
        return read_number(r, value, &layer->frames);
    } else if (take(r, "droppedFrames", &value)) {
        return read_number(r, value, &layer->dropped);
    } else if (take(r, "jankyFrames", &value)) {
        return read_number(r, value, &layer->janky);
    } else if (take(r, "averageFPS", &value)) {
        return take_milli(value, &layer->fps_milli)
                   ? MB_OK
                   : screen_refuse(&r->lines, "not a number of frames", "");
    } else if (mb_text_is(r->lines.line, "present2present histogram is as below:")) {
        return read_histogram(r);
    }
    return MB_OK;
}

enum mb_status screen_timestats_parse(struct screen_timestats *stats, struct mb_text text,
                                      struct mb_text wanted, const char *path, struct mb_error *err)
{
    struct reading r = {
        .lines = {.rest = text, .path = path, .err = err}, .wanted = wanted, .best = stats};
    bool is_known = false;
    struct mb_text name;

    *stats = (struct screen_timestats){.janky = -1, .fps_milli = -1};
    while (screen_next_line(&r.lines)) {
        is_known = is_known || mb_text_starts(r.lines.line, MB_TEXT("SurfaceFlinger TimeStats")) ||
                   mb_text_starts(r.lines.line, MB_TEXT("statsStart"));
        if (take(&r, "layerName", &name)) {
            is_known = true;
            begin_layer(&r, name);
        } else if (r.layer.layer.size > 0) {
            MB_TRY(read_line(&r));
        }
    }
    end_layer(&r);
    return is_known ? MB_OK
                    : screen_refuse(&r.lines,
                                    "no output of dumpsys SurfaceFlinger --timestats -dump", "");
}

int64_t screen_timestats_percentile(const struct screen_timestats *stats, int percent)
{
    int64_t all = 0;
    int64_t so_far = 0;

    for (uint32_t i = 0; i < stats->bucket_count; i++) {
        all += stats->buckets[i].count;
    }
    for (uint32_t i = 0; i < stats->bucket_count; i++) {
        so_far += stats->buckets[i].count;
        if (so_far > 0 && so_far * 100 >= all * percent) {
            return stats->buckets[i].ms;
        }
    }
    return 0;
}
