/* What a process that died left, in any bytes: a note is refused, or all its texts lie inside it.
 */

#include "fuzz.h"

#include "monitor/spool/note.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define NAME ".1-2"

static struct spool_folder folder = {.fd = -1, .lock = -1};
static char path[] = "/tmp/mb_fuzzXXXXXX";

static void remove_folder(void)
{
    (void)unlinkat(folder.fd, NAME, 0);
    (void)rmdir(path);
}

static void open_folder(void)
{
    if (folder.fd < 0) {
        PROMISE(mkdtemp(path) != NULL);
        folder.fd = open(path, O_RDONLY | O_DIRECTORY);
        folder.id = mb_file_identify(folder.fd);
        (void)atexit(remove_folder);
    }
}

static void read_note(void)
{
    const struct spool_incident incident = {1, 2};
    struct spool_item item = {0};
    static volatile uint64_t sum;

    if (spool_note_read(&folder, incident, &item)) {
        sum = sum + mb_text_hash(spool_item_issue(&item)) + mb_text_hash(spool_item_copy(&item));
        PROMISE(item.head.detail < MON_DETAIL_COUNT && item.head.ended < MON_ENDED_OPEN);
        PROMISE(item.head.loop < MON_LOOP_COUNT);
        PROMISE(strlen(item.head.own_detail) < sizeof(item.head.own_detail));
    }
    mb_buf_finish(&item.text);
}

/* As it is. */
static void read_bytes(const uint8_t *bytes, size_t size)
{
    int fd = openat(folder.fd, NAME, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    PROMISE(fd >= 0 && mb_file_put_at(fd, bytes, size, 0));
    (void)close(fd);
    read_note();
}

/* As the text of a note whose head is right, as no accident makes it. */
static void read_text(const uint8_t *bytes, size_t size)
{
    struct spool_item item = {.head = {.incident = {1, 2},
                                       .detail = MON_ANR,
                                       .ended = MON_ENDED_KILLED,
                                       .issue_size = size / 2}};

    mb_buf_put(&item.text, bytes, size);
    PROMISE(spool_note_write(&folder, &item));
    mb_buf_finish(&item.text);
    read_note();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct spool_file_name name;

    open_folder();
    read_bytes(bytes, size);
    read_text(bytes, size);
    (void)spool_file_name_read(&name, (struct mb_text){(const char *)bytes, size});
    return 0;
}
