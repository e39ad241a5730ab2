#include "monitor/fps/reader.h"

#include "base/vec.h"
#include "monitor/fps/text.h"

#include <string.h>

#define MOST_LAYERS 1024u /* SurfaceFlinger keeps 200 */
#define US_PER_1000_S INT64_C(1000000000)

struct reading {
    struct fps_lines lines;
    struct mb_text wanted;
    bool is_wanted;                      /* the part that is read */
    struct fps_timestats part;           /* of a layer: one for each rate of the display */
    MB_VEC(struct fps_timestats) layers; /* the wanted ones, each once */
};

/* "key = value"; false for another line. */
static bool take_value(const struct reading *r, const char *key, struct mb_text *value)
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

/* Buckets stay in order of their lengths. False if there are too many. */
static bool add_bucket(struct fps_timestats *stats, const struct fps_bucket *bucket)
{
    uint32_t place = 0;

    while (place < stats->bucket_count && stats->buckets[place].ms < bucket->ms) {
        place++;
    }
    struct fps_bucket *at = &stats->buckets[place];
    if (place < stats->bucket_count && at->ms == bucket->ms) {
        at->count += bucket->count;
        return true;
    }
    if (stats->bucket_count == FPS_BUCKET_COUNT) {
        return false;
    }
    memmove(at + 1, at, (stats->bucket_count - place) * sizeof(*at));
    *at = *bucket;
    stats->bucket_count++;
    return true;
}

static enum mb_status read_bucket(struct reading *r, struct mb_text word)
{
    struct mb_text ms = mb_text_split(&word, '=');
    uint64_t length;
    uint64_t count;

    if (!mb_text_ends(ms, MB_TEXT("ms")) ||
        !mb_text_to_number((struct mb_text){ms.data, ms.size - 2}, 1000000, &length) ||
        !mb_text_to_number(word, UINT32_MAX, &count)) {
        return fps_refuse(&r->lines, "not a histogram: 16ms=480 17ms=5 ...", "");
    }
    const struct fps_bucket bucket = {(int64_t)length, (int64_t)count};
    return add_bucket(&r->part, &bucket)
               ? MB_OK
               : fps_refuse(&r->lines, "a histogram with too many lengths", "");
}

static enum mb_status read_histogram(struct reading *r)
{
    struct mb_text word;

    r->part.bucket_count = 0;
    if (!fps_next_line(&r->lines)) {
        return fps_refuse(&r->lines, "the histogram is missing", "");
    }
    while (fps_next_word(&r->lines.line, &word)) {
        MB_TRY(read_bucket(r, word));
    }
    return MB_OK;
}

/* How long the frames took together; 0 if unknown. */
static int64_t time_us(const struct fps_timestats *stats)
{
    return stats->fps_milli > 0 ? stats->frames * US_PER_1000_S / stats->fps_milli : 0;
}

static int64_t zero_if_unknown(int64_t count)
{
    return count > 0 ? count : 0;
}

/* False if the histogram of both has too many lengths. */
static bool add_part(struct fps_timestats *sum, const struct fps_timestats *part)
{
    int64_t us = time_us(sum) + time_us(part);
    bool has_both = time_us(sum) > 0 && time_us(part) > 0;
    bool is_part_longer = part->frames > sum->frames;
    int64_t frames = sum->frames + part->frames;

    if (has_both) {
        sum->fps_milli = frames * US_PER_1000_S / us;
    } else if (is_part_longer) {
        sum->fps_milli = part->fps_milli;
    }
    sum->frames = frames;
    sum->dropped += part->dropped;
    sum->janky = sum->janky < 0 && part->janky < 0
                     ? -1
                     : zero_if_unknown(sum->janky) + zero_if_unknown(part->janky);
    for (uint32_t i = 0; i < part->bucket_count; i++) {
        if (!add_bucket(sum, &part->buckets[i])) {
            return false;
        }
    }
    return true;
}

static struct fps_timestats *find_layer(const struct reading *r, struct mb_text name)
{
    for (size_t i = 0; i < MB_VEC_COUNT(&r->layers); i++) {
        if (mb_text_equal(r->layers.items[i].layer, name)) {
            return &r->layers.items[i];
        }
    }
    return NULL;
}

