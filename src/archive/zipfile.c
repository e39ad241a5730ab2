#include "archive/codec.h"
#include "archive/listing.h"

#include <stdlib.h>
#include <string.h>

/* Records of APPNOTE 4.3, little-endian. */
#define LOCAL_SIGNATURE 0x04034b50U
#define LOCAL_SIZE ((size_t)30)
#define CENTRAL_SIGNATURE 0x02014b50U
#define CENTRAL_SIZE ((size_t)46)
#define END_SIGNATURE 0x06054b50U
#define END_SIZE ((size_t)22)
#define LOCATOR64_SIGNATURE 0x07064b50U
#define LOCATOR64_SIZE ((size_t)20)
#define END64_SIGNATURE 0x06064b50U
#define END64_SIZE ((size_t)56)
#define EXTRA_ZIP64 1
#define MAX_COMMENT ((size_t)UINT16_MAX)

/* No deflate stream grows faster (RFC 1951: 258 bytes from two bits), so more is a lie. */
#define MAX_RATIO 1032
#define MAX_CLASS_SIZE ((uint64_t)256 << 20)
#define MAX_CLASSES_SIZE ((uint64_t)32 << 30)

struct directory {
    uint64_t count;
    uint64_t size;
    uint64_t offset; /* as written, which may be without a prefix */
    size_t end;      /* where it ends in the file */
};

static uint16_t get_u2(const uint8_t *b)
{
    return (uint16_t)((unsigned)b[1] << 8 | b[0]);
}

