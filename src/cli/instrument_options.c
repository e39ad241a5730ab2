#include "cli/instrument_options.h"

#include "abi/methodmap.h"
#include "abi/names.h"
#include "base/file.h"
#include "base/platform.h"
#include "base/processors.h"
#include "base/text.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "cli/values.h"

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Where texts and lists go. */
struct room {
    struct mb_arena *arena;
    size_t list_size; /* more items than arguments can bring */
};

int cli_take_item(const struct cli_parser *parser, const struct cli_option *option, void *place,
                  const char *argument)
{
    const struct room *room = parser->context;
    struct ins_list *list = place;

    (void)option;
    if (list->items == NULL) {
        list->items = MB_NEW_ARRAY(room->arena, const char *, room->list_size);
    }
    if (list->items == NULL || argument == NULL) {
        return cli_fail_memory();
    }
    list->items[list->count++] = argument;
    return CLI_DONE;
}

/* JVMS §4.2.1, without the limit of 65535 bytes. */
static bool is_class_name(const char *name)
{
    size_t size = strlen(name);

    return size > 0 && name[0] != '/' && name[size - 1] != '/' && strstr(name, "//") == NULL &&
           strpbrk(name, ";[") == NULL;
}

/* a.b.C or a/b/C: the internal form. */
int cli_take_name(const struct cli_parser *parser, const struct cli_option *option, void *place,
                  const char *argument)
{
    const struct room *room = parser->context;
    char *name = mb_arena_copy(room->arena, argument, strlen(argument));

    if (name == NULL) {
        return cli_fail_memory();
    }
    mb_make_internal_form(name, strlen(name));
    *(const char **)place = name;
    return is_class_name(name) ? CLI_DONE
                               : cli_refuse(parser, option, argument, "a class name such as a.b.C");
}

int cli_take_names(const struct cli_parser *parser, const struct cli_option *option, void *place,
                   const char *argument)
{
    const char *name = NULL;
    int result = cli_take_name(parser, option, &name, argument);

    return result == CLI_DONE ? cli_take_item(parser, option, place, name) : result;
}

/* a.jar:b.jar */
int cli_take_paths(const struct cli_parser *parser, const struct cli_option *option, void *place,
                   const char *argument)
{
    const struct room *room = parser->context;
    struct mb_text rest = mb_text_of(argument);
    int result = CLI_DONE;

    while (result == CLI_DONE && rest.size > 0) {
        struct mb_text path = mb_text_split(&rest, mb_path_separator);
        if (path.size > 0) {
            result = cli_take_item(parser, option, place,
                                   mb_arena_copy(room->arena, path.data, path.size));
        }
    }
    return result;
}

/* NAME in the folder of path, or in path itself if that is the folder. NULL without memory. */
static const char *default_map_path(struct mb_arena *arena, const char *path, bool is_folder,
                                    const char *name)
{
    const char *slash = strrchr(path, '/');
    size_t size = is_folder ? strlen(path) : slash != NULL ? (size_t)(slash - path) : 0;
    bool has_folder = is_folder || slash != NULL;
    char *result = mb_arena_alloc(arena, size + strlen(name) + 2);

    if (result != NULL) {
        memcpy(result, path, size);
        result[size] = '/';
        memcpy(result + size + has_folder, name, strlen(name) + 1);
    }
    return result;
}

static unsigned job_count(uint64_t wanted)
{
    uint64_t jobs = wanted > 0 ? wanted : mb_processor_count();

    return jobs < CLI_MOST_JOBS ? (unsigned)jobs : CLI_MOST_JOBS;
}

/* A foreign beat class, made for upstream's probes, has no c. */
static void choose_exceptions(struct cli_instrument_options *options)
{
    bool is_own = strcmp(options->run.beat_class, ABI_BEAT_CLASS) == 0;

    options->lacks_catch = options->exceptions < 0 && !is_own;
    if (options->exceptions >= 0) {
        options->run.exceptions = (enum weave_exceptions)options->exceptions;
    } else {
        options->run.exceptions = is_own ? WEAVE_EXCEPTIONS_CATCH : WEAVE_EXCEPTIONS_FINALLY;
    }
}

static int fill_in(struct ins_options *run, struct mb_arena *arena)
{
    bool is_folder = run->output_dir != NULL;
    const char *output = is_folder ? run->output_dir : run->output_jar;

    if (run->method_map == NULL) {
        run->method_map = default_map_path(arena, output, is_folder, ABI_METHODMAP_NAME);
    }
    if (run->ignore_map == NULL) {
        run->ignore_map = default_map_path(arena, output, is_folder, ABI_IGNOREMAP_NAME);
    }
    return run->method_map != NULL && run->ignore_map != NULL ? CLI_DONE : cli_fail_memory();
}

static int take_options(const char *command, struct cli_instrument_options *options,
                        struct mb_arena *arena, int argc, char **argv)
{
    struct room room = {arena, 0};
    struct cli_values given = {.build.exceptions = -1};
    const struct cli_parser parser = {command, cli_options, &given, .context = &room};

