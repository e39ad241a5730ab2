#include "cli/instrument_options.h"

#include "abi/names.h"
#include "cli/cli.h"

#include <getopt.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

const char cli_instrument_usage[] =
    "usage: methodbeat instrument (-o DIR | --output-jar FILE) [OPTION...] INPUT...\n"
    "\n"
    "Put probes into the classes of jars, folders, class files and AARs, and write\n"
    "methodMapping.txt and ignoreMethodMapping.txt. @FILE stands for the lines of FILE.\n"
    "\n"
    "Output:\n"
    "  -o, --output DIR            one output per input, of the same kind and name\n"
    "      --output-jar FILE       all classes in one jar, sorted\n"
    "      --keep-resources        keep what is no class in that jar\n"
    "      --compression HOW       store, fast (default) or best\n"
    "      --method-map FILE       default: methodMapping.txt beside the output\n"
    "      --ignore-map FILE       default: ignoreMethodMapping.txt beside the output\n"
    "      --explain FILE          which rule decided, one JSON object a method\n"
    "      --json FILE             counts and warnings as JSON\n"
    "\n"
    "Which methods:\n"
    "      --rules PROFILE         default, or matrix: the choice of the Matrix plug-in\n"
    "      --blacklist FILE        do not trace what FILE lists; repeatable\n"
    "      --no-default-blacklist  trace android/ and com/tencent/matrix/ too\n"
    "      --mapping FILE          the inputs went through ProGuard or R8, and this is\n"
    "                              the mapping.txt that it wrote\n"
    "\n"
    "Probes:\n"
    "      --exceptions MODE       finally (default): one exit each way out;\n"
    "                              returns: none for exceptions; matrix: as upstream\n"
    "      --beat-class NAME       the class to call, default methodbeat/MethodBeat\n"
    "      --classpath LIST        jars and folders that tell what is an Activity\n"
    "      --activity NAME         a class known to be an Activity; repeatable\n"
    "\n"
    "Ids:\n"
    "      --base-method-map FILE  keep the ids of an earlier methodMapping.txt\n"
    "      --state FILE            skip what has not changed since the last run\n"
    "\n"
    "      --strict                a warning fails the run\n"
    "  -j, --jobs N                threads, default one per processor\n"
    "  -q, --quiet                 no progress bar, no summary\n"
    "\n"
    "Examples:\n"
    "  methodbeat instrument -o out app.jar lib/\n"
    "  methodbeat instrument --output-jar all.jar --blacklist slow.txt @inputs.txt\n";

#define MAX_JOBS 256

struct choice {
    const char *name; /* NULL ends the table */
    int value;
};

static const struct choice profiles[] = {
    {"default", RULE_PROFILE_DEFAULT}, {"matrix", RULE_PROFILE_MATRIX}, {NULL, 0}};
static const struct choice exception_modes[] = {{"finally", INS_EXCEPTIONS_FINALLY},
                                                {"returns", INS_EXCEPTIONS_RETURNS},
                                                {"matrix", INS_EXCEPTIONS_MATRIX},
                                                {NULL, 0}};
static const struct choice compressions[] = {{"store", AR_COMPRESSION_STORE},
                                             {"fast", AR_COMPRESSION_FAST},
                                             {"best", AR_COMPRESSION_BEST},
                                             {NULL, 0}};

struct row;

struct parser {
    struct cli_instrument_options *options;
    struct mb_arena *arena;
    size_t list_room; /* more items than arguments can bring */
};

/* Put the argument where the row says; false without memory or, when said, without sense. */
typedef bool take_fn(const struct parser *parser, const struct row *row, void *place,
                     const char *argument);

struct row {
    const char *name;
    int letter; /* 0: none */
    take_fn *take;
    size_t offset; /* of the place in struct cli_instrument_options */
    const struct choice *choices;
};

static bool take_flag(const struct parser *parser, const struct row *row, void *place,
                      const char *argument)
{
    (void)parser;
    (void)row;
    (void)argument;
    *(bool *)place = true;
    return true;
}

