#include "abi/identity.h"

#include "abi/tracefile.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#define A31 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A127 A31 "a" A31 "a" A31 "a" A31

struct check_case {
    const char *pairs;
    const char *reason; /* NULL: good */
};

static const struct check_case check_cases[] = {
    {"", NULL},
    {"id=com.acme,version=5.2.1,code=50201,channel=beta,build=7cc,r8=a1,device=d", NULL},
    {"model=Pixel 4a,maker=Google,os=Android,os_level=34,abi=arm64-v8a,cores=8", NULL},
    {"version=1=2", NULL},
    {"version=\"\\", NULL},
    {"version=" A127, NULL},
    {"version=" A127 "a", "version is longer than 127 bytes"},
    {"version", "version has no value"},
    {"version=", "version has no value"},
    {"version=1,version=2", "version is given twice"},
    {"version=\x1b[31m", "version is no readable UTF-8"},
    {"version=\xc3", "version is no readable UTF-8"},
    {"version=\xe2\x80\xae", "version is no readable UTF-8"},
    {"code=5.2", "code is no number"},
    {"cores=-1", "cores is no number"},
    {"code=9223372036854775808", "code is no number"},
    {"class=LOW,memory=2048,country=DE,arm_2=b", NULL},
    {"a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1", NULL},
    {"a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1", "has 9 keys of its own, at most 8"},
    {"arm=a,id=x,arm=b", "arm is given twice"},
    {"arm=", "arm has no value"},
    {"memory=2 GB", "memory is no number"},
    {"Colour=red", "has no key Colour: they are " ABI_IDENTITY_KEYS},
    {"2nd=red", "has no key 2nd: they are " ABI_IDENTITY_KEYS},
    {A31 "a=red", "has no key aaaaaaaaaaaaaaaaaaaaaaaa: they are " ABI_IDENTITY_KEYS},
    {"\x1b[31m=red", "has no key : they are " ABI_IDENTITY_KEYS},
    {"share=1", "has no key share: they are " ABI_IDENTITY_KEYS},
    {"id=a,,version=1", "has no key : they are " ABI_IDENTITY_KEYS},
    {"id=a,", "is KEY=VALUE pairs, at most 1023 bytes"},
};

Test(identity, takes_pairs_and_names_the_key_that_is_wrong)
{
    for (size_t i = 0; i < MB_COUNT(check_cases); i++) {
        const struct check_case *c = &check_cases[i];
        struct mb_error err = {.status = MB_OK};
        enum mb_status status = abi_identity_check(mb_text_of(c->pairs), &err);

        cr_expect(eq(int, status, c->reason == NULL ? MB_OK : MB_BAD_USAGE), "%s", c->pairs);
        cr_expect_str_eq(err.reason, c->reason != NULL ? c->reason : "", "%s", c->pairs);
    }
}

Test(identity, has_a_bound)
{
    char pairs[ABI_IDENTITY_SIZE + 1];

    memset(pairs, 'a', sizeof(pairs));
    cr_assert(eq(int, abi_identity_check((struct mb_text){pairs, ABI_IDENTITY_SIZE}, NULL),
                 MB_BAD_USAGE));
}

static const char *put(const char *pairs)
{
    static char text[2048];
    struct mb_buf out = {0};
    struct mb_json json = {.out = &out};

    mb_json_open(&json, NULL, "{");
    abi_identity_put(&json, mb_text_of(pairs));
    mb_json_close(&json, "}");
    (void)snprintf(text, sizeof(text), "%.*s", (int)out.size, (const char *)out.bytes);
    mb_buf_finish(&out);
    return text;
}

Test(identity, becomes_members)
{
    cr_assert_str_eq(put(""), "{}");
    cr_assert_str_eq(put("id=com.acme,code=50201,cores=8,version=5 \"x\" \\"),
                     "{\"id\":\"com.acme\",\"code\":50201,\"cores\":8,"
                     "\"version\":\"5 \\\"x\\\" \\\\\"}");
}

