#include "publish/journal.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Records end with a '\0', since paths may hold anything else; the first letter says what they are.
 * The last one is the checksum of those before it. */
static const char magic[] = "methodbeat journal 1\n";
#define MAGIC_SIZE (sizeof(magic) - 1)
#define RECORD_STAGING 'S'
#define RECORD_END 'E'

/* --- writing --- */

static void put_end(struct mb_buf *text, const char *tail)
{
    mb_buf_put_string(text, tail);
    mb_buf_put_u1(text, '\0');
}

static void put_move(struct mb_buf *text, const struct pub_move *move)
{
    const struct pub_file_stamp *stamp = &move->stamp;

    mb_buf_printf(text, "%c%u %" PRIu64 " %" PRId64 " %" PRId64 " ", (char)move->kind, move->number,
                  stamp->size, stamp->seconds, stamp->nanoseconds);
    put_end(text, move->name);
}

static void put_records(struct mb_buf *text, const struct pub_journal *journal)
{
    const char *const *stagings = (const char *const *)(const void *)journal->stagings.bytes;
    const struct pub_move *moves = (const struct pub_move *)(const void *)journal->moves.bytes;

    for (size_t i = 0; i < journal->stagings.size / sizeof(*stagings); i++) {
        mb_buf_put_u1(text, RECORD_STAGING);
        put_end(text, stagings[i]);
    }
    for (size_t i = 0; i < journal->moves.size / sizeof(*moves); i++) {
        put_move(text, &moves[i]);
    }
    struct mb_text records = {(const char *)text->bytes + MAGIC_SIZE, text->size - MAGIC_SIZE};
    uint64_t sum = text->failed ? 0 : mb_text_checksum(records);
    mb_buf_printf(text, "%c%016" PRIx64, RECORD_END, sum);
    mb_buf_put_u1(text, '\0');
}

static enum mb_status write_file(int staging, const struct mb_buf *text, struct mb_error *err)
{
    int fd = openat(staging, PUB_JOURNAL_NAME, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0) {
        return mb_fail_errno(err, "cannot create the journal");
    }
    enum mb_status status = mb_file_write_all(fd, text->bytes, text->size, err);
    if (status == MB_OK && ftruncate(fd, (off_t)text->size) != 0) {
        status = mb_fail_errno(err, "cannot write the journal");
    }
    if (close(fd) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot write the journal");
    }
    return status;
}

static enum mb_status write_journal(int staging, const struct pub_journal *journal,
                                    struct mb_error *err)
{
    struct mb_buf text = {0};

    mb_buf_put(&text, magic, MAGIC_SIZE);
    if (journal != NULL) {
        put_records(&text, journal);
    }
    enum mb_status status = mb_buf_check(&text, err);
    status = status == MB_OK ? write_file(staging, &text, err) : status;
    mb_buf_finish(&text);
    return status;
}

enum mb_status pub_journal_clear(int staging, struct mb_error *err)
{
    return write_journal(staging, NULL, err);
}

enum mb_status pub_journal_write(int staging, const struct pub_journal *journal,
                                 struct mb_error *err)
{
    return write_journal(staging, journal, err);
}

enum mb_status pub_journal_close(int staging, struct mb_error *err)
{
    if (renameat(staging, PUB_JOURNAL_NAME, staging, PUB_JOURNAL_DONE_NAME) != 0) {
        return mb_fail_errno(err, "cannot rename the journal");
    }
    return MB_OK;
}

/* --- reading --- */

/* Neither absolute nor through "..". */
static bool is_inside(const char *name)
{
    struct mb_text rest = mb_text_of(name);

    if (name[0] == '\0' || name[0] == '/') {
        return false;
    }
    while (rest.size > 0) {
        if (mb_text_is(mb_text_split(&rest, '/'), "..")) {
            return false;
        }
    }
    return true;
}

static bool parse_move(struct pub_journal *journal, const char *record)
{
    struct pub_move move = {.kind = (enum pub_move_kind)record[0]};
    int end = 0;

    if (strchr("FPR", record[0]) == NULL ||
        sscanf(record + 1, "%u %" SCNu64 " %" SCNd64 " %" SCNd64 "%n", &move.number,
               &move.stamp.size, &move.stamp.seconds, &move.stamp.nanoseconds, &end) != 4 ||
        record[1 + end] != ' ' || !is_inside(record + end + 2)) {
        return false;
    }
    move.name = record + end + 2;
    mb_buf_put(&journal->moves, &move, sizeof(move));
    return true;
}

static bool parse_record(struct pub_journal *journal, const char *record)
{
    const char *staging = record + 1;

    if (record[0] != RECORD_STAGING) {
        return parse_move(journal, record);
    }
    mb_buf_put(&journal->stagings, &staging, sizeof(staging));
    return staging[0] == '/';
}

/* The records without the last, if that is their checksum. */
static bool find_records(const struct mb_buf *text, struct mb_text *records)
{
    struct mb_text all = {(const char *)text->bytes + MAGIC_SIZE, text->size - MAGIC_SIZE};
    char end[20];

    if (all.size < 18) {
        return false;
    }
    *records = (struct mb_text){all.data, all.size - 18};
    (void)snprintf(end, sizeof(end), "%c%016" PRIx64, RECORD_END, mb_text_checksum(*records));
    return memcmp(end, all.data + records->size, 18) == 0;
}

static enum pub_journal_state parse(struct pub_journal *journal)
{
    const struct mb_buf *text = &journal->text;
    struct mb_text records;

    size_t size = text->size < MAGIC_SIZE ? text->size : MAGIC_SIZE;
    if (size > 0 && memcmp(text->bytes, magic, size) != 0) {
        return PUB_JOURNAL_FOREIGN;
    }
    if (size < MAGIC_SIZE || !find_records(text, &records)) {
        return PUB_JOURNAL_IDLE;
    }
    while (records.size > 0) {
        if (!parse_record(journal, mb_text_split(&records, '\0').data)) {
            return PUB_JOURNAL_FOREIGN;
        }
    }
    return journal->stagings.size > 0 ? PUB_JOURNAL_OPEN : PUB_JOURNAL_FOREIGN;
}

/* False if there is none. */
static bool open_journal(int staging, int *fd, bool *is_done)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

    *fd = openat(staging, PUB_JOURNAL_NAME, flags);
    *is_done = *fd < 0 && errno == ENOENT;
    if (*is_done) {
        *fd = openat(staging, PUB_JOURNAL_DONE_NAME, flags);
    }
    return *fd >= 0 || errno != ENOENT;
}

enum mb_status pub_journal_read(struct pub_journal *journal, int staging,
                                enum pub_journal_state *state, struct mb_error *err)
{
    int fd;
    bool is_done;

    *state = PUB_JOURNAL_FOREIGN;
    if (!open_journal(staging, &fd, &is_done)) {
        return MB_OK;
    }
    if (fd < 0) {
        return mb_fail_errno(err, "cannot open the journal");
    }
    enum mb_status status = mb_file_read_open(&journal->text, fd, err);
    (void)close(fd);
    MB_TRY(status);
    *state = parse(journal);
    if (*state == PUB_JOURNAL_OPEN && is_done) {
        *state = PUB_JOURNAL_DONE;
    }
    MB_TRY(mb_buf_check(&journal->stagings, err));
    return mb_buf_check(&journal->moves, err);
}

void pub_journal_finish(struct pub_journal *journal)
{
    mb_buf_finish(&journal->stagings);
    mb_buf_finish(&journal->moves);
    mb_buf_finish(&journal->text);
}
