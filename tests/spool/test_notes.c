#include "spool/notes.h"

#include "base/place.h"

#include "../monitor/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WALL INT64_C(1780000000000000000)

static const struct name_list list = {{"main", "Handler {..}: 7", "a.b.Main", "a.b.C.load",
                                       "a.b.C.run", "cart", "{\"items\":0}", NULL}};
static const struct mon_trace trace = {
    .key = 171, .is_lapped = true, .items = {2, {{0, 1048574, 1, 871}, {1, 171, 1, 637}}}};
static const struct mon_frames frames = {.count = 2, .names = {4, 5}};
static const struct mon_hottest hottest = {.frames = &frames};
static struct mon_names names;
static struct spool_notes notes;
static struct spool_note page;
static char folder_path[64];
static int folder;

static void set_up(void)
{
    (void)snprintf(folder_path, sizeof(folder_path), "/tmp/methodbeat-notes-XXXXXX");
    cr_assert_not_null(mkdtemp(folder_path));
    folder = open(folder_path, O_RDONLY | O_DIRECTORY);
    names = names_of(&list);
    notes.fd = -1;
    spool_notes_open(&notes, folder);
    cr_assert(ge(int, notes.fd, 0));
}

static void tear_down(void)
{
    spool_notes_close(&notes);
    (void)unlinkat(folder, SPOOL_NOTES_NAME, 0);
    (void)close(folder);
    (void)rmdir(folder_path);
}

TestSuite(notes, .init = set_up, .fini = tear_down);

static struct mon_issue stall(uint32_t number)
{
    return (struct mon_issue){.detail = MON_ANR,
                              .ended = MON_ENDED_OPEN,
                              .start = 0xabc,
                              .number = number,
                              .loop = 3,
                              .loop_name = 1,
                              .message = 2,
                              .scene = 3,
                              .cost_ns = 6200,
                              .watched_ns = 6000,
                              .is_foreground = true,
                              .trace = &trace,
                              .hottest = &hottest};
}

static bool text_is(struct spool_note_text text, const char *expected)
{
    return mb_text_is(spool_note_text_of(&page, text), expected);
}

static uint32_t count_notes(void)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < SPOOL_NOTE_COUNT; i++) {
        count += spool_notes_read(notes.fd, i, &page);
    }
    return count;
}

Test(notes, hold_what_is_known_of_a_stall)
{
    const struct mon_issue issue = stall(17);

    spool_notes_put(&notes, &issue, &names, WALL);
    cr_assert(spool_notes_read(notes.fd, 0, &page));
    cr_assert(eq(u64, page.incident.start, 0xabc));
    cr_assert(eq(u32, page.incident.number, 17));
    cr_assert(eq(u32, page.detail, MON_ANR));
    cr_assert(eq(u32, page.ended, MON_ENDED_OPEN));
    cr_assert(eq(u32, page.loop, 3));
    cr_assert(eq(u32, page.is_foreground, 1));
    cr_assert(eq(i64, page.wall_ns, WALL));
    cr_assert(eq(u32, page.key, 171));
    cr_assert(eq(u32, page.is_lapped, 1));
    cr_assert(text_is(page.loop_name, "main"));
    cr_assert(text_is(page.message, "Handler {..}: 7"));
    cr_assert(text_is(page.scene, "a.b.Main"));
    cr_assert(eq(u32, page.frame_count, 2));
    cr_assert(text_is(page.frames[1], "a.b.C.run"));
    cr_assert(eq(u32, page.items.count, 2));
    cr_assert(eq(i64, page.items.items[1].ms, 637));
    cr_assert(eq(i64, page.length.watched_ns, 6000));
    cr_assert(eq(i64, page.length.gap_ns, 200));
}

Test(notes, keep_their_length_up_to_date)
{
    struct mon_issue issue = stall(17);

    spool_notes_put(&notes, &issue, &names, WALL);
    issue.watched_ns = 9000;
    issue.cost_ns = 9500;
    spool_notes_put_length(&notes, &issue);
    cr_assert(spool_notes_read(notes.fd, 0, &page));
    cr_assert(eq(i64, page.length.watched_ns, 9000));
    cr_assert(eq(i64, page.length.gap_ns, 500));
    issue.number = 18; /* of which there is no note */
    spool_notes_put_length(&notes, &issue);
    cr_assert(eq(u32, count_notes(), 1));
}

