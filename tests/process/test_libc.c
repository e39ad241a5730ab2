#include "jvms/process/libc.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/mb_libcXXXXXX";

struct program {
    Elf64_Ehdr elf;
    Elf64_Phdr headers[2];
    char loader[32];
};

/* A program with this loader, whose second header says so. */
static struct program program_of(const char *loader)
{
    struct program made = {
        .elf = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                .e_phoff = offsetof(struct program, headers),
                .e_phentsize = sizeof(Elf64_Phdr),
                .e_phnum = 2},
        .headers = {{.p_type = PT_LOAD},
                    {.p_type = PT_INTERP,
                     .p_offset = offsetof(struct program, loader),
                     .p_filesz = strlen(loader) + 1}},
    };

    (void)snprintf(made.loader, sizeof(made.loader), "%s", loader);
    return made;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
    cr_assert(eq(long, (long)write(fd, bytes, size), (long)size));
    (void)close(fd);
}

static void write_program(const char *name, const struct program *program)
{
    write_file(name, program, sizeof(*program));
}

static bool is_musl(const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return proc_libc_will_be_musl(path);
}

static void make_folder(void)
{
    cr_assert(ne(ptr, mkdtemp(folder), NULL));
    (void)setenv("PATH", folder, 1);
    (void)unsetenv("JAVA_HOME");
}

TestSuite(libc, .init = make_folder);

Test(libc, a_program_is_known_by_its_loader)
{
    struct program musl = program_of("/lib/ld-musl-x86_64.so.1");
    struct program glibc = program_of("/lib64/ld-linux-x86-64.so.2");

    write_program("alpine", &musl);
    write_program("debian", &glibc);
    cr_expect(is_musl("alpine"));
    cr_expect(not(is_musl("debian")));
    cr_expect(proc_libc_will_be_musl("alpine"), "by PATH");
}

Test(libc, a_script_is_known_by_the_java_that_it_may_start)
{
    struct program musl = program_of("/lib/ld-musl-aarch64.so.1");
    struct program glibc = program_of("/lib/ld-linux-aarch64.so.1");
    char bin[64];

    write_file("gradlew", "#!/bin/sh\n", 10);
    cr_expect(not(is_musl("gradlew")), "the shell's, which is glibc's here");
    write_program("java", &musl);
    cr_expect(is_musl("gradlew"));
    cr_expect(is_musl("absent"));
    (void)snprintf(bin, sizeof(bin), "%s/bin", folder);
    cr_assert(zero(int, mkdir(bin, 0700)));
    write_program("bin/java", &glibc);
    (void)setenv("JAVA_HOME", folder, 1);
    cr_expect(not(is_musl("gradlew")), "that of JAVA_HOME comes first");
}

Test(libc, a_damaged_program_is_none)
{
    struct program musl = program_of("/lib/ld-musl-x86_64.so.1");
    const struct program whole = musl;

    musl.elf.e_phoff = UINT64_MAX - 8;
    write_program("a", &musl);
    cr_expect(not(is_musl("a")));
    musl = whole;
    musl.headers[1].p_offset = UINT64_MAX;
    write_program("a", &musl);
    cr_expect(not(is_musl("a")));
    musl = whole;
    musl.headers[1].p_filesz = UINT64_MAX;
    write_program("a", &musl);
    cr_expect(not(is_musl("a")));
    musl = whole;
    musl.elf.e_phnum = 1;
    write_program("a", &musl);
    cr_expect(not(is_musl("a")));
    for (size_t size = 0; size < offsetof(struct program, loader); size += 7) {
        write_file("a", &whole, size);
        cr_expect(not(is_musl("a")));
    }
}
