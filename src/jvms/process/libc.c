#include "jvms/process/libc.h"

#include "base/check.h"
#include "base/text.h"
#include "jvms/process/jvm_look.h"
#include "jvms/process/status.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_HEADERS 64

bool proc_libc_is_musl(pid_t pid)
{
    struct proc_jvm_maps maps;

    return proc_jvm_maps_read(&maps, pid) && maps.is_musl;
}

/* ---- Programs ---- */

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
    return offset <= INT64_MAX && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* The path of its loader; false unless the file is a dynamic program of 64 bits. */
static bool read_loader(int fd, char *loader, size_t size)
{
    Elf64_Ehdr elf;
    Elf64_Phdr header;

    if (!read_at(fd, &elf, sizeof(elf), 0) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof(header)) {
        return false;
    }
    for (uint64_t i = 0; i < elf.e_phnum && i < MOST_HEADERS; i++) {
        if (!read_at(fd, &header, sizeof(header), elf.e_phoff + i * sizeof(header))) {
            return false;
        }
        if (header.p_type == PT_INTERP) {
            bool fits = header.p_filesz > 0 && header.p_filesz < size;
            loader[fits ? header.p_filesz : 0] = '\0';
            return fits && read_at(fd, loader, header.p_filesz, header.p_offset);
        }
    }
    return false;
}

/* False if nothing is known from this program. */
static bool know_program(const char *path, bool *is_musl)
{
    char loader[256];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool is_known = fd >= 0 && read_loader(fd, loader, sizeof(loader));

    if (fd >= 0) {
        (void)close(fd);
    }
    if (is_known) {
        *is_musl = strncmp(mb_last_part(loader), "ld-musl-", strlen("ld-musl-")) == 0;
    }
    return is_known;
}

static bool know_on_path(const char *name, bool *is_musl)
{
    const char *rest = getenv("PATH");
    char path[PATH_MAX];

    if (strchr(name, '/') != NULL) {
        return know_program(name, is_musl);
    }
    while (rest != NULL && *rest != '\0') {
        size_t size = strcspn(rest, ":");
        (void)snprintf(path, sizeof(path), "%.*s/%s", (int)size, rest, name);
        if (access(path, X_OK) == 0) {
            return know_program(path, is_musl);
        }
        rest += size + (rest[size] == ':');
    }
    return false;
}

bool proc_libc_will_be_musl(const char *command)
{
    const char *home = getenv("JAVA_HOME");
    char java[PATH_MAX];
    bool is_musl = false;

    (void)snprintf(java, sizeof(java), "%s/bin/java", home != NULL ? home : "");
    const char *const programs[] = {command, home != NULL ? java : "java", "java", "/bin/sh"};
    for (size_t i = 0; i < MB_COUNT(programs) && !know_on_path(programs[i], &is_musl); i++) {
    }
    return is_musl;
}

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
