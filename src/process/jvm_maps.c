#include "process/jvm_look.h"

#include "process/status.h"

#include <stdio.h>
#include <string.h>

#define MOST_LINES 200000 /* three times what a process may have by default */

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* "ADDRESSES PERMISSIONS OFFSET DEVICE INODE PATH" */
static void take_line(struct proc_jvm_maps *maps, char *line)
{
    char *path = strchr(line, '/');
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;

    if (slash == NULL) {
        return;
    }
    path[strcspn(path, "\n")] = '\0';
    if (starts_with(slash, "/libjvm.so")) {
        (void)snprintf(maps->library, sizeof(maps->library), "%s", path);
    }
    maps->is_openj9 = maps->is_openj9 || starts_with(slash, "/libj9vm");
    maps->is_musl =
        maps->is_musl || starts_with(slash, "/ld-musl-") || strcmp(slash, "/libc.so") == 0;
    if (starts_with(slash, "/libmethodbeat-agent")) {
        (void)snprintf(maps->agent, sizeof(maps->agent), "%s", path);
    }
    maps->has_recorder = maps->has_recorder || starts_with(slash, "/libmethodbeat");
}

bool proc_jvm_maps_read(struct proc_jvm_maps *maps, pid_t pid)
{
    char name[64];
    char line[PATH_MAX + 256];
    bool is_read = false;

    *maps = (struct proc_jvm_maps){.library = "", .agent = ""};
    (void)snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
    FILE *file = fopen(name, "re");
    for (int i = 0; i < MOST_LINES && file != NULL && fgets(line, sizeof(line), file) != NULL;
         i++) {
        take_line(maps, line);
        is_read = true;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    proc_own_path(pid, maps->library);
    proc_own_path(pid, maps->agent);
    return is_read;
}
