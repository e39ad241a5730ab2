#include "monitor/fps/fps.h"

#include "base/interrupt.h"
#include "base/platform_folder.h"
#include "monitor/fps/reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_LAYERS 64
#define QUIET_POLLS 4 /* without a new frame, then the layer is looked for again */
#define DISABLE_TIMESTATS "dumpsys SurfaceFlinger --timestats -disable"

/* A device that is being watched. */
struct live {
    const struct fps_arguments *arguments;
    struct fps_reader *reader;
    struct mb_error *err;
    enum fps_source source;
    struct mb_buf layer;   /* its name, terminated; empty: not found */
    struct mb_buf command; /* for the device's shell, terminated */
    struct mb_buf answer;
    uint32_t saved;
    uint32_t quiet;
    bool is_counting; /* timestats are on: they are to be off again, however this ends */
};

static const char *string_of(const struct mb_buf *buf)
{
    return buf->size > 0 ? (const char *)buf->bytes : "";
}

static void print_note(const char *what, const char *name)
{
    struct mb_buf line = {0};

    mb_buf_printf(&line, "methodbeat fps: %s", what);
    mb_buf_put_printable(&line, mb_text_of(name));
    mb_buf_put_u1(&line, '\n');
    if (!line.failed) {
        (void)fwrite(line.bytes, 1, line.size, stderr);
    }
    mb_buf_finish(&line);
}

/* ---- Questions ---- */

/* dumpsys WORDS 'argument' more; the argument may be NULL. */
static enum mb_status run_dumpsys(struct live *live, const char *words, const char *argument,
                                  const char *more)
{
    mb_buf_reset(&live->command);
    mb_buf_reset(&live->answer);
    mb_buf_printf(&live->command, "dumpsys %s", words);
    if (argument != NULL) {
        mb_buf_put_u1(&live->command, ' ');
        fps_put_quoted(&live->command, mb_text_of(argument));
    }
    mb_buf_put_string(&live->command, more);
    mb_buf_put_u1(&live->command, '\0');
    MB_TRY(mb_buf_check(&live->command, live->err));
    return fps_ask_device((const char *)live->command.bytes, &live->answer, live->err);
}

static enum mb_status save_output(struct live *live)
{
    const char *folder = live->arguments->save;
    struct mb_buf path = {0};

    if (folder == NULL) {
        return MB_OK;
    }
    mb_buf_printf(&path, "%s/%09u.%s.txt", folder, live->saved++, fps_source_name(live->source));
    mb_buf_put_u1(&path, '\0');
    enum mb_status status = mb_buf_check(&path, live->err);
    if (status == MB_OK) {
        int fd = mb_file_open(NULL, (const char *)path.bytes, MB_FILE_NEW);
        bool is_written = fd >= 0 && mb_file_put(fd, live->answer.bytes, live->answer.size);
        bool is_closed = fd >= 0 && close(fd) == 0;
        if (!is_written || !is_closed) {
            status = mb_fail_file(live->err, (const char *)path.bytes, "cannot be written");
        }
    }
    mb_buf_finish(&path);
    return status;
}

static enum mb_status feed_output(struct live *live)
{
    MB_TRY(save_output(live));
    return fps_reader_feed(live->reader, live->answer.bytes, live->answer.size,
                           string_of(&live->command), live->err);
}

/* ---- Which layer ---- */

static void ignore_frame(void *context, const struct fps_present *present)
{
    (void)context;
    (void)present;
}

/* When it presented last; 0: never. */
static enum mb_status ask_newest(struct live *live, const char *layer, int64_t *newest_ns)
{
    const struct fps_presents out = {ignore_frame, NULL};
    struct fps_latency latency = {0};

    MB_TRY(run_dumpsys(live, "SurfaceFlinger --latency", layer, ""));
    const struct mb_text text = {string_of(&live->answer), live->answer.size};
    MB_TRY(fps_latency_parse(&latency, text, string_of(&live->command), &out, live->err));
    *newest_ns = latency.newest_ns;
    return MB_OK;
}

static enum mb_status set_layer(struct live *live, struct mb_text name)
{
    if (!mb_text_is(name, string_of(&live->layer))) {
        mb_buf_reset(&live->layer);
        mb_buf_put(&live->layer, name.data, name.size);
        mb_buf_put_u1(&live->layer, '\0');
    }
    return mb_buf_check(&live->layer, live->err);
}