static uint32_t get_u4(const uint8_t *b)
{
    return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static uint64_t get_u8(const uint8_t *b)
{
    return (uint64_t)get_u4(b + 4) << 32 | get_u4(b);
}

static const uint8_t *bytes_of(const struct ar_input *input)
{
    return (const uint8_t *)input->file.data;
}

static enum mb_status bad_entry(const struct ar_input *input, const struct ar_entry *entry,
                                struct mb_error *err, const char *reason)
{
    (void)mb_fail(err, MB_BAD_ARCHIVE, (size_t)entry->offset, "%s", reason);
    mb_error_in_entry(err, input->path, entry->name.data, entry->name.size);
    return MB_BAD_ARCHIVE;
}

/* --- the end of the central directory --- */

/* The last end record whose comment fits; garbage may follow. NULL if absent. */
static const uint8_t *find_end(struct mb_text file)
{
    const uint8_t *bytes = (const uint8_t *)file.data;
    size_t scanned = END_SIZE + MAX_COMMENT;
    size_t low = file.size > scanned ? file.size - scanned : 0;

    if (file.size < END_SIZE) {
        return NULL;
    }
    for (size_t at = file.size - END_SIZE + 1; at-- > low;) {
        if (bytes[at] == 'P' && get_u4(bytes + at) == END_SIGNATURE &&
            get_u2(bytes + at + 20) <= file.size - at - END_SIZE) {
            return bytes + at;
        }
    }
    return NULL;
}

/* ZIP64 (APPNOTE 4.3.14): the locator precedes the end record and points to the larger one. */
static bool read_end64(const struct ar_input *input, size_t end_offset, struct directory *directory)
{
    const uint8_t *bytes = bytes_of(input);

    if (end_offset < LOCATOR64_SIZE + END64_SIZE ||
        get_u4(bytes + end_offset - LOCATOR64_SIZE) != LOCATOR64_SIGNATURE) {
        return false;
    }
    uint64_t named = get_u8(bytes + end_offset - LOCATOR64_SIZE + 8);
    size_t at = end_offset - LOCATOR64_SIZE - END64_SIZE; /* where it is without extensions */
    if (get_u4(bytes + at) != END64_SIGNATURE) {
        if (named > end_offset - LOCATOR64_SIZE - END64_SIZE ||
            get_u4(bytes + named) != END64_SIGNATURE) {
            return false;
        }
        at = (size_t)named;
    }
    *directory = (struct directory){
        .count = get_u8(bytes + at + 32),
        .size = get_u8(bytes + at + 40),
        .offset = get_u8(bytes + at + 48),
        .end = at,
    };
    return true;
}

static enum mb_status read_end(struct ar_input *input, struct directory *directory,
                               struct mb_error *err)
{
    const uint8_t *end = find_end(input->file);

    if (end == NULL) {
        return mb_fail(err, MB_BAD_ARCHIVE, input->file.size,
                       "no end of central directory: cut off, or not a zip archive");
    }
    size_t end_offset = (size_t)(end - bytes_of(input));
    input->comment = (struct mb_text){(const char *)end + END_SIZE, get_u2(end + 20)};
    *directory = (struct directory){.count = get_u2(end + 10),
                                    .size = get_u4(end + 12),
                                    .offset = get_u4(end + 16),
                                    .end = end_offset};
    bool is_large = directory->count == UINT16_MAX || directory->size == UINT32_MAX ||
                    directory->offset == UINT32_MAX;
    if (is_large) {
        (void)read_end64(input, end_offset, directory);
    }
    if (directory->size > directory->end || directory->offset > directory->end - directory->size ||
        directory->count > directory->size / CENTRAL_SIZE) {
        return mb_fail(err, MB_BAD_ARCHIVE, end_offset,
                       "central directory of %llu entries in %llu bytes at %llu does not fit",
                       (unsigned long long)directory->count, (unsigned long long)directory->size,
                       (unsigned long long)directory->offset);
    }
    return MB_OK;
}

/* --- entries --- */

/* Sizes and offset that do not fit 32 bits (APPNOTE 4.5.3), in this order and only those. */
static bool read_zip64_extra(const uint8_t *extra, size_t extra_size, struct ar_entry *entry)
{
    uint64_t *fields[] = {&entry->size, &entry->packed_size, &entry->offset};

    while (extra_size >= 4) {
        size_t size = get_u2(extra + 2);
        if (size > extra_size - 4) {
            return false;
        }
        const uint8_t *value = extra + 4;
        size_t left = get_u2(extra) == EXTRA_ZIP64 ? size : 0;
        for (size_t i = 0; i < MB_COUNT(fields) && left > 0; i++) {
            if (*fields[i] == UINT32_MAX) {
                if (left < 8) {
                    return false;
                }
                *fields[i] = get_u8(value);
                value += 8;
                left -= 8;
            }
        }
        extra += 4 + size;
        extra_size -= 4 + size;
    }
    return true;
}

static const char *find_fault(const struct ar_entry *entry, size_t data_end)
{
    if (entry->offset > data_end || data_end - entry->offset < LOCAL_SIZE + entry->name.size ||
        entry->packed_size > data_end - entry->offset - LOCAL_SIZE - entry->name.size) {
        return "entry passes the end of the archive's data";
    }
    if (entry->method == AR_METHOD_STORE && entry->size != entry->packed_size &&
        !entry->is_encrypted) {
        return "stored entry with two sizes";
    }
    if (entry->size > MAX_RATIO * entry->packed_size + 64) {
        return "entry grows more than deflate can: a zip bomb";
    }
    if (entry->kind == AR_ENTRY_CLASS && entry->size > MAX_CLASS_SIZE) {
        return "class file over 256 MiB";
    }
    if (memchr(entry->name.data, 0, entry->name.size) != NULL) {
        return "entry name with a NUL";
    }
    return NULL;
}

/* Parse the central header at *at, which moves past it. False if it is cut off or not a header. */
static bool parse_entry(const struct ar_input *input, size_t *at, size_t end,
                        struct ar_entry *entry)
{
    const uint8_t *header = bytes_of(input) + *at;

    if (end - *at < CENTRAL_SIZE || get_u4(header) != CENTRAL_SIGNATURE) {
        return false;
    }
    size_t name_size = get_u2(header + 28);
    size_t extra_size = get_u2(header + 30);
    size_t total = CENTRAL_SIZE + name_size + extra_size + get_u2(header + 32);
    if (end - *at < total) {
        return false;
    }
    *entry = (struct ar_entry){
        .name = {(const char *)header + CENTRAL_SIZE, name_size},
        .made_by = get_u2(header + 4),
        .is_encrypted = (get_u2(header + 8) & 1) != 0,
        .method = get_u2(header + 10),
        .dos_time = get_u2(header + 12),
        .dos_date = get_u2(header + 14),
        .crc32 = get_u4(header + 16),
        .packed_size = get_u4(header + 20),
        .size = get_u4(header + 24),
        .attributes = get_u4(header + 38),
        .offset = get_u4(header + 42),
    };
    *at += total;
    bool is_whole = read_zip64_extra(header + CENTRAL_SIZE + name_size, extra_size, entry);
    entry->offset += input->offset_shift;
    return is_whole;
}

/* Overlapping entries are how a small archive claims more data than it has bytes. */
static enum mb_status check_totals(const struct ar_input *input, struct mb_error *err)
{
    uint64_t packed = 0;
    uint64_t classes = 0;

    for (size_t i = 0; i < input->count; i++) {
        packed += input->entries[i].packed_size + LOCAL_SIZE;
        classes += input->entries[i].kind == AR_ENTRY_CLASS ? input->entries[i].size : 0;
    }
    if (packed > input->data_end) {
        return mb_fail(err, MB_BAD_ARCHIVE, MB_NO_OFFSET,
                       "entries overlap: %llu bytes of data in an archive of %zu",
                       (unsigned long long)packed, input->data_end);
    }
    if (classes > MAX_CLASSES_SIZE) {
        return mb_fail(err, MB_BAD_ARCHIVE, MB_NO_OFFSET, "over 32 GiB of classes");
    }
    return MB_OK;
}

/* Count the headers in the directory. The end record may give fewer: its count has 16 bits, and
 * some writers do not know ZIP64. A JVM counts them too. */
static uint64_t count_headers(const struct ar_input *input, const struct directory *directory)
{
    const uint8_t *bytes = bytes_of(input);
    size_t at = input->data_end;
    uint64_t count = 0;

    while (directory->end - at >= CENTRAL_SIZE && get_u4(bytes + at) == CENTRAL_SIGNATURE) {
        size_t size = CENTRAL_SIZE + get_u2(bytes + at + 28) + get_u2(bytes + at + 30) +
                      (size_t)get_u2(bytes + at + 32);
        if (size > directory->end - at) {
            break;
        }
        at += size;
        count++;
    }
    return count;
}

/* Room that an entry left which the directory does not name is not a prefix. */
static void find_prefix(struct ar_input *input)
{
    size_t size = input->data_end;

    for (size_t i = 0; i < input->count; i++) {
        size = input->entries[i].offset < size ? (size_t)input->entries[i].offset : size;
    }
    if (size < 4 || get_u4(bytes_of(input)) != LOCAL_SIGNATURE) {
        input->prefix = (struct mb_text){input->file.data, size};
    }
}

static enum mb_status list_entries(struct ar_input *input, const struct directory *directory,
                                   struct mb_error *err)
{
    bool is_aar = mb_text_ends(mb_text_of(input->path), MB_TEXT(".aar"));
    size_t at = input->data_end;

    for (size_t i = 0; i < directory->count; i++) {
        struct ar_entry *entry = &input->entries[i];
        size_t header_offset = at;
        if (!parse_entry(input, &at, directory->end, entry)) {
            return mb_fail(err, MB_BAD_ARCHIVE, header_offset,
                           "central directory entry %zu of %llu is damaged", i,
                           (unsigned long long)directory->count);
        }
        entry->kind = ar_entry_classify(entry->name, is_aar);
        const char *fault = find_fault(entry, input->data_end);
        if (fault != NULL) {
            return bad_entry(input, entry, err, fault);
        }
    }
    input->count = (size_t)directory->count;
    return check_totals(input, err);
}

enum mb_status ar_zip_list(struct ar_input *input, struct mb_error *err)
{
    struct directory directory = {0};

    MB_TRY(read_end(input, &directory, err));
    input->data_end = directory.end - (size_t)directory.size;
    input->offset_shift = input->data_end - (size_t)directory.offset;
    uint64_t header_count = count_headers(input, &directory);
    directory.count = header_count > directory.count ? header_count : directory.count;
    if (directory.count >= UINT32_MAX) {
        return mb_fail(err, MB_BAD_ARCHIVE, MB_NO_OFFSET, "over 4,294,967,294 entries");
    }
    input->entries = MB_NEW_ARRAY(&input->arena, struct ar_entry, (size_t)directory.count);
    if (input->entries == NULL) {
        return mb_fail_memory(err);
    }
    MB_TRY(list_entries(input, &directory, err));
    find_prefix(input);
    return ar_drop_duplicates(input, err);
}

/* --- data --- */

enum mb_status ar_zip_locate(const struct ar_input *input, const struct ar_entry *entry,
                             struct mb_text *packed, struct mb_error *err)
{
    const uint8_t *header = bytes_of(input) + entry->offset; /* find_fault: it is inside */
    size_t room = input->data_end - (size_t)entry->offset - LOCAL_SIZE;

    if (get_u4(header) != LOCAL_SIGNATURE) {
        return bad_entry(input, entry, err, "no local header where the directory names one");
    }
    size_t name_size = get_u2(header + 26);
    size_t skipped = name_size + get_u2(header + 28);
    if (name_size != entry->name.size ||
        memcmp(header + LOCAL_SIZE, entry->name.data, name_size) != 0) {
        return bad_entry(input, entry, err, "local header of another entry");
    }
    if (skipped > room || entry->packed_size > room - skipped) {
        return bad_entry(input, entry, err, "entry passes the end of the archive's data");
    }
    if (entry->is_encrypted) {
        return bad_entry(input, entry, err, "entry is encrypted, so that no JVM reads it");
    }
    *packed =
        (struct mb_text){(const char *)header + LOCAL_SIZE + skipped, (size_t)entry->packed_size};
    return MB_OK;
}

/* ---- Equal names ---- */

/* Keep the first place and the last content of each name. Fills table, whose size is a power of
 * two, with index + 1. */
static void keep_last(struct ar_input *input, uint32_t *table, size_t mask)
{
    size_t kept = 0;

    for (size_t i = 0; i < input->count; i++) {
        struct ar_entry *entry = &input->entries[i];
        size_t slot = (size_t)mb_text_hash(entry->name) & mask;
        while (table[slot] != 0 &&
               !mb_text_equal(input->entries[table[slot] - 1].name, entry->name)) {
            slot = (slot + 1) & mask;
        }
        if (table[slot] != 0) {
            input->duplicate_count += entry->kind != AR_ENTRY_DIRECTORY;
            input->entries[table[slot] - 1] = *entry;
            continue;
        }
        input->entries[kept++] = *entry;
        table[slot] = (uint32_t)kept;
    }
    input->count = kept;
}

enum mb_status ar_drop_duplicates(struct ar_input *input, struct mb_error *err)
{
    size_t slots = 16;

    while (slots < input->count * 2) {
        slots *= 2;
    }
    uint32_t *table = calloc(slots, sizeof(*table));
    if (table == NULL) {
        return mb_fail_memory(err);
    }
    keep_last(input, table, slots - 1);
    free(table);
    return MB_OK;
}
