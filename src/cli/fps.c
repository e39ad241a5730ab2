/* methodbeat fps */

#include "monitor/fps/fps.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/platform_folder.h"
#include "cli/cli.h"
#include "cli/colour.h"
#include "cli/values.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_INTERVAL_MS 500

static int parse_arguments(struct cli_values *given, int argc, char **argv)
{
    const struct cli_parser parser = {"fps", cli_options, given, .operand = NULL};
    struct fps_arguments *fps = &given->fps;
    int code = cli_take_options(&parser, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (argc > optind && (fps->save != NULL || fps->layer != NULL)) {
        return cli_fail_usage("fps", "--save and --layer are for a device, not for files");
    }
    if (argc == optind && fps->package == NULL && fps->layer == NULL) {
        return cli_fail_usage("fps", "--package or --layer is needed, or files");
    }
    if (argc == optind && fps->package == NULL && fps->source != FPS_LATENCY) {
        fps->source = FPS_LATENCY; /* a layer has no more figures */
    }
    return CLI_DONE;
}

/* ---- Files ---- */

static enum mb_status read_file(struct fps_reader *reader, const char *path, struct mb_error *err)
{
    struct mb_buf bytes = {0};
    enum mb_status status = mb_file_read(&bytes, path, err);

    if (status == MB_OK) {
        status = fps_reader_feed(reader, bytes.bytes, bytes.size, path, err);
    }
    mb_buf_finish(&bytes);
    return status;
}

static bool is_visible(const char *name)
{
    return name[0] != '.';
}

/* --save writes regular files: reading a pipe among them would block. */
static enum mb_status read_regular(struct fps_reader *reader, const char *path,
                                   struct mb_error *err)
{
    struct mb_file_info info;

    if (mb_file_look(NULL, path, &info) && info.type != MB_FILE_REGULAR) {
        (void)mb_fail(err, MB_IO, MB_NO_OFFSET, "not a regular file");
        mb_error_in_input(err, path);
        return MB_IO;
    }
    return read_file(reader, path, err);
}

/* Its files in the order of their names. */
static enum mb_status read_folder(struct fps_reader *reader, const char *path, struct mb_error *err)
{
    struct mb_names names;
    enum mb_status status = MB_OK;
    struct mb_buf name = {0};

    if (!mb_names_list(&names, path, is_visible)) {
        status = mb_fail_errno(err, "cannot read the folder");
        mb_error_in_input(err, path);
    }
    for (size_t i = 0; i < names.count && status == MB_OK; i++) {
        mb_buf_reset(&name);
        mb_buf_printf(&name, "%s/%s", path, names.items[i]);
        mb_buf_put_u1(&name, '\0');
        status = mb_buf_check(&name, err);
        status = status == MB_OK ? read_regular(reader, (const char *)name.bytes, err) : status;
    }
    mb_names_finish(&names);
    mb_buf_finish(&name);
    return status;
}

static enum mb_status read_inputs(struct fps_reader *reader, char **paths, struct mb_error *err)
{
    struct mb_file_info info;

    for (; *paths != NULL; paths++) {
        bool is_folder = mb_file_look(NULL, *paths, &info) && info.type == MB_FILE_FOLDER;
        MB_TRY(is_folder ? read_folder(reader, *paths, err) : read_file(reader, *paths, err));
    }
    return MB_OK;
}

/* ---- All ---- */

static enum mb_status check_frames(const struct fps_reader *reader, char **paths,
                                   struct mb_error *err)
{
    bool has_sums = reader->source == FPS_TIMESTATS && reader->timestats.layer.size > 0;
    bool has_summary = reader->source == FPS_GFXINFO && reader->framestats.frames > 0;

    if (reader->film.drawn.frames == 0 && !has_sums && !has_summary) {
        (void)mb_fail(err, MB_BAD_TEXT, MB_NO_OFFSET, "%s",
                      reader->framestats.is_absent
                          ? "no frames: the app did not run"
                          : "no frames: nothing was drawn, or another layer has them");
        if (*paths != NULL) {
            mb_error_in_input(err, paths[0]);
        }
        return MB_BAD_TEXT;
    }
    return MB_OK;
}

static int measure_frames(const struct cli_values *given, char **paths)
{
    struct fps_printer printer = {.format = (enum fps_format)given->fps.format,
                                  .has_colour = cli_wants_colour(false),
                                  .columns = cli_columns(),
                                  .is_live = *paths == NULL,
                                  .write = cli_put_output,
                                  .flush = cli_flush_output};
    const struct fps_seconds out = {fps_print_second, &printer};
    static struct fps_reader reader;
    struct mb_error err = {.status = MB_OK};

    fps_reader_init(&reader, &out);
    reader.package = mb_text_of(given->fps.package != NULL ? given->fps.package : "");
    fps_print_begin(&printer);
    enum mb_status status = *paths != NULL ? read_inputs(&reader, paths, &err)
                                           : fps_watch_device(&given->fps, &reader, &err);
    if (status == MB_OK) {
        status = fps_film_end(&reader.film, &err);
    }
    if (status == MB_OK) {
        status = check_frames(&reader, paths, &err);
    }
    if (status == MB_OK) {
        fps_print_end(&printer, &reader);
        status = mb_buf_check(&printer.out, &err);
    }
    mb_buf_finish(&printer.out);
    fps_reader_finish(&reader);
    return status == MB_OK ? CLI_DONE : cli_fail(&err);
}

static int run_fps(int argc, char **argv)
{
    struct cli_values given = {.fps = {.source = FPS_NONE, .interval_ms = DEFAULT_INTERVAL_MS}};
    int code = parse_arguments(&given, argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    mb_interrupt_catch();
    return measure_frames(&given, argv + optind);
}

const struct cli_command cli_fps = {
    .name = "fps",
    .summary = "show how fast an Android device draws an app",
    .usage = "usage: methodbeat fps [OPTION...] --package PACKAGE\n"
             "       methodbeat fps [OPTION...] FILE|FOLDER...\n"
             "\n"
             "Ask a device over adb each half second for the frames it has shown, until Ctrl-C, or "
             "read\n"
             "saved output of dumpsys: SurfaceFlinger --latency LAYER, SurfaceFlinger --timestats "
             "-dump,\n"
             "or gfxinfo PACKAGE framestats.\n",
    .run = run_fps,
};
