#include "archive/entry.h"
#include "base/buf.h"
#include "tests/support/rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct name_case {
    const char *name;
    enum ar_entry_kind kind;
    enum ar_entry_kind in_aar;
} cases[] = {
    {"a/B.class", AR_ENTRY_CLASS, AR_ENTRY_CLASS},
    {".class", AR_ENTRY_CLASS, AR_ENTRY_CLASS},
    {"a/B.CLASS", AR_ENTRY_OTHER, AR_ENTRY_OTHER}, /* no class loader asks for it */
    {"META-INF/x.class", AR_ENTRY_CLASS, AR_ENTRY_CLASS},
    {"a/", AR_ENTRY_DIRECTORY, AR_ENTRY_DIRECTORY},
    {"META-INF/", AR_ENTRY_DIRECTORY, AR_ENTRY_DIRECTORY},
    {"", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    /* JAR specification: any case, directly in META-INF */
    {"META-INF/MANIFEST.MF", AR_ENTRY_MANIFEST, AR_ENTRY_MANIFEST},
    {"meta-inf/Manifest.mf", AR_ENTRY_MANIFEST, AR_ENTRY_MANIFEST},
    {"META-INF/a/MANIFEST.MF", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"META-INF/K.SF", AR_ENTRY_SIGNATURE, AR_ENTRY_SIGNATURE},
    {"META-INF/K.RSA", AR_ENTRY_SIGNATURE, AR_ENTRY_SIGNATURE},
    {"META-INF/K.DSA", AR_ENTRY_SIGNATURE, AR_ENTRY_SIGNATURE},
    {"META-INF/K.EC", AR_ENTRY_SIGNATURE, AR_ENTRY_SIGNATURE},
    {"META-INF/k.rsa", AR_ENTRY_SIGNATURE, AR_ENTRY_SIGNATURE},
    {"Meta-Inf/k.Sf", AR_ENTRY_SIGNATURE, AR_ENTRY_SIGNATURE},
    {"META-INF/sub/x.RSA", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"META-INF/K.RSAX", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"a/K.RSA", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"K.RSA", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"META-INF/SIG-K", AR_ENTRY_SIGNATURE, AR_ENTRY_SIGNATURE},
    {"META-INF/sig-k.p7", AR_ENTRY_SIGNATURE, AR_ENTRY_SIGNATURE},
    {"META-INF/SIG-K.x.abc", AR_ENTRY_SIGNATURE, AR_ENTRY_SIGNATURE},
    {"META-INF/SIG-K.", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"META-INF/SIG-K.a-b", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"META-INF/SIG-K.json", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"META-INF/SIGNED", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"META-INF/a/SIG-K", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"classes.jar", AR_ENTRY_JAR, AR_ENTRY_JAR},
    {"libs/a.jar", AR_ENTRY_JAR, AR_ENTRY_JAR},
    {"libs/a/b.jar", AR_ENTRY_JAR, AR_ENTRY_JAR},
    {"lint.jar", AR_ENTRY_JAR, AR_ENTRY_OTHER},
    {"a/classes.jar", AR_ENTRY_JAR, AR_ENTRY_OTHER},
    {"META-INF/a.jar", AR_ENTRY_JAR, AR_ENTRY_OTHER},
    {"WEB-INF/lib/A.JAR", AR_ENTRY_JAR, AR_ENTRY_OTHER},
    {"web.war", AR_ENTRY_JAR, AR_ENTRY_OTHER},
    {"app.ear", AR_ENTRY_JAR, AR_ENTRY_OTHER},
    {"lib.aar", AR_ENTRY_JAR, AR_ENTRY_OTHER},
    {"a.zip", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"jar", AR_ENTRY_OTHER, AR_ENTRY_OTHER},
    {"classes.dex", AR_ENTRY_DEX, AR_ENTRY_DEX},
    {"base/dex/classes2.dex", AR_ENTRY_DEX, AR_ENTRY_DEX},
    {"app-release.apk", AR_ENTRY_DEX, AR_ENTRY_DEX},
};

EACH_ROW(entry, has_the_kind_of_its_name, cases);

ParameterizedTest(size_t *row, entry, has_the_kind_of_its_name)
{
    const struct name_case *c = &cases[*row];

    cr_expect(eq(int, ar_entry_classify(mb_text_of(c->name), false), c->kind), "%s", c->name);
    cr_expect(eq(int, ar_entry_classify(mb_text_of(c->name), true), c->in_aar), "%s", c->name);
}

/* ---- The manifest of a jar ---- */

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
