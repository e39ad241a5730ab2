#include "classes.h"

#include "archive/input.h"

#include <stdio.h>
#include <stdlib.h>

void bench_stop(const struct mb_error *err)
{
    char text[1024];

    fprintf(stderr, "%s\n", mb_error_format(err, text, sizeof(text)));
    exit(1);
}

void bench_stop_without_memory(void)
{
    fputs("no memory\n", stderr);
    exit(1);
}

static void keep_class(struct bench_classes *classes, struct mb_text name, struct mb_text content)
{
    struct bench_class *loaded;

    if (classes->count == classes->capacity) {
        classes->capacity = 2 * classes->capacity + 1024;
        loaded = realloc(classes->rows, classes->capacity * sizeof(*loaded));
        if (loaded == NULL) {
            bench_stop_without_memory();
        }
        classes->rows = loaded;
    }
    loaded = &classes->rows[classes->count++];
    loaded->entry_name.data = mb_arena_copy(&classes->storage, name.data, name.size);
    loaded->entry_name.size = name.size;
    loaded->bytes = (const uint8_t *)mb_arena_copy(&classes->storage, content.data, content.size);
    loaded->size = content.size;
    if (loaded->entry_name.data == NULL || loaded->bytes == NULL) {
        bench_stop_without_memory();
    }
    classes->bytes += content.size;
}

void bench_load_jar(struct bench_classes *classes, const char *path)
{
    struct ar_codec *codec = ar_codec_create(AR_COMPRESSION_FAST);
    struct mb_buf scratch = {0};
    struct ar_input *input;
    struct mb_error err;

    if (codec == NULL) {
        bench_stop_without_memory();
    }
    if (ar_input_open(&input, path, &err) != MB_OK) {
        bench_stop(&err);
    }
    for (size_t i = 0; i < ar_input_count(input); i++) {
        const struct ar_entry *entry = ar_input_entry(input, i);
        struct mb_text content;

        if (entry->kind != AR_ENTRY_CLASS) {
            continue;
        }
        if (ar_entry_read(input, i, codec, &scratch, &content, &err) != MB_OK) {
            bench_stop(&err);
        }
        keep_class(classes, entry->name, content);
    }
    ar_input_close(input);
    ar_codec_destroy(codec);
    mb_buf_finish(&scratch);
}

void bench_classes_finish(struct bench_classes *classes)
{
    mb_arena_finish(&classes->storage);
    free(classes->rows);
    *classes = (struct bench_classes){0};
}
