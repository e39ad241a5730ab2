#include "publish/commit.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Records end with a '\0', since paths may hold anything else; the first letter is their kind. A
 * rename opens the journal when the last record is written: a truncated journal is idle. */
static const char magic[] = "methodbeat journal 2\n";
#define MAGIC_SIZE (sizeof(magic) - 1)

static const char *const names[] = {
    [PUB_IDLE] = "journal",
    [PUB_OPEN] = "open",
    [PUB_DONE] = "done",
};

bool pub_journal_remove(const struct pub_place *place)
{
    bool is_gone = true;

    for (int state = PUB_IDLE; state <= PUB_DONE; state++) {
        is_gone &= mb_file_remove(&place->staging, names[state]) || errno == ENOENT;
    }
    return is_gone;
}

/* --- writing --- */

static enum mb_status append_bytes(const struct pub_place *place, const void *bytes, size_t size,
                                   struct mb_error *err)
{
    int fd = mb_file_open(&place->staging, names[PUB_IDLE], MB_FILE_APPEND);

    if (fd < 0) {
        return mb_fail_errno(err, "cannot open the journal");
    }
    enum mb_status status = mb_file_write_all(fd, bytes, size, err);
    if (close(fd) != 0 && status == MB_OK) {
        status = mb_fail_errno(err, "cannot write the journal");
    }
    return status;
}

enum mb_status pub_journal_create(struct pub_place *place, struct mb_error *err)
{
    place->state = PUB_IDLE;
    return append_bytes(place, magic, MAGIC_SIZE, err);
}

enum mb_status pub_journal_turn(struct pub_place *place, enum pub_state state, struct mb_error *err)
{
    if (!mb_file_rename(&place->staging, names[place->state], &place->staging, names[state])) {
        return mb_fail_errno(err, "cannot rename the journal");
    }
    place->state = state;
    return MB_OK;
}

static void put_record(struct mb_buf *text, const struct pub_move *move)
{
    mb_buf_printf(text, "%c %u %" PRIu64 " %" PRId64 " %s", (char)move->kind, move->number,
                  move->stamp.size, move->stamp.changed_ns, move->name);
    mb_buf_put_u1(text, '\0');
}

/* Record a stamp by which the file can be recognised. */
static enum mb_status stamp_file(struct pub_move *move, struct mb_error *err)
{
    char name[PUB_STAGED_NAME];
    struct mb_file_info info;

    pub_staged_name(name, move->number);
    if (!mb_file_look_at_link(&move->place->staging, name, &info)) {
        (void)mb_fail_errno(err, "cannot find what was staged");
        mb_error_in_input(err, move->path);
        return MB_IO;
    }
    move->stamp = pub_stamp(&info);
    return MB_OK;
}

static enum mb_status put_records(struct mb_buf *text, const struct pub_commit *commit,
                                  const struct pub_place *place, struct mb_error *err)
{
    for (const struct pub_place *each = commit->places; each != NULL; each = each->next) {
        put_record(text, &(struct pub_move){.kind = PUB_STAGING, .name = each->path});
    }
    for (struct pub_move *move = commit->first; move != NULL; move = move->next) {
        if (move->place == place) {
            MB_TRY(move->kind == PUB_PUT ? stamp_file(move, err) : MB_OK);
            put_record(text, move);
        }
    }
    return mb_buf_check(text, err);
}

enum mb_status pub_journal_open(const struct pub_commit *commit, struct pub_place *place,
                                struct mb_error *err)
{
    struct mb_buf text = {0};
    enum mb_status status = put_records(&text, commit, place, err);

    status = status == MB_OK ? append_bytes(place, text.bytes, text.size, err) : status;
    status = status == MB_OK ? pub_journal_turn(place, PUB_OPEN, err) : status;
    if (status != MB_OK) {
        mb_error_in_input(err, place->path);
    }
    mb_buf_finish(&text);
    return status;
}

/* --- reading --- */

/* Neither absolute nor through "..". */
static bool is_inside(const char *name)
{
    struct mb_text rest = mb_text_of(name);

    if (name[0] == '\0' || mb_path_is_absolute(name)) {
        return false;
    }
    while (rest.size > 0) {
        if (mb_text_is(mb_text_split(&rest, '/'), "..")) {
            return false;
        }
    }
    return true;
}

static bool parse_record(struct pub_move *move, const char *record)
{
    char kind;
    int end = 0;

    if (sscanf(record, "%c %u %" SCNu64 " %" SCNd64 "%n", &kind, &move->number, &move->stamp.size,
               &move->stamp.changed_ns, &end) != 4 ||
        record[end] != ' ') {
        return false;
    }
    move->kind = (enum pub_kind)kind;
    move->name = record + end + 1;
    move->path = move->name;
    return kind == PUB_STAGING ? mb_path_is_absolute(move->name)
                               : strchr("FPR", kind) != NULL && is_inside(move->name);
}

static enum mb_status take_record(struct pub_commit *commit, struct pub_place *place,
                                  const char *record, union mb_words *paths, struct mb_error *err)
{
    struct pub_move *move = MB_NEW(&commit->arena, struct pub_move);

    if (move == NULL) {
        return mb_fail_memory(err);
    }
    move->place = place;
    if (!parse_record(move, record)) {
        place->state = PUB_FOREIGN;
    } else if (move->kind != PUB_STAGING) {
        pub_commit_add(commit, move);
    } else if (paths != NULL) {
        MB_VEC_PUSH(paths, move->name);
    }
    return MB_OK;
}

static enum mb_status parse_journal(struct pub_commit *commit, struct pub_place *place,
                                    const struct mb_buf *text, union mb_words *paths,
                                    struct mb_error *err)
{
    size_t size = text->size - MAGIC_SIZE;
    const char *copy = mb_arena_copy(&commit->arena, text->bytes + MAGIC_SIZE, size);
    struct mb_text records = {copy, size};
    if (copy == NULL) {
        return mb_fail_memory(err);
    }
    while (records.size > 0) {
        MB_TRY(take_record(commit, place, mb_text_split(&records, '\0').data, paths, err));
    }
    return paths != NULL ? mb_buf_check(&paths->buf, err) : MB_OK;
}

/* An idle journal may be truncated. */
static bool is_journal(enum pub_state state, const struct mb_buf *text)
{
    size_t size = text->size < MAGIC_SIZE ? text->size : MAGIC_SIZE;

    return (size == MAGIC_SIZE || state == PUB_IDLE) &&
           (size == 0 || memcmp(text->bytes, magic, size) == 0);
}

enum mb_status pub_journal_read(struct pub_commit *commit, struct pub_place *place,
                                union mb_words *paths, struct mb_error *err)
{
    struct mb_buf text = {0};
    int fd = -1;

    for (place->state = PUB_DONE; place->state > PUB_FOREIGN; place->state--) {
        fd = mb_file_open(&place->staging, names[place->state], MB_FILE_READ_NAME);
        if (fd >= 0 || errno != ENOENT) {
            break;
        }
    }
    if (place->state == PUB_FOREIGN) {
        return MB_OK;
    }
    if (fd < 0) {
        return mb_fail_errno(err, "cannot open the journal");
    }
    enum mb_status status = mb_file_read_open(&text, fd, err);
    (void)close(fd);
    if (status == MB_OK && !is_journal(place->state, &text)) {
        place->state = PUB_FOREIGN;
    } else if (status == MB_OK && place->state >= PUB_OPEN) {
        status = parse_journal(commit, place, &text, paths, err);
    }
    mb_buf_finish(&text);
    return status;
}