/* The layer of a list with the newest frames. */
static enum mb_status choose_of(struct live *live, struct mb_text list)
{
    struct mb_text package = mb_text_of(live->arguments->package);
    struct mb_text best = {"", 0};
    int64_t best_ns = live->reader->latency.newest_ns;
    struct mb_buf name = {0};
    enum mb_status status = MB_OK;

    for (int asked = 0; list.size > 0 && asked < MOST_LAYERS && status == MB_OK;) {
        struct mb_text layer = fps_layer_name(mb_text_split(&list, '\n'));
        int64_t newest = 0;
        if (!fps_layer_is_of(layer, package)) {
            continue;
        }
        asked++;
        mb_buf_reset(&name);
        mb_buf_put(&name, layer.data, layer.size);
        mb_buf_put_u1(&name, '\0');
        status = mb_buf_check(&name, live->err);
        if (status == MB_OK) {
            status = ask_newest(live, (const char *)name.bytes, &newest);
        }
        bool is_better = newest > best_ns || (newest > 0 && newest == best_ns &&
                                              fps_layer_rank(layer) > fps_layer_rank(best));
        if (is_better) {
            best = layer;
            best_ns = newest;
        }
    }
    if (status == MB_OK && best.size > 0) {
        status = set_layer(live, best);
    }
    mb_buf_finish(&name);
    return status;
}

static enum mb_status choose_layer(struct live *live)
{
    struct mb_buf list = {0};

    if (live->arguments->layer != NULL) {
        return set_layer(live, mb_text_of(live->arguments->layer));
    }
    MB_TRY(run_dumpsys(live, "SurfaceFlinger --list", NULL, ""));
    mb_buf_put(&list, live->answer.bytes, live->answer.size);
    enum mb_status status = mb_buf_check(&list, live->err);
    if (status == MB_OK) {
        status = choose_of(live, (struct mb_text){string_of(&list), list.size});
    }
    mb_buf_finish(&list);
    return status;
}

/* ---- Which source ---- */

static void sleep_until(int64_t until_ms)
{
    int64_t left = until_ms - fps_now_ms();
    const struct timespec time = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * MB_NS_PER_MS};

    if (left > 0) {
        (void)nanosleep(&time, NULL);
    }
}

/* Android before 10 does not know the arguments: it may print anything, or nothing. */
static bool knows_timestats(const struct live *live)
{
    const struct mb_text text = {string_of(&live->answer), live->answer.size};

    return fps_source_of(text) == FPS_TIMESTATS;
}

/* Switched on, it has to see frames first. */
static enum mb_status try_timestats(struct live *live, bool *has_frames)
{
    live->is_counting = true;
    MB_TRY(run_dumpsys(live, "SurfaceFlinger --timestats -clear -enable", NULL, ""));
    sleep_until(fps_now_ms() + (int64_t)live->arguments->interval_ms);
    MB_TRY(run_dumpsys(live, "SurfaceFlinger --timestats -dump", NULL, ""));
    if (live->arguments->source == FPS_TIMESTATS || knows_timestats(live)) {
        MB_TRY(feed_output(live));
        *has_frames = fps_reader_has_rows(live->reader);
    }
    live->is_counting = *has_frames || live->arguments->source == FPS_TIMESTATS;
    if (!live->is_counting) {
        fps_command_device(DISABLE_TIMESTATS);
    }
    return MB_OK;
}

static enum mb_status check_process(const struct live *live)
{
    const struct mb_text answer = {string_of(&live->answer), live->answer.size};

    if (!mb_text_contains(answer, MB_TEXT(FPS_NO_PROCESS))) {
        return MB_OK;
    }
    return mb_fail(live->err, MB_IO, MB_NO_OFFSET, "%.80s does not run: start it first",
                   live->arguments->package);
}

/* True if the source has frames; it is left as it is to be asked. */
static enum mb_status try_source(struct live *live, bool *has_frames)
{
    *has_frames = false;
    if (live->source == FPS_LATENCY) {
        MB_TRY(choose_layer(live));
        *has_frames = live->layer.size > 0;
        return MB_OK;
    }
    if (live->source == FPS_TIMESTATS) {
        return try_timestats(live, has_frames);
    }
    MB_TRY(run_dumpsys(live, "gfxinfo", live->arguments->package, " framestats"));
    *has_frames = true;
    return check_process(live);
}

