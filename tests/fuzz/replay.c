/* Where there is no libFuzzer: runs a target over the files of a corpus, and over changed copies of
 * them that are the same in every run.
 *
 * usage: TARGET [-changes=N] [-seconds=S] FOLDER...
 * N changed copies of each file, 0 unless told, but no new ones once its share of S seconds is
 * over. */

#include "fuzz.h"

#include "base/file.h"

#include <dirent.h>
#include <math.h>
#include <string.h>
#include <time.h>

#define EDITS 4 /* at most, in one copy */

struct limits {
    uint32_t changes; /* of a file */
    double seconds;   /* of a folder; 0: no limit */
};

/* Marsaglia's xorshift, seeded per file: changes do not depend on the rest of the corpus. */
static uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Overwrite a byte or two with anything or something extreme, cut the end, or repeat a part. */
static size_t change(uint8_t *bytes, size_t size, uint32_t *state)
{
    static const uint8_t extremes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    size_t at = size > 0 ? draw(state) % size : 0;
    size_t from = size > 0 ? draw(state) % size : 0;
    size_t length = size > 0 ? draw(state) % (size - (at > from ? at : from)) : 0;

    switch (size > 0 ? draw(state) % 8 : 8) {
    case 0:
        memmove(bytes + at, bytes + from, length);
        return size;
    case 1:
        return draw(state) % 8 == 0 ? at : size;
    case 2:
    case 3:
        bytes[at] = (uint8_t)draw(state);
        return size;
    case 8:
        return size;
    default:
        bytes[at] = extremes[draw(state) % sizeof(extremes)];
        return size;
    }
}

static double now(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Returns how often. */
static size_t run(const struct mb_buf *file, uint32_t changes, double end)
{
    uint32_t state = 2463534242U;
    size_t count = 0;

    for (uint32_t i = 0; i <= changes && (i == 0 || now() < end); i++) {
        size_t size = file->size;
        uint8_t *copy = malloc(size); /* exact, so that sanitizers see overruns */
        PROMISE(copy != NULL || size == 0);
        if (size > 0) {
            memcpy(copy, file->bytes, size);
        }
        for (uint32_t edits = i > 0 ? 1 + draw(&state) % EDITS : 0; edits > 0; edits--) {
            size = change(copy, size, &state);
        }
        uint8_t *exact = realloc(copy, size > 0 ? size : 1);
        PROMISE(exact != NULL);
        (void)LLVMFuzzerTestOneInput(exact, size);
        free(exact);
        count++;
    }
    return count;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static size_t run_folder(const char *folder, const struct limits *limits, size_t *inputs)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_visible, alphasort);
    struct mb_buf file = {0};
    double start = now();

    for (int i = 0; i < count; i++) {
        char path[4096];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        mb_buf_reset(&file);
        PROMISE(mb_file_read(&file, path, NULL) == MB_OK);
        double end = start + limits->seconds * (i + 1) / count;
        *inputs += run(&file, limits->changes, limits->seconds > 0 ? end : HUGE_VAL);
        free(entries[i]);
    }
    free((void *)entries);
    mb_buf_finish(&file);
    return count > 0 ? (size_t)count : 0;
}

int main(int argc, char **argv)
{
    struct limits limits = {0};
    size_t count = 0;
    size_t inputs = 0;

    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-changes=", 9) == 0) {
            limits.changes = (uint32_t)strtoul(argv[i] + 9, NULL, 10);
        } else if (strncmp(argv[i], "-seconds=", 9) == 0) {
            limits.seconds = strtod(argv[i] + 9, NULL);
        } else {
            count += run_folder(argv[i], &limits, &inputs);
        }
    }
    (void)printf("%zu files, %zu inputs\n", count, inputs);
    return count > 0 ? 0 : 1;
}
