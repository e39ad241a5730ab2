#include "monitor/spool/note.h"
#include "spools.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ISSUE "{\"methodbeat\":{\"schema\":1}}"
#define COPY "{\"tag\":\"Trace_EvilMethod\"}"

static struct spool_folder folder;
static struct spool_item item;
static const struct spool_incident incident = {0x5f1c, 17};

static void set_up(void)
{
    bool is_taken;

    spools_make_folder();
    cr_assert(
        eq(int, spool_folder_open(&folder, spools_folder, "com.x", 1, &is_taken, NULL), MB_OK));
    item.head = (struct spool_head){.incident = incident,
                                    .wall_ns = 7,
                                    .cost_ns = 6900000000,
                                    .key = UINT64_C(0x123456789f3a6c01),
                                    .issue_size = strlen(ISSUE),
                                    .pid = 42,
                                    .loop = 3,
                                    .detail = MON_ANR,
                                    .ended = MON_ENDED_KILLED};
    mb_buf_reset(&item.text);
    mb_buf_put_string(&item.text, ISSUE COPY);
}

static void tear_down(void)
{
    spool_folder_close(&folder);
    mb_buf_finish(&item.text);
    spools_remove_folder();
}

TestSuite(note, .init = set_up, .fini = tear_down);

static bool read_back(struct spool_item *found)
{
    memset(&found->head, 0xff, sizeof(found->head));
    return spool_note_read(&folder, incident, found);
}

Test(note, is_read_as_it_was_written)
{
    struct spool_item found = {0};

    cr_assert(not(spool_note_exists(&folder, incident)));
    cr_assert(spool_note_write(&folder, &item));
    cr_assert(spool_note_exists(&folder, incident));
    cr_assert(read_back(&found));
    found.head.magic = 0;
    cr_assert(zero(int, memcmp(&found.head, &item.head, sizeof(found.head))));
    cr_assert(mb_text_is(spool_item_issue(&found), ISSUE));
    cr_assert(mb_text_is(spool_item_copy(&found), COPY));
    cr_assert(eq(u32, spools_count_notes(), 1));
    cr_assert(spool_note_remove(&folder, incident));
    cr_assert(not(read_back(&found)));
    mb_buf_finish(&found.text);
}

Test(note, is_replaced_by_the_next_stage)
{
    struct spool_item found = {0};

    cr_assert(spool_note_write(&folder, &item));
    item.head.detail = MON_HANG;
    item.text.size = strlen(ISSUE);
    cr_assert(spool_note_write(&folder, &item));
    cr_assert(read_back(&found));
    cr_assert(eq(u32, found.head.detail, MON_HANG));
    cr_assert(zero(sz, spool_item_copy(&found).size));
    cr_assert(eq(u32, spools_count_notes(), 1));
    mb_buf_finish(&found.text);
}

/* One that was being written when its process was killed. */
Test(note, is_not_in_the_way_of_another)
{
    int fd = openat(folder.fd, ".note", O_WRONLY | O_CREAT, 0600);

    cr_assert(ge(int, fd, 0));
    (void)close(fd);
    cr_assert(spool_note_write(&folder, &item));
    cr_assert(eq(u32, spools_count_notes(), 1));
}

static void expect_damage(const char *what)
{
    struct spool_item found = {0};

    cr_assert(spool_note_write(&folder, &item));
    cr_expect(not(read_back(&found)), "%s", what);
    mb_buf_finish(&found.text);
    tear_down();
    item.text = (struct mb_buf){0};
    set_up();
}

Test(note, that_is_damaged_is_none)
{
    item.head.detail = MON_NORMAL;
    expect_damage("which is never noted");
    item.head.detail = 1000;
    expect_damage("no detail");
    item.head.ended = MON_ENDED_OPEN;
    expect_damage("which none is");
    item.head.loop = MON_LOOP_COUNT;
    expect_damage("a loop beyond all");
    item.head.issue_size = item.text.size + 1;
    expect_damage("more than there is");
    item.head.issue_size--;
    expect_damage("cut");
    item.head.issue_size++;
    expect_damage("shifted");
    memset(item.head.own_detail, 'x', sizeof(item.head.own_detail));
    expect_damage("without an end");
    item.text.size -= 1;
    expect_damage("a copy that is cut");
}

Test(note, of_another_layout_is_none)
{
    struct spool_item found = {0};

    cr_assert(spool_note_write(&folder, &item));
    int fd = openat(folder.fd, ".5f1c-17", O_WRONLY);
    cr_assert(eq(int, (int)pwrite(fd, "1", 1, 0), 1));
    (void)close(fd);
    cr_assert(not(read_back(&found)));
    mb_buf_finish(&found.text);
}

/* A folder that the program has closed: the number is its own now. */
Test(note, goes_into_no_other_folder)
{
    int own = open("/", O_RDONLY | O_DIRECTORY);

    cr_assert(ge(int, dup2(own, folder.fd), 0));
    cr_assert(not(spool_note_write(&folder, &item)));
    cr_assert(not(spool_note_remove(&folder, incident)));
    (void)close(own);
}

static uint32_t visited;

static void visit(void *context, struct spool_incident found)
{
    (void)context;
    visited += spool_incident_is(found, incident);
}

Test(note, is_found_among_other_files)
{
    (void)mkdirat(folder.fd, "20261121", 0700);
    cr_assert(spool_note_write(&folder, &item));
    spool_notes_visit(&folder, visit, NULL);
    cr_assert(eq(u32, visited, 1));
}
