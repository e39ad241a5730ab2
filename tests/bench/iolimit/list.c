/* What there is to do: the entries of a jar or of a folder. */

#include "iolimit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct entry *add_entry(struct input *input, const char *name, size_t name_size)
{
    static const char suffix[] = ".class";
    const size_t suffix_size = sizeof(suffix) - 1;
    struct entry *entry;

    if (input->entry_count == input->entry_capacity) {
        input->entry_capacity = 2 * input->entry_capacity + 256;
        input->entries = io_resize(input->entries, input->entry_capacity * sizeof(*entry));
    }
    entry = &input->entries[input->entry_count++];
    *entry = (struct entry){.name = name, .name_size = (uint16_t)name_size};
    entry->is_class =
        name_size > suffix_size && memcmp(name + name_size - suffix_size, suffix, suffix_size) == 0;
    return entry;
}

static void list_jar(struct input *input)
{
    const uint8_t *end = input->map + input->map_size - IO_END_SIZE;
    const uint8_t *header;
    size_t stub_size; /* of a shell script in front of the archive */

    while (end > input->map && io_get_u4(end) != 0x06054b50) {
        end--;
    }
    header = end - io_get_u4(end + 12);
    stub_size = (size_t)(header - input->map) - io_get_u4(end + 16);
    for (unsigned left = io_get_u2(end + 10); left > 0; left--) {
        struct entry *entry;

        if (end - header < IO_CENTRAL_SIZE || io_get_u4(header) != 0x02014b50) {
            io_stop(input->path, "no jar that this program can read");
        }
        entry = add_entry(input, (const char *)header + IO_CENTRAL_SIZE, io_get_u2(header + 28));
        entry->flags = io_get_u2(header + 8) & 0x800;
        entry->method = io_get_u2(header + 10);
        entry->crc = io_get_u4(header + 16);
        entry->packed_size = io_get_u4(header + 20);
        entry->size = io_get_u4(header + 24);
        entry->offset = io_get_u4(header + 42) + stub_size;
        header +=
            IO_CENTRAL_SIZE + entry->name_size + io_get_u2(header + 30) + io_get_u2(header + 32);
    }
}

/* List one folder of the tree and make its twin in the output; sub folders join the queue. */
static void list_folder(struct input *input, const char *below, char ***queue, size_t *queue_size)
{
    int fd = openat(input->folder, *below != '\0' ? below : ".", O_RDONLY | O_DIRECTORY);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *found;

    if (folder == NULL) {
        io_stop(below, strerror(errno));
    }
    while ((found = readdir(folder)) != NULL) {
        size_t size = strlen(below) + strlen(found->d_name) + 2;
        char *name;

        if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) {
            continue;
        }
        name = io_resize(NULL, size);
        snprintf(name, size, "%s%s%s", below, *below != '\0' ? "/" : "", found->d_name);
        if (found->d_type != DT_DIR) {
            add_entry(input, name, size - (*below != '\0' ? 1 : 2));
            continue;
        }
        (void)mkdirat(input->output, name, 0777);
        *queue = io_resize(*queue, (*queue_size + 1) * sizeof(**queue));
        (*queue)[(*queue_size)++] = name;
    }
    (void)closedir(folder);
}

static void list_tree(struct input *input)
{
    char **queue = NULL;
    size_t queue_size = 0;

    list_folder(input, "", &queue, &queue_size);
    for (size_t i = 0; i < queue_size; i++) {
        list_folder(input, queue[i], &queue, &queue_size);
        free(queue[i]);
    }
    free(queue);
}

static void map_jar(struct input *input, int fd, size_t size)
{
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

    if (map == MAP_FAILED || size < IO_END_SIZE) {
        io_stop(input->path, "cannot be mapped");
    }
    (void)close(fd);
    input->map = map;
    input->map_size = size;
    input->output = -1;
}

void io_list(struct input *input)
{
    struct stat status;
    int fd = open(input->path, O_RDONLY);

    if (fd < 0 || fstat(fd, &status) != 0) {
        io_stop(input->path, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        (void)mkdir(input->output_path, 0777);
        input->folder = fd;
        input->output = open(input->output_path, O_RDONLY | O_DIRECTORY);
        list_tree(input);
    } else {
        map_jar(input, fd, (size_t)status.st_size);
        list_jar(input);
    }
}
