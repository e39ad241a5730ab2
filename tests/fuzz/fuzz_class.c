/* Code that relocation accepts comes out of it unchanged when nothing is inserted, and any
 * class that parses can be listed or is refused with a reason. */

#include "fuzz.h"

#include "classfile/relocate.h"
#include "dump.h"

#include <string.h>

static struct mb_arena arena;
static struct mb_buf out;
static struct cf_scan scan;
static struct cf_relocator *relocator;

static void check_code(const struct cf_class *cls, const struct cf_member *method)
{
    struct cf_code code;
    struct cf_edit edit = {.cls = cls, .method = method, .code = &code, .scan = &scan};

    mb_buf_reset(&out);
    if (cf_code_parse(&code, cls, method, NULL) == MB_OK &&
        cf_scan_code(&scan, &code, NULL) == MB_OK &&
        cf_relocate(relocator, &edit, &out, NULL) == MB_OK) {
        PROMISE(out.size == code.end - method->code);
        PROMISE(memcmp(out.bytes, cls->bytes + method->code, out.size) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct cf_dump_options options = {.with_pool = true};
    struct cf_class cls;
    struct mb_error err = {0};

    relocator = relocator != NULL ? relocator : cf_relocator_create();
    PROMISE(relocator != NULL);
    mb_arena_reset(&arena);
    if (cf_class_parse(&cls, &arena, bytes, size, &err) != MB_OK) {
        PROMISE(err.reason[0] != '\0');
        return 0;
    }
    for (uint16_t i = 0; i < cls.method_count; i++) {
        if (cls.methods[i].code != 0) {
            check_code(&cls, &cls.methods[i]);
        }
    }
    mb_buf_reset(&out);
    PROMISE(cf_dump_class(&cls, &options, &out, &err) == MB_OK || err.reason[0] != '\0');
    return 0;
}