static enum mb_status add_layer(struct reading *r)
{
    if (MB_VEC_COUNT(&r->layers) == MOST_LAYERS) {
        return fps_refuse(&r->lines, "too many layers", "");
    }
    MB_VEC_PUSH(&r->layers, r->part);
    return mb_buf_check(&r->layers.buf, r->lines.err);
}

static enum mb_status end_part(struct reading *r)
{
    struct fps_timestats *layer = find_layer(r, r->part.layer);
    bool is_wanted = r->is_wanted && r->part.layer.size > 0;

    r->is_wanted = false;
    if (!is_wanted) {
        return MB_OK;
    }
    if (layer == NULL) {
        return add_layer(r);
    }
    if (layer->frames + r->part.frames > UINT32_MAX) {
        return fps_refuse(&r->lines, "not a number of frames", "");
    }
    return add_part(layer, &r->part)
               ? MB_OK
               : fps_refuse(&r->lines, "a histogram with too many lengths", "");
}

static bool has_wanted_name(const struct reading *r, struct mb_text text)
{
    return r->wanted.size == 0 || mb_text_contains(text, r->wanted);
}

static enum mb_status begin_part(struct reading *r, struct mb_text name)
{
    MB_TRY(end_part(r));
    r->part = (struct fps_timestats){.layer = name, .janky = -1, .fps_milli = -1};
    r->is_wanted = has_wanted_name(r, name);
    return MB_OK;
}

static enum mb_status read_number(const struct reading *r, struct mb_text text, int64_t *number)
{
    uint64_t value;

    if (!mb_text_to_number(text, UINT32_MAX, &value)) {
        return fps_refuse(&r->lines, "not a number of frames", "");
    }
    *number = (int64_t)value;
    return MB_OK;
}

/* A line of a part; other lines are ignored. */
static enum mb_status read_line(struct reading *r)
{
    struct fps_timestats *layer = &r->part;
    struct mb_text value;

    if (take_value(r, "packageName", &value)) {
        r->is_wanted = r->is_wanted || has_wanted_name(r, value);
    } else if (take_value(r, "totalFrames", &value)) {
        return read_number(r, value, &layer->frames);
    } else if (take_value(r, "droppedFrames", &value)) {
        return read_number(r, value, &layer->dropped);
    } else if (take_value(r, "jankyFrames", &value)) {
        return read_number(r, value, &layer->janky);
    } else if (take_value(r, "averageFPS", &value)) {
        return take_milli(value, &layer->fps_milli)
                   ? MB_OK
                   : fps_refuse(&r->lines, "not a number of frames", "");
    } else if (mb_text_is(r->lines.line, "present2present histogram is as below:")) {
        return read_histogram(r);
    }
    return MB_OK;
}

static enum mb_status read_all(struct reading *r)
{
    bool is_known = false;
    struct mb_text name;

    while (fps_next_line(&r->lines)) {
        is_known = is_known || mb_text_starts(r->lines.line, MB_TEXT("SurfaceFlinger TimeStats")) ||
                   mb_text_starts(r->lines.line, MB_TEXT("statsStart"));
        if (take_value(r, "layerName", &name)) {
            is_known = true;
            MB_TRY(begin_part(r, name));
        } else if (r->part.layer.size > 0) {
            MB_TRY(read_line(r));
        }
    }
    MB_TRY(end_part(r));
    return is_known
               ? MB_OK
               : fps_refuse(&r->lines, "no output of dumpsys SurfaceFlinger --timestats -dump", "");
}

enum mb_status fps_timestats_parse(struct fps_timestats *stats, struct mb_text text,
                                   struct mb_text wanted, const char *path, struct mb_error *err)
{
    struct reading r = {.lines = {.rest = text, .path = path, .err = err}, .wanted = wanted};
    enum mb_status status = read_all(&r);

    *stats = (struct fps_timestats){.janky = -1, .fps_milli = -1};
    for (size_t i = 0; i < MB_VEC_COUNT(&r.layers) && status == MB_OK; i++) {
        if (stats->layer.size == 0 || r.layers.items[i].frames > stats->frames) {
            *stats = r.layers.items[i];
        }
    }
    mb_buf_finish(&r.layers.buf);
    return status;
}

int64_t fps_timestats_percentile(const struct fps_timestats *stats, int percent)
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
    return -1;
}
