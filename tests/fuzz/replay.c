/* Run a fuzz target over its corpus as an ordinary test: each file as it is, cut off after each of
 * its first bytes, and with each of these changed.
 * usage: fuzz_TARGET FOLDER */

#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

enum { TRIED_BYTES = 400 };

static uint8_t content[1 << 20];

/* A copy of its own size, so that the sanitizer sees a read behind the end. */
static void try(size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    if (copy == NULL) {
        abort();
    }
    memcpy(copy, content, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void try_variants(size_t size)
{
    static const uint8_t changes[] = {0x01, 0x80, 0xff};

    try(size);
    for (size_t i = 0; i < size && i < TRIED_BYTES; i++) {
        try(i);
        for (size_t k = 0; k < sizeof(changes); k++) {
            content[i] ^= changes[k];
            try(size);
            content[i] ^= changes[k];
        }
    }
}

static int replay(const char *folder, const char *name)
{
    char path[4096];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 0;
    }
    try_variants(fread(content, 1, sizeof(content), file));
    (void)fclose(file);
    return 1;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    int count = 0;

    if (folder == NULL) {
        (void)fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] != '.') {
            count += replay(argv[1], entry->d_name);
        }
    }
    (void)closedir(folder);
    (void)printf("%d files and their variants\n", count);
    return count > 0 ? 0 : 1;
}