Test(notes, of_one_stall_take_one_place)
{
    for (uint32_t i = 0; i < 5; i++) {
        const struct mon_issue issue = stall(17);
        spool_notes_put(&notes, &issue, &names, WALL);
    }
    cr_assert(eq(u32, count_notes(), 1));
}

Test(notes, go_when_the_stall_is_over)
{
    const struct mon_issue issue = stall(17);

    spool_notes_put(&notes, &issue, &names, WALL);
    spool_notes_end(&notes, (struct spool_incident){0xabc, 18});
    cr_assert(eq(u32, count_notes(), 1));
    spool_notes_end(&notes, (struct spool_incident){0xabc, 17});
    cr_assert(eq(u32, count_notes(), 0));
}

Test(notes, whose_issue_is_queued_stay_until_it_is_written)
{
    const struct mon_issue issue = stall(17);
    const struct spool_incident incident = {0xabc, 17};

    cr_assert(not(spool_notes_queue(&notes, incident)));
    spool_notes_put(&notes, &issue, &names, WALL);
    cr_assert(spool_notes_queue(&notes, incident));
    spool_notes_end(&notes, incident);
    cr_assert(eq(u32, count_notes(), 1));
    spool_notes_finish(&notes, incident);
    cr_assert(eq(u32, count_notes(), 0));
}

Test(notes, more_than_there_are_places_are_left_out)
{
    for (uint32_t i = 0; i < SPOOL_NOTE_COUNT + 3; i++) {
        const struct mon_issue issue = stall(i + 1);
        spool_notes_put(&notes, &issue, &names, WALL);
    }
    cr_assert(eq(u32, count_notes(), SPOOL_NOTE_STALLS));
    spool_notes_end(&notes, (struct spool_incident){0xabc, 5});
    const struct mon_issue issue = stall(99);
    spool_notes_put(&notes, &issue, &names, WALL);
    cr_assert(eq(u32, count_notes(), SPOOL_NOTE_STALLS));
}

/* Any byte of it: half a page of a machine that crashed, or somebody's file. */
Test(notes, that_are_damaged_are_none)
{
    const struct mon_issue issue = stall(17);
    uint8_t bytes[SPOOL_NOTE_SIZE];

    spool_note_fill(&page, &issue, &names, WALL);
    memcpy(bytes, &page, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] ^= 0x40;
        memcpy(&page, bytes, sizeof(page));
        cr_assert(not(spool_note_is_valid(&page)), "byte %zu", i);
        bytes[i] ^= 0x40;
    }
}

Test(notes, with_long_texts_lose_outer_frames)
{
    static char text[400];
    struct name_list long_names;
    struct mon_frames many = {.count = MON_FRAME_COUNT, .files = {1, 1, 1}, .lines = {1, 2, 3}};
    const struct mon_hottest deep = {.frames = &many};
    struct mon_issue issue = stall(17);

    memset(text, 'x', sizeof(text) - 1);
    for (size_t i = 0; i < MB_COUNT(long_names.names); i++) {
        long_names.names[i] = text;
    }
    for (uint32_t i = 0; i < MON_FRAME_COUNT; i++) {
        many.names[i] = 1;
    }
    names = names_of(&long_names);
    issue.hottest = &deep;
    spool_note_fill(&page, &issue, &names, WALL);
    cr_assert(spool_note_is_valid(&page));
    cr_assert(eq(u32, page.frame_count, 5));
    cr_assert(eq(u32, page.message.size, 255));
    cr_assert(eq(u32, page.frames[0].size, 399), "functions have the room of places");
}

