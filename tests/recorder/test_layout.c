/* What the header of a trace says of the process, and where the file goes. */

#include "abi/hash.h"
#include "abi/identity.h"
#include "recorder/layout.h"
#include "traces.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(layout, .init = traces_make_folder, .fini = traces_remove_folder);

/* As much as the header has room for. */
static void expect_name(const char *wanted, const char *whole)
{
    struct abi_trace_header header = {0};
    char expected[sizeof(header.process_name)];

    (void)snprintf(expected, sizeof(expected), "%s", whole);
    beat_layout_name_process(&header, wanted);
    cr_expect_str_eq(header.process_name, expected);
}

Test(layout, a_process_is_named_as_wanted_or_as_the_system_knows_it)
{
    char line[4096] = "";
    char name[200];
    FILE *file = fopen("/proc/self/cmdline", "re");

    cr_assert(file != NULL && fread(line, 1, sizeof(line) - 1, file) > 0 && fclose(file) == 0);
    expect_name(NULL, line);
    expect_name("my app", "my app");
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    expect_name(name, name);
}

static union {
    struct abi_trace_header header;
    uint8_t bytes[ABI_TRACE_PAGE];
} page;

static uint64_t mapping_hash(const char *path, uint64_t given)
{
    struct beat_recorder recorder = {.header = &page.header};
    struct beat_options options = traces_options(NULL);

    traces_log[0] = '\0';
    options.mapping = path;
    options.mapping_hash = given;
    beat_layout_name_mapping(&recorder, &options);
    return page.header.mapping_hash;
}

/* As the header then names it, whose file has nothing but its first page. */
static void expect_path(struct beat_options options, const char *folder, const char *wanted)
{
    struct beat_recorder recorder = {.header = &page.header};

    cr_assert(eq(int, chdir(folder), 0));
    beat_layout_name_mapping(&recorder, &options);
    const struct abi_tracefile trace = {
        .header = page.header, .bytes = page.bytes, .size = sizeof(page)};
    struct mb_text path = abi_tracefile_mapping_path(&trace);
    cr_expect(mb_text_is(path, wanted), "%.*s, not %s", (int)path.size, path.data, wanted);
}

