/* Every class of the inputs is taken apart and put together again: the code of each method goes
 * through relocation without an edit, and the class through the rewriter without a probe, which
 * must give the same bytes; then all methods are probed in each exception mode, which must give a
 * class that can be parsed again. With --widen every jump that can be is widened. */

#include "pool_check.h"

#include "archive/input.h"
#include "base/file.h"
#include "classfile/code.h"
#include "classfile/relocate.h"
#include "instrument/weave/rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_COUNT 1000000U

struct trip {
    struct ar_codec *codec;
    struct weave_rewriter *rewriters[4]; /* by enum weave_exceptions */
    struct cf_relocator *relocator;
    struct cf_scan *scan;
    struct mb_arena arena;
    struct mb_buf content;
    struct mb_buf code; /* of one method */
    struct mb_buf out;  /* the class */
    size_t class_count;
    size_t method_count;
    size_t skip_count;
    size_t fault_count;
    uint32_t next_id;
};

static void report(struct trip *trip, struct mb_error *err, const struct ar_input *input,
                   size_t index)
{
    char text[1024];
    struct mb_text name = ar_input_entry(input, index)->name;

    mb_error_in_entry(err, ar_input_path(input), name.data, name.size);
    (void)fprintf(stderr, "%s\n", mb_error_format(err, text, sizeof(text)));
    trip->fault_count++;
}

static enum mb_status differ(struct mb_error *err, size_t offset, const char *what)
{
    return mb_fail(err, MB_BAD_CLASS, offset, "%s", what);
}

/* Relocation without an edit gives the Code attribute as it was. */
static enum mb_status check_code(struct trip *trip, const struct cf_class *cls,
                                 const struct cf_member *method, struct mb_error *err)
{
    struct cf_code code;
    struct cf_edit edit = {.cls = cls, .method = method, .code = &code, .scan = trip->scan};

    MB_TRY(cf_code_parse(&code, cls, method, err));
    MB_TRY(cf_scan_code(trip->scan, &code, err));
    mb_buf_reset(&trip->code);
    MB_TRY(cf_relocate(trip->relocator, &edit, &trip->code, err));
    if (trip->code.size != code.end - method->code ||
        memcmp(trip->code.bytes, cls->bytes + method->code, trip->code.size) != 0) {
        return differ(err, method->code, "code is not what it was");
    }
    trip->method_count++;
    return MB_OK;
}

static enum mb_status check_methods(struct trip *trip, const struct cf_class *cls,
                                    struct mb_error *err)
{
    for (uint16_t i = 0; i < cls->method_count; i++) {
        enum mb_status status =
            cls->methods[i].code != 0 ? check_code(trip, cls, &cls->methods[i], err) : MB_OK;
        if (status != MB_OK) {
            cf_error_in_method(err, cls, &cls->methods[i]);
            return status;
        }
    }
    return MB_OK;
}

static enum mb_status check_probes(struct trip *trip, const struct weave_request *request,
                                   struct weave_rewriter *rewriter, struct mb_error *err)
{
    struct weave_result result;
    struct cf_class again;

    mb_buf_reset(&trip->out);
    MB_TRY(weave_rewrite(rewriter, request, &trip->out, &result, err));
    trip->skip_count += result.skip_count;
    if (!result.is_changed) {
        return MB_OK;
    }
    MB_TRY(cf_class_parse(&again, &trip->arena, trip->out.bytes, trip->out.size, err));
    MB_TRY(pool_check(&again.pool, err));
    return check_methods(trip, &again, err);
}

static enum mb_status check_class(struct trip *trip, struct mb_text content, struct mb_error *err)
{
    struct cf_class cls;

    mb_arena_reset(&trip->arena);
    MB_TRY(cf_class_parse(&cls, &trip->arena, (const uint8_t *)content.data, content.size, err));
    MB_TRY(pool_check(&cls.pool, err));
    MB_TRY(check_methods(trip, &cls, err));
    uint32_t *ids = MB_NEW_ARRAY(&trip->arena, uint32_t, cls.method_count);
    if (ids == NULL) {
        return mb_fail_memory(err);
    }
    struct weave_request request = {.cls = &cls, .ids = ids};
    struct weave_result result;
    mb_buf_reset(&trip->out);
    MB_TRY(weave_rewrite(trip->rewriters[0], &request, &trip->out, &result, err));
    if (result.is_changed || trip->out.size != 0) {
        return differ(err, MB_NO_OFFSET, "class without probes was changed");
    }
    for (uint16_t i = 0; i < cls.method_count; i++) {
        ids[i] = cls.methods[i].code != 0 ? 1 + trip->next_id++ % ID_COUNT : 0;
    }
    size_t method_count = trip->method_count;
    for (size_t i = 0; i < MB_COUNT(trip->rewriters); i++) {
        MB_TRY(check_probes(trip, &request, trip->rewriters[i], err));
    }
    trip->method_count = method_count;
    trip->class_count++;
    return MB_OK;
}

static int check_input(struct trip *trip, const char *path)
{
    struct ar_input *input;
    struct mb_error err = {0};
    char text[1024];

    if (ar_input_open(&input, path, &err) != MB_OK) {
        (void)fprintf(stderr, "%s\n", mb_error_format(&err, text, sizeof(text)));
        return 1;
    }
    for (size_t i = 0; i < ar_input_count(input); i++) {
        struct mb_text content;
        err = (struct mb_error){0};
        if (ar_input_entry(input, i)->kind == AR_ENTRY_CLASS &&
            (ar_entry_read(input, i, trip->codec, &trip->content, &content, &err) != MB_OK ||
             check_class(trip, content, &err) != MB_OK)) {
            report(trip, &err, input, i);
        }
    }
    ar_input_close(input);
    return 0;
}

static void finish(struct trip *trip)
{
    for (size_t i = 0; i < MB_COUNT(trip->rewriters); i++) {
        weave_rewriter_destroy(trip->rewriters[i]);
    }
    cf_relocator_destroy(trip->relocator);
    free(trip->scan);
    ar_codec_destroy(trip->codec);
    mb_arena_finish(&trip->arena);
    mb_buf_finish(&trip->content);
    mb_buf_finish(&trip->code);
    mb_buf_finish(&trip->out);
}

int main(int argc, char **argv)
{
    struct trip trip = {.codec = ar_codec_create(AR_COMPRESSION_STORE)};
    bool is_widening = argc > 1 && strcmp(argv[1], "--widen") == 0;
    int failed = 0;

    for (int i = 0; i < 4; i++) {
        struct weave_beat beat = {.class_name = MB_TEXT("methodbeat/MethodBeat"),
                                  .exceptions = (enum weave_exceptions)i,
                                  .max_distance = is_widening ? 1 : 0};
        trip.rewriters[i] = weave_rewriter_create(&beat);
    }
    trip.relocator = cf_relocator_create();
    trip.scan = malloc(sizeof(*trip.scan));
    for (int i = is_widening ? 2 : 1; i < argc; i++) {
        failed |= check_input(&trip, argv[i]);
    }
    (void)printf("%zu classes and %zu methods round trip, %zu faults, %zu skips\n",
                 trip.class_count, trip.method_count, trip.fault_count, trip.skip_count);
    failed |= trip.fault_count != 0 || trip.class_count == 0;
    finish(&trip);
    return failed;
}
