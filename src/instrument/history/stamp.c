#include "instrument/history/stamp.h"

#include "base/file.h"

#include <errno.h>
#include <string.h>

static struct history_stamp stamp_from(const struct mb_file_info *info)
{
    return (struct history_stamp){
        .size = info->size, .number = info->id.number, .changed_ns = info->changed_ns};
}

struct history_stamp history_stamp_of(const char *path)
{
    struct mb_file_info info;

    return path != NULL && mb_file_look(NULL, path, &info) && info.type == MB_FILE_REGULAR
               ? stamp_from(&info)
               : (struct history_stamp){0};
}

struct history_stamp history_stamp_output(struct pub_outputs *publish, const char *path)
{
    struct mb_file_info info;

    return path != NULL && pub_look(publish, path, &info) && info.type == MB_FILE_REGULAR
               ? stamp_from(&info)
               : (struct history_stamp){0};
}

static bool is_equal(const struct history_stamp *stamp, const struct history_stamp *now)
{
    return stamp->number != 0 && memcmp(stamp, now, sizeof(*now)) == 0;
}

bool history_is_stamped(const struct history_stamp *stamp, const char *path)
{
    struct history_stamp now = history_stamp_of(path);

    return is_equal(stamp, &now);
}

enum mb_status history_check_stamp(const struct history_stamp *stamp, const char *path,
                                   bool *is_stamped, struct mb_error *err)
{
    struct mb_file_info info;

    *is_stamped = false;
    if (mb_file_look(NULL, path, &info)) {
        struct history_stamp now = stamp_from(&info);
        *is_stamped = is_equal(stamp, &now);
    } else if (errno != ENOENT && errno != ENOTDIR) {
        return mb_fail_file(err, path, "cannot stat");
    }
    return MB_OK;
}

uint64_t history_hash_join(uint64_t hash, uint64_t word)
{
    uint64_t pair[2] = {hash, word};

    return mb_text_hash((struct mb_text){(const char *)pair, sizeof(pair)});
}

uint64_t history_hash_text(uint64_t hash, const char *text)
{
    return history_hash_join(hash, text != NULL ? mb_text_hash(mb_text_of(text)) : 0);
}

/* Names, checksums and sizes: a jar with the same directory has the same content. Jars inside
 * archives are known by their own. */
uint64_t history_hash_source(const struct plan_source *source)
{
    uint64_t hash = 1;

    if (ar_input_kind(source->archive) != AR_INPUT_JAR) {
        return 0;
    }
    for (size_t i = 0; i < ar_input_count(source->archive); i++) {
        const struct ar_entry *entry = ar_input_entry(source->archive, i);
        uint64_t time = (uint32_t)entry->dos_date << 16 | entry->dos_time;
        hash = history_hash_join(hash, mb_text_hash(entry->name));
        hash = history_hash_join(hash, (uint64_t)entry->crc32 << 32 | time);
        hash = history_hash_join(hash, entry->size);
        hash = history_hash_join(hash, entry->packed_size);
        hash = history_hash_join(hash, (uint64_t)entry->method << 32 | entry->attributes);
    }
    hash = history_hash_join(hash, ar_input_bytes(source->archive).size);
    return hash != 0 ? hash : 1;
}

static uint64_t hash_bytes(uint64_t hash, struct mb_text bytes)
{
    return history_hash_join(hash, mb_text_hash(bytes));
}

static enum mb_status hash_entries(uint64_t *hash, const struct ar_input *folder,
                                   struct mb_error *err)
{
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_STORE);
    struct mb_buf scratch = {0};
    enum mb_status status = codec != NULL ? MB_OK : mb_fail_memory(err);

    for (size_t i = 0; i < ar_input_count(folder) && status == MB_OK; i++) {
        struct mb_text content = {NULL, 0};
        status = ar_entry_read(folder, i, codec, &scratch, &content, err);
        *hash = hash_bytes(*hash, ar_input_entry(folder, i)->name);
        *hash = hash_bytes(*hash, content);
    }
    mb_buf_finish(&scratch);
    ar_codec_destroy(codec);
    return status;
}

static enum mb_status hash_folder(uint64_t *hash, const char *path, struct mb_error *err)
{
    struct ar_input *folder;

    MB_TRY(ar_input_open(&folder, path, err));
    enum mb_status status = hash_entries(hash, folder, err);
    ar_input_close(folder);
    return status;
}

enum mb_status history_hash_content(uint64_t *hash, const char *path, struct mb_error *err)
{
    struct mb_file_info info;
    struct mb_buf file = {0};

    if (mb_file_look(NULL, path, &info) && info.type == MB_FILE_FOLDER) {
        return hash_folder(hash, path, err);
    }
    enum mb_status status = mb_file_read(&file, path, err);
    *hash = hash_bytes(*hash, (struct mb_text){(const char *)file.bytes, file.size});
    mb_buf_finish(&file);
    return status;
}
