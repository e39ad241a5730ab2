/* dump: lists class files, as dump.h says, for tests and for people who look into one. */

#include "archive/tree.h"
#include "base/arena.h"
#include "base/platform.h"
#include "dump.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: dump [OPTION...] INPUT[!ENTRY]...\n"
    "\n"
    "List the classes of a class file, a folder, or an archive with its nested jars, or one\n"
    "entry (in a nested jar: a.war!WEB-INF/lib/b.jar!p/C.class): instructions, handlers,\n"
    "stack map frames and debug tables of each method.\n"
    "\n"
    "  --method NAME[DESC]  only methods with this name and, if given, descriptor\n"
    "  --brief              leave out the code\n"
    "  --pool               list the constant pool too\n";

/* Used again for each class. */
struct session {
    struct cf_dump_options options;
    struct ar_codec *codec;
    struct mb_arena arena;
    struct mb_buf unpacked;
    struct mb_buf listing;
    bool has_listed; /* something was printed: a blank line parts it from the next class */
    int code;        /* of the program */
};

static void fail_input(struct session *session, const struct mb_error *err)
{
    char line[sizeof(*err) + 64];

    (void)fprintf(stderr, "dump: %s\n", mb_error_format(err, line, sizeof(line)));
    session->code = EXIT_FAILURE;
}

static enum mb_status list_class(struct session *session, struct mb_text content,
                                 struct mb_error *err)
{
    struct cf_class cls;

    mb_arena_reset(&session->arena);
    mb_buf_reset(&session->listing);
    MB_TRY(cf_class_parse(&cls, &session->arena, (const uint8_t *)content.data, content.size, err));
    enum mb_status status = cf_dump_class(&cls, &session->options, &session->listing, err);
    if (status != MB_OK) {
        mb_error_in_class(err, cls.name.data, cls.name.size);
    }
    /* The listing up to the damage helps to find it. */
    if (session->listing.size > 0) {
        if (session->has_listed) {
            (void)putchar('\n');
        }
        (void)fwrite(session->listing.bytes, 1, session->listing.size, stdout);
        session->has_listed = true;
    }
    return status;
}

static void dump_entry(struct session *session, const struct ar_input *input, size_t index)
{
    const struct ar_entry *entry = ar_input_entry(input, index);
    struct mb_text content;
    struct mb_error err;
    enum mb_status status =
        ar_entry_read(input, index, session->codec, &session->unpacked, &content, &err);

    if (status == MB_OK) {
        status = list_class(session, content, &err);
    }
    if (status != MB_OK) {
        if (ar_input_kind(input) == AR_INPUT_CLASS) {
            mb_error_in_input(&err, ar_input_path(input));
        } else {
            mb_error_in_entry(&err, ar_input_path(input), entry->name.data, entry->name.size);
        }
        fail_input(session, &err);
    }
}

/* An input, and the requested entry: "" for every class, else a name, after those of the jars that
 * contain it, each with a '!'. */
struct wish {
    const char *path;
    struct mb_text entry;
    bool is_met;
};

/* True if all of the rest, or the part before the next '!', has been named. */
static bool take_name(struct mb_text *rest, struct mb_text name)
{
    bool is_named =
        mb_text_starts(*rest, name) && (rest->size == name.size || rest->data[name.size] == '!');

    if (is_named) {
        size_t size = name.size + (rest->size > name.size);
        *rest = (struct mb_text){rest->data + size, rest->size - size};
    }
    return is_named;
}

/* List the requested entry within a node, or all if it is "". False if it is elsewhere. */
static bool find_wish(const struct ar_tree *tree, const struct ar_node *node, struct mb_text *rest)
{
    if (node->outer == AR_NO_NODE || rest->size == 0) {
        return true;
    }
    const struct ar_node *outer = &tree->nodes[node->outer];
    if (!find_wish(tree, outer, rest)) {
        return false;
    }
    return rest->size == 0 ||
           take_name(rest, ar_input_entry(outer->input, node->outer_entry)->name);
}