static enum mb_status poll_once(struct live *live)
{
    const char *package = live->arguments->package;
    uint32_t before = live->reader->film.drawn.frames;

    if (live->source == FPS_LATENCY) {
        MB_TRY(run_dumpsys(live, "SurfaceFlinger --latency", string_of(&live->layer), ""));
    } else if (live->source == FPS_TIMESTATS) {
        MB_TRY(run_dumpsys(live, "SurfaceFlinger --timestats -dump", NULL, ""));
    } else {
        MB_TRY(run_dumpsys(live, "gfxinfo", package, " framestats"));
    }
    MB_TRY(feed_output(live));
    live->quiet = live->reader->film.drawn.frames == before ? live->quiet + 1 : 0;
    if (live->source == FPS_LATENCY && live->quiet >= QUIET_POLLS &&
        live->arguments->layer == NULL) {
        live->quiet = 0; /* another screen, or a still one */
        return choose_layer(live);
    }
    return MB_OK;
}

/* ---- Time ---- */

/* So short that a layer's rows last: 0.7 of them. */
static int64_t interval_ms(const struct live *live)
{
    int64_t most = live->reader->latency.period_ns * FPS_RING * 7 / 10 / MB_NS_PER_MS;
    int64_t wanted = (int64_t)live->arguments->interval_ms;

    return most > 0 && most < wanted ? most : wanted;
}

static int64_t end_of(const struct live *live, int64_t start_ms)
{
    uint64_t duration = live->arguments->duration_s;

    return duration > 0 ? start_ms + (int64_t)duration * 1000 : INT64_MAX;
}

/* Try one source after another until one has frames, or only the requested one. */
static enum mb_status find_source(struct live *live)
{
    bool is_open = live->arguments->source == FPS_NONE;
    bool has_frames = false;

    live->source = is_open ? FPS_LATENCY : (enum fps_source)live->arguments->source;
    MB_TRY(try_source(live, &has_frames));
    while (is_open && !has_frames && live->source != FPS_GFXINFO) {
        print_note("no frames from ", fps_source_name(live->source));
        live->source++;
        MB_TRY(try_source(live, &has_frames));
    }
    if (live->source == FPS_LATENCY && live->layer.size == 0) {
        return mb_fail(live->err, MB_IO, MB_NO_OFFSET, "no layer of %.80s shows frames",
                       live->arguments->package);
    }
    if (live->source == FPS_LATENCY) {
        print_note("layer ", string_of(&live->layer));
    } else {
        print_note("source ", fps_source_name(live->source));
    }
    return MB_OK;
}

static enum mb_status watch_device(struct live *live)
{
    int64_t end = 0;

    MB_TRY(find_source(live));
    end = end_of(live, fps_now_ms());
    for (int64_t next = fps_now_ms(); !mb_is_interrupted(); next += interval_ms(live)) {
        sleep_until(next < end ? next : end);
        MB_TRY(poll_once(live));
        if (fps_now_ms() >= end) {
            break;
        }
        next = next < fps_now_ms() - 1000
                   ? fps_now_ms()
                   : next; /* skip queries that the device was too slow for */
    }
    return MB_OK;
}

enum mb_status fps_watch_device(const struct fps_arguments *arguments, struct fps_reader *reader,
                                struct mb_error *err)
{
    struct live live = {.arguments = arguments, .reader = reader, .err = err};
    enum mb_status status = MB_OK;

    if (arguments->save != NULL && !mb_folder_make(NULL, arguments->save) && errno != EEXIST) {
        status = mb_fail_errno(err, "cannot be made");
        mb_error_in_input(err, arguments->save);
    }
    if (status == MB_OK) {
        status = watch_device(&live);
    }
    if (live.is_counting) {
        fps_command_device(DISABLE_TIMESTATS);
    }
    mb_buf_finish(&live.layer);
    mb_buf_finish(&live.command);
    mb_buf_finish(&live.answer);
    return status == MB_INTERRUPTED ? MB_OK : status;
}