    for (int i = 0; i < argc; i++) {
        room.list_size += strlen(argv[i]) + 1;
    }
    int code = cli_take_options(&parser, argc, argv);
    if (code != CLI_DONE) {
        return code;
    }
    *options = given.build;
    if (optind == argc) {
        return cli_fail_usage(command, "no input given");
    }
    options->run.beat_class =
        options->run.beat_class != NULL ? options->run.beat_class : ABI_BEAT_CLASS;
    choose_exceptions(options);
    options->run.jobs = job_count(options->jobs);
    options->run.inputs.count = (size_t)(argc - optind);
    options->run.inputs.items = MB_NEW_ARRAY(arena, const char *, options->run.inputs.count);
    for (size_t i = 0; options->run.inputs.items != NULL && i < options->run.inputs.count; i++) {
        options->run.inputs.items[i] = argv[optind + (int)i];
    }
    return options->run.inputs.items != NULL ? CLI_DONE : cli_fail_memory();
}

/* Of a step whose result others read. */
static int check_part(const char *command, struct cli_instrument_options *options)
{
    bool needs_slices = options->run.step == INS_NUMBER;

    options->is_quiet = true;
    return options->run.method_map != NULL && (!needs_slices || options->run.slices != NULL)
               ? CLI_DONE
               : cli_fail_usage(command, "give --output%s", needs_slices ? " and --slices" : "");
}

/* What these would decide, who made the file has decided. */
static bool has_other_ids(const struct ins_options *run)
{
    return run->base_map != NULL || run->state != NULL || run->mapping != NULL ||
           run->classpath.count > 0 || run->activities.count > 0;
}

static int check_all(struct cli_instrument_options *options, struct mb_arena *arena)
{
    if ((options->run.output_dir == NULL) == (options->run.output_jar == NULL)) {
        return cli_fail_usage("instrument", "give exactly one of --output and --output-jar");
    }
    if (options->run.keep_resources && options->run.output_jar == NULL) {
        return cli_fail_usage("instrument", "--keep-resources is for --output-jar");
    }
    if (options->run.ids != NULL && has_other_ids(&options->run)) {
        return cli_fail_usage("instrument", "--ids goes without --base-method-map, --state, "
                                            "--mapping, --classpath and --activity");
    }
    return fill_in(&options->run, arena);
}

int cli_parse_step(enum ins_step step, struct cli_instrument_options *options,
                   struct mb_arena *arena, int argc, char **argv)
{
    static const char *const commands[] = {
        [INS_ALL] = "instrument", [INS_COLLECT] = "collect", [INS_NUMBER] = "number"};
    int code = take_options(commands[step], options, arena, argc, argv);

    options->run.step = step;
    if (code != CLI_DONE) {
        return code;
    }
    return step == INS_ALL ? check_all(options, arena) : check_part(commands[step], options);
}

/* ---- Lines of files ---- */

/* Collects the new argument list; text of files goes to the arena. */
struct expansion {
    struct mb_arena *arena;
    MB_VEC(char *) pointers;
};

static enum mb_status put_line(struct expansion *expansion, struct mb_text line,
                               struct mb_error *err)
{
    if (line.size == 0) {
        return MB_OK;
    }
    char *argument = mb_arena_copy(expansion->arena, line.data, line.size);
    if (argument == NULL) {
        return mb_fail_memory(err);
    }
    mb_path_accept(argument);
    MB_VEC_PUSH(&expansion->pointers, argument);
    return MB_OK;
}

static enum mb_status put_file(struct expansion *expansion, const char *path, struct mb_error *err)
{
    struct mb_buf file = {0};
    struct mb_text line;
    size_t number = 0;
    enum mb_status status = mb_file_read(&file, path, err);
    struct mb_text rest = {(const char *)file.bytes, file.size};

    while (status == MB_OK && mb_text_next_line(&rest, &line, &number)) {
        status = put_line(expansion, line, err);
    }
    mb_buf_finish(&file);
    return status;
}

static enum mb_status expand_all(struct expansion *expansion, int argc, char **argv,
                                 struct mb_error *err)
{
    for (int i = 0; i < argc; i++) {
        if (i > 0 && argv[i][0] == '@') {
            MB_TRY(put_file(expansion, argv[i] + 1, err));
        } else {
            MB_VEC_PUSH(&expansion->pointers, argv[i]);
        }
    }
    size_t count = MB_VEC_COUNT(&expansion->pointers);
    MB_VEC_PUSH(&expansion->pointers, NULL);
    MB_TRY(mb_buf_check(&expansion->pointers.buf, err));
    return count <= INT_MAX ? MB_OK
                            : mb_fail(err, MB_BAD_USAGE, MB_NO_OFFSET, "%zu arguments", count);
}

enum mb_status cli_expand_arguments(struct mb_arena *arena, int *argc, char ***argv,
                                    struct mb_error *err)
{
    struct expansion expansion = {.arena = arena};
    enum mb_status status = expand_all(&expansion, *argc, *argv, err);

    if (status == MB_OK) {
        size_t count = MB_VEC_COUNT(&expansion.pointers);
        char **expanded = MB_NEW_ARRAY(arena, char *, count);
        if (expanded == NULL) {
            status = mb_fail_memory(err);
        } else {
            for (size_t i = 0; i < count; i++) {
                expanded[i] = expansion.pointers.items[i];
            }
            *argc = (int)count - 1;
            *argv = expanded;
        }
    }
    mb_buf_finish(&expansion.pointers.buf);
    return status;
}
