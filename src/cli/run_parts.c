#include "cli/run_parts.h"

#include "abi/names.h"
#include "archive/manifest.h"
#include "archive/tree.h"
#include "base/file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MANIFEST "META-INF/MANIFEST.MF"
#define FRAMEWORK "META-INF/services/org.osgi.framework.launch.FrameworkFactory"
#define MOST_BYTES ((uint64_t)1 << 28) /* of classes, which take a second */

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool read_file(const char *folder, const char *name, struct mb_buf *content)
{
    char path[PATH_MAX];
    struct stat info;

    return snprintf(path, sizeof(path), "%s/%s", folder, name) < PATH_MAX &&
           stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
           mb_file_read(content, path, NULL) == MB_OK;
}

/* Its own class, or one for a version of Java (JAR specification, "Multi-release JAR files"). */
static bool has_name(const struct ar_entry *entry, const char *name)
{
    const struct mb_text versions = MB_TEXT("META-INF/versions/");
    struct mb_text rest = entry->name;

    if (mb_text_starts(rest, versions)) {
        rest = mb_text_from(rest, versions.size);
        (void)mb_text_split(&rest, '/');
    }
    return mb_text_is(rest, name);
}

static bool read_from_jar(const struct ar_input *input, const char *name, struct mb_buf *content)
{
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_FAST);
    struct mb_buf scratch = {0};
    struct mb_text text;
    bool is_there = false;

    for (size_t i = 0; codec != NULL && !is_there && i < ar_input_count(input); i++) {
        if (has_name(ar_input_entry(input, i), name) &&
            ar_entry_read(input, i, codec, &scratch, &text, NULL) == MB_OK) {
            mb_buf_put(content, text.data, text.size);
            is_there = !content->failed;
        }
    }
    mb_buf_finish(&scratch);
    ar_codec_destroy(codec);
    return is_there;
}

bool cli_run_entry(const char *part, const char *name, struct mb_buf *content)
{
    struct ar_input *input = NULL;

    if (is_folder(part)) {
        return read_file(part, name, content);
    }
    bool is_there = ar_input_open(&input, part, NULL) == MB_OK &&
                    ar_input_kind(input) == AR_INPUT_JAR && read_from_jar(input, name, content);
    ar_input_close(input);
    return is_there;
}

/* ---- The class path of a jar ---- */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

/* The path of a URL: of a file, or relative to the jar's folder. */
static void put_url(struct mb_buf *path, struct mb_text url, struct mb_text folder)
{
    const struct mb_text scheme = MB_TEXT("file:");

    url = mb_text_starts(url, scheme) ? mb_text_from(url, scheme.size) : url;
    if (url.data[0] != '/') {
        mb_buf_put(path, folder.data, folder.size);
    }
    for (size_t i = 0; i < url.size; i++) {
        bool is_code = url.data[i] == '%' && i + 2 < url.size && hex_digit(url.data[i + 1]) >= 0 &&
                       hex_digit(url.data[i + 2]) >= 0;
        int code = is_code ? hex_digit(url.data[i + 1]) * 16 + hex_digit(url.data[i + 2])
                           : (unsigned char)url.data[i];
        mb_buf_put_u1(path, (unsigned)code);
        i += is_code ? 2 : 0;
    }
}

static void put_class_path(struct cli_run_launch *launch, struct mb_text value)
{
    struct mb_text jar = mb_text_of(launch->jar);
    struct mb_text folder = {jar.data, mb_text_after_last(jar, '/')};
    struct mb_buf path = {0};

    while (value.size > 0) {
        struct mb_text url = mb_text_split(&value, ' ');
        mb_buf_reset(&path);
        if (url.size > 0) {
            put_url(&path, url, folder);
        }
        const char *copy = path.size > 0 && !path.failed
                               ? mb_arena_copy(&launch->arena, path.bytes, path.size)
                               : NULL;
        if (copy != NULL) {
            mb_buf_put(&launch->classes, &copy, sizeof(copy));
        }
    }
    mb_buf_finish(&path);
}

void cli_run_follow_jar(struct cli_run_launch *launch)
{
    struct mb_buf manifest = {0};
    struct mb_buf value = {0};

    if (launch->jar != NULL && cli_run_entry(launch->jar, MANIFEST, &manifest) &&
        ar_manifest_value((struct mb_text){(const char *)manifest.bytes, manifest.size},
                          MB_TEXT("Class-Path"), &value) &&
        !value.failed && value.size > 0) {
        put_class_path(launch, (struct mb_text){(const char *)value.bytes, value.size});
    }
    mb_buf_finish(&manifest);
    mb_buf_finish(&value);
}

/* ---- Which classes there are ---- */

const char *cli_run_osgi(const struct cli_run_launch *launch)
{
    struct mb_buf content = {0};
    const char *part;

    for (size_t i = 0; (part = cli_run_item(&launch->classes, i)) != NULL; i++) {
        if (cli_run_entry(part, FRAMEWORK, &content)) {
            break;
        }
    }
    mb_buf_finish(&content);
    return part;
}

/* A search for probes. */
struct look {
    struct ar_codec *codec;
    struct mb_buf scratch;
    uint64_t left;
    bool is_done; /* a probe was found */
    bool is_sure; /* all parts were searched */
};

static void look_into_node(struct look *look, const struct ar_input *input)
{
    for (size_t i = 0; !look->is_done && i < ar_input_count(input); i++) {
        const struct ar_entry *entry = ar_input_entry(input, i);
        struct mb_text content;
        if (entry->kind != AR_ENTRY_CLASS) {
            continue;
        }
        if (entry->size > look->left ||
            ar_entry_read(input, i, look->codec, &look->scratch, &content, NULL) != MB_OK) {
            look->is_sure = false;
            continue;
        }
        look->left -= entry->size;
        look->is_done = mb_text_contains(content, MB_TEXT(ABI_BEAT_CLASS));
    }
}

static void look_into_parts(struct look *look, const struct mb_buf *parts)
{
    const char *part;

    for (size_t i = 0; !look->is_done && (part = cli_run_item(parts, i)) != NULL; i++) {
        struct ar_tree tree = {0};
        look->is_sure = ar_tree_open(&tree, part, NULL) == MB_OK && look->is_sure;
        for (uint32_t n = 0; n < tree.node_count; n++) {
            look_into_node(look, tree.nodes[n].input);
        }
        ar_tree_finish(&tree);
    }
}

enum cli_run_probes cli_run_probes(const struct cli_run_launch *launch)
{
    struct look look = {.codec = ar_codec_create(AR_COMPRESSION_FAST), .left = MOST_BYTES};

    look.is_sure = look.codec != NULL && launch->classes.size + launch->modules.size > 0;
    if (look.is_sure) {
        look_into_parts(&look, &launch->classes);
        look_into_parts(&look, &launch->modules);
    }
    mb_buf_finish(&look.scratch);
    ar_codec_destroy(look.codec);
    return look.is_done   ? CLI_RUN_HAS_PROBES
           : look.is_sure ? CLI_RUN_NO_PROBES
                          : CLI_RUN_UNKNOWN_PROBES;
}
