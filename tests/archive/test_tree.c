#include "archive/tree.h"
#include "zip_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bytes of an archive; caller frees. */
static struct mb_buf build(const struct zip_entry *entries, size_t count)
{
    static const struct zip_options options = {0};
    struct mb_buf bytes = {0};

    zip_put(&bytes, entries, count, &options);
    return bytes;
}

static struct zip_entry stored(const char *name, const struct mb_buf *data)
{
    struct mb_text content = {(const char *)data->bytes, data->size};

    return (struct zip_entry){.name = name,
                              .data = content.data,
                              .data_size = content.size,
                              .size = (uint32_t)content.size,
                              .crc32 = ar_crc32(content)};
}

static enum mb_status open_bytes(struct ar_tree *tree, const struct mb_buf *bytes,
                                 struct mb_error *err)
{
    char path[] = "/tmp/mb-tree-XXXXXX";
    int fd = mkstemp(path);

    cr_assert(eq(int, (int)write(fd, bytes->bytes, bytes->size), (int)bytes->size));
    close(fd);
    enum mb_status status = ar_tree_open(tree, path, err);
    unlink(path);
    return status;
}

static const char *name_of(const struct ar_tree *tree, uint32_t node)
{
    return strchr(ar_input_path(tree->nodes[node].input), '!');
}

Test(tree, each_node_is_followed_by_those_in_it)
{
    static const struct zip_entry leaf[] = {{.name = "x", .data = ""}};
    struct mb_buf inmost = build(leaf, 1);
    struct zip_entry two[] = {stored("1.jar", &inmost), stored("2.jar", &inmost)};
    struct mb_buf middle = build(two, 2);
    struct zip_entry all[] = {
        stored("a.war", &middle), {.name = "r", .data = ""}, stored("b.jar", &inmost)};
    struct mb_buf outer = build(all, 3);
    struct ar_tree tree = {0};
    static const struct {
        const char *name;
        uint32_t outer, entry, inner_count;
    } nodes[] = {
        {NULL, AR_NO_NODE, 0, 4},  {"!a.war", 0, 0, 2}, {"!a.war!1.jar", 1, 0, 0},
        {"!a.war!2.jar", 1, 1, 0}, {"!b.jar", 0, 2, 0},
    };

    cr_assert(eq(int, open_bytes(&tree, &outer, NULL), MB_OK));
    cr_assert(eq(u32, tree.node_count, MB_COUNT(nodes)));
    cr_assert(eq(u32, tree.closed_count, 0));
    for (uint32_t i = 0; i < tree.node_count; i++) {
        cr_expect(eq(u32, tree.nodes[i].outer, nodes[i].outer), "%u", i);
        cr_expect(eq(u32, tree.nodes[i].outer_entry, nodes[i].entry), "%u", i);
        cr_expect(eq(u32, tree.nodes[i].inner_count, nodes[i].inner_count), "%u", i);
        if (nodes[i].name != NULL) {
            cr_expect_str_eq(name_of(&tree, i), nodes[i].name);
        }
    }
    ar_tree_finish(&tree);
    mb_buf_finish(&inmost);
    mb_buf_finish(&middle);
    mb_buf_finish(&outer);
}

Test(tree, what_is_no_archive_stays_closed)
{
    static const struct zip_entry entries[] = {
        {.name = "a.jar", .data = "none", .data_size = 4, .size = 4, .crc32 = 0x6b0d5ef4},
        {.name = "b.jar", .data = ""},
        {.name = "c.jar", .data = "x", .data_size = 1, .size = 1, .method = 12},
        {.name = "d.jar", .data = "x", .data_size = 1, .size = 1, .flags = 1},
    };
    struct mb_buf outer = build(entries, MB_COUNT(entries));
    struct ar_tree tree = {0};

    cr_assert(eq(int, open_bytes(&tree, &outer, NULL), MB_OK));
    cr_expect(eq(u32, tree.node_count, 1));
    cr_assert(eq(u32, tree.closed_count, MB_COUNT(entries)));
    for (uint32_t i = 0; i < tree.closed_count; i++) {
        cr_expect(eq(u32, tree.closed[i].outer_entry, i));
        cr_expect(strstr(tree.closed[i].reason.input, entries[i].name) != NULL);
    }
    ar_tree_finish(&tree);
    mb_buf_finish(&outer);
}