/* As from a damaged trace. */
Test(identity, that_nobody_checked_is_safe)
{
    cr_assert_str_eq(put("code=x,Colour=1,=,,id=\x1b\xff,arm=b"),
                     "{\"code\":\"x\",\"id\":\"\\u001b\xef\xbf\xbd\",\"arm\":\"b\"}");
}

Test(identity, gets_what_the_system_tells_once)
{
    char pairs[ABI_IDENTITY_SIZE];

    abi_identity_complete(pairs, mb_text_of(""));
    cr_assert_str_eq(pairs, "");
    abi_identity_complete(pairs, mb_text_of("id=a,os=Android,cores=3"));
    cr_assert(zero(int, strncmp(pairs, "id=a,os=Android,cores=3,os_level=", 33)), "%s", pairs);
    cr_assert(gt(sz, abi_identity_find(mb_text_of(pairs), "abi").size, 0));
    cr_assert(gt(sz, abi_identity_find(mb_text_of(pairs), "memory").size, 0));
    cr_assert(gt(sz, abi_identity_find(mb_text_of(pairs), "class").size, 0));
    cr_assert(eq(int, abi_identity_check(mb_text_of(pairs), NULL), MB_OK));
}

Test(identity, adds_only_what_may_be_there)
{
    char pairs[ABI_IDENTITY_SIZE] = "id=a";

    abi_identity_add(pairs, "version", "1,2");
    abi_identity_add(pairs, "version", "");
    abi_identity_add(pairs, "colour", "red");
    abi_identity_add(pairs, "id", "b");
    cr_assert_str_eq(pairs, "id=a");
    abi_identity_add(pairs, "version", "2");
    cr_assert_str_eq(pairs, "id=a,version=2");
}

Test(identity, never_outgrows_its_room)
{
    char pairs[ABI_IDENTITY_SIZE] = "id=" A127;
    static const char *const keys[] = {"version", "channel", "build", "r8",
                                       "device",  "model",   "maker", "os"};

    for (size_t i = 0; i < MB_COUNT(keys); i++) {
        abi_identity_add(pairs, keys[i], A127);
    }
    cr_assert(lt(sz, strlen(pairs), ABI_IDENTITY_SIZE));
    cr_assert(zero(sz, abi_identity_find(mb_text_of(pairs), "os").size));
    cr_assert(eq(int, abi_identity_check(mb_text_of(pairs), NULL), MB_OK));
}

/* Whatever a trace has there, only pairs are any. */
static void expect_of_trace(const char *pairs, uint32_t size, size_t file_size, const char *wanted)
{
    static _Alignas(8) uint8_t bytes[ABI_TRACE_PAGE];
    struct abi_identity_area area = {.size = size};
    const struct abi_tracefile trace = {.bytes = bytes, .size = file_size};

    memcpy(area.pairs, pairs, strlen(pairs));
    memcpy(bytes + ABI_IDENTITY_OFFSET, &area, sizeof(area));
    struct mb_text found = abi_identity_of_trace(&trace);
    cr_expect(mb_text_is(found, wanted), "%s, %u", pairs, size);
}

Test(identity, of_a_trace_is_checked)
{
    expect_of_trace("id=com.acme", 11, ABI_TRACE_PAGE, "id=com.acme");
    expect_of_trace("id=com.acme", 0, ABI_TRACE_PAGE, "");
    expect_of_trace("id=com.acme", 5, ABI_TRACE_PAGE, "id=co");
    expect_of_trace("id=com.acme", 12, ABI_TRACE_PAGE, ""); /* has a NUL */
    expect_of_trace("id=com.acme", UINT32_MAX, ABI_TRACE_PAGE, "");
    expect_of_trace("id=com.acme", 1021, ABI_TRACE_PAGE, "");
    expect_of_trace("id=com.acme", 11, ABI_IDENTITY_OFFSET + 15, "");
    expect_of_trace("Colour=red", 10, ABI_TRACE_PAGE, "");
    expect_of_trace("id=\x1b[31m", 8, ABI_TRACE_PAGE, "");
}