static bool take_text(const struct parser *parser, const struct row *row, void *place,
                      const char *argument)
{
    (void)parser;
    (void)row;
    *(const char **)place = argument;
    return true;
}

static bool take_choice(const struct parser *parser, const struct row *row, void *place,
                        const char *argument)
{
    (void)parser;
    for (const struct choice *choice = row->choices; choice->name != NULL; choice++) {
        if (strcmp(choice->name, argument) == 0) {
            memcpy(place, &choice->value, sizeof(choice->value)); /* enums are as large */
            return true;
        }
    }
    (void)cli_fail_usage("instrument", "--%s cannot be '%s'", row->name, argument);
    return false;
}

static bool take_number(const struct parser *parser, const struct row *row, void *place,
                        const char *argument)
{
    uint64_t number = 0;

    (void)parser;
    if (!mb_text_to_number(mb_text_of(argument), MAX_JOBS, &number) || number == 0) {
        (void)cli_fail_usage("instrument", "--%s is a number from 1 to %d, not '%s'", row->name,
                             MAX_JOBS, argument);
        return false;
    }
    *(unsigned *)place = (unsigned)number;
    return true;
}

static bool take_item(const struct parser *parser, const struct row *row, void *place,
                      const char *argument)
{
    struct ins_list *list = place;

    (void)row;
    if (list->items == NULL) {
        list->items = MB_NEW_ARRAY(parser->arena, const char *, parser->list_room);
    }
    if (list->items == NULL || argument == NULL) {
        return false;
    }
    list->items[list->count++] = argument;
    return true;
}

/* a.b.C or a/b/C: the internal form; NULL when out of memory. */
static const char *internal_name(const struct parser *parser, const char *name)
{
    char *copy = mb_arena_copy(parser->arena, name, strlen(name));

    for (char *c = copy; c != NULL && *c != '\0'; c++) {
        *c = *c == '.' ? '/' : *c;
    }
    return copy;
}

static bool take_name(const struct parser *parser, const struct row *row, void *place,
                      const char *argument)
{
    (void)row;
    *(const char **)place = internal_name(parser, argument);
    return *(const char **)place != NULL;
}

static bool take_names(const struct parser *parser, const struct row *row, void *place,
                       const char *argument)
{
    return take_item(parser, row, place, internal_name(parser, argument));
}

/* a.jar:b.jar */
static bool take_paths(const struct parser *parser, const struct row *row, void *place,
                       const char *argument)
{
    struct mb_text rest = mb_text_of(argument);

    while (rest.size > 0) {
        struct mb_text path = mb_text_split(&rest, ':');
        if (path.size > 0 &&
            !take_item(parser, row, place, mb_arena_copy(parser->arena, path.data, path.size))) {
            return false;
        }
    }
    return true;
}

#define PLACE(field) offsetof(struct cli_instrument_options, field)

static const struct row rows[] = {
    {"output", 'o', take_text, PLACE(run.output_dir), NULL},
    {"output-jar", 0, take_text, PLACE(run.output_jar), NULL},
    {"keep-resources", 0, take_flag, PLACE(run.keep_resources), NULL},
    {"compression", 0, take_choice, PLACE(run.compression), compressions},
    {"method-map", 0, take_text, PLACE(run.method_map), NULL},
    {"ignore-map", 0, take_text, PLACE(run.ignore_map), NULL},
    {"explain", 0, take_text, PLACE(run.explain), NULL},
    {"json", 0, take_text, PLACE(run.json), NULL},
    {"rules", 0, take_choice, PLACE(run.profile), profiles},
    {"blacklist", 0, take_item, PLACE(run.blacklists), NULL},
    {"no-default-blacklist", 0, take_flag, PLACE(run.no_default_blacklist), NULL},
    {"mapping", 0, take_text, PLACE(run.mapping), NULL},
    {"exceptions", 0, take_choice, PLACE(run.exceptions), exception_modes},
    {"beat-class", 0, take_name, PLACE(run.beat_class), NULL},
    {"classpath", 0, take_paths, PLACE(run.classpath), NULL},
    {"activity", 0, take_names, PLACE(run.activities), NULL},
    {"base-method-map", 0, take_text, PLACE(run.base_map), NULL},
    {"state", 0, take_text, PLACE(run.state), NULL},
    {"strict", 0, take_flag, PLACE(run.strict), NULL},
    {"jobs", 'j', take_number, PLACE(run.jobs), NULL},
    {"quiet", 'q', take_flag, PLACE(is_quiet), NULL},
};

