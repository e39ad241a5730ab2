#include "archive/manifest.h"

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
