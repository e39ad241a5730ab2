#include "archive/entry.h"

#include <string.h>

#define MADE_BY_UNIX (3 << 8)
#define MODE_FILE (0100644U << 16) /* -rw-r--r-- in external attributes */

static bool starts_any_case(struct mb_text text, struct mb_text prefix)
{
    return text.size >= prefix.size &&
           mb_text_equal_any_case((struct mb_text){text.data, prefix.size}, prefix);
}

static bool ends_any_case(struct mb_text text, struct mb_text suffix)
{
    return text.size >= suffix.size &&
           mb_text_equal_any_case(
               (struct mb_text){text.data + (text.size - suffix.size), suffix.size}, suffix);
}

static bool ends_in_one_of(struct mb_text name, const struct mb_text *suffixes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (ends_any_case(name, suffixes[i])) {
            return true;
        }
    }
    return false;
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* SIG-NAME, with an extension of one to three letters or digits, or without. */
static bool is_other_signature(struct mb_text name)
{
    struct mb_text extension = name;

    if (!starts_any_case(name, MB_TEXT("SIG-"))) {
        return false;
    }
    while (memchr(extension.data, '.', extension.size) != NULL) {
        (void)mb_text_split(&extension, '.');
    }
    for (size_t i = 0; i < extension.size && extension.size < name.size; i++) {
        if (!is_letter_or_digit(extension.data[i])) {
            return false;
        }
    }
    return extension.size == name.size || (extension.size >= 1 && extension.size <= 3);
}

/* A name directly in META-INF. JAR specification, "Signed JAR File": in any case of letters. */
static enum ar_entry_kind classify_meta(struct mb_text name)
{
    static const struct mb_text suffixes[] = {MB_TEXT_ROW(".SF"), MB_TEXT_ROW(".RSA"),
                                              MB_TEXT_ROW(".DSA"), MB_TEXT_ROW(".EC")};

    if (mb_text_equal_any_case(name, MB_TEXT("MANIFEST.MF"))) {
        return AR_ENTRY_MANIFEST;
    }
    return ends_in_one_of(name, suffixes, MB_COUNT(suffixes)) || is_other_signature(name)
               ? AR_ENTRY_SIGNATURE
               : AR_ENTRY_OTHER;
}

static bool is_jar(struct mb_text name, bool is_aar)
{
    static const struct mb_text suffixes[] = {MB_TEXT_ROW(".jar"), MB_TEXT_ROW(".war"),
                                              MB_TEXT_ROW(".ear"), MB_TEXT_ROW(".aar")};

    if (is_aar) {
        return mb_text_is(name, "classes.jar") ||
               (mb_text_starts(name, MB_TEXT("libs/")) && mb_text_ends(name, MB_TEXT(".jar")));
    }
    return ends_in_one_of(name, suffixes, MB_COUNT(suffixes));
}

enum ar_entry_kind ar_entry_classify(struct mb_text name, bool is_aar)
{
    static const struct mb_text meta_inf = MB_TEXT_ROW("META-INF/");
    static const struct mb_text dexes[] = {MB_TEXT_ROW(".dex"), MB_TEXT_ROW(".apk"),
                                           MB_TEXT_ROW(".aab")};
    struct mb_text rest = name;

    if (mb_text_ends(name, MB_TEXT("/"))) {
        return AR_ENTRY_DIRECTORY;
    }
    if (mb_text_ends(name, MB_TEXT(".class"))) {
        return AR_ENTRY_CLASS;
    }
    if (is_jar(name, is_aar)) {
        return AR_ENTRY_JAR;
    }
    if (ends_in_one_of(name, dexes, MB_COUNT(dexes))) {
        return AR_ENTRY_DEX;
    }
    (void)mb_text_split(&rest, '/');
    bool is_in_meta_inf =
        starts_any_case(name, meta_inf) && memchr(rest.data, '/', rest.size) == NULL;
    return is_in_meta_inf ? classify_meta(rest) : AR_ENTRY_OTHER;
}

struct ar_entry ar_entry_new(struct mb_text name)
{
    return (struct ar_entry){
        .name = name,
        .made_by = MADE_BY_UNIX,
        .dos_date = AR_FIRST_DATE,
        .attributes = MODE_FILE,
    };
}

/* ---- The manifest of a jar ---- */

/* One line with its line end, the lines that continue it (they start with a space) included. */
static struct mb_text take_header(struct mb_text *rest)
{
    size_t size = 0;

    do {
        while (size < rest->size && rest->data[size] != '\n' && rest->data[size] != '\r') {
            size++;
        }
        if (size < rest->size && rest->data[size] == '\r') {
            size++;
        }
        if (size < rest->size && rest->data[size] == '\n') {
            size++;
        }
    } while (size < rest->size && rest->data[size] == ' ');
    struct mb_text header = {rest->data, size};
    rest->data += size;
    rest->size -= size;
    return header;
}

static bool is_blank(struct mb_text header)
{
    return mb_text_trim(header).size == 0;
}

/* SHA-256-Digest, SHA1-Digest-Manifest, SHA-256-Digest-de and so on, in any case of letters. */
static bool is_digest(struct mb_text header)
{
    static const struct mb_text digest = MB_TEXT_ROW("-Digest");
    struct mb_text rest = header;
    struct mb_text name = mb_text_split(&rest, ':');

    for (size_t i = 0; i + digest.size <= name.size; i++) {
        if (mb_text_equal_any_case((struct mb_text){name.data + i, digest.size}, digest)) {
            return true;
        }
    }
    return false;
}

static bool is_section_name(struct mb_text header)
{
    struct mb_text rest = header;

    return mb_text_equal_any_case(mb_text_split(&rest, ':'), MB_TEXT("Name"));
}

/* Append a section without its digests; a section left with only its name goes. */
static void strip_section(struct mb_text *rest, bool is_main, struct mb_buf *out)
{
    size_t start = out->size;
    bool has_content = is_main;

    while (rest->size > 0) {
        struct mb_text header = take_header(rest);
        if (is_blank(header)) {
            mb_buf_put(out, header.data, header.size);
            break;
        }
        if (!is_digest(header)) {
            mb_buf_put(out, header.data, header.size);
            has_content = has_content || !is_section_name(header);
        }
    }
    if (!has_content && !out->failed) {
        out->size = start;
    }
}

void ar_manifest_strip(struct mb_text manifest, struct mb_buf *out)
{
    struct mb_text rest = manifest;

    strip_section(&rest, true, out);
    while (rest.size > 0) {
        if (rest.data[0] == '\n' || rest.data[0] == '\r') { /* several lines between */
            struct mb_text blank = take_header(&rest);
            mb_buf_put(out, blank.data, blank.size);
        } else {
            strip_section(&rest, false, out);
        }
    }
}
