#include "recorder/name.h"

#include "base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool continues_character(char byte)
{
    return ((unsigned char)byte & 0xC0u) == 0x80u;
}

void beat_name_copy(char name[ABI_TRACE_NAME_SIZE], const char *from)
{
    size_t size = strnlen(from, ABI_TRACE_NAME_SIZE);

    if (size == ABI_TRACE_NAME_SIZE) {
        size--;
        while (size > 0 && continues_character(from[size])) {
            size--;
        }
    }
    memmove(name, from, size);
    memset(name + size, 0, ABI_TRACE_NAME_SIZE - size);
}

static bool is_plain(char byte, bool is_first)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' || (byte == '.' && !is_first);
}

void beat_name_as_file(char *text, size_t size, const char *name)
{
    size_t used = 0;

    for (; used + 1 < size && name[used] != '\0'; used++) {
        text[used] = is_plain(name[used], used == 0) ? name[used] : '_';
    }
    text[used] = '\0';
    if (used == 0) {
        (void)snprintf(text, size, "unnamed");
    }
}

void beat_name_of_thread(char name[ABI_TRACE_NAME_SIZE], uint32_t thread_id)
{
    char path[64];
    char found[ABI_TRACE_NAME_SIZE] = "";

    (void)snprintf(path, sizeof(path), "/proc/self/task/%u/comm", thread_id);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    ssize_t size = read(fd, found, sizeof(found) - 1);
    (void)close(fd);
    if (size > 0) {
        found[strcspn(found, "\n")] = '\0';
        beat_name_copy(name, found);
    }
}

bool beat_name_is_alike(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        if (mb_is_digit(*a) && mb_is_digit(*b)) {
            a += strspn(a, "0123456789");
            b += strspn(b, "0123456789");
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}
