#include "archive/manifest.h"
#include "base/buf.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(manifest, loses_digests_and_nothing_else)
{
    static const char in[] = "Manifest-Version: 1.0\r\nSHA-256-Digest-Manifest: abc\r\n"
                             "Main-Class: a.very.long.name.that.goes.on.and.on.and.on.and.on\r\n"
                             " .and.on\r\n\r\n"
                             "Name: a/B.class\r\nSHA-256-Digest: x\r\n yz\r\n\r\n"
                             "Name: c/\r\nSealed: true\r\nSHA1-Digest: q\r\n\r\n";
    static const char expected[] =
        "Manifest-Version: 1.0\r\n"
        "Main-Class: a.very.long.name.that.goes.on.and.on.and.on.and.on\r\n"
        " .and.on\r\n\r\n"
        "Name: c/\r\nSealed: true\r\n\r\n";
    struct mb_buf out = {0};

    ar_manifest_strip(mb_text_of(in), &out);
    cr_assert(mb_text_is((struct mb_text){(char *)out.bytes, out.size}, expected));
    mb_buf_finish(&out);
}

Test(manifest, names_of_attributes_have_any_case)
{
    static const char in[] = "manifest-version: 1.0\nsha-256-digest-manifest: abc\n\n"
                             "NAME: a/B.class\nsha-256-DIGEST: x\n\n"
                             "name: c/\nsealed: true\nsha1-digest: q\n\n";
    static const char expected[] = "manifest-version: 1.0\n\nname: c/\nsealed: true\n\n";
    struct mb_buf out = {0};

    ar_manifest_strip(mb_text_of(in), &out);
    cr_assert(mb_text_is((struct mb_text){(char *)out.bytes, out.size}, expected));
    mb_buf_finish(&out);
}

Test(manifest, values_may_hold_the_word)
{
    static const char in[] = "Manifest-Version: 1.0\nX: my-Digest: no\n\nName: a-Digest\nA: 1\n\n";
    struct mb_buf out = {0};

    ar_manifest_strip(mb_text_of(in), &out);
    cr_assert(mb_text_is((struct mb_text){(char *)out.bytes, out.size}, in));
    mb_buf_finish(&out);
}
