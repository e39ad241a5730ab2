/* A method map that was read and written reads again as the same methods, and is then written as
 * the same text. */

#include "fuzz.h"

#include "abi/methodmap.h"

#include <string.h>

static void check(struct mb_text text)
{
    struct abi_methodmap map = {0};
    struct abi_methodmap again = {0};
    struct mb_buf out = {0};
    struct mb_buf last = {0};

    if (abi_methodmap_parse(&map, text, "map", NULL) == MB_OK) {
        for (size_t i = 0; i < map.count; i++) {
            abi_methodmap_put_line(&out, &map.methods[i]);
        }
        struct mb_text written = {(const char *)out.bytes, out.size};
        PROMISE(abi_methodmap_parse(&again, written, "again", NULL) == MB_OK);
        PROMISE(again.count == map.count);
        for (size_t i = 0; i < map.count; i++) {
            PROMISE(again.methods[i].id == map.methods[i].id);
            abi_methodmap_put_line(&last, &again.methods[i]);
        }
        PROMISE(last.size == out.size && memcmp(last.bytes, out.bytes, out.size) == 0);
    }
    abi_methodmap_finish(&again);
    abi_methodmap_finish(&map);
    mb_buf_finish(&out);
    mb_buf_finish(&last);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    check((struct mb_text){(const char *)bytes, size});
    return 0;
}
