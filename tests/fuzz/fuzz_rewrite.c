/* Whatever the rewriter makes of a class is a class again, whose probed code consists of
 * instructions and branches inside it, in every exception mode, as it comes and with jumps widened
 * that need not be. */

#include "fuzz.h"

#include "classfile/code.h"
#include "classfile/edit.h"
#include "instrument/weave/rewrite.h"
#include "pool_check.h"

static struct mb_arena arena;
static struct mb_buf out;
static struct cf_scan scan;

static void check_result(const struct cf_class *before)
{
    struct cf_class cls;
    struct cf_code code;

    PROMISE(cf_class_parse(&cls, &arena, out.bytes, out.size, NULL) == MB_OK);
    PROMISE(pool_check(&cls.pool, NULL) == MB_OK);
    PROMISE(cls.method_count >= before->method_count);
    for (uint16_t i = 0; i < cls.method_count; i++) {
        if (cls.methods[i].code != 0) {
            PROMISE(cf_code_parse(&code, &cls, &cls.methods[i], NULL) == MB_OK);
            PROMISE(cf_scan_code(&scan, &code, NULL) == MB_OK);
        }
    }
}

static void rewrite(const struct cf_class *cls, const uint32_t *ids, enum weave_exceptions mode,
                    uint16_t max_distance)
{
    struct weave_beat beat = {.class_name = MB_TEXT("methodbeat/MethodBeat"),
                              .exceptions = mode,
                              .max_distance = max_distance};
    struct weave_request request = {.cls = cls,
                                    .ids = ids,
                                    .focus =
                                        cls->super_class != 0 ? WEAVE_FOCUS_ADD : WEAVE_FOCUS_NONE};
    struct weave_rewriter *rewriter = weave_rewriter_create(&beat);
    struct weave_result result;

    PROMISE(rewriter != NULL);
    mb_buf_reset(&out);
    if (weave_rewrite(rewriter, &request, &out, &result, NULL) == MB_OK && result.is_changed &&
        result.skip_count == 0) {
        check_result(cls);
    }
    weave_rewriter_destroy(rewriter);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const uint16_t distances[] = {0, 1, 40};
    struct cf_class cls;

    mb_arena_reset(&arena);
    if (cf_class_parse(&cls, &arena, bytes, size, NULL) != MB_OK ||
        pool_check(&cls.pool, NULL) != MB_OK) {
        return 0;
    }
    uint32_t *ids = MB_NEW_ARRAY(&arena, uint32_t, cls.method_count);
    PROMISE(ids != NULL);
    for (uint16_t i = 0; i < cls.method_count; i++) {
        ids[i] = cls.methods[i].code != 0 ? i + 1U : 0;
    }
    for (int mode = WEAVE_EXCEPTIONS_FINALLY; mode <= WEAVE_EXCEPTIONS_CATCH; mode++) {
        for (size_t i = 0; i < MB_COUNT(distances); i++) {
            rewrite(&cls, ids, (enum weave_exceptions)mode, distances[i]);
        }
    }
    return 0;
}
