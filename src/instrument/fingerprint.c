#include "instrument/slices.h"

#include "instrument/history/stamp.h"

static uint64_t join_words(uint64_t hash, const struct ins_options *options)
{
    const uint64_t words[] = {
        options->profile,          options->no_default_blacklist, options->exceptions,
        options->compression,      options->keep_resources,       options->explain != NULL,
        options->strict,           options->mapping != NULL,      options->base_map != NULL,
        options->inputs.count,     options->blacklists.count,     options->classpath.count,
        options->activities.count, options->grows_huge,
    };

    for (size_t i = 0; i < MB_COUNT(words); i++) {
        hash = history_hash_join(hash, words[i]);
    }
    return hash;
}

static uint64_t join_texts(uint64_t hash, const struct ins_options *options)
{
    const char *const texts[] = {
        MB_VERSION,          options->beat_class, options->output_dir,
        options->output_jar, options->method_map, options->ignore_map,
    };

    for (size_t i = 0; i < MB_COUNT(texts); i++) {
        hash = history_hash_text(hash, texts[i]);
    }
    for (size_t i = 0; i < options->activities.count; i++) {
        hash = history_hash_text(hash, options->activities.items[i]);
    }
    return hash;
}

/* --explain names the file of a rule. */
static enum mb_status join_blacklists(uint64_t *hash, const struct ins_options *options,
                                      struct mb_error *err)
{
    for (size_t i = 0; i < options->blacklists.count; i++) {
        *hash = history_hash_text(*hash, options->blacklists.items[i]);
        MB_TRY(history_hash_content(hash, options->blacklists.items[i], err));
    }
    return MB_OK;
}

static bool is_folder(const char *path)
{
    struct mb_file_info info;

    return mb_file_look(NULL, path, &info) && info.type == MB_FILE_FOLDER;
}

/* A jar of the class path is large and seldom changes: it counts as the file that it was. */
static enum mb_status join_classpath(uint64_t *hash, const struct ins_list *paths,
                                     struct mb_error *err)
{
    for (size_t i = 0; i < paths->count; i++) {
        if (is_folder(paths->items[i])) {
            MB_TRY(history_hash_content(hash, paths->items[i], err));
            continue;
        }
        struct history_stamp stamp = history_stamp_of(paths->items[i]);
        struct mb_text text = {(const char *)&stamp, sizeof(stamp)};
        *hash = history_hash_join(*hash, mb_text_hash(text));
    }
    return MB_OK;
}

static enum mb_status join_content(uint64_t *hash, const char *path, struct mb_error *err)
{
    return path != NULL ? history_hash_content(hash, path, err) : MB_OK;
}

enum mb_status ins_fingerprint(const struct ins_options *options, uint64_t *fingerprint,
                               struct mb_error *err)
{
    *fingerprint = join_texts(join_words(1, options), options);
    MB_TRY(join_classpath(fingerprint, &options->classpath, err));
    MB_TRY(join_blacklists(fingerprint, options, err));
    MB_TRY(join_content(fingerprint, options->mapping, err));
    return join_content(fingerprint, options->base_map, err);
}

uint64_t ins_hash_choice(const struct ins_options *options)
{
    uint64_t hash = history_hash_join(history_hash_join(1, options->profile), options->exceptions);

    return history_hash_text(hash, options->beat_class);
}