Test(tree, is_no_deeper_than_its_limit)
{
    static const struct zip_entry leaf[] = {{.name = "x", .data = ""}};
    struct mb_buf bytes = build(leaf, 1);
    struct ar_tree tree = {0};

    for (int depth = 0; depth < AR_MAX_DEPTH + 3; depth++) {
        struct zip_entry entry = stored("a.jar", &bytes);
        struct mb_buf outer = build(&entry, 1);
        mb_buf_finish(&bytes);
        bytes = outer;
    }
    cr_assert(eq(int, open_bytes(&tree, &bytes, NULL), MB_OK));
    cr_expect(eq(u32, tree.node_count, 1 + AR_MAX_DEPTH));
    cr_assert(eq(u32, tree.closed_count, 1));
    cr_expect_str_eq(tree.closed[0].reason.reason, "jars in jars over 8 deep");
    ar_tree_finish(&tree);
    mb_buf_finish(&bytes);
}

/* Each is 1 MiB of zeros in 1 KiB, and none is an archive: only what is unpacked counts. */
Test(tree, unpacks_no_more_than_its_limit)
{
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_BEST);
    size_t size = (size_t)64 << 20;
    char *zeros = calloc(size, 1);
    struct mb_buf packed_bytes = {0};
    struct ar_packed packed;
    struct ar_tree tree = {0};
    static char names[40][8];
    struct zip_entry entries[40];

    cr_assert(eq(int, ar_pack(codec, (struct mb_text){zeros, size}, &packed_bytes, &packed, NULL),
                 MB_OK));
    for (size_t i = 0; i < MB_COUNT(entries); i++) {
        (void)snprintf(names[i], sizeof(names[i]), "%zu.jar", i);
        entries[i] = (struct zip_entry){.name = names[i],
                                        .data = (const char *)packed.bytes,
                                        .data_size = packed.packed_size,
                                        .size = (uint32_t)size,
                                        .crc32 = packed.crc32,
                                        .method = 8};
    }
    struct mb_buf outer = build(entries, MB_COUNT(entries));
    cr_assert(eq(int, open_bytes(&tree, &outer, NULL), MB_OK));
    cr_assert(eq(u32, tree.closed_count, 40));
    cr_expect_str_eq(tree.closed[32].reason.reason, "packed jars inside exceed 2048 MiB");
    cr_expect(strstr(tree.closed[31].reason.reason, "not a zip archive") != NULL);
    ar_tree_finish(&tree);
    mb_buf_finish(&outer);
    mb_buf_finish(&packed_bytes);
    ar_codec_destroy(codec);
    free(zeros);
}

Test(tree, has_no_more_jars_than_its_limit)
{
    static struct zip_entry entries[AR_MAX_NODES + 1];
    static char names[AR_MAX_NODES + 1][16];
    struct mb_error err = {0};
    struct ar_tree tree = {0};

    for (size_t i = 0; i < MB_COUNT(entries); i++) {
        (void)snprintf(names[i], sizeof(names[i]), "%zu.jar", i);
        entries[i] = (struct zip_entry){.name = names[i], .data = ""};
    }
    struct mb_buf outer = build(entries, MB_COUNT(entries));
    cr_expect(eq(int, open_bytes(&tree, &outer, &err), MB_BAD_ARCHIVE));
    cr_expect_str_eq(err.reason, "over 65536 jars inside");
    ar_tree_finish(&tree);
    mb_buf_finish(&outer);
}