/* All functions stay, and the places of inner frames as far as there is room. */
Test(notes, have_room_for_functions_first)
{
    static const char function[] = "com.example.shop.Basket.total";
    struct name_list same;
    struct mon_frames many = {.count = MON_FRAME_COUNT};
    const struct mon_hottest deep = {.frames = &many};
    struct mon_issue issue = stall(17);
    uint32_t places = 0;

    for (size_t i = 0; i < MB_COUNT(same.names); i++) {
        same.names[i] = function;
    }
    for (uint32_t i = 0; i < MON_FRAME_COUNT; i++) {
        many.names[i] = many.files[i] = 1;
        many.lines[i] = (uint16_t)(UINT16_MAX - i);
    }
    names = names_of(&same);
    issue.hottest = &deep;
    spool_note_fill(&page, &issue, &names, WALL);
    cr_assert(spool_note_is_valid(&page));
    cr_assert(eq(u32, page.frame_count, MON_FRAME_COUNT));
    for (uint32_t i = 0; i < MON_FRAME_COUNT; i++) {
        struct mb_text frame = spool_note_text_of(&page, page.frames[i]);
        const struct mb_place place = mb_place_cut(&frame);
        cr_assert(mb_text_is(frame, function));
        places += place.line == UINT16_MAX - i && places == i;
    }
    cr_assert(gt(u32, places, 20));
    cr_assert(lt(u32, places, MON_FRAME_COUNT));
}

/* The folder was removed, and there is a new one. */
Test(notes, move_to_another_file)
{
    const struct mon_issue issue = stall(17);

    spool_notes_put(&notes, &issue, &names, WALL);
    spool_notes_withdraw(&notes, folder);
    spool_notes_open(&notes, folder);
    cr_assert(eq(u32, count_notes(), 1));
    spool_notes_end(&notes, (struct spool_incident){0xabc, 17});
    cr_assert(eq(u32, count_notes(), 0));
}

/* ---- The program's own ---- */

static const struct mon_own own = {.detail = 6, .key = 6, .json = 7, .thread = 1};

static struct mon_issue own_issue(uint32_t number)
{
    return (struct mon_issue){
        .detail = MON_CUSTOM, .start = 0xabc, .number = number, .scene = 3, .own = &own};
}

static void expect_own(uint32_t place)
{
    static char value[SPOOL_NOTE_VALUE_SIZE];

    cr_assert(spool_notes_read(notes.fd, place, &page));
    cr_assert(eq(u32, page.detail, MON_CUSTOM));
    cr_assert(text_is(page.own_detail, "cart"));
    cr_assert(text_is(page.own_key, "cart"));
    cr_assert(text_is(page.own_thread, "main"));
    cr_assert(text_is(page.scene, "a.b.Main"));
    cr_assert(mb_text_is(spool_notes_read_value(notes.fd, place, &page, value), "{\"items\":0}"));
}

Test(notes, hold_an_own_issue_with_its_value)
{
    const struct mon_issue issue = own_issue(3);

    spool_notes_put(&notes, &issue, &names, WALL);
    expect_own(SPOOL_NOTE_STALLS);
    spool_notes_withdraw(&notes, folder);
    spool_notes_open(&notes, folder);
    expect_own(SPOOL_NOTE_STALLS);
    page.value_size = 1 << 15;
    cr_assert(
        zero(sz, spool_notes_read_value(notes.fd, SPOOL_NOTE_STALLS, &page, notes.value).size));
}

/* However many there are of either. */
Test(notes, leave_places_to_stalls_and_to_own_issues)
{
    for (uint32_t i = 0; i < SPOOL_NOTE_COUNT; i++) {
        const struct mon_issue issue = own_issue(i + 1);
        spool_notes_put(&notes, &issue, &names, WALL);
    }
    cr_assert(eq(u32, count_notes(), SPOOL_NOTE_COUNT - SPOOL_NOTE_STALLS));
    for (uint32_t i = 0; i < SPOOL_NOTE_COUNT; i++) {
        const struct mon_issue issue = stall(i + 100);
        spool_notes_put(&notes, &issue, &names, WALL);
    }
    cr_assert(eq(u32, count_notes(), SPOOL_NOTE_COUNT));
    for (uint32_t i = SPOOL_NOTE_STALLS; i < SPOOL_NOTE_COUNT; i++) {
        expect_own(i);
    }
}
