/* Whatever the rewriter makes of a class is a class again, whose probed code consists of
 * instructions and branches inside it, in every exception mode. */

#include "fuzz.h"

#include "classfile/code.h"
#include "classfile/scan.h"
#include "instrument/rewrite.h"

static struct mb_arena arena;
static struct mb_buf out;
static struct cf_scan scan;

static void check_result(uint16_t method_count)
{
    struct cf_class cls;
    struct cf_code code;

    PROMISE(cf_class_parse(&cls, &arena, out.bytes, out.size, NULL) == MB_OK);
    PROMISE(cls.method_count >= method_count);
    for (uint16_t i = 0; i < cls.method_count; i++) {
        if (cls.methods[i].code != 0) {
            PROMISE(cf_code_parse(&code, &cls, &cls.methods[i], NULL) == MB_OK);
            PROMISE(cf_scan_code(&scan, &code, NULL) == MB_OK);
        }
    }
}

static void rewrite(const struct cf_class *cls, const uint32_t *ids, enum ins_exceptions mode)
{
    static struct ins_rewriter *rewriters[INS_EXCEPTIONS_MATRIX + 1];
    struct ins_beat beat = {.class_name = MB_TEXT("methodbeat/MethodBeat"), .exceptions = mode};
    struct ins_request request = {.cls = cls, .ids = ids, .focus = INS_FOCUS_ADD};
    struct ins_result result;

    if (rewriters[mode] == NULL) {
        rewriters[mode] = ins_rewriter_create(&beat);
        PROMISE(rewriters[mode] != NULL);
    }
    mb_buf_reset(&out);
    if (ins_rewrite(rewriters[mode], &request, &out, &result, NULL) == MB_OK && result.is_changed &&
        result.skip_count == 0) {
        check_result(cls->method_count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct cf_class cls;

    mb_arena_reset(&arena);
    if (cf_class_parse(&cls, &arena, bytes, size, NULL) != MB_OK ||
        cf_pool_check(&cls.pool, NULL) != MB_OK) {
        return 0;
    }
    uint32_t *ids = MB_NEW_ARRAY(&arena, uint32_t, cls.method_count);
    PROMISE(ids != NULL);
    for (uint16_t i = 0; i < cls.method_count; i++) {
        ids[i] = cls.methods[i].code != 0 ? i + 1U : 0;
    }
    for (int mode = INS_EXCEPTIONS_FINALLY; mode <= INS_EXCEPTIONS_MATRIX; mode++) {
        rewrite(&cls, ids, (enum ins_exceptions)mode);
    }
    return 0;
}
