#include "traces.h"

#include "base/file.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char traces_folder[64];
char traces_path[128];
char traces_log[256];

static void take_log(const char *line)
{
    (void)snprintf(traces_log, sizeof(traces_log), "%s", line);
}

void traces_make_folder(void)
{
    (void)snprintf(traces_folder, sizeof(traces_folder), "/tmp/mb_tracesXXXXXX");
    cr_assert(mkdtemp(traces_folder) != NULL);
    (void)snprintf(traces_path, sizeof(traces_path), "%s/a.mbtrace", traces_folder);
}

void traces_remove_folder(void)
{
    char command[96];

    (void)snprintf(command, sizeof(command), "rm -rf %s", traces_folder);
    (void)!system(command);
}

struct beat_options traces_options(const char *file)
{
    struct beat_options options;

    beat_options_init(&options);
    options.file = file;
    options.log = take_log;
    options.main_thread = (int32_t)gettid();
    return options;
}

void traces_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    cr_assert(file != NULL);
    (void)fputs(text, file);
    (void)fclose(file);
}

size_t traces_count_files(void)
{
    DIR *folder = opendir(traces_folder);
    size_t count = 0;

    cr_assert(folder != NULL);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
    return count;
}

struct traces_loaded traces_load(const char *path)
{
    struct traces_loaded loaded = {0};
    struct mb_error err = {0};
    bool used;

    cr_assert(eq(int, mb_file_read(&loaded.bytes, path, NULL), MB_OK));
    cr_assert(eq(int,
                 abi_tracefile_open(&loaded.trace, loaded.bytes.bytes, loaded.bytes.size, &err),
                 MB_OK),
              "%s", err.reason);
    cr_assert(eq(int, abi_tracefile_ring(&loaded.trace, 0, &loaded.main, &used, NULL), MB_OK));
    return loaded;
}

bool traces_find_ring(const struct traces_loaded *loaded, const char *thread_name,
                      struct abi_ring_view *view)
{
    bool used;

    for (uint32_t i = 0; i < loaded->trace.header.ring_count; i++) {
        if (abi_tracefile_ring(&loaded->trace, i, view, &used, NULL) == MB_OK && used &&
            strcmp(view->entry.thread_name, thread_name) == 0) {
            return true;
        }
    }
    return false;
}
