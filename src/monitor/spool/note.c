#include "monitor/spool/note.h"

#include "base/json.h"
#include "monitor/spool/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x344554544e42544d) /* changes with the layout */

struct mb_text spool_item_issue(const struct spool_item *item)
{
    return (struct mb_text){(const char *)item->text.bytes, (size_t)item->head.issue_size};
}

struct mb_text spool_item_copy(const struct spool_item *item)
{
    struct mb_text issue = spool_item_issue(item);

    return (struct mb_text){issue.data + issue.size, item->text.size - issue.size};
}

static void put_name(char name[SPOOL_NAME_SIZE], struct spool_incident incident)
{
    (void)snprintf(name, SPOOL_NAME_SIZE, ".%" PRIx64 "-%" PRIu32, incident.start, incident.number);
}

/* The program may have closed the descriptor and reused its number. */
static bool is_there(const struct spool_folder *folder)
{
    return mb_file_is(folder->fd, &folder->id);
}

bool spool_note_write(const struct spool_folder *folder, const struct spool_item *item)
{
    struct spool_head head = item->head;
    const struct mb_text parts[2] = {{(const char *)&head, sizeof(head)},
                                     {(const char *)item->text.bytes, item->text.size}};
    char name[SPOOL_NAME_SIZE];

    head.magic = MAGIC;
    put_name(name, head.incident);
    return is_there(folder) &&
           spool_file_put(folder->fd, SPOOL_TEMPORARY_NOTE, folder->fd, name, parts);
}

bool spool_note_exists(const struct spool_folder *folder, struct spool_incident incident)
{
    char name[SPOOL_NAME_SIZE];
    struct stat status;

    put_name(name, incident);
    return is_there(folder) && fstatat(folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool spool_note_remove(const struct spool_folder *folder, struct spool_incident incident)
{
    char name[SPOOL_NAME_SIZE];

    put_name(name, incident);
    return is_there(folder) && unlinkat(folder->fd, name, 0) == 0;
}

void spool_note_move(const struct spool_folder *from, const struct spool_folder *to,
                     struct spool_incident incident)
{
    char name[SPOOL_NAME_SIZE];

    put_name(name, incident);
    (void)renameat(from->fd, name, to->fd, name);
}

/* ---- Reading ---- */

static bool is_sound(const struct spool_item *item, struct spool_incident incident)
{
    const struct spool_head *head = &item->head;
    bool is_stall = head->detail >= MON_LAG && head->detail <= MON_HANG;

    return head->magic == MAGIC && spool_incident_is(head->incident, incident) &&
           (is_stall || head->detail == MON_CUSTOM) && head->ended < MON_ENDED_OPEN &&
           head->loop < MON_LOOP_COUNT &&
           memchr(head->own_detail, '\0', sizeof(head->own_detail)) != NULL &&
           head->issue_size <= item->text.size && mb_json_is_value(spool_item_issue(item)) &&
           (spool_item_copy(item).size == 0 || mb_json_is_value(spool_item_copy(item)));
}

bool spool_note_read(const struct spool_folder *folder, struct spool_incident incident,
                     struct spool_item *item)
{
    char name[SPOOL_NAME_SIZE];

    put_name(name, incident);
    mb_buf_reset(&item->text);
    int fd = !is_there(folder)
                 ? -1
                 : openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = fd >= 0 ? read(fd, &item->head, sizeof(item->head)) : -1;
    bool is_read = size >= 0 && mb_file_read_open(&item->text, fd, NULL) == MB_OK;
    if (fd >= 0) {
        (void)close(fd);
    }
    if (is_read && (size != (ssize_t)sizeof(item->head) || !is_sound(item, incident))) {
        (void)spool_note_remove(folder, incident);
        return false;
    }
    return is_read;
}

void spool_notes_visit(const struct spool_folder *folder, spool_note_visit *visit, void *context)
{
    DIR *entries = spool_list(folder->fd);
    struct spool_incident incident;

    if (entries == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (entry->d_name[0] == '.' &&
            spool_incident_read(&incident, mb_text_of(entry->d_name + 1))) {
            visit(context, incident);
        }
    }
    (void)closedir(entries);
}
