#include "instrument/marks.h"

#include "base/file.h"
#include "instrument/run.h"

#include <string.h>
#include <sys/stat.h>

struct ins_file_mark ins_mark_file(const char *path)
{
    struct stat info;

    if (path == NULL || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return (struct ins_file_mark){0};
    }
    return (struct ins_file_mark){
        .size = (uint64_t)info.st_size,
        .inode = (uint64_t)info.st_ino,
        .seconds = (int64_t)info.st_mtim.tv_sec,
        .nanoseconds = (int64_t)info.st_mtim.tv_nsec,
    };
}

bool ins_is_marked(const struct ins_file_mark *mark, const char *path)
{
    struct ins_file_mark now = ins_mark_file(path);

    return mark->inode != 0 && memcmp(mark, &now, sizeof(now)) == 0;
}

uint64_t ins_hash_join(uint64_t hash, uint64_t word)
{
    uint64_t pair[2] = {hash, word};

    return mb_text_hash((struct mb_text){(const char *)pair, sizeof(pair)});
}

/* Names, checksums and sizes: a jar with the same directory has the same content. Jars inside AARs
 * are known by their own. */
uint64_t ins_mark_source(const struct ins_source *source)
{
    uint64_t hash = 1;

    if (ar_input_kind(source->archive) != AR_INPUT_JAR) {
        return 0;
    }
    for (size_t i = 0; i < ar_input_count(source->archive); i++) {
        const struct ar_entry *entry = ar_input_entry(source->archive, i);
        hash = ins_hash_join(hash, mb_text_hash(entry->name));
        hash = ins_hash_join(hash, (uint64_t)entry->crc32 << 32 | (uint32_t)entry->dos_date << 16 |
                                       entry->dos_time);
        hash = ins_hash_join(hash, entry->size);
        hash = ins_hash_join(hash, entry->packed_size);
        hash = ins_hash_join(hash, (uint64_t)entry->method << 32 | entry->attributes);
    }
    hash = ins_hash_join(hash, ar_input_bytes(source->archive).size);
    return hash != 0 ? hash : 1;
}

static uint64_t join_text(uint64_t hash, const char *text)
{
    return text != NULL ? ins_hash_join(hash, mb_text_hash(mb_text_of(text)))
                        : ins_hash_join(hash, 0);
}

static enum mb_status join_files(uint64_t *hash, const char *const *paths, size_t count,
                                 struct mb_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct mb_buf file = {0};
        enum mb_status status = mb_file_read(&file, paths[i], err);
        *hash = ins_hash_join(*hash,
                              mb_text_hash((struct mb_text){(const char *)file.bytes, file.size}));
        mb_buf_finish(&file);
        MB_TRY(status);
    }
    return MB_OK;
}

enum mb_status ins_fingerprint(const struct ins_run *run, uint64_t *fingerprint,
                               struct mb_error *err)
{
    const struct ins_options *options = run->options;
    uint64_t hash = join_text(1, MB_VERSION);

    const uint64_t words[] = {options->profile,        options->no_default_blacklist,
                              options->exceptions,     options->compression,
                              options->keep_resources, options->explain != NULL,
                              options->strict,         options->inputs.count};
    for (size_t i = 0; i < MB_COUNT(words); i++) {
        hash = ins_hash_join(hash, words[i]);
    }
    hash = join_text(hash, options->beat_class);
    hash = join_text(hash, options->output_dir);
    hash = join_text(hash, options->output_jar);
    hash = join_text(hash, options->method_map);
    hash = join_text(hash, options->ignore_map);
    for (size_t i = 0; i < options->activities.count; i++) {
        hash = join_text(hash, options->activities.items[i]);
    }
    for (size_t i = 0; i < options->classpath.count; i++) {
        struct ins_file_mark mark = ins_mark_file(options->classpath.items[i]);
        hash =
            ins_hash_join(hash, mb_text_hash((struct mb_text){(const char *)&mark, sizeof(mark)}));
    }
    MB_TRY(join_files(&hash, options->blacklists.items, options->blacklists.count, err));
    MB_TRY(join_files(&hash, &options->base_map, options->base_map != NULL, err));
    *fingerprint = hash;
    return MB_OK;
}
