#include "abi/issue.h"
#include "base/json.h"
#include "monitor/fps/fps.h"

#include <stdio.h>

#define CHART_ROWS 6
#define FIXED_COLUMNS 70 /* of a line beside its bar */

static const char *const level_words[MON_LEVEL_COUNT] = {ABI_LEVELS(ABI_LEVEL_WORD)};
static const char *const level_colours[MON_LEVEL_COUNT] = {
    [MON_LEVEL_BEST] = "32", [MON_LEVEL_NORMAL] = "36", [MON_LEVEL_MIDDLE] = "33",
    [MON_LEVEL_HIGH] = "35", [MON_LEVEL_FROZEN] = "31",
};

static void flush_line(struct fps_printer *printer)
{
    if (!printer->out.failed) {
        printer->write(printer->out.bytes, printer->out.size);
        mb_buf_reset(&printer->out);
    }
    if (printer->is_live) {
        printer->flush();
    }
}

/* 5998: "59.98"; with one digit "60.0". */
static void put_hundredths(struct mb_buf *out, int64_t hundredths)
{
    mb_buf_printf(out, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
}

static void put_tenths(struct mb_buf *out, int width, int64_t tenths)
{
    mb_buf_printf(out, "%*" PRId64 ".%" PRId64, width, tenths / 10, tenths % 10);
}

static void put_ms(struct mb_buf *out, int width, int64_t ns)
{
    put_tenths(out, width, (ns + 50000) / 100000);
}

/* ---- Seconds ---- */

static void put_bar(struct fps_printer *printer, const struct fps_second *second)
{
    struct mb_buf *out = &printer->out;
    int64_t room = (int64_t)printer->columns - FIXED_COLUMNS;
    int64_t size = second->refresh > 0 ? second->fps * room / second->refresh : 0;

    if (printer->has_colour) {
        mb_buf_printf(out, "\033[%sm", level_colours[second->level]);
    }
    for (int64_t i = 0; i < room && i < size; i++) {
        mb_buf_put_u1(out, '#');
    }
    if (printer->has_colour) {
        mb_buf_put_string(out, "\033[m");
    }
    for (int64_t i = size; i < room; i++) {
        mb_buf_put_u1(out, ' ');
    }
}

static void put_text_second(struct fps_printer *printer, const struct fps_second *second)
{
    struct mb_buf *out = &printer->out;
    int64_t at = (second->begin_ns - printer->first_ns) / MB_NS_PER_S;

    mb_buf_printf(out, "%6" PRId64 " s  ", at);
    put_tenths(out, 4, second->fps / 10);
    mb_buf_put_string(out, " fps  ");
    put_bar(printer, second);
    mb_buf_printf(out, " late %3u  jank %2u  big %2u ", second->late, second->janky,
                  second->very_janky);
    put_ms(out, 5, second->longest_ns);
    mb_buf_put_string(out, " ms ");
    put_tenths(out, 4, second->refresh / 10);
    mb_buf_put_string(out, " Hz\n");
}

static void put_csv_second(struct fps_printer *printer, const struct fps_second *second)
{
    struct mb_buf *out = &printer->out;

    mb_buf_printf(out, "%" PRId64 ",", (second->begin_ns - printer->first_ns) / MB_NS_PER_S);
    put_hundredths(out, second->fps);
    mb_buf_printf(out, ",%u,%u,%u,%u,", second->frames, second->late, second->janky,
                  second->very_janky);
    put_ms(out, 0, second->longest_ns);
    mb_buf_put_u1(out, ',');
    put_hundredths(out, second->refresh);
    mb_buf_put_string(out, "\r\n");
}

static void put_number(struct mb_json *json, const char *key, int64_t hundredths)
{
    mb_json_key(json, key);
    put_hundredths(json->out, hundredths);
}

static void put_json_second(struct fps_printer *printer, const struct fps_second *second)
{
    struct mb_json json = {.out = &printer->out, .has_member = printer->seconds > 0};

    mb_json_break(&json, "\n");
    mb_json_open(&json, NULL, "{");
    mb_json_number(&json, "second", (second->begin_ns - printer->first_ns) / MB_NS_PER_S);
    put_number(&json, "fps", second->fps);
    mb_json_count(&json, "frames", second->frames);
    mb_json_count(&json, "late", second->late);
    mb_json_count(&json, "jank", second->janky);
    mb_json_count(&json, "big_jank", second->very_janky);
    mb_json_number(&json, "longest_ns", second->longest_ns);
    put_number(&json, "refresh", second->refresh);
    mb_json_string(&json, "level", level_words[second->level]);
    mb_json_close(&json, "}");
}

void fps_print_second(void *context, const struct fps_second *second)
{
    struct fps_printer *printer = context;

    if (printer->seconds == 0) {
        printer->first_ns = second->begin_ns;
    }
    switch (printer->format) {
    case FPS_TEXT:
        put_text_second(printer, second);
        break;
    case FPS_CSV:
        put_csv_second(printer, second);
        break;
    case FPS_JSON:
        put_json_second(printer, second);
        break;
    }
    printer->recent[printer->seconds++ % MB_COUNT(printer->recent)] = second->fps;
    printer->refresh = second->refresh;
    flush_line(printer);
}

void fps_print_begin(struct fps_printer *printer)
{
    if (printer->format == FPS_CSV) {
        mb_buf_put_string(&printer->out,
                          "second,fps,frames,late,jank,big_jank,longest_ms,refresh\r\n");
    } else if (printer->format == FPS_JSON) {
        mb_buf_put_string(&printer->out, "{\"schema\":1,\"seconds\":[");
    }
}

/* ---- The end ---- */

/* The last seconds, side by side, the newest at the right; marks at 50 and 30 of 60. */
static void put_chart(struct fps_printer *printer)
{
    struct mb_buf *out = &printer->out;
    uint32_t room = (uint32_t)MB_COUNT(printer->recent);
    uint32_t count = printer->seconds < room ? printer->seconds : room;
    int64_t top = printer->refresh > 0 ? printer->refresh : 6000;

    if (count < 2) {
        return;
    }
    mb_buf_put_u1(out, '\n');
    for (int64_t row = CHART_ROWS; row > 0; row--) {
        mb_buf_printf(out, "%5" PRId64 " |", (top * row / CHART_ROWS + 50) / 100);
        size_t end = out->size; /* without white space after the last bar */
        for (uint32_t i = 0; i < count; i++) {
            int64_t fps = printer->recent[(printer->seconds - count + i) % room];
            bool is_full = fps * CHART_ROWS * 2 >= top * (2 * row - 1);
            mb_buf_put_u1(out, is_full ? '#' : ' ');
            end = is_full ? out->size : end;
        }
        out->size = out->failed ? out->size : end;
        mb_buf_put_u1(out, '\n');
    }
    mb_buf_put_u1(out, '\n');
}

static void put_lengths(struct mb_buf *out, const struct fps_film *film)
{
    static const int percents[] = {50, 90, 95, 99};

    mb_buf_put_string(out, "lengths  50/90/95/99 % within ");
    for (size_t i = 0; i < MB_COUNT(percents); i++) {
        mb_buf_put_string(out, i > 0 ? ", " : "");
        put_ms(out, 0, fps_film_percentile(film, percents[i]));
    }
    mb_buf_put_string(out, " ms, longest ");
    put_ms(out, 0, film->drawn.longest_ns);
    mb_buf_put_string(out, " ms\n");
}

static void put_text_film(struct mb_buf *out, const struct fps_film *film)
{
    const struct mon_drawn *drawn = &film->drawn;
    int64_t wall = film->last_ns - film->first_ns;

    mb_buf_printf(out, "fps      ");
    put_tenths(out, 0, mon_drawn_fps(drawn) / 10);
    mb_buf_printf(out, " while it was drawn: %u frames in ", drawn->frames);
    put_tenths(out, 0, drawn->time_ns / (MB_NS_PER_S / 10));
    mb_buf_put_string(out, " s, of ");
    put_tenths(out, 0, wall / (MB_NS_PER_S / 10));
    mb_buf_put_string(out, " s\n");
    put_lengths(out, film);
    mb_buf_printf(out, "late     %u frames, ", film->late);
    put_tenths(out, 0, mon_drawn_hitch_us(drawn) / 100);
    mb_buf_put_string(out, " ms lost in a second\n");
    mb_buf_printf(out, "jank     %u, big %u, stutter ", film->janky, film->very_janky);
    put_hundredths(out, fps_film_stutter(film));
    mb_buf_put_string(out, " %\nlevels   ");
    for (size_t i = 0; i < MON_LEVEL_COUNT; i++) {
        mb_buf_printf(out, "%s%s %u", i > 0 ? ", " : "", level_words[i], drawn->levels[i]);
    }
    mb_buf_put_u1(out, '\n');
}

static void put_text_sums(struct mb_buf *out, const struct fps_timestats *sums)
{
    mb_buf_put_string(out, "layer    ");
    mb_buf_put_printable(out, sums->layer);
    mb_buf_printf(out, "\nfps      ");
    if (sums->fps_milli >= 0) {
        put_tenths(out, 0, sums->fps_milli / 100);
        mb_buf_put_string(out, " on average: ");
    }
    mb_buf_printf(out, "%" PRId64 " frames, %" PRId64 " dropped", sums->frames, sums->dropped);
    if (sums->janky >= 0) {
        mb_buf_printf(out, ", %" PRId64 " janky", sums->janky);
    }
    mb_buf_put_u1(out, '\n');
    if (fps_timestats_percentile(sums, 100) >= 0) {
        mb_buf_printf(out,
                      "lengths  50/90/95/99 %% within %" PRId64 ", %" PRId64 ", %" PRId64
                      ", %" PRId64 " ms\n",
                      fps_timestats_percentile(sums, 50), fps_timestats_percentile(sums, 90),
                      fps_timestats_percentile(sums, 95), fps_timestats_percentile(sums, 99));
    }
}

/* Missed rows. */
static void put_text_losses(struct mb_buf *out, const struct fps_reader *reader)
{
    const struct fps_framestats *stats = &reader->framestats;

    if (reader->latency.lost > 0) {
        mb_buf_printf(out, "lost     frames before %u questions: ask more often\n",
                      reader->latency.lost);
    }
    if (stats->outliers + stats->unfinished > 0) {
        mb_buf_printf(out, "left out %" PRIu64 " exceptional frames, %" PRIu64 " unfinished\n",
                      stats->outliers, stats->unfinished);
    }
    if (reader->source == FPS_GFXINFO && stats->frames > 0) {
        mb_buf_printf(out, "summary  the device counts %" PRId64 " frames, %" PRId64 " janky\n",
                      stats->frames, stats->janky > 0 ? stats->janky : 0);
    }
}

static void put_json_film(struct mb_json *json, const struct fps_film *film)
{
    static const int percents[] = {50, 90, 95, 99};
    const struct mon_drawn *drawn = &film->drawn;
    char key[16];

    mb_json_break(json, "\n");
    mb_json_count(json, "frames", drawn->frames);
    mb_json_number(json, "drawing_ns", drawn->time_ns);
    mb_json_number(json, "wall_ns", film->last_ns - film->first_ns);
    put_number(json, "fps", mon_drawn_fps(drawn));
    put_number(json, "rate", mon_drawn_rate(drawn));
    mb_json_count(json, "late", film->late);
    mb_json_number(json, "late_ns", drawn->late_ns);
    mb_json_count(json, "jank", film->janky);
    mb_json_count(json, "big_jank", film->very_janky);
    put_number(json, "stutter_percent", fps_film_stutter(film));
    mb_json_number(json, "longest_ns", drawn->longest_ns);
    for (size_t i = 0; i < MB_COUNT(percents); i++) {
        (void)snprintf(key, sizeof(key), "p%d_ns", percents[i]);
        mb_json_number(json, key, fps_film_percentile(film, percents[i]));
    }
    mb_json_open(json, "levels", "{");
    for (size_t i = 0; i < MON_LEVEL_COUNT; i++) {
        mb_json_count(json, level_words[i], drawn->levels[i]);
    }
    mb_json_close(json, "}");
}

static void put_json_sums(struct mb_json *json, const struct fps_timestats *sums)
{
    mb_json_open(json, "timestats", "{");
    mb_json_text(json, "layer", sums->layer);
    mb_json_number(json, "frames", sums->frames);
    mb_json_number(json, "dropped", sums->dropped);
    mb_json_number(json, "janky", sums->janky);
    mb_json_number(json, "fps_milli", sums->fps_milli);
    mb_json_open(json, "histogram_ms", "[");
    for (uint32_t i = 0; i < sums->bucket_count; i++) {
        if (sums->buckets[i].count > 0) {
            mb_json_key(json, NULL);
            mb_buf_printf(json->out, "[%" PRId64 ",%" PRId64 "]", sums->buckets[i].ms,
                          sums->buckets[i].count);
        }
    }
    mb_json_close(json, "]");
    mb_json_close(json, "}");
}

static void put_json_end(struct fps_printer *printer, const struct fps_reader *reader)
{
    struct mb_json json = {.out = &printer->out};

    mb_json_close(&json, printer->seconds > 0 ? "\n]" : "]");
    mb_json_string(&json, "source", reader->is_mixed ? "mixed" : fps_source_name(reader->source));
    put_json_film(&json, &reader->film);
    mb_json_count(&json, "lost_polls", reader->latency.lost);
    mb_json_count(&json, "outliers", reader->framestats.outliers);
    mb_json_count(&json, "unfinished", reader->framestats.unfinished);
    if (reader->timestats.layer.size > 0) {
        put_json_sums(&json, &reader->timestats);
    }
    mb_json_end(&json);
}

void fps_print_end(struct fps_printer *printer, const struct fps_reader *reader)
{
    struct mb_buf *out = &printer->out;
    bool has_frames = reader->film.drawn.frames > 0;
    bool has_sums = reader->timestats.layer.size > 0;

    if (printer->format == FPS_TEXT) {
        put_chart(printer);
        if (has_frames) {
            put_text_film(out, &reader->film);
        }
        if (has_sums) {
            put_text_sums(out, &reader->timestats);
        }
        put_text_losses(out, reader);
    } else if (printer->format == FPS_JSON) {
        put_json_end(printer, reader);
    }
    flush_line(printer);
}