Test(layout, where_the_mapping_is_is_noted_as_an_absolute_path)
{
    char beside[200];
    char name[ABI_TRACE_MAPPING_SIZE + 1];
    struct beat_options options = traces_options(NULL);

    (void)snprintf(beside, sizeof(beside), "%s/map\x1b.txt", traces_folder);
    options.mapping = "map\x1b.txt";
    expect_path(options, traces_folder, beside);
    expect_path(options, "/", "/map\x1b.txt");
    options.mapping = "/a b/map.txt";
    expect_path(options, "/", "/a b/map.txt");
    options.mapping_path = "/elsewhere/map.txt";
    expect_path(options, "/", "/elsewhere/map.txt");
    memset(name, '/', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    options.mapping_path = name;
    expect_path(options, "/", ""); /* one too long */
    name[sizeof(name) - 2] = '\0';
    expect_path(options, "/", name);
    options.mapping_path = NULL;
    options.mapping = NULL;
    expect_path(options, "/", "");
}

Test(layout, the_mapping_is_noted_by_its_hash, .timeout = 20)
{
    traces_write(traces_path, "1,1,a.A run ()V\n");
    cr_expect(
        eq(u64, mapping_hash(traces_path, 5), abi_hash(ABI_HASH_START, "1,1,a.A run ()V\n", 16)));
    cr_expect(eq(u64, mapping_hash(NULL, 5), 5));
    cr_expect_str_eq(traces_log, "");
    cr_expect(eq(u64, mapping_hash("/nonexistent", 0), 0));
    cr_expect_str_eq(traces_log, "/nonexistent: cannot open: No such file or directory; the trace "
                                 "will fit any mapping");
    cr_assert(eq(int, unlink(traces_path), 0));
    cr_assert(eq(int, mkfifo(traces_path, 0600), 0)); /* nothing is waited for */
    cr_expect(eq(u64, mapping_hash(traces_path, 0), 0));
    cr_expect(ne(ptr, strstr(traces_log, "is no regular file"), NULL));
}

static void expect_file(const char *pattern, const char *name)
{
    struct beat_options options = traces_options(pattern);

    options.process_name = "/usr/bin/my app";
    cr_assert(eq(int, chdir(traces_folder), 0));
    cr_assert(beat_start(&options), "%s", pattern);
    beat_stop();
    cr_assert(eq(int, access(name, F_OK), 0), "%s is not there", name);
    cr_assert(eq(int, unlink(name), 0));
    cr_assert(eq(sz, traces_count_files(), 0));
}

Test(layout, a_pattern_names_the_file)
{
    char name[160];

    expect_file("plain", "plain");
    expect_file("100%", "100%");
    (void)snprintf(name, sizeof(name), "a-%ld-b-%ld", (long)getpid(), (long)getpid());
    expect_file("a-%p-b-%p", name);
    (void)snprintf(name, sizeof(name), "my_app-%ld.mbtrace", (long)getpid());
    expect_file("auto", name);
}

/* Either the file is there under its whole name, or it is told that there is none. */
Test(layout, a_name_that_is_too_long_is_told)
{
    char pattern[2 * BEAT_PATH_SIZE] = "";
    struct beat_options options = traces_options(pattern);
    size_t told = 0;

    for (size_t size = BEAT_PATH_SIZE - 40; size < BEAT_PATH_SIZE + 20; size++) {
        size_t at = (size_t)snprintf(pattern, sizeof(pattern), "%s", traces_folder);
        for (; at < size; at++) {
            pattern[at] = '/';
        }
        (void)snprintf(pattern + at, sizeof(pattern) - at, "/a%%p");
        traces_log[0] = '\0';
        bool has_file = beat_start(&options);
        cr_assert(beat_is_recording());
        beat_stop();
        bool is_told =
            strcmp(traces_log, "the trace's name is too long: recording in memory only") == 0;
        cr_expect(eq(sz, traces_count_files(), !is_told), "%zu: %s", size, traces_log);
        cr_expect(is_told || traces_log[0] == '\0', "%zu: %s", size, traces_log);
        cr_expect(eq(int, has_file, !is_told), "%zu", size);
        told += is_told;
        if (told == 0) {
            (void)snprintf(pattern, sizeof(pattern), "%s/a%ld", traces_folder, (long)getpid());
            cr_assert(eq(int, unlink(pattern), 0));
        }
    }
    cr_expect(gt(sz, told, 10));
    cr_expect(lt(sz, told, 60));
}

Test(layout, a_place_that_cannot_be_is_told_and_recording_goes_on)
{
    struct beat_options options = traces_options("/nonexistent/trace");
    uint64_t words[4];
    size_t count = 4;

    cr_assert(not(beat_start(&options)), "not as asked");
    cr_assert(beat_is_recording());
    cr_assert(not(beat_start(&options)), "nor when it is asked again");
    cr_expect(ne(ptr, strstr(traces_log, "/nonexistent/trace: "), NULL));
    cr_expect(ne(ptr, strstr(traces_log, ": recording in memory only"), NULL));
    beat_i(1);
    cr_assert(beat_copy(NULL, BEAT_SELF, words, &count));
    cr_expect(eq(sz, count, 1));
    options.file = traces_path;
    cr_assert(beat_start(&options), "another place");
    beat_stop();
    struct traces_loaded loaded = traces_load(traces_path);
    cr_expect(eq(sz, loaded.main.run_counts[0], 1), "what was recorded in memory is there");
    mb_buf_finish(&loaded.bytes);
}

Test(layout, the_header_says_who_and_since_when)
{
    struct beat_options options = traces_options(traces_path);

    options.process_name = "p";
    cr_assert(beat_start(&options));
    beat_stop();
    struct traces_loaded loaded = traces_load(traces_path);
    const struct abi_trace_header *header = &loaded.trace.header;
    cr_expect(eq(u32, header->process_id, (uint32_t)getpid()));
    cr_expect_str_eq(header->process_name, "p");
    cr_expect(eq(u32, header->state, ABI_TRACE_CLOSED));
    mb_buf_finish(&loaded.bytes);
}

/* ---- Whom it comes from ---- */

TestSuite(identity, .init = traces_make_folder, .fini = traces_remove_folder);

/* What the file says of that key. */
static void expect(const char *key, const char *wanted)
{
    struct traces_loaded loaded = traces_load(traces_path);
    struct mb_text value = abi_identity_find(abi_identity_of_trace(&loaded.trace), key);

    cr_expect(mb_text_is(value, wanted), "%s=%.*s, not %s", key, (int)value.size, value.data,
              wanted);
    mb_buf_finish(&loaded.bytes);
}

Test(identity, of_a_trace_is_what_the_option_says_and_the_system)
{
    struct beat_options options = traces_options(traces_path);

    options.app = "id=com.acme,version=5.2,os_level=33";
    cr_assert(beat_start(&options));
    expect("id", "com.acme");
    expect("os_level", "33");
    expect("os", "Linux");
    beat_stop();
    expect("version", "5.2");
}

Test(identity, of_a_trace_is_none_unless_it_is_asked_for)
{
    struct beat_options options = traces_options(traces_path);

    cr_assert(beat_start(&options));
    expect("os", "");
    beat_stop();
    cr_expect_str_eq(traces_log, "");
}

Test(identity, of_a_trace_is_given_when_a_waiting_session_starts)
{
    struct beat_options options = traces_options(traces_path);

    beat_i(1);
    options.app = "id=late";
    cr_assert(beat_start(&options));
    expect("id", "late");
    beat_stop();
}

Test(identity, that_is_wrong_is_one_message)
{
    struct beat_options options = traces_options(traces_path);

    options.app = "Colour=red";
    cr_assert(beat_start(&options));
    cr_expect_str_eq(traces_log, "app has no key Colour: they are " ABI_IDENTITY_KEYS);
    expect("os", "");
    beat_stop();
}

Test(identity, that_the_monitors_tell_goes_before_and_stays)
{
    struct beat_options options = traces_options(traces_path);

    options.app = "id=com.acme";
    cr_assert(beat_start(&options));
    beat_identity_tell("id=com.acme,device=d1");
    expect("device", "d1");
    beat_stop();
    cr_assert(beat_start(&options));
    expect("device", "d1");
    beat_stop();
}

/* As many pairs as there can be. */
Test(identity, of_any_size_has_room)
{
    struct beat_options options = traces_options(traces_path);
    static const char *const keys[] = {"id", "version", "channel", "build",
                                       "r8", "device",  "model"};
    char most[ABI_IDENTITY_SIZE] = "";
    char value[ABI_IDENTITY_VALUE + 1];

    memset(value, 'x', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    for (size_t i = 0; i < MB_COUNT(keys); i++) {
        abi_identity_add(most, keys[i], value);
    }
    value[1019 - strlen(most) - strlen(",maker=")] = '\0';
    abi_identity_add(most, "maker", value);
    cr_assert(eq(sz, strlen(most), 1019));
    beat_identity_tell(most);
    cr_assert(beat_start(&options));
    expect("maker", value);
    beat_stop();
}

Test(identity, is_in_dumps_and_comes_from_the_environment)
{
    char dump[192];
    cr_assert(eq(int, setenv("METHODBEAT_APP", "id=from.outside", 1), 0));
    struct beat_options options = traces_options(traces_path);

    (void)snprintf(dump, sizeof(dump), "%s.dump", traces_path);
    cr_assert(beat_start(&options));
    beat_i(1);
    expect("id", "from.outside");
    cr_assert(beat_dump(dump));
    struct traces_loaded loaded = traces_load(dump);
    struct mb_text id = abi_identity_find(abi_identity_of_trace(&loaded.trace), "id");
    cr_expect(mb_text_is(id, "from.outside"));
    mb_buf_finish(&loaded.bytes);
    beat_stop();
}
