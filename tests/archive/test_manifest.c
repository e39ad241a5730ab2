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

/* What it says of the name; "-" if nothing. */
static void expect_value(const char *manifest, const char *name, const char *wanted)
{
    struct mb_buf out = {0};
    bool is_there = ar_manifest_value(mb_text_of(manifest), mb_text_of(name), &out);
    struct mb_text value = {(const char *)out.bytes, out.size};

    cr_expect(mb_text_is(is_there ? value : MB_TEXT("-"), wanted), "%s of %s: %.*s", name, manifest,
              (int)value.size, value.data);
    mb_buf_finish(&out);
}

Test(manifest, a_value_goes_on_in_lines_behind)
{
    static const char in[] =
        "Manifest-Version: 1.0\r\nClass-Path: a.jar li\r\n b/b.jar\n  c.jar\r d\n"
        "Main-Class: a.Main\r\n\r\nName: x\r\nOther: y\r\n";

    expect_value(in, "Class-Path", "a.jar lib/b.jar c.jard");
    expect_value(in, "main-class", "a.Main");
    expect_value(in, "Other", "-"); /* of an entry */
    expect_value("", "Class-Path", "-");
    expect_value("Class-Path:", "Class-Path", "");
    expect_value("Class-Path: a\r\n", "Class-Path", "a");
}