static void dump_node(struct session *session, const struct ar_tree *tree,
                      const struct ar_node *node, struct wish *wish)
{
    struct mb_text wanted = wish->entry;

    if (!find_wish(tree, node, &wanted)) {
        return;
    }
    wish->is_met = wish->is_met || wanted.size == 0;
    for (size_t i = 0; i < ar_input_count(node->input); i++) {
        const struct ar_entry *entry = ar_input_entry(node->input, i);
        bool is_wanted = wanted.size == 0
                             ? entry->kind == AR_ENTRY_CLASS
                             : entry->kind != AR_ENTRY_JAR && mb_text_equal(entry->name, wanted);
        if (is_wanted) {
            dump_entry(session, node->input, i);
            wish->is_met = true;
        }
    }
}

/* A jar inside that cannot be opened, where it is asked for. */
static void report_closed(struct session *session, const struct ar_tree *tree,
                          const struct ar_closed *closed, struct wish *wish)
{
    const struct ar_node *outer = &tree->nodes[closed->outer];
    struct mb_text rest = wish->entry;

    if (find_wish(tree, outer, &rest) &&
        (rest.size == 0 ||
         take_name(&rest, ar_input_entry(outer->input, closed->outer_entry)->name))) {
        fail_input(session, &closed->reason);
        wish->is_met = true;
    }
}

static void dump_input(struct session *session, struct wish *wish)
{
    struct ar_tree tree = {0};
    struct mb_error err;

    if (ar_tree_open(&tree, wish->path, &err) != MB_OK) {
        fail_input(session, &err);
        ar_tree_finish(&tree);
        return;
    }
    for (uint32_t i = 0; i < tree.node_count; i++) {
        dump_node(session, &tree, &tree.nodes[i], wish);
    }
    for (uint32_t i = 0; i < tree.closed_count; i++) {
        report_closed(session, &tree, &tree.closed[i], wish);
    }
    if (!wish->is_met) {
        (void)mb_fail(&err, MB_IO, MB_NO_OFFSET, "no such entry");
        mb_error_in_entry(&err, wish->path, wish->entry.data, wish->entry.size);
        fail_input(session, &err);
    }
    ar_tree_finish(&tree);
}

/* FILE!ENTRY: FILE is as short as it can be. */
static void dump_argument(struct session *session, char *argument)
{
    struct wish wish = {.path = argument, .entry = MB_TEXT("")};
    char *separator = !mb_file_is_there(argument) ? strchr(argument, '!') : NULL;

    while (separator != NULL) {
        *separator = '\0';
        wish.entry = mb_text_of(separator + 1);
        char *next = !mb_file_is_there(argument) ? strchr(separator + 1, '!') : NULL;
        if (next != NULL) {
            *separator = '!';
        }
        separator = next;
    }
    dump_input(session, &wish);
}

/* NAME or NAME(DESCRIPTOR. */
static void take_method(struct cf_dump_options *options, const char *argument)
{
    const char *descriptor = strchr(argument, '(');

    options->method = mb_text_of(argument);
    if (descriptor != NULL) {
        options->method.size = (size_t)(descriptor - argument);
        options->descriptor = mb_text_of(descriptor);
    }
}

static bool take_options(struct cf_dump_options *options, int argc, char **argv)
{
    static const struct option known[] = {{"method", required_argument, NULL, 'm'},
                                          {"brief", no_argument, NULL, 'b'},
                                          {"pool", no_argument, NULL, 'p'},
                                          {NULL, 0, NULL, 0}};
    int letter = 0;

    while ((letter = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (letter == 'm') {
            take_method(options, optarg);
        } else if (letter == 'b') {
            options->without_code = true;
        } else if (letter == 'p') {
            options->with_pool = true;
        } else {
            return false;
        }
    }
    return optind < argc;
}

int main(int argc, char **argv)
{
    struct session session = {.code = EXIT_SUCCESS};

    if (!take_options(&session.options, argc, argv)) {
        (void)fputs(usage, stderr);
        return 2;
    }
    session.codec = ar_codec_create(AR_COMPRESSION_FAST);
    if (session.codec == NULL) {
        (void)fputs("dump: out of memory\n", stderr);
        return EXIT_FAILURE;
    }
    for (int i = optind; i < argc; i++) {
        dump_argument(&session, argv[i]);
    }
    ar_codec_destroy(session.codec);
    mb_arena_finish(&session.arena);
    mb_buf_finish(&session.unpacked);
    mb_buf_finish(&session.listing);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("dump: standard output");
        return EXIT_FAILURE;
    }
    return session.code;
}