/* getopt returns a letter, or FIRST_ROW + the number of the row. */
#define FIRST_ROW 256

static const struct row *find_row(int code)
{
    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        if (rows[i].letter == code || FIRST_ROW + (int)i == code) {
            return &rows[i];
        }
    }
    return NULL;
}

static void fill_long_options(struct option *options)
{
    for (size_t i = 0; i < MB_COUNT(rows); i++) {
        options[i] = (struct option){
            .name = rows[i].name,
            .has_arg = rows[i].take == take_flag ? no_argument : required_argument,
            .val = FIRST_ROW + (int)i,
        };
    }
}

static int parse_options(const struct parser *parser, int argc, char **argv)
{
    struct option options[MB_COUNT(rows) + 1] = {0};
    int code;

    fill_long_options(options);
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, ":o:j:q", options, NULL)) != -1) {
        const struct row *row = find_row(code);
        if (code == ':') {
            return cli_fail_usage("instrument", "%s needs an argument", argv[optind - 1]);
        }
        if (row == NULL) {
            return cli_fail_usage("instrument", "there is no option %s", argv[optind - 1]);
        }
        if (!row->take(parser, row, (char *)parser->options + row->offset, optarg)) {
            return CLI_USAGE;
        }
    }
    return CLI_DONE;
}

/* NAME in the folder of path, or in path itself if that is the folder. NULL without memory. */
static const char *beside(struct mb_arena *arena, const char *path, bool is_folder,
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

static int fill_in(struct ins_options *run, struct mb_arena *arena)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    bool is_folder = run->output_dir != NULL;
    const char *output = is_folder ? run->output_dir : run->output_jar;

    if (run->method_map == NULL) {
        run->method_map = beside(arena, output, is_folder, "methodMapping.txt");
    }
    if (run->ignore_map == NULL) {
        run->ignore_map = beside(arena, output, is_folder, "ignoreMethodMapping.txt");
    }
    if (run->beat_class == NULL) {
        run->beat_class = ABI_BEAT_CLASS;
    }
    if (run->jobs == 0) {
        run->jobs = processors < 1 ? 1 : processors > MAX_JOBS ? MAX_JOBS : (unsigned)processors;
    }
    return run->method_map != NULL && run->ignore_map != NULL ? CLI_DONE : CLI_FAILED;
}

int cli_parse_instrument(struct cli_instrument_options *options, struct mb_arena *arena, int argc,
                         char **argv)
{
    struct parser parser = {options, arena, 0};

    *options = (struct cli_instrument_options){0};
    for (int i = 0; i < argc; i++) {
        parser.list_room += strlen(argv[i]) + 1;
    }
    int code = parse_options(&parser, argc, argv);
    if (code != CLI_DONE) {
        return code;
    }
    if ((options->run.output_dir == NULL) == (options->run.output_jar == NULL)) {
        return cli_fail_usage("instrument", "either --output or --output-jar says where to");
    }
    if (optind == argc) {
        return cli_fail_usage("instrument", "no input given");
    }
    options->run.inputs.count = (size_t)(argc - optind);
    options->run.inputs.items = MB_NEW_ARRAY(arena, const char *, options->run.inputs.count);
    for (size_t i = 0; options->run.inputs.items != NULL && i < options->run.inputs.count; i++) {
        options->run.inputs.items[i] = argv[optind + (int)i];
    }
    return options->run.inputs.items != NULL ? fill_in(&options->run, arena) : CLI_FAILED;
}
