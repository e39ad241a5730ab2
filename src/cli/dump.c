/* methodbeat dump */

#include "classfile/dump.h"
#include "archive/archive.h"
#include "base/arena.h"
#include "cli/cli.h"
#include "cli/options.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Used again for each class. */
struct session {
    struct cf_dump_options options;
    struct ar_codec *codec;
    struct mb_arena arena;
    struct mb_buf unpacked;
    struct mb_buf listing;
    bool has_listed; /* something was printed: a blank line parts it from the next class */
    int code;        /* enum cli_exit */
};

static void fail(struct session *session, const struct mb_error *err)
{
    session->code = cli_fail(err);
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
    /* What was listed before the damage helps to see it. */
    if (session->listing.size > 0) {
        (void)fputs(session->has_listed ? "\n" : "", stdout);
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
        fail(session, &err);
    }
}

/* Every class of the input, or that of one entry. */
static void dump_input(struct session *session, const char *path, struct mb_text wanted)
{
    struct ar_input *input = NULL;
    struct mb_error err;
    bool is_found = wanted.size == 0;

    if (ar_input_open(&input, path, &err) != MB_OK) {
        fail(session, &err);
        return;
    }
    for (size_t i = 0; i < ar_input_count(input); i++) {
        const struct ar_entry *entry = ar_input_entry(input, i);
        bool is_wanted =
            wanted.size == 0 ? entry->kind == AR_ENTRY_CLASS : mb_text_equal(entry->name, wanted);
        is_found = is_found || is_wanted;
        if (is_wanted) {
            dump_entry(session, input, i);
        }
    }
    if (!is_found) {
        (void)mb_fail(&err, MB_IO, MB_NO_OFFSET, "no such entry");
        mb_error_in_entry(&err, path, wanted.data, wanted.size);
        fail(session, &err);
    }
    ar_input_close(input);
}

/* FILE!ENTRY, unless a file of that name exists. */
static void dump_argument(struct session *session, char *argument)
{
    char *separator = access(argument, F_OK) != 0 ? strrchr(argument, '!') : NULL;

    if (separator == NULL) {
        dump_input(session, argument, MB_TEXT(""));
        return;
    }
    *separator = '\0';
    dump_input(session, argument, mb_text_of(separator + 1));
}

/* NAME or NAME(DESCRIPTOR. */
static int take_method(const struct cli_parser *parser, const struct cli_option *option,
                       void *place, const char *argument)
{
    struct cf_dump_options *options = parser->values;
    const char *descriptor = strchr(argument, '(');

    (void)option;
    (void)place;
    options->method = mb_text_of(argument);
    if (descriptor != NULL) {
        options->method.size = (size_t)(descriptor - argument);
        options->descriptor = mb_text_of(descriptor);
    }
    return CLI_DONE;
}

static const struct cli_option rows[] = {
    {.name = "method", .take = take_method},
    {.name = "brief",
     .take = cli_take_flag,
     .offset = offsetof(struct cf_dump_options, without_code)},
    {.name = "pool", .take = cli_take_flag, .offset = offsetof(struct cf_dump_options, with_pool)},
};

static int run(int argc, char **argv)
{
    struct session session = {.code = CLI_DONE};
    const struct cli_parser parser = {.command = "dump", .values = &session.options};
    int code = cli_take_options(&parser, rows, MB_COUNT(rows), argc, argv);

    if (code != CLI_DONE) {
        return code;
    }
    if (optind == argc) {
        return cli_fail_usage("dump", "no input given");
    }
    session.codec = ar_codec_create(AR_COMPRESSION_FAST);
    if (session.codec == NULL) {
        return cli_fail_memory();
    }
    for (int i = optind; i < argc; i++) {
        dump_argument(&session, argv[i]);
    }
    ar_codec_destroy(session.codec);
    mb_arena_finish(&session.arena);
    mb_buf_finish(&session.unpacked);
    mb_buf_finish(&session.listing);
    return session.code;
}

const struct cli_command cli_dump = {
    .name = "dump",
    .summary = "list what class files hold",
    .usage = "usage: methodbeat dump [OPTION...] INPUT[!ENTRY]...\n\n"
             "List the classes of a class file, a folder or an archive, or one entry of it:\n"
             "instructions, handlers, stack map frames and debug tables of each method.\n\n"
             "  --method NAME[DESC]  only methods of this name, and of this descriptor\n"
             "  --brief              no code\n"
             "  --pool               the constant pool too\n",
    .run = run,
};
